// test_json_read.c - JSON read in place.
#include <math.h>

#include "base/text/json_read.h"

#include "test.h"

// Skips the only value of the text.
static bool is_right(str text)
{
    struct json_read r = json_read_of(text);
    json_skip(&r);
    return json_is_done(&r);
}

TEST(json_read_goes_through_members_and_elements_in_their_order)
{
    struct json_read r =
        json_read_of(S(" {\"a\" : 1 ,\"b\":[ 2, {\"c\":null} ,[]], \"d\":\"x\"}\r\n"));
    struct arena a = {0};
    str key, text;
    uint64_t v;
    assert_true(json_enter(&r, '{'));
    assert_true(json_member(&r, &key));
    STR_IS(key, "a");
    assert_true(json_take_unsigned(&r, &v));
    assert_int_equal(1, v);
    assert_true(json_member(&r, &key));
    STR_IS(key, "b");
    assert_int_equal(JSON_KIND_ARRAY, json_peek(&r));
    assert_true(json_enter(&r, '['));
    assert_true(json_element(&r));
    assert_true(json_take_unsigned(&r, &v));
    assert_int_equal(2, v);
    assert_true(json_element(&r));
    json_skip(&r);
    assert_true(json_element(&r));
    json_skip(&r);
    assert_false(json_element(&r));
    assert_true(json_member(&r, &key));
    STR_IS(key, "d");
    assert_true(json_take_text(&r, &a, &text));
    STR_IS(text, "x");
    assert_false(json_member(&r, &key));
    assert_true(json_is_done(&r));
    arena_free(&a);
}

TEST(json_read_takes_whole_numbers_of_64_bits_exactly)
{
    uint64_t u = 7;
    int64_t i = 7;
    struct json_read r = json_read_of(S("18446744073709551615"));
    assert_true(json_take_unsigned(&r, &u));
    assert_true(u == UINT64_MAX);
    static const char *const no_unsigned[] = {
        "18446744073709551616", "-1", "1.0", "1e3", "\"5\"", "NaN", "[1]", "true"};
    for (size_t k = 0; k < sizeof no_unsigned / sizeof *no_unsigned; k++) {
        r = json_read_of(str_of(no_unsigned[k]));
        u = 7;
        assert_false(json_take_unsigned(&r, &u));
        assert_int_equal(7, u);
        assert_true(json_is_done(&r)); // passed over all the same
    }
    r = json_read_of(S("-9223372036854775808"));
    assert_true(json_take_int(&r, &i));
    assert_true(i == INT64_MIN);
    r = json_read_of(S("9223372036854775808"));
    assert_false(json_take_int(&r, &i));
}

TEST(json_read_takes_reals_and_bools)
{
    double v;
    bool is;
    struct json_read r =
        json_read_of(S("[0.1, -1.5e-3, 12, -Infinity, NaN, true, false, 1]"));
    static const double want[] = {0.1, -1.5e-3, 12, -INFINITY, NAN};
    assert_true(json_enter(&r, '['));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(json_element(&r) && json_take_real(&r, &v));
        REAL_IS(v, want[i]);
    }
    assert_true(json_element(&r) && json_take_bool(&r, &is) && is);
    assert_true(json_element(&r) && json_take_bool(&r, &is) && !is);
    assert_true(json_element(&r) && !json_take_bool(&r, &is));
    assert_false(json_element(&r));
    assert_true(json_is_done(&r));
}

