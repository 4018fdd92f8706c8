// test_diag.c - odd data is counted and explained.
#include <string.h>

#include "analyse/diags.h"
#include "collect/diags.h"
#include "formats/diags.h"
#include "test.h"
#include "trace/diags.h"

TEST(diag_count_is_true_for_the_first_of_its_kind_only)
{
    struct diag d = {0};
    assert_true(diag_count(&d, DIAG_NO_SIZE));
    assert_false(diag_count(&d, DIAG_NO_SIZE));
    assert_true(diag_count(&d, DIAG_NO_WINDOW));
    assert_int_equal(2, d.entry[DIAG_NO_SIZE].count);
    assert_int_equal(1, d.entry[DIAG_NO_WINDOW].count);
    assert_int_equal(3, diag_total(&d));
}

TEST(diag_note_keeps_the_place_and_cuts_it_to_its_room)
{
    struct diag d = {0};
    diag_note(&d, DIAG_NOT_A_NUMBER, "a.csv: line %d", 12);
    assert_string_equal("a.csv: line 12", d.entry[DIAG_NOT_A_NUMBER].first);
    assert_int_equal(0, d.entry[DIAG_NOT_A_NUMBER].count);
    diag_note(&d, DIAG_NO_SIZE, "%0400d", 1);
    assert_int_equal(sizeof d.entry[0].first - 1, strlen(d.entry[DIAG_NO_SIZE].first));
}

TEST(diag_kinds_all_have_a_sentence_and_a_remedy_of_their_own)
{
    size_t n = 0;
    for (int k = 0; k < DIAG_KINDS; k++) {
        if (!diag_name(k))
            continue;
        n++;
        assert_true(strlen(diag_what(k)) > 10);
        assert_true(strlen(diag_remedy(k)) > 10);
        for (int other = 0; other < k; other++)
            if (diag_name(other)) {
                assert_string_not_equal(diag_name(k), diag_name(other));
                assert_string_not_equal(diag_what(k), diag_what(other));
            }
    }
    assert_int_equal(
        n, (size_t)(trace_diags.n + formats_diags.n + collect_diags.n + analyse_diags.n));
}

TEST(diag_ranges_of_the_layers_follow_each_other)
{
    assert_int_equal(trace_diags.first, 0);
    assert_true(trace_diags.first + trace_diags.n <= formats_diags.first);
    assert_true(formats_diags.first + formats_diags.n <= collect_diags.first);
    assert_true(collect_diags.first + collect_diags.n <= analyse_diags.first);
    assert_true(analyse_diags.first + analyse_diags.n <= DIAG_KINDS);
    assert_null(diag_name(trace_diags.n));
    assert_null(diag_name(-1));
    assert_null(diag_name(DIAG_KINDS));
}

TEST(diag_add_sums_counts_and_keeps_the_first_place)
{
    struct diag whole = {0}, part = {0};
    (void)diag_count(&part, DIAG_NO_SIZE);
    diag_note(&part, DIAG_NO_SIZE, "here");
    diag_add(&whole, &part);
    diag_note(&part, DIAG_NO_SIZE, "there");
    diag_add(&whole, &part);
    assert_int_equal(2, whole.entry[DIAG_NO_SIZE].count);
    assert_string_equal("here", whole.entry[DIAG_NO_SIZE].first);
    assert_int_equal(2, diag_total(&whole));
}

TEST(diag_note_cuts_between_characters)
{
    struct diag d = {0};
    char text[2 * sizeof d.entry[0].first];
    for (size_t i = 0; i < sizeof text - 1; i += 2)
        memcpy(text + i, "\xC3\xA4", 2);
    text[sizeof text - 2] = '\0';
    diag_note(&d, DIAG_NO_SIZE, "%s", text);
    // 159 bytes fit: 79 characters of two, not half of the eightieth.
    assert_int_equal(158, strlen(d.entry[DIAG_NO_SIZE].first));
}

TEST(diag_note_has_whole_characters_only)
{
    struct diag d = {0};
    diag_note(&d, DIAG_NO_SIZE, "\xC3\xA9\xC3 \xFF\xE2\x82");
    assert_string_equal("\xC3\xA9? ???", d.entry[DIAG_NO_SIZE].first);
}
