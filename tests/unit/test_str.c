// test_str.c - text views.
#include "base/text/str.h"

#include "test.h"

TEST(str_of_a_null_pointer_is_empty)
{
    assert_int_equal(0, str_of(NULL).n);
    STR_IS(str_of("abc"), "abc");
}

TEST(str_eq_compares_lengths_and_bytes)
{
    assert_true(str_eq(S("ab"), S("ab")));
    assert_false(str_eq(S("ab"), S("abc")));
    assert_false(str_eq(S("ab"), S("aB")));
    assert_false(str_eq(S("a\0b"), S("a\0c")));
    assert_true(str_eq((str){NULL, 0}, S("")));
    assert_true(str_is(S("abc"), "abc"));
    assert_false(str_is(S("abc"), "ab"));
}

TEST(str_eq_nocase_folds_ascii_letters_only)
{
    assert_true(str_eq_nocase(S("HiFi4"), S("hIfI4")));
    assert_false(str_eq_nocase(S("HiFi4"), S("HiFi2")));
    assert_false(str_eq_nocase(S("a"), S("ab")));
    assert_false(str_eq_nocase(S("@["), S("`{")));
    assert_false(str_eq_nocase(S("\xC3\x84"), S("\xC3\xA4")));
}

TEST(str_cmp_orders_by_bytes_then_by_length)
{
    assert_true(str_cmp(S("a"), S("b")) < 0);
    assert_true(str_cmp(S("b"), S("a")) > 0);
    assert_true(str_cmp(S("a"), S("ab")) < 0);
    assert_true(str_cmp(S("ab"), S("a")) > 0);
    assert_int_equal(0, str_cmp(S("ab"), S("ab")));
    assert_true(str_cmp(S("z"), S("\xC3\xA4")) < 0);
    assert_int_equal(0, str_cmp((str){NULL, 0}, S("")));
}

TEST(str_starts_and_ends_look_at_the_right_end)
{
    assert_true(str_starts(S("abc"), S("ab")));
    assert_false(str_starts(S("abc"), S("bc")));
    assert_false(str_starts(S("a"), S("ab")));
    assert_true(str_ends(S("abc"), S("bc")));
    assert_false(str_ends(S("abc"), S("ab")));
    assert_false(str_ends(S("c"), S("bc")));
    assert_true(str_starts(S("abc"), S("")));
    assert_true(str_ends(S("abc"), S("")));
}

TEST(str_from_past_the_end_is_empty)
{
    STR_IS(str_from(S("abc"), 1), "bc");
    STR_IS(str_from(S("abc"), 3), "");
    STR_IS(str_from(S("abc"), 99), "");
}

TEST(str_trim_takes_ascii_white_space_off_both_ends)
{
    STR_IS(str_trim(S(" \t\r\n\v\fa b\n ")), "a b");
    STR_IS(str_trim(S("  ")), "");
    STR_IS(str_trim(S("")), "");
    STR_IS(str_trim(S("\xC2\xA0x")), "\xC2\xA0x");
}

TEST(str_find_gives_the_first_place)
{
    assert_int_equal(2, str_find(S("abcbc"), S("cb")));
    assert_int_equal(1, str_find(S("abcbc"), S("bc")));
    assert_int_equal(0, str_find(S("abc"), S("")));
    assert_true(str_find(S("abc"), S("cd")) == STR_NOT_FOUND);
    assert_true(str_find(S("a"), S("ab")) == STR_NOT_FOUND);
    assert_true(str_has(S("OptimizedConvNew"), S("Conv")));
    assert_false(str_has(S("conv"), S("Conv")));
}

TEST(str_after_is_what_stands_behind_the_first_hit)
{
    str rest = S("untouched");
    assert_true(str_after(S("k=1;k=2"), S("k="), &rest));
    STR_IS(rest, "1;k=2");
    assert_true(str_after(S("k="), S("k="), &rest));
    STR_IS(rest, "");
    rest = S("untouched");
    assert_false(str_after(S("abc"), S("k="), &rest));
    STR_IS(rest, "untouched");
}

