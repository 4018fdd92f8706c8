// test_pair.c - zones from markers, whole and with losses.
#include "../support/device_run.h"
#include "analyse/diags.h"
#include "test.h"

#define START(id, time, run, name)                                                         \
    "0,1,1,BRISC," id "," time ",0," run ",,," name ",ZONE_START,1,a.cc,\n"
#define END(id, time, run, name)                                                           \
    "0,1,1,BRISC," id "," time ",0," run ",,," name ",ZONE_END,1,a.cc,\n"
#define EVENT(time) "0,1,1,BRISC,99," time ",0,1,,,E,TS_EVENT,1,a.cc,\n"

static struct device_run pair(str text)
{
    struct device_run r;
    if (!device_run_read(&r, text))
        fail_msg("%s", r.e.text);
    pair_zones(&r.trace);
    assert_null(law_of_pairing(&r.trace));
    return r;
}
#define PAIR(rows) pair(S(LOG_HEAD rows))

static void zone_is(const struct device_run *r, size_t i, uint64_t start, uint64_t end,
                    unsigned depth)
{
    const struct trace_zones *z = &r->trace.zones;
    assert_true(i < z->n);
    if (z->start[i] != start || z->end[i] != end || z->depth[i] != depth)
        fail_msg("zone %zu: %llu..%llu, depth %u", i, (unsigned long long)z->start[i],
                 (unsigned long long)z->end[i], z->depth[i]);
}

static void odd_are(const struct device_run *r, uint64_t starts, uint64_t ends)
{
    assert_int_equal(starts, trace_count(&r->trace, DIAG_START_WITHOUT_END));
    assert_int_equal(ends, trace_count(&r->trace, DIAG_END_WITHOUT_START));
}

TEST(zones_nest_by_their_ids)
{
    struct device_run r = PAIR(START("1", "10", "1", "A") START("2", "20", "1", "B")
                                   END("2", "30", "1", "B") START("3", "40", "1", "C")
                                       END("3", "50", "1", "C") END("1", "60", "1", "A"));
    assert_int_equal(3, r.trace.zones.n);
    zone_is(&r, 0, 10, 60, 0);
    zone_is(&r, 1, 20, 30, 1);
    zone_is(&r, 2, 40, 50, 1);
    odd_are(&r, 0, 0);
    device_run_free(&r);
}

TEST(zones_of_no_length_are_zones)
{
    struct device_run r = PAIR(START("1", "10", "1", "A") START("2", "10", "1", "B")
                                   END("2", "10", "1", "B") END("1", "10", "1", "A"));
    zone_is(&r, 0, 10, 10, 0);
    zone_is(&r, 1, 10, 10, 1);
    odd_are(&r, 0, 0);
    device_run_free(&r);
}

TEST(an_id_of_0_is_an_id_like_any_other)
{
    struct device_run r = PAIR(START("0", "10", "1", "A") END("0", "20", "1", "A"));
    zone_is(&r, 0, 10, 20, 0);
    odd_are(&r, 0, 0);
    device_run_free(&r);
}

TEST(a_zone_inside_itself_ends_first)
{
    struct device_run r = PAIR(
        START("1", "10", "1", "F-FW") START("2", "20", "1", "B") START("2", "30", "1", "B")
            END("2", "40", "1", "B") END("2", "50", "1", "B") END("1", "60", "1", "F-FW"));
    zone_is(&r, 1, 20, 50, 1);
    zone_is(&r, 2, 30, 40, 2);
    odd_are(&r, 0, 0);
    device_run_free(&r);
}

TEST(an_end_closes_what_has_lost_its_own_end_inside)
{
    struct device_run r = PAIR(START("1", "10", "1", "A") START("2", "20", "1", "B")
                                   START("3", "30", "1", "C") END("1", "60", "1", "A")
                                       START("4", "70", "1", "D") END("4", "80", "1", "D"));
    zone_is(&r, 0, 10, 60, 0);
    zone_is(&r, 1, 20, 60, 1 | ZONE_REPAIRED);
    zone_is(&r, 2, 30, 60, 2 | ZONE_REPAIRED);
    zone_is(&r, 3, 70, 80, 0);
    odd_are(&r, 2, 0);
    // The first in the log is named, not the first that was closed.
    assert_non_null(strstr(r.trace.diag.entry[DIAG_START_WITHOUT_END].first, "line 4: B"));
    device_run_free(&r);
}

TEST(an_end_without_a_start_is_counted_and_closes_nothing)
{
    struct device_run r = PAIR(END("9", "5", "1", "X") START("1", "10", "1", "A")
                                   END("8", "20", "1", "Y") END("1", "30", "1", "A"));
    assert_int_equal(1, r.trace.zones.n);
    zone_is(&r, 0, 10, 30, 0);
    odd_are(&r, 0, 2);
    assert_non_null(strstr(r.trace.diag.entry[DIAG_END_WITHOUT_START].first, "line 3: X"));
    device_run_free(&r);
}

