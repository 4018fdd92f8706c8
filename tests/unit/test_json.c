// test_json.c - JSON as a stream.
#include <math.h>

#include "base/text/json.h"

#include "test.h"

TEST(json_puts_commas_between_values_and_nowhere_else)
{
    struct buf b = {0};
    struct json j = {.b = &b, .is_first = true};
    json_open(&j, '{');
    json_key(&j, S("a"));
    json_int(&j, -5);
    json_key(&j, S("b"));
    json_open(&j, '[');
    json_bool(&j, true);
    json_bool(&j, false);
    json_none(&j);
    json_open(&j, '[');
    json_close(&j, ']');
    json_open(&j, '{');
    json_close(&j, '}');
    json_close(&j, ']');
    json_key(&j, S("c"));
    json_text(&j, S("d"));
    json_close(&j, '}');
    STR_IS(buf_view(&b), "{\"a\":-5,\"b\":[true,false,null,[],{}],\"c\":\"d\"}");
    buf_free(&b);
}

TEST(json_escapes_quotes_controls_and_what_could_end_a_script)
{
    struct buf b = {0};
    struct json j = {.b = &b, .is_first = true};
    json_text(&j, S("a\"b\\c\n\0\x1F\x7F</script>\xCE\xBC"));
    STR_IS(buf_view(&b),
           "\"a\\\"b\\\\c\\u000a\\u0000\\u001f\\u007f\\u003c/script>\xCE\xBC\"");
    buf_free(&b);
}

TEST(json_replaces_bytes_that_are_not_utf8)
{
    struct buf b = {0};
    struct json j = {.b = &b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "k\xFF", S("a\xFF\xC3(\xE2\x82\x9B\xC2\x9B\xC2\x80\xED\xA0\x80"));
    json_close(&j, '}');
    // A lead byte, a cut-off sequence and a surrogate: one character for each byte. U+009B
    // and U+0080 are valid, but control terminals.
    STR_IS(buf_view(&b),
           "{\"k\uFFFD\":\"a\uFFFD\uFFFD(\xE2\x82\x9B\\u009b\\u0080\uFFFD\uFFFD\uFFFD\"}");
    buf_free(&b);
}

TEST(json_escapes_keys_as_it_does_texts)
{
    struct buf b = {0};
    struct json j = {.b = &b, .is_first = true};
    json_open(&j, '{');
    json_key(&j, S("a\"<"));
    json_none(&j);
    json_close(&j, '}');
    STR_IS(buf_view(&b), "{\"a\\\"\\u003c\":null}");
    buf_free(&b);
}

TEST(json_writes_numbers_exactly_and_null_for_what_it_has_no_number_for)
{
    struct buf b = {0};
    struct json j = {.b = &b, .is_first = true};
    json_open(&j, '[');
    json_double(&j, 0.1);
    json_double(&j, 64);
    json_double(&j, 1e300);
    json_double(&j, -0.0);
    json_double(&j, NAN);
    json_double(&j, INFINITY);
    json_double(&j, -INFINITY);
    json_int(&j, INT64_MIN);
    json_close(&j, ']');
    STR_IS(buf_view(&b), "[0.1,64.0,1e+300,-0.0,null,null,null,-9223372036854775808]");
    buf_free(&b);
}

TEST(json_newline_stands_behind_the_comma)
{
    struct buf b = {0};
    struct json j = {.b = &b, .is_first = true};
    json_open(&j, '[');
    for (int i = 0; i < 3; i++) {
        json_newline(&j);
        json_int(&j, i);
    }
    json_close(&j, ']');
    STR_IS(buf_view(&b), "[\n0,\n1,\n2]");
    buf_free(&b);
}

TEST(json_moves_levels_in_where_that_is_asked_for)
{
    struct buf b = {0};
    struct json j = {.b = &b, .is_first = true, .indent = 2};
    json_open(&j, '[');
    json_open(&j, '{');
    json_key_int(&j, "a", 1);
    json_key(&j, S("b"));
    json_open(&j, '[');
    json_int(&j, 2);
    json_int(&j, 3);
    json_close(&j, ']');
    json_close(&j, '}');
    json_open(&j, '{');
    json_close(&j, '}');
    json_close(&j, ']');
    STR_IS(buf_view(&b),
           "[\n  {\n    \"a\": 1,\n    \"b\": [\n      2,\n      3\n    ]\n"
           "  },\n  {}\n]");
    buf_free(&b);
}
