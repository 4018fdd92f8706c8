// test_table.c - one table, all outputs.
#include <math.h>
#include <stdlib.h>

#include "table/table.h"
#include "test.h"

struct fruit {
    const char *name;
    double weight; // NaN: not a number; below zero: none
    int64_t count;
    bool ripe;
};

static const struct fruit fruits[] = {
    {"pear, green", 1234.56, 7, true},
    {"apple", NAN, 123456, false},
    {"Matmul  32 x 64", -1, -5, true},
    {"1000", 0.05, 7, false},
};

GETTER(get_name)
{
    const struct fruit *f = r->data;
    struct cell name = cell_text(str_of(f->name));
    name.is_split = str_starts(name.s, S("Matmul"));
    return name;
}
GETTER(get_weight)
{
    const struct fruit *f = r->data;
    return f->weight < 0 ? cell_none() : at_real(c, r);
}

static enum colour red_pears(const struct row *r)
{
    const struct fruit *f = r->data;
    return str_starts(str_of(f->name), S("pear")) ? COLOUR_RED : COLOUR_NONE;
}

TOTAL(total_count)
{
    const struct fruit *f = t->rows;
    int64_t sum = 0;
    for (size_t i = 0; i < t->n_rows; i++)
        sum += f[table_row(t, i)].count;
    return cell_int(sum);
}

