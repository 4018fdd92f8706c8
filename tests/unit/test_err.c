// test_err.c - the one sentence of a failure.
#include "base/text/err.h"

#include "test.h"

TEST(err_set_keeps_code_and_sentence_and_returns_false)
{
    struct err e = {0};
    assert_false(err_set(&e, ERR_FORMAT, "line %d: '%s'", 3, "x"));
    assert_int_equal(ERR_FORMAT, e.code);
    assert_string_equal("line 3: 'x'", e.text);
}

TEST(err_in_puts_the_place_in_front)
{
    struct err e = {0};
    (void)err_set(&e, ERR_IO, "cannot be read");
    assert_false(err_in(&e, "line %d", 18));
    assert_false(err_in(&e, "a.csv"));
    assert_int_equal(ERR_IO, e.code);
    assert_string_equal("a.csv: line 18: cannot be read", e.text);
}

TEST(err_texts_that_are_too_long_are_cut_at_the_end)
{
    struct err e = {0};
    (void)err_set(&e, ERR_IO, "%0600d", 7);
    assert_int_equal(sizeof e.text - 1, strlen(e.text));
    (void)err_in(&e, "place");
    assert_int_equal(sizeof e.text - 1, strlen(e.text));
    assert_memory_equal("place: 000", e.text, 10);
}

TEST(err_in_with_a_place_that_fills_the_text_stays_inside_it)
{
    struct err e = {0};
    (void)err_set(&e, ERR_IO, "lost");
    (void)err_in(&e, "%0600d", 7);
    assert_int_equal(sizeof e.text - 1, strlen(e.text));
    assert_int_equal(':', e.text[sizeof e.text - 3]);
}

TEST(err_codes_have_the_documented_exit_codes)
{
    assert_int_equal(0, err_exit_code(ERR_NONE));
    assert_int_equal(1, err_exit_code(ERR_FAILED));
    assert_int_equal(2, err_exit_code(ERR_USAGE));
    assert_int_equal(3, err_exit_code(ERR_IO));
    assert_int_equal(4, err_exit_code(ERR_FORMAT));
    assert_int_equal(5, err_exit_code(ERR_LIMIT));
}