TEST(firmware_that_starts_again_ends_all_at_the_marker_before)
{
    struct device_run r =
        PAIR(START("1", "10", "1", "BRISC-FW") START("2", "20", "1", "K") EVENT("25")
                 START("1", "100", "1", "BRISC-FW") END("1", "130", "1", "BRISC-FW"));
    zone_is(&r, 0, 10, 25, ZONE_REPAIRED);
    zone_is(&r, 1, 20, 25, 1 | ZONE_REPAIRED);
    zone_is(&r, 2, 100, 130, 0);
    odd_are(&r, 2, 0);
    device_run_free(&r);
}

TEST(an_outer_zone_of_another_run_begins_afresh_and_one_of_the_same_run_nests)
{
    struct device_run r = PAIR(START("1", "10", "1", "A") START("1", "20", "2", "A")
                                   END("1", "30", "2", "A"));
    zone_is(&r, 0, 10, 10, ZONE_REPAIRED);
    zone_is(&r, 1, 20, 30, 0);
    device_run_free(&r);
    r = PAIR(START("1", "10", "1", "A") START("1", "20", "1", "A")
                 END("1", "30", "1", "A"));
    zone_is(&r, 0, 10, 30, ZONE_REPAIRED);
    zone_is(&r, 1, 20, 30, 1);
    device_run_free(&r);
}

TEST(what_is_open_at_the_end_is_closed_with_the_last_marker)
{
    struct device_run r = PAIR(START("1", "10", "1", "A") EVENT("70"));
    zone_is(&r, 0, 10, 70, ZONE_REPAIRED);
    odd_are(&r, 1, 0);
    device_run_free(&r);
}

TEST(zones_below_the_deepest_level_keep_that_level_and_are_counted)
{
    struct buf b = {0};
    enum { N = ZONE_DEPTH_MOST + 3 };
    buf_z(&b, LOG_HEAD);
    for (int i = 0; i < N; i++)
        buf_printf(&b, "0,1,1,BRISC,%d,%d,0,1,,,Z,ZONE_START,%d,a.cc,\n", i, 10 + i, i);
    for (int i = N; i-- > 0;)
        buf_printf(&b, "0,1,1,BRISC,%d,%d,0,1,,,Z,ZONE_END,%d,a.cc,\n", i, 1000 - i, i);
    struct device_run r = pair(buf_view(&b));
    zone_is(&r, ZONE_DEPTH_MOST, 10 + ZONE_DEPTH_MOST, 1000 - ZONE_DEPTH_MOST,
            ZONE_DEPTH_MOST);
    zone_is(&r, N - 1, 10 + N - 1, 1000 - N + 1, ZONE_DEPTH_MOST);
    assert_int_equal(2, trace_count(&r.trace, DIAG_TOO_DEEP));
    odd_are(&r, 0, 0);
    device_run_free(&r);
    buf_free(&b);
}

// An end is looked for among the 128 innermost zones, so that damage takes no time.
TEST(an_end_finds_its_start_below_127_zones_that_have_lost_their_ends)
{
    for (int n_lost = 127; n_lost <= 128; n_lost++) {
        struct buf b = {0};
        bool is_found = n_lost == 127;
        buf_z(&b, LOG_HEAD START("1", "10", "1", "A"));
        for (int i = 0; i < n_lost; i++)
            buf_printf(&b, "0,1,1,BRISC,2,%d,0,1,,,B,ZONE_START,1,a.cc,\n", 20 + i);
        buf_z(&b, END("1", "500", "1", "A") EVENT("600"));
        struct device_run r = pair(buf_view(&b));
        assert_int_equal(r.trace.zones.end[0], is_found ? 500 : 600);
        assert_int_equal(r.trace.zones.end[n_lost], is_found ? 500 : 600);
        odd_are(&r, is_found ? 127 : 129, is_found ? 0 : 1);
        device_run_free(&r);
        buf_free(&b);
    }
}

TEST(the_ids_of_2023_pair_1_with_4_and_2_with_3)
{
    struct device_run r = pair(S("Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
                                 "0, 0, 0, BRISC, 1, 10\n0, 0, 0, BRISC, 2, 20\n"
                                 "0, 0, 0, BRISC, 3, 30\n0, 0, 0, BRISC, 4, 40\n"));
    zone_is(&r, 0, 10, 40, 0);
    zone_is(&r, 1, 20, 30, 1);
    odd_are(&r, 0, 0);
    device_run_free(&r);
}

TEST(tracks_do_not_share_open_zones)
{
    struct device_run r =
        PAIR(START("1", "10", "1", "A") "0,2,1,BRISC,1,20,0,1,,,A,ZONE_END,1,a.cc,\n");
    zone_is(&r, 0, 10, 10, ZONE_REPAIRED);
    odd_are(&r, 1, 1);
    device_run_free(&r);
}
