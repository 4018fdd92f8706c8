// The ids of marker locations: which one a location gets, and that no two share one.
#include <stdio.h>

#include "base/data/zone_fold.h"

#include "sim/program/zones.h"
#include "test.h"

static uint32_t give(struct zone_table *t, const char *name, const char *file,
                     uint32_t line)
{
    return zones_give(t, str_of(name), str_of(file), line);
}

static const struct tt_zone *zone_of(const struct zone_table *t, uint32_t id)
{
    for (size_t i = 0; i < t->v.n; i++)
        if (t->v.v[i].id == id)
            return &t->v.v[i];
    return NULL;
}

TEST(a_location_folds_to_the_id_that_others_expect)
{
    assert_int_equal(zone_fold(S("BRISC-FW,tt_metal/hw/firmware/src/tt-1xx/brisc.cc,433,"
                                 "KERNEL_PROFILER")),
                     23359);
    assert_int_equal(zone_fold(S("LOAD,kernels/reader.cpp,14,KERNEL_PROFILER")), 16768);
    // Bytes above 127 count as unsigned.
    assert_int_equal(zone_fold(S("Gr\303\266\303\237e,a.c,1,KERNEL_PROFILER")), 62482);
}

TEST(a_location_gets_its_fold_and_keeps_it)
{
    struct zone_table t = {0};
    assert_int_equal(give(&t, "LOAD", "kernels/reader.cpp", 14), 16768);
    assert_int_not_equal(give(&t, "LOAD", "kernels/reader.cpp", 15), 16768);
    assert_int_equal(give(&t, "LOAD", "kernels/reader.cpp", 14), 16768);
    assert_int_equal(t.v.n, 2);
    const struct tt_zone *zone = zone_of(&t, 16768);
    assert_string_equal(zone->name, "LOAD");
    assert_string_equal(zone->file, "kernels/reader.cpp");
    assert_int_equal(zone->line, 14);
    zones_free(&t);
}

// The texts of both fold to 4667.
TEST(of_two_locations_with_one_fold_the_second_gets_the_next_id)
{
    struct zone_table t = {0};
    assert_int_equal(give(&t, "first 791", "one.h", 10), 4667);
    assert_int_equal(give(&t, "second 10", "two.h", 20), 4668);
    assert_int_equal(give(&t, "first 791", "one.h", 10), 4667);
    assert_string_equal(zone_of(&t, 4667)->name, "first 791");
    assert_string_equal(zone_of(&t, 4668)->name, "second 10");
    zones_free(&t);
}

TEST(ids_with_a_meaning_of_their_own_are_not_given)
{
    static const struct {
        const char *name;
        uint32_t fold, want;
    } cases[] = {{"z33723", 0, 1},
                 {"z15780", TT_ID_PERF_COUNTER, TT_ID_PERF_COUNTER + 1},
                 {"z16965", TT_ID_NOC_EVENT, TT_ID_NOC_EVENT + 1},
                 {"z41615", TT_ID_NOC_LOCK, TT_ID_NOC_LOCK + 1},
                 {"z2856", TT_ID_OVERFLOW, 2}}; // round the end; 1 is taken
    struct zone_table t = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[80];
        (void)snprintf(text, sizeof text, "%s,f.c,1,KERNEL_PROFILER", cases[i].name);
        assert_int_equal(zone_fold(str_of(text)), cases[i].fold);
        assert_int_equal(give(&t, cases[i].name, "f.c", 1), cases[i].want);
    }
    zones_free(&t);
}

// The text of both is "a,b,c,1,KERNEL_PROFILER".
TEST(commas_do_not_make_two_locations_one)
{
    struct zone_table t = {0};
    uint32_t one = give(&t, "a,b", "c", 1), other = give(&t, "a", "b,c", 1);
    assert_int_not_equal(one, other);
    assert_string_equal(zone_of(&t, one)->name, "a,b");
    assert_string_equal(zone_of(&t, other)->file, "b,c");
    zones_free(&t);
}

TEST(a_reserved_id_is_not_given)
{
    struct zone_table t = {0};
    assert_true(zones_reserve(&t, 16768));
    assert_false(zones_reserve(&t, 16768));
    assert_false(zones_reserve(&t, 0));
    assert_int_equal(give(&t, "LOAD", "kernels/reader.cpp", 14), 16769);
    assert_int_equal(t.v.n, 1);
    zones_free(&t);
}

TEST(all_65531_ids_are_given_once_and_what_comes_then_is_counted)
{
    struct zone_table t = {0};
    unsigned char *seen = mem_alloc(65536);
    for (uint32_t line = 0; line < ZONE_IDS; line++) {
        uint32_t id = give(&t, "zone", "file.c", line);
        assert_true(id > 0 && id < TT_ID_OVERFLOW && !seen[id]);
        seen[id] = 1;
    }
    assert_int_equal(t.v.n, 65531);
    assert_int_equal(t.n_without, 0);
    assert_int_equal(
        seen[TT_ID_PERF_COUNTER] + seen[TT_ID_NOC_EVENT] + seen[TT_ID_NOC_LOCK], 0);
    for (uint32_t line = 0; line < 3; line++)
        assert_int_equal(give(&t, "more", "file.c", line), TT_ID_OVERFLOW);
    assert_int_equal(give(&t, "more", "file.c", 0), TT_ID_OVERFLOW); // not a new one
    assert_int_equal(t.n_without, 3);
    assert_int_equal(t.v.n, 65532);
    assert_string_equal(zone_of(&t, TT_ID_OVERFLOW)->name, "?");
    assert_string_equal(zone_of(&t, give(&t, "zone", "file.c", 77))->name, "zone");
    zones_free(&t);
    mem_free(seen);
}