TEST(str_cut_takes_piece_after_piece)
{
    str s = S("a,,b");
    STR_IS(str_cut(&s, ','), "a");
    STR_IS(str_cut(&s, ','), "");
    STR_IS(s, "b");
    STR_IS(str_cut(&s, ','), "b");
    assert_int_equal(0, s.n);
    assert_null(s.p);
    STR_IS(str_cut(&s, ','), "");
}

TEST(str_points_counts_code_points)
{
    assert_int_equal(0, str_points(S("")));
    assert_int_equal(4, str_points(S("a\xCE\xBC\xE2\x80\xA2\xF0\x9F\x9A\x80")));
}

// Offset of the first bad byte and the start of what is cut off.
static void check_utf8(str s, size_t bad, size_t tail)
{
    size_t got_tail;
    assert_int_equal(bad, str_bad_utf8(s, 0, &got_tail));
    assert_int_equal(tail, got_tail);
}

TEST(str_bad_utf8_accepts_every_length_up_to_its_limits)
{
    check_utf8(S("a\x7F"), 2, 2);
    check_utf8(S("\xC2\x80\xDF\xBF"), 4, 4);
    check_utf8(S("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"), 12, 12);
    check_utf8(S("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), 8, 8);
}

TEST(str_bad_utf8_refuses_what_only_looks_like_it)
{
    check_utf8(S("a\x80"), 1, 1);            // continuation without a lead
    check_utf8(S("a\xC0\x80"), 1, 1);        // overlong zero
    check_utf8(S("\xC1\xBF"), 0, 0);         // overlong
    check_utf8(S("\xE0\x9F\xBF"), 0, 0);     // overlong
    check_utf8(S("\xF0\x8F\xBF\xBF"), 0, 0); // overlong
    check_utf8(S("\xED\xA0\x80"), 0, 0);     // surrogate
    check_utf8(S("\xF4\x90\x80\x80"), 0, 0); // past U+10FFFF
    check_utf8(S("\xF5\x80\x80\x80"), 0, 0);
    check_utf8(S("\xFF"), 0, 0);
    check_utf8(S("ok\xE2\x82x"), 2, 2); // broken off by a letter
}

TEST(str_bad_utf8_tells_where_a_cut_off_sequence_starts)
{
    check_utf8(S("ab\xE2\x82"), 4, 2);
    check_utf8(S("\xF0\x9F\x9A"), 3, 0);
    check_utf8(S("x\xC3"), 2, 1);
}

TEST(str_bad_utf8_starts_where_it_is_told)
{
    size_t tail;
    assert_int_equal(4, str_bad_utf8(S("\xFF"
                                       "abc"),
                                     1, &tail));
    assert_int_equal(4, tail);
}

TEST(str_distance_counts_edits_up_to_the_limit)
{
    assert_int_equal(0, str_distance(S("report"), S("report"), 9));
    assert_int_equal(1, str_distance(S("report"), S("reprt"), 9));
    assert_int_equal(1, str_distance(S("report"), S("rexport"), 9));
    assert_int_equal(3, str_distance(S("kitten"), S("sitting"), 9));
    assert_int_equal(6, str_distance(S(""), S("report"), 9));
    assert_int_equal(2, str_distance(S("kitten"), S("sitting"), 2));
    char wide[64];
    memset(wide, 'a', sizeof wide);
    assert_int_equal(5, str_distance((str){wide, sizeof wide}, S("a"), 5));
}

TEST(str_clip_cuts_between_characters)
{
    STR_IS(str_clip(S("abc"), 2), "ab");
    STR_IS(str_clip(S("abc"), 3), "abc");
    STR_IS(str_clip(S("x\xC3\xA4"), 2), "x");
    STR_IS(str_clip(S("x\xC3\xA4y"), 3), "x\xC3\xA4");
    STR_IS(str_clip(S("\xF0\x9F\x9A\x80"), 3), "");
}