static const struct column columns[] = {
    // clang-format off
    {.name = "Name", .type = CELL_TEXT, .is_left = true, .get = get_name, .colour = red_pears},
    {.name = "Weight", .csv_name = "Weight [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_weight, MEMBER(struct fruit, weight), .colour = red_pears},
    {.name = "Id", .type = CELL_INT, .get = at_i64, MEMBER(struct fruit, count), .has_no_commas = true},
    {.name = "Count", .type = CELL_INT, .get = at_i64, MEMBER(struct fruit, count), .total = total_count},
    {.name = "Ripe", .type = CELL_BOOL, .get = at_bool, MEMBER(struct fruit, ripe), .is_detail = true},
    // clang-format on
};

static struct table fruit_table(void)
{
    return (struct table){.id = "fruits",
                          .title = "Fruits \"&\" more",
                          .columns = columns,
                          .n_columns = sizeof columns / sizeof *columns,
                          .rows = fruits,
                          .row_bytes = sizeof *fruits,
                          .n_rows = sizeof fruits / sizeof *fruits,
                          .total_colour = COLOUR_GREY};
}

// --- names from outside ---

TEST(table_text_shows_control_characters_and_stays_aligned)
{
    static const struct fruit odd[] = {{"a\033[2J\n\xFF", 1, 2, true}, {"b", 1, 2, true}};
    struct table t = fruit_table();
    t.rows = odd;
    t.n_rows = 2;
    struct text_table x = text_layout(&t, (struct text_look){0});
    struct buf b = {0};
    text_row(&x, 0, &b);
    text_row(&x, 1, &b);
    STR_IS(buf_view(&b),
           "a\\x1b[2J\\n\\xff   1.0 %   2      2\n"
           "b                1.0 %   2      2\n");
    text_free(&x);
    buf_free(&b);
}

// --- finding and sorting ---

TEST(table_find_takes_names_in_any_case)
{
    struct table t = fruit_table();
    assert_ptr_equal(&columns[1], table_find(&t, S("weight")));
    assert_ptr_equal(&columns[4], table_find(&t, S("RIPE")));
    assert_null(table_find(&t, S("Weight [%]")));
    assert_null(table_find(&t, S("")));
}

static void order_is(const char *column, const uint32_t want[4])
{
    struct table t = fruit_table();
    uint32_t order[4];
    table_sort(&t, table_find(&t, str_of(column)), order);
    for (int i = 0; i < 4; i++)
        assert_int_equal(want[i], order[i]);
}

TEST(table_sort_puts_large_numbers_first_and_missing_ones_last)
{
    order_is("Weight", (uint32_t[]){0, 3, 1, 2});
}

TEST(table_sort_keeps_the_order_of_equal_rows)
{
    order_is("Count", (uint32_t[]){1, 0, 3, 2});
    order_is("Ripe", (uint32_t[]){0, 2, 1, 3});
}

TEST(table_sort_puts_texts_in_byte_order)
{
    order_is("Name", (uint32_t[]){3, 2, 1, 0});
}

// --- terminal ---

static void text_is(const struct table *t, bool is_coloured, const char *want)
{
    struct buf b = {0};
    struct text_table x = text_layout(t, (struct text_look){.is_coloured = is_coloured});
    text_head(&x, &b);
    text_rule(&x, &b);
    for (size_t i = 0; i < t->n_rows; i++)
        text_row(&x, table_row(t, i), &b);
    text_total(&x, &b);
    text_free(&x);
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
}

TEST(table_text_aligns_units_commas_and_split_names)
{
    struct table t = fruit_table();
    text_is(&t, false,
            "Name            Weight     Id       Count  \n"
            "-------------------------------------------\n"
            "pear, green     1,234.6 %        7        7\n"
            "apple                       123456  123,456\n"
            "Matmul 32 x 64                  -5       -5\n"
            "1,000               0.1 %        7        7\n"
            "                                    123,465\n");
}

TEST(table_text_heads_may_stand_right_and_rows_be_picked)
{
    static const uint32_t order[] = {2, 0};
    struct table t = fruit_table();
    t.are_heads_right = true;
    t.order = order;
    t.n_rows = 2;
    text_is(&t, false,
            "Name               Weight  Id  Count\n"
            "------------------------------------\n"
            "Matmul 32 x 64             -5     -5\n"
            "pear, green     1,234.6 %   7      7\n"
            "                                   2\n");
}

TEST(table_text_paints_number_and_unit_apart_and_pads_outside_the_codes)
{
    struct table t = fruit_table();
    t.n_rows = 1;
    text_is(&t, true,
            "Name         Weight     Id  Count\n"
            "---------------------------------\n"
            "\033[38;5;9mpear, green\033[0m  "
            "\033[38;5;9m1,234.6\033[0m \033[38;5;9m%\033[0m   7      7\n"
            "\033[38;5;8m\033[0m             "
            "         \033[38;5;8m\033[0m  "
            "  \033[38;5;8m\033[0m  "
            "    \033[38;5;8m7\033[0m\n");
}

static void narrow_is(struct table *t, size_t width, bool is_coloured, const char *want)
{
    struct column ranked[sizeof columns / sizeof *columns];
    memcpy(ranked, columns, sizeof columns);
    ranked[1].rank = 1;
    ranked[2].rank = 2;
    t->columns = ranked;
    struct buf b = {0};
    table_text(t, (struct text_look){.is_coloured = is_coloured, .width = width}, &b);
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
}

TEST(table_text_leaves_out_columns_by_rank_and_names_them)
{
    struct table t = fruit_table();
    t.n_rows = 2;
    narrow_is(&t, 40, false,
              "Name         Weight     Id       Count  \n"
              "----------------------------------------\n"
              "pear, green  1,234.6 %        7        7\n"
              "apple                    123456  123,456\n");
    narrow_is(&t, 39, false,
              "Name         Weight     Count  \n"
              "-------------------------------\n"
              "pear, green  1,234.6 %        7\n"
              "apple                   123,456\n"
              "left out for a narrow terminal: Id\n");
    narrow_is(&t, 30, false,
              "Name         Count  \n"
              "--------------------\n"
              "pear, green        7\n"
              "apple        123,456\n"
              "left out for a narrow terminal: Weight, Id\n");
}

TEST(table_text_shortens_the_widest_text_when_no_column_can_be_left_out)
{
    static const struct fruit long_name[] = {{"p\u00e4r with a long name", 1, 7, true},
                                             {"pear with a long name", 1, 7, true}};
    struct table t = fruit_table();
    t.rows = long_name;
    t.n_rows = 1;
    narrow_is(&t, 20, false,
              "Name           Count\n"
              "--------------------\n"
              "p\u00e4r with a l\u2026      7\n"
              "left out for a narrow terminal: Weight, Id\n");
    t.rows = long_name + 1;
    narrow_is(&t, 10, true, // not below 12, and colours end with the text
              "Name          Count\n"
              "-------------------\n"
              "\033[38;5;9mpear with a\u2026\033[0m      7\n"
              "left out for a narrow terminal: Weight, Id\n");
}

TEST(durations_keep_four_digits_on_the_terminal)
{
    static const struct {
        double ns;
        const char *text;
    } cases[] = {{0, "0 ns"},
                 {1.5, "1.5 ns"},
                 {32, "32 ns"},
                 {999, "999 ns"},
                 {1000, "1.000 \u03bcs"},
                 {9999.5, "10.00 \u03bcs"},
                 {99994, "99.99 \u03bcs"},
                 {805764, "805.8 \u03bcs"},
                 {999949, "999.9 \u03bcs"},
                 {999951, "1.000 ms"},
                 {8085569, "8.086 ms"},
                 {498339211, "498.3 ms"},
                 {12345678901.0, "12.35 s"},
                 {9876543210987.0, "9,877 s"},
                 {-2500, "-2.500 \u03bcs"}};
    static const struct column duration = {
        .name = "T", .type = CELL_REAL, .unit = UNIT_NANOS, .get = at_real};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table t = {.columns = &duration,
                          .n_columns = 1,
                          .rows = &cases[i].ns,
                          .row_bytes = sizeof(double),
                          .n_rows = 1};
        struct buf b = {0};
        struct text_table x = text_layout(&t, (struct text_look){0});
        text_row(&x, 0, &b);
        b.n--;
        test_str_is(buf_view(&b), str_of(cases[i].text), __FILE__, __LINE__);
        text_free(&x);
        buf_free(&b);
    }
}

