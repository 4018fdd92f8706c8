// test_num.c - numbers from text and to text.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/num.h"

#include "test.h"

// --- reading ---

static void int_is(str s, int64_t want)
{
    int64_t v = 12345;
    assert_true(num_int(s, &v));
    assert_int_equal(want, v);
}

static void no_int(str s)
{
    int64_t v;
    assert_false(num_int(s, &v));
}

TEST(num_int_reads_whole_texts_with_outer_blanks)
{
    int_is(S("0"), 0);
    int_is(S("42"), 42);
    int_is(S("+42"), 42);
    int_is(S("-42"), -42);
    int_is(S("-0"), 0);
    int_is(S("007"), 7);
    int_is(S(" \t5\r\n"), 5);
    int_is(S("9223372036854775807"), INT64_MAX);
    int_is(S("-9223372036854775808"), INT64_MIN);
}

TEST(num_int_refuses_everything_else)
{
    no_int(S(""));
    no_int(S(" "));
    no_int(S("-"));
    no_int(S("+"));
    no_int(S("+-1"));
    no_int(S("1 2"));
    no_int(S("1.0"));
    no_int(S("1e3"));
    no_int(S("0x10"));
    no_int(S("1\0"));
    no_int(S("9223372036854775808"));
    no_int(S("-9223372036854775809"));
    no_int(S("99999999999999999999999999"));
}

static void real_is(str s, double want)
{
    double v = 12345;
    assert_true(num_real(s, &v));
    REAL_IS(v, want);
}

static void no_real(str s)
{
    double v;
    assert_false(num_real(s, &v));
}

TEST(num_real_reads_the_nearest_double)
{
    real_is(S("0"), 0.0);
    real_is(S("-0"), -0.0);
    real_is(S("0.1"), 0.1);
    real_is(S("-2.5"), -2.5);
    real_is(S(".5"), 0.5);
    real_is(S("5."), 5.0);
    real_is(S("+5"), 5.0);
    real_is(S(" 1e3\t"), 1000.0);
    real_is(S("1E-3"), 0.001);
    real_is(S("123456789012345"), 123456789012345.0);
    real_is(S("0.123456789012345"), 0.123456789012345);
    real_is(S("9007199254740993"), 9007199254740992.0); // halfway: to even
    real_is(S("1.7976931348623157e308"), DBL_MAX);
    real_is(S("4.9e-324"), 4.9406564584124654e-324);
    real_is(S("1e400"), INFINITY);
}

TEST(num_real_reads_names_in_any_case)
{
    real_is(S("inf"), INFINITY);
    real_is(S("-Infinity"), -INFINITY);
    real_is(S("+INF"), INFINITY);
    real_is(S("NaN"), NAN);
}

TEST(num_real_reads_texts_of_any_length)
{
    char text[2000];
    memset(text, '0', sizeof text);
    text[0] = '1';
    text[1] = '.';
    text[1999] = '1';
    real_is((str){text, sizeof text}, 1.0);
}

TEST(num_real_refuses_everything_else)
{
    no_real(S(""));
    no_real(S(" "));
    no_real(S("-"));
    no_real(S("."));
    no_real(S("e5"));
    no_real(S("1e"));
    no_real(S("1.2.3"));
    no_real(S("1 2"));
    no_real(S("0x10"));
    no_real(S("nan(1)"));
    no_real(S("1,000"));
    no_real(S("1f"));
    no_real(S("1\0"));
    no_real(S("infinit"));
}

// --- writing ---

static str shown(struct buf *b, double v)
{
    b->n = 0;
    num_put_real(b, v);
    return buf_view(b);
}

TEST(num_put_real_always_has_a_point_or_an_exponent)
{
    struct buf b = {0};
    STR_IS(shown(&b, 0.0), "0.0");
    STR_IS(shown(&b, -0.0), "-0.0");
    STR_IS(shown(&b, 64), "64.0");
    STR_IS(shown(&b, 1024), "1024.0");
    STR_IS(shown(&b, -1), "-1.0");
    STR_IS(shown(&b, 100000), "100000.0");
    buf_free(&b);
}

TEST(num_put_real_is_as_short_as_reads_back)
{
    struct buf b = {0};
    STR_IS(shown(&b, 0.1), "0.1");
    STR_IS(shown(&b, 0.1 + 0.2), "0.30000000000000004");
    STR_IS(shown(&b, 1.0 / 3), "0.3333333333333333");
    STR_IS(shown(&b, 123456.789), "123456.789");
    STR_IS(shown(&b, 9007199254740993.0), "9007199254740992.0");
    STR_IS(shown(&b, 2e-44), "2e-44");
    STR_IS(shown(&b, 9.5367431640625e-07), "9.5367431640625e-07");
    buf_free(&b);
}

TEST(num_put_real_changes_to_exponents_below_1e_4_and_from_1e16)
{
    struct buf b = {0};
    STR_IS(shown(&b, 0.0001), "0.0001");
    STR_IS(shown(&b, 0.00012345), "0.00012345");
    STR_IS(shown(&b, 0.00001), "1e-05");
    STR_IS(shown(&b, 0.000099), "9.9e-05");
    STR_IS(shown(&b, 1e15), "1000000000000000.0");
    STR_IS(shown(&b, 9999999999999998.0), "9999999999999998.0");
    STR_IS(shown(&b, 1e16), "1e+16");
    STR_IS(shown(&b, 12345678901234567890.0), "1.2345678901234567e+19");
    STR_IS(shown(&b, -1e100), "-1e+100");
    buf_free(&b);
}

