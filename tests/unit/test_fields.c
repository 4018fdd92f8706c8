// test_fields.c - structs read from text by a table.
#include "base/text/fields.h"

#include "test.h"

struct sample {
    int64_t count;
    uint32_t bits, mask;
    uint64_t bytes;
    double real;
    int word;
    bool is_on;
    char path[FIELD_PATH];
    str text;
};

struct row {
    struct field field;
    const char *what;
};

#define AT(field) offsetof(struct sample, field)
static const struct row rows[] = {
    {{"count", &field_int, AT(count), -5, 5, NULL}, "first"},
    {{"bits", &field_bits, AT(bits), 0, 511, NULL}, ""},
    {{"mask", &field_u32, AT(mask), 0, 0, NULL}, ""},
    {{"bytes", &field_bytes, AT(bytes), 0, 0, NULL}, ""},
    {{"real", &field_real, AT(real), 0, 1, NULL}, ""},
    {{"word", &field_word, AT(word), 0, 0, "red green"}, ""},
    {{"any", &field_word_nocase, AT(word), 0, 0, "red green"}, ""},
    {{"switch", &field_switch, AT(is_on), 0, 0, "off on"}, ""},
    {{"path", &field_path, AT(path), 0, 0, NULL}, ""},
    {{"text", &field_text, AT(text), 0, 0, NULL}, "last"},
};

static enum field_result take(struct sample *s, const char *name, const char *value)
{
    const struct row *row = fields_find(FIELDS(rows), str_of(name));
    assert_non_null(row);
    return field_read(&row->field, str_of(value), field_of(&row->field, s));
}

TEST(fields_are_read_by_their_type)
{
    struct sample s = {0};
    assert_int_equal(take(&s, "count", " -3 "), FIELD_OK);
    assert_int_equal(s.count, -3);
    assert_int_equal(take(&s, "bits", "511"), FIELD_OK);
    assert_int_equal(s.bits, 511);
    assert_int_equal(take(&s, "mask", "0xffffffff"), FIELD_OK);
    assert_int_equal(s.mask, UINT32_MAX);
    assert_int_equal(take(&s, "bytes", "2G"), FIELD_OK);
    assert_int_equal(s.bytes, 2147483648);
    assert_int_equal(take(&s, "real", "0.25"), FIELD_OK);
    REAL_IS(s.real, 0.25);
    assert_int_equal(take(&s, "word", "green"), FIELD_OK);
    assert_int_equal(s.word, 1);
    assert_int_equal(take(&s, "any", "RED"), FIELD_OK);
    assert_int_equal(s.word, 0);
    assert_int_equal(take(&s, "switch", "on"), FIELD_OK);
    assert_true(s.is_on);
    assert_int_equal(take(&s, "path", "/a"), FIELD_OK);
    assert_string_equal(s.path, "/a");
    assert_int_equal(take(&s, "text", "any text"), FIELD_OK);
    STR_IS(s.text, "any text");
}

TEST(fields_stay_as_they_are_when_a_value_is_wrong)
{
    static const struct {
        const char *name, *value;
        enum field_result want;
    } cases[] = {
        {"count", "x", FIELD_MALFORMED},
        {"count", "6", FIELD_OUT_OF_RANGE},
        {"bits", "-1", FIELD_OUT_OF_RANGE},
        {"bits", "4294967296", FIELD_OUT_OF_RANGE},
        {"mask", "0x100000000", FIELD_MALFORMED},
        {"mask", "-1", FIELD_MALFORMED},
        {"mask", "0x", FIELD_MALFORMED},
        {"bytes", "17179869184G", FIELD_MALFORMED},
        {"real", "nan", FIELD_OUT_OF_RANGE},
        {"real", "1.5", FIELD_OUT_OF_RANGE},
        {"word", "Green", FIELD_MALFORMED},
        {"switch", "maybe", FIELD_MALFORMED},
        {"path", "", FIELD_MALFORMED},
    };
    const struct sample before = {.count = 1, .bits = 2, .mask = 3, .bytes = 4, .real = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample s = before;
        assert_int_equal(take(&s, cases[i].name, cases[i].value), cases[i].want);
        assert_memory_equal(&s, &before, sizeof s);
    }
}

TEST(fields_are_found_by_name_and_by_likeness)
{
    assert_ptr_equal(fields_find(FIELDS(rows), S("text")), &rows[9]);
    assert_null(fields_find(FIELDS(rows), S("Text")));
    assert_ptr_equal(fields_nearest(FIELDS(rows), S("byte")), &rows[3]);
    assert_string_equal(
        ((const struct row *)fields_nearest(FIELDS(rows), S("coutn")))->what, "first");
}

TEST(fields_are_shown_as_they_are_read)
{
    struct sample s = {.count = -3, .bits = 47, .word = 1};
    struct buf b = {0};
    field_put(&rows[0].field, &s.count, &b);
    buf_char(&b, ' ');
    field_put(&rows[1].field, &s.bits, &b);
    buf_char(&b, ' ');
    field_put(&rows[5].field, &s.word, &b);
    buf_char(&b, ' ');
    words_put("a b c", &b);
    STR_IS(buf_view(&b), "-3 47 green a, b or c");
    buf_free(&b);
}