TEST(table_text_pads_by_characters_and_not_by_bytes)
{
    static const struct fruit other[] = {{"p\u00e4r", 1, 1, true}, {"apple", 1, 2, true}};
    struct table t = fruit_table();
    t.rows = other;
    t.n_rows = 2;
    text_is(&t, false,
            "Name   Weight  Id  Count\n"
            "------------------------\n"
            "p\u00e4r     1.0 %   1      1\n"
            "apple   1.0 %   2      2\n"
            "                       3\n");
}

TEST(table_text_of_no_rows_is_as_wide_as_its_heads)
{
    struct table t = fruit_table();
    t.n_rows = 0;
    text_is(&t, false,
            "Name  Weight  Id  Count\n-----------------------\n"
            "                      0\n");
}

static bool relabel_apple(const struct row *r, const struct column *c, str *text,
                          const char **before, bool is_coloured)
{
    (void)is_coloured;
    if (c->get != get_name || r->i != 1)
        return false;
    assert_ptr_equal(&fruits[1], r->data);
    *text = S("7");
    *before = "> ";
    return true;
}

TEST(table_text_relabels_rows_and_takes_labels_for_no_numbers)
{
    struct table t = fruit_table();
    t.relabel = relabel_apple;
    struct buf b = {0};
    struct text_table x = text_layout(&t, (struct text_look){0});
    text_row(&x, 1, &b);
    STR_IS(buf_view(&b), "> 7                         123456  123,456\n");
    text_free(&x);
    buf_free(&b);
}

TEST(text_paint_puts_codes_around_coloured_text_only)
{
    struct buf b = {0};
    text_paint(&b, S("a"), COLOUR_NONE);
    text_paint(&b, S("b"), COLOUR_ORANGE);
    STR_IS(buf_view(&b), "a\033[38;5;208mb\033[0m");
    buf_free(&b);
}

// --- files ---

TEST(table_csv_writes_raw_values_with_crlf)
{
    struct table t = fruit_table();
    struct out o = {.fd = -1};
    table_csv(&t, &o);
    STR_IS(buf_view(&o.b),
           "Name,Weight [%],Id,Count,Ripe\r\n"
           "\"pear, green\",1234.56,7,7,True\r\n"
           "apple,nan,123456,123456,False\r\n"
           "Matmul  32 x 64,,-5,-5,True\r\n"
           "1000,0.05,7,7,False\r\n");
    buf_free(&o.b);
}