TEST(num_put_real_knows_the_extremes)
{
    struct buf b = {0};
    STR_IS(shown(&b, 4.9406564584124654e-324), "5e-324");
    STR_IS(shown(&b, 9.8813129168249309e-324), "1e-323");
    STR_IS(shown(&b, DBL_MIN), "2.2250738585072014e-308");
    STR_IS(shown(&b, DBL_MAX), "1.7976931348623157e+308");
    STR_IS(shown(&b, NAN), "nan");
    STR_IS(shown(&b, -NAN), "nan");
    STR_IS(shown(&b, INFINITY), "inf");
    STR_IS(shown(&b, -INFINITY), "-inf");
    buf_free(&b);
}

TEST(num_put_int_writes_both_ends_of_the_range)
{
    struct buf b = {0};
    num_put_int(&b, 0);
    buf_char(&b, ' ');
    num_put_int(&b, -7);
    buf_char(&b, ' ');
    num_put_int(&b, 1234567);
    buf_char(&b, ' ');
    num_put_int(&b, INT64_MAX);
    buf_char(&b, ' ');
    num_put_int(&b, INT64_MIN);
    STR_IS(buf_view(&b), "0 -7 1234567 9223372036854775807 -9223372036854775808");
    buf_free(&b);
}

static str fixed(struct buf *b, double v, int decimals, bool commas)
{
    b->n = 0;
    num_put_fixed(b, v, decimals, commas);
    return buf_view(b);
}

TEST(num_put_fixed_rounds_ties_to_even_and_the_rest_to_the_nearest)
{
    struct buf b = {0};
    STR_IS(fixed(&b, 0.5, 0, false), "0");
    STR_IS(fixed(&b, 1.5, 0, false), "2");
    STR_IS(fixed(&b, 2.5, 0, false), "2");
    STR_IS(fixed(&b, 0.125, 2, false), "0.12");
    STR_IS(fixed(&b, 0.375, 2, false), "0.38");
    STR_IS(fixed(&b, 2.675, 2, false), "2.67"); // the double is below the tie
    STR_IS(fixed(&b, 0.05, 1, false), "0.1");   // and this one above
    STR_IS(fixed(&b, 9.9999, 1, false), "10.0");
    STR_IS(fixed(&b, 999999999999.9996, 3, false), "1000000000000.000");
    buf_free(&b);
}

TEST(num_put_fixed_groups_thousands_if_asked)
{
    struct buf b = {0};
    STR_IS(fixed(&b, 123, 0, true), "123");
    STR_IS(fixed(&b, 1234, 0, true), "1,234");
    STR_IS(fixed(&b, -1234567.25, 1, true), "-1,234,567.2");
    STR_IS(fixed(&b, 999999.96, 1, true), "1,000,000.0");
    STR_IS(fixed(&b, 1e15, 0, true), "1,000,000,000,000,000");
    STR_IS(fixed(&b, 1234, 0, false), "1234");
    buf_free(&b);
}

TEST(num_put_fixed_keeps_signs_and_names)
{
    struct buf b = {0};
    STR_IS(fixed(&b, -0.04, 1, true), "-0.0");
    STR_IS(fixed(&b, -0.0, 0, true), "-0");
    STR_IS(fixed(&b, NAN, 1, true), "nan");
    STR_IS(fixed(&b, INFINITY, 1, true), "inf");
    STR_IS(fixed(&b, -INFINITY, 0, true), "-inf");
    buf_free(&b);
}

TEST(num_put_fixed_writes_all_digits_of_large_numbers)
{
    struct buf b = {0};
    str s = fixed(&b, DBL_MAX, 2, false);
    assert_int_equal(309 + 3, s.n);
    STR_IS(((str){s.p, 17}), "17976931348623157");
    s = fixed(&b, DBL_MAX, 0, true);
    assert_int_equal(309 + 102, s.n);
    buf_free(&b);
}

TEST(num_int_skips_leading_zeros)
{
    int64_t v;
    assert_true(num_int(S("00000000000000000000000042"), &v));
    assert_int_equal(42, v);
    assert_true(num_int(S("-000"), &v));
    assert_int_equal(0, v);
}

TEST(num_write_gives_digits_and_where_they_end)
{
    static const struct {
        uint64_t v;
        const char *text;
    } cases[] = {
        {0, "0"}, {9, "9"}, {10, "10"}, {100, "100"}, {UINT64_MAX, "18446744073709551615"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[20];
        char *end = num_write(text, cases[i].v);
        test_str_is((str){text, (size_t)(end - text)}, str_of(cases[i].text), __FILE__,
                    __LINE__);
    }
}

TEST(num_size_takes_units_of_1024)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"0", 0},
                 {"4096", 4096},
                 {"64K", 65536},
                 {"64k", 65536},
                 {" 1.5 MiB ", 1572864},
                 {"2GB", UINT64_C(2) << 30},
                 {"1T", UINT64_C(1) << 40}};
    uint64_t v;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(num_size(str_of(cases[i].text), &v));
        assert_int_equal(cases[i].bytes, v);
    }
    static const char *const wrong[] = {"",    "K",   "B",   "-1",  "1X",
                                        "1KK", "nan", "inf", "1e19"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(num_size(str_of(wrong[i]), &v));
}