TEST(json_read_resolves_escapes_and_pairs_of_surrogates)
{
    struct arena a = {0};
    str plain = S("no escape, \xCE\xBC");
    assert_ptr_equal(plain.p, json_unescape(plain, &a).p);
    STR_IS(json_unescape(S("\\\"\\\\\\/\\b\\f\\n\\r\\t"), &a), "\"\\/\b\f\n\r\t");
    STR_IS(json_unescape(S("\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\\u0000"), &a),
           "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\0");
    // Halves of pairs, and bytes that are no UTF-8, are no characters.
    STR_IS(json_unescape(S("\\uD83Dx"), &a), "\xEF\xBF\xBDx");
    STR_IS(json_unescape(S("\\uDE00\\uD83D"), &a), "\xEF\xBF\xBD\xEF\xBF\xBD");
    STR_IS(json_unescape(S("\\uD83D\\u0041"), &a), "\xEF\xBF\xBD\x41");
    STR_IS(json_unescape(S("a\xFF\xC3"), &a), "a\xEF\xBF\xBD\xEF\xBF\xBD");
    STR_IS(json_unescape(S("\xED\xA0\x80"), &a), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    arena_free(&a);
}

TEST(json_read_notices_what_is_wrong)
{
    static const char *const wrong[] = {"",
                                        "{",
                                        "}",
                                        "[1,]",
                                        "[,1]",
                                        "[1 2]",
                                        "{\"a\":1,}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{a:1}",
                                        "{\"a\" 1}",
                                        "[1}",
                                        "{\"a\":1]",
                                        "01",
                                        "1.",
                                        ".5",
                                        "-",
                                        "+1",
                                        "1e",
                                        "tru",
                                        "truex",
                                        "nul",
                                        "\"a",
                                        "\"\\x\"",
                                        "\"\\u12g4\"",
                                        "\"\\u12\"",
                                        "\"a\nb\"",
                                        "1 2",
                                        "{} {}",
                                        "[1]]",
                                        "'a'",
                                        "Nan",
                                        "Infinit",
                                        "--1",
                                        "[\"a\" \"b\"]",
                                        "{\"a\":1 \"b\":2}",
                                        "{,}",
                                        "\"\\",
                                        "[1,,2]",
                                        "0x10"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (is_right(str_of(wrong[i])))
            fail_msg("'%s' is taken", wrong[i]);
    static const char *const right[] = {"{}",   "[]",      "[[],{}]", " 1 ",   "-0",
                                        "\"\"", "1.5E+10", "null",    "[NaN]", "0.0"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        if (!is_right(str_of(right[i])))
            fail_msg("'%s' is not taken", right[i]);
}

TEST(json_read_goes_only_so_deep)
{
    char text[2 * JSON_DEPTH_MOST + 2];
    for (int deep = JSON_DEPTH_MOST; deep <= JSON_DEPTH_MOST + 1; deep++) {
        memset(text, '[', (size_t)deep);
        memset(text + deep, ']', (size_t)deep);
        assert_int_equal(deep == JSON_DEPTH_MOST, is_right((str){text, 2 * (size_t)deep}));
    }
}

TEST(json_read_of_each_part_of_a_text_ends_and_says_that_it_is_cut)
{
    static const char whole[] =
        "{\"a\": [1, 2.5, {\"b\": \"x\\u00e9\"}], \"c\": true, \"d\": -12}";
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        struct json_read r = json_read_of((str){whole, n});
        str key;
        size_t members = 0;
        for (json_enter(&r, '{'); json_member(&r, &key); members++)
            json_skip(&r);
        assert_true(r.is_bad);
        assert_true(members <= 3);
        assert_false(is_right((str){whole, n}));
    }
    assert_true(is_right((str){whole, sizeof whole - 1}));
}

TEST(json_read_does_nothing_more_once_it_is_bad)
{
    struct json_read r = json_read_of(S("{\"a\" 1, \"b\": 2}"));
    str key, raw;
    uint64_t v;
    assert_true(json_enter(&r, '{'));
    assert_false(json_member(&r, &key));
    assert_true(r.is_bad);
    const char *at = r.p;
    assert_false(json_member(&r, &key));
    assert_false(json_element(&r));
    assert_false(json_enter(&r, '{'));
    assert_false(json_take_raw(&r, &raw));
    assert_false(json_take_unsigned(&r, &v));
    json_skip(&r);
    assert_int_equal(JSON_KIND_END, json_peek(&r));
    assert_ptr_equal(at, r.p);
}

TEST(json_find_gives_members_in_any_order_and_the_last_of_several)
{
    struct json_read r = json_read_of(S("{\"a\": 1, \"b\": {\"a\": [5]}, \"a\": 2}"));
    struct json_read a = json_find(r, "a", NULL), b = json_find(r, "b", NULL), c;
    size_t times = 0;
    int64_t v = 0;
    assert_true(json_take_int(&a, &v));
    assert_int_equal(2, v);
    (void)json_find(r, "a", &times);
    assert_int_equal(2, times);
    c = json_find(b, "a", &times);
    assert_int_equal(1, times);
    assert_true(json_enter(&c, '[') && json_element(&c) && json_take_int(&c, &v));
    assert_int_equal(5, v);
    // What is not there, and what is no object, has no kind, no elements and no value.
    c = json_find(r, "x", &times);
    assert_int_equal(0, times);
    assert_int_equal(JSON_KIND_END, json_peek(&c));
    assert_false(json_enter(&c, '['));
    assert_false(json_element(&c));
    c = json_find(json_find(b, "a", NULL), "a", NULL);
    assert_false(json_take_int(&c, &v));
}

TEST(json_check_names_the_line_that_is_wrong)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "x: line 1: unexpected end of file"},
        {"{\"a\":\n[1,\n", "x: line 3: unexpected end of file"},
        {"{\"a\":\n 01}", "x: line 2: not valid JSON at '01}'"},
        {"[1]\n\n]", "x: line 3: not valid JSON at ']'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        assert_false(json_check(str_of(cases[i].text), "x", &e));
        assert_int_equal(ERR_FORMAT, e.code);
        assert_string_equal(cases[i].why, e.text);
    }
    struct err e = {0};
    assert_true(json_check(S(" {\"a\": [1, {}]}\n"), "x", &e));
}
