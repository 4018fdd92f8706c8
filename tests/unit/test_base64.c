// test_base64.c - bytes as text.
#include "base/text/base64.h"

#include "test.h"

static void encodes_to(str bytes, str want)
{
    struct buf b = {0};
    base64_put(&b, bytes.p, bytes.n);
    test_str_is(buf_view(&b), want, __FILE__, __LINE__);
    buf_free(&b);
}

TEST(base64_gives_the_texts_of_rfc_4648)
{
    // clang-format off
    static const struct { const char *bytes, *text; } cases[] = {
        {"",       ""},
        {"f",      "Zg=="},
        {"fo",     "Zm8="},
        {"foo",    "Zm9v"},
        {"foob",   "Zm9vYg=="},
        {"fooba",  "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        encodes_to(str_of(cases[i].bytes), str_of(cases[i].text));
}

TEST(base64_uses_each_of_its_characters_for_its_six_bits)
{
    unsigned char bytes[48];
    for (unsigned i = 0; i < 16; i++) {
        unsigned four = (4 * i) << 18 | (4 * i + 1) << 12 | (4 * i + 2) << 6 | (4 * i + 3);
        bytes[3 * i] = (unsigned char)(four >> 16);
        bytes[3 * i + 1] = (unsigned char)(four >> 8 & 255);
        bytes[3 * i + 2] = (unsigned char)(four & 255);
    }
    encodes_to((str){(const char *)bytes, sizeof bytes},
               S("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"));
}

TEST(base64_takes_zero_and_high_bytes)
{
    encodes_to(S("\0"), S("AA=="));
    encodes_to(S("\0\0"), S("AAA="));
    encodes_to(S("\xff"), S("/w=="));
    encodes_to(S("\xff\xff"), S("//8="));
    encodes_to(S("\xff\xff\xff"), S("////"));
}

TEST(base64_puts_its_text_behind_what_the_buffer_holds)
{
    struct buf b = {0};
    buf_z(&b, "data:");
    base64_put(&b, "foo", 3);
    base64_put(&b, NULL, 0);
    base64_put(&b, "f", 1);
    STR_IS(buf_view(&b), "data:Zm9vZg==");
    buf_free(&b);
}

// The definition, one character at a time.
static char character(const unsigned char *bytes, size_t n, size_t i)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned value = 0;
    if (i * 6 >= n * 8)
        return '=';
    for (size_t bit = i * 6; bit < i * 6 + 6; bit++)
        value = value << 1 | (bit < n * 8 ? bytes[bit / 8] >> (7 - bit % 8) & 1U : 0U);
    return letters[value];
}

TEST(base64_agrees_with_its_definition_for_every_length)
{
    unsigned char bytes[200];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 167 + i * i % 91);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        struct buf b = {0};
        base64_put(&b, bytes, n);
        assert_int_equal((n + 2) / 3 * 4, b.n);
        for (size_t i = 0; i < b.n; i++)
            assert_int_equal(character(bytes, n, i), b.p[i]);
        buf_free(&b);
    }
}
