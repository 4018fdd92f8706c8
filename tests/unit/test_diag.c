// test_diag.c - odd data is counted and explained.
#include <string.h>

#include "base/text/diag.h"

#include "test.h"

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
    for (int k = 0; k < DIAG_KINDS; k++) {
        assert_non_null(diag_what((enum diag_kind)k));
        assert_non_null(diag_remedy((enum diag_kind)k));
        assert_true(strlen(diag_what((enum diag_kind)k)) > 10);
        assert_true(strlen(diag_remedy((enum diag_kind)k)) > 10);
        for (int other = 0; other < k; other++)
            assert_string_not_equal(diag_what((enum diag_kind)k),
                                    diag_what((enum diag_kind)other));
    }
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