TEST(table_csv_of_a_rounded_table_has_its_decimals_and_lf)
{
    static const uint32_t order[] = {3, 0};
    struct table t = fruit_table();
    t.is_rounded = true;
    t.has_lf_ends = true;
    t.order = order;
    t.n_rows = 2;
    struct out o = {.fd = -1};
    table_csv(&t, &o);
    STR_IS(buf_view(&o.b),
           "Name,Weight [%],Id,Count,Ripe\n"
           "1000,0.1,7,7,False\n"
           "\"pear, green\",1234.6,7,7,True\n");
    buf_free(&o.b);
}

#define JSON_COLUMNS                                                                       \
    "\"columns\":["                                                                        \
    "\n{\"name\":\"Name\",\"type\":\"text\",\"unit\":\"\",\"decimals\":0,\"detail\":"      \
    "false},"                                                                              \
    "\n{\"name\":\"Weight\",\"type\":\"real\",\"unit\":\"%\",\"decimals\":1,"              \
    "\"detail\":false},"                                                                   \
    "\n{\"name\":\"Id\",\"type\":\"int\",\"unit\":\"\",\"decimals\":0,\"detail\":false},"  \
    "\n{\"name\":\"Count\",\"type\":\"int\",\"unit\":\"\",\"decimals\":0,\"detail\":"      \
    "false},"                                                                              \
    "\n{\"name\":\"Ripe\",\"type\":\"bool\",\"unit\":\"\",\"decimals\":0,\"detail\":true}" \
    "]"

static void json_is(size_t n_rows, enum json_rows rows, const char *want)
{
    struct table t = fruit_table();
    t.n_rows = n_rows;
    struct out o = {.fd = -1};
    struct json j = {.b = &o.b, .is_first = true};
    table_json(&t, rows, &j, &o);
    test_str_is(buf_view(&o.b), str_of(want), __FILE__, __LINE__);
    buf_free(&o.b);
}

TEST(table_json_writes_rows_as_arrays)
{
    json_is(
        3, JSON_ARRAYS,
        "{\"id\":\"fruits\",\"title\":\"Fruits \\\"&\\\" more\"," JSON_COLUMNS
        ",\"rows\":[\n[\"pear, green\",1234.56,7,7,true],\n[\"apple\",null,123456,123456,"
        "false],\n[\"Matmul  32 x 64\",null,-5,-5,true]]}");
}

TEST(table_json_writes_rows_as_objects)
{
    json_is(
        1, JSON_OBJECTS,
        "{\"id\":\"fruits\",\"title\":\"Fruits \\\"&\\\" more\"," JSON_COLUMNS
        ",\"rows\":[\n{\"Name\":\"pear, green\",\"Weight\":1234.56,\"Id\":7,\"Count\":7,"
        "\"Ripe\":true}]}");
}

TEST(table_json_of_no_rows_is_still_a_table)
{
    json_is(0, JSON_ARRAYS,
            "{\"id\":\"fruits\",\"title\":\"Fruits \\\"&\\\" more\"," JSON_COLUMNS
            ",\"rows\":[]}");
}

// --- cells that rows share, columns that hold something ---

static int n_made; // cells of the shared column

GETTER(get_counted_name)
{
    const struct fruit *f = r->data;
    n_made++;
    return cell_text(str_of(f->name));
}

// Rows that are ripe share; the others are rows of their own.
static uint32_t share_of(const struct row *r)
{
    const struct fruit *f = r->data;
    return f->ripe ? 0 : UINT32_MAX;
}

TEST(table_csv_makes_a_shared_cell_once_for_all_rows_that_share_it)
{
    static const struct column shared[] = {
        {.name = "Count", .type = CELL_INT, .get = at_i64, MEMBER(struct fruit, count)},
        {.name = "Name", .type = CELL_TEXT, .is_shared = true, .get = get_counted_name},
        {.name = "Ripe", .type = CELL_BOOL, .get = at_bool, MEMBER(struct fruit, ripe)},
    };
    struct table t = fruit_table();
    t.columns = shared;
    t.n_columns = sizeof shared / sizeof *shared;
    t.share = share_of;
    t.n_shares = 1;
    n_made = 0;
    struct out o = {.fd = -1};
    table_csv(&t, &o);
    STR_IS(buf_view(&o.b),
           "Count,Name,Ripe\r\n"
           "7,\"pear, green\",True\r\n"
           "123456,apple,False\r\n"
           "-5,\"pear, green\",True\r\n"
           "7,1000,False\r\n");
    if (!getenv("TTPROF_THREADS")) // each lane makes its own
        assert_int_equal(3, n_made);
    buf_free(&o.b);
}

TEST(table_used_tells_columns_that_hold_something)
{
    static const uint32_t order[] = {2};
    bool has[5];
    struct table t = fruit_table();
    table_used(&t, has);
    for (int i = 0; i < 5; i++)
        assert_true(has[i]);
    t.order = order; // the weight of this one is not known
    t.n_rows = 1;
    table_used(&t, has);
    assert_true(has[0]);
    assert_false(has[1]);
}

// A column of counts has floats where cells are empty. Readers take a unit from the column,
// pages from its name where it is there.
TEST(table_json_writes_counts_as_such_and_units_once_on_pages)
{
    static const double rows[] = {5, 2.5, 1e16};
    static const struct column column = {
        .name = "Calls [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .get = at_real};
    struct table t = {.id = "t",
                      .title = "T",
                      .columns = &column,
                      .n_columns = 1,
                      .rows = rows,
                      .row_bytes = sizeof *rows,
                      .n_rows = 3};
    static const struct {
        enum json_rows form;
        const char *unit, *rows;
    } cases[] = {
        {JSON_ARRAYS, "\"unit\":\"\"", "\"rows\":[\n[5],\n[2.5],\n[1e+16]]}"},
        {JSON_OBJECTS, "\"unit\":\"ns\"",
         "\"rows\":[\n{\"Calls [ns]\":5},\n{\"Calls [ns]\":2.5},\n{\"Calls [ns]\":1e+16}]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct out o = {.fd = -1};
        struct json j = {.b = &o.b, .is_first = true};
        table_json(&t, cases[i].form, &j, &o);
        assert_true(str_has(buf_view(&o.b), str_of(cases[i].unit)));
        str rest = buf_view(&o.b);
        size_t at = str_find(rest, S("\"rows\""));
        test_str_is(str_from(rest, at), str_of(cases[i].rows), __FILE__, __LINE__);
        buf_free(&o.b);
    }
}

TEST(table_json_takes_texts_for_what_their_column_holds)
{
    static const struct texts {
        str a, b;
        int64_t hash;
    } rows[] = {{{"12", 2}, {"0.5", 3}, 77}, {{"x", 1}, {"", 0}, 8}};
    static const struct column columns_of[] = {
        {.name = "Whole", .type = CELL_INT, .get = at_text, MEMBER(struct texts, a)},
        {.name = "Real [ns]",
         .type = CELL_REAL,
         .unit = UNIT_NANOS,
         .get = at_text,
         MEMBER(struct texts, b)},
        {.name = "Hash", .type = CELL_TEXT, .get = at_i64, MEMBER(struct texts, hash)},
    };
    struct table t = {.id = "t",
                      .title = "T",
                      .columns = columns_of,
                      .n_columns = 3,
                      .rows = rows,
                      .row_bytes = sizeof *rows,
                      .n_rows = 2};
    struct out o = {.fd = -1};
    struct json j = {.b = &o.b, .is_first = true};
    table_json_rows(&t, JSON_ARRAYS, &j, &o);
    STR_IS(buf_view(&o.b), "[\n[12,0.5,\"77\"],\n[\"x\",\"\",\"8\"]]");
    o.b.n = 0;
    j = (struct json){.b = &o.b, .is_first = true};
    json_open(&j, '{');
    table_json_members(&t, 0, &j);
    json_close(&j, '}');
    STR_IS(buf_view(&o.b), "{\"Whole\":12,\"Real [ns]\":0.5,\"Hash\":\"77\"}");
    buf_free(&o.b);
}
