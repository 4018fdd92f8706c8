// test_csv.c - headers, rows, cells and writing.
#include "base/data/vec.h"
#include "base/text/csv.h"
#include "base/text/csv_block.h"

#include "test.h"

// --- header ---

struct read {
    struct arena arena;
    struct csv_header h;
    struct err e;
    struct buf rows; // "cell|cell/" for each row
    VEC(uint64_t) at;
    str text;
};

static void take(void *context, const struct csv_rows *rows)
{
    struct read *r = context;
    for (size_t i = 0; i < rows->n; i++) {
        vec_push(&r->at, rows->at[i]);
        for (size_t c = 0; c < r->h.n; c++) {
            buf_z(&r->rows, c ? "|" : "");
            buf_str(&r->rows, csv_unquote(csv_raw(r->text, rows->col[c][i]), &r->arena));
        }
        buf_char(&r->rows, '/');
    }
}

static bool read_head(struct read *r, str text)
{
    *r = (struct read){.text = text};
    return csv_header(text, &r->arena, &r->h, &r->e);
}

static bool read_all(struct read *r, str text, enum csv_path path)
{
    if (!read_head(r, text))
        return false;
    int from[16];
    for (size_t i = 0; i < r->h.n; i++)
        from[i] = (int)i;
    struct csv_plan plan = {.from = from, .n_slots = r->h.n, .take = take, .context = r};
    return csv_scan(text, &r->h, &plan, path, &r->e);
}

static void read_free(struct read *r)
{
    arena_free(&r->arena);
    buf_free(&r->rows);
    vec_free(&r->at);
}

TEST(csv_header_gives_names_and_where_the_rows_start)
{
    struct read r;
    assert_true(read_head(&r, S("a,\"b,c\",d\n1,2,3\n")));
    assert_int_equal(3, r.h.n);
    STR_IS(r.h.names[0], "a");
    STR_IS(r.h.names[1], "b,c");
    STR_IS(r.h.names[2], "d");
    assert_int_equal(10, r.h.body);
    assert_int_equal(1, csv_find(&r.h, S("b,c")));
    assert_int_equal(-1, csv_find(&r.h, S("x")));
    read_free(&r);
}

TEST(csv_header_skips_the_byte_order_mark_and_blank_lines)
{
    struct read r;
    assert_true(read_head(&r, S("\xEF\xBB\xBF \r\n\t\n\r\na,b\r\n")));
    assert_int_equal(2, r.h.n);
    STR_IS(r.h.names[0], "a");
    STR_IS(r.h.names[1], "b");
    assert_int_equal(15, r.h.body);
    read_free(&r);
}

TEST(csv_header_may_be_all_there_is)
{
    struct read r;
    assert_true(read_all(&r, S("a,b"), CSV_FAST));
    assert_int_equal(2, r.h.n);
    assert_int_equal(3, r.h.body);
    assert_int_equal(0, r.at.n);
    read_free(&r);
}

TEST(csv_header_numbers_names_that_stand_twice)
{
    struct read r;
    assert_true(read_head(&r, S("a,b,a,a,b\n")));
    STR_IS(r.h.names[0], "a");
    STR_IS(r.h.names[2], "a.1");
    STR_IS(r.h.names[3], "a.2");
    STR_IS(r.h.names[4], "b.1");
    assert_int_equal(0, csv_find(&r.h, S("a")));
    read_free(&r);
}

static void no_header(str text, enum err_code code, const char *message)
{
    struct read r;
    assert_false(read_head(&r, text));
    assert_int_equal(code, r.e.code);
    assert_string_equal(message, r.e.text);
    read_free(&r);
}

TEST(csv_header_refuses_empty_texts)
{
    const char *message = "is empty; a table starts with a line of column names";
    no_header(S(""), ERR_FORMAT, message);
    no_header(S("\xEF\xBB\xBF"), ERR_FORMAT, message);
    no_header(S(" \r\n\n\t"), ERR_FORMAT, message);
}

TEST(csv_header_refuses_open_quotes_and_bytes_that_are_not_utf8)
{
    no_header(S("\na,\"b\nc"), ERR_FORMAT,
              "line 2: unclosed quote; the file is truncated or damaged");
    no_header(S("\na,\xFFx\n"), ERR_FORMAT,
              "line 2: byte 0xff at offset 3 is not UTF-8; convert the file to UTF-8");
    no_header(S("a,\xE2\x82"), ERR_FORMAT,
              "line 1: byte 0xe2 at offset 2 is not UTF-8; convert the file to UTF-8");
}

TEST(csv_header_has_limits)
{
    struct buf b = {0};
    buf_z(&b, "a,");
    buf_fill(&b, 'n', 5000);
    no_header(buf_view(&b), ERR_LIMIT,
              "line 1: column 2: a name of over 4 KB; not a table of ops");
    b.n = 0;
    buf_fill(&b, ',', 70000);
    no_header(buf_view(&b), ERR_LIMIT, "line 1: over 65536 columns; not a table of ops");
    buf_free(&b);
}

// --- rows ---

static void rows_are(str text, const char *want)
{
    for (int path = CSV_FAST; path <= CSV_SLOW; path++) {
        struct read r;
        assert_true(read_all(&r, text, (enum csv_path)path));
        test_str_is(buf_view(&r.rows), str_of(want), __FILE__, __LINE__);
        read_free(&r);
    }
}

static void no_rows(str text, const char *message)
{
    for (int path = CSV_FAST; path <= CSV_SLOW; path++) {
        struct read r;
        assert_false(read_all(&r, text, (enum csv_path)path));
        assert_string_equal(message, r.e.text);
        read_free(&r);
    }
}

TEST(csv_rows_end_with_lf_crlf_or_the_text)
{
    rows_are(S("a,b\n1,2\r\n3,4\n5,6"), "1|2/3|4/5|6/");
    rows_are(S("a,b\n1,2\r\n3,4\r"), "1|2/3|4/");
    rows_are(S("a,b\n1,\r\n"), "1|/");
    rows_are(S("a,b\n1,x\ry\n"), "1|x\ry/"); // only the last one belongs to the line end
}

TEST(csv_short_rows_are_padded_with_empty_cells)
{
    rows_are(S("a,b,c\n1\n1,2\n,\n1,2,3\n"), "1||/1|2|/||/1|2|3/");
}

TEST(csv_blank_lines_are_no_rows)
{
    rows_are(S("a,b\n\n1,2\n \t\r\n\r\n3,4\n\n"), "1|2/3|4/");
    rows_are(S("a\n\n\"\"\n"), "/"); // a quoted nothing is a cell
}

TEST(csv_quotes_hold_delimiters_line_ends_and_doubled_quotes)
{
    rows_are(S("a,b\n\"x,y\",\"1\n2\"\n\"say \"\"hi\"\"\",\"\"\n"),
             "x,y|1\n2/say \"hi\"|/");
    rows_are(S("a,b\n\"\"\"\",\"\"\"\"\"\"\n"), "\"|\"\"/");
    rows_are(S("a,b\n\"1\r\n2\",3\r\n"), "1\r\n2|3/");
}

TEST(csv_quotes_that_open_no_cell_are_ordinary)
{
    rows_are(S("a,b\n5\" pipe,x\n y\"z\",1\n"), "5\" pipe|x/ y\"z\"|1/");
    rows_are(S("a,b\nx\",1\n\"q\",2\n"), "x\"|1/q|2/");
}

TEST(csv_rows_know_where_they_start)
{
    struct read r;
    assert_true(read_all(&r, S("a,b\n1,2\n\n\"x\ny\",3\n4,"), CSV_FAST));
    assert_int_equal(3, r.at.n);
    assert_int_equal(4, r.at.v[0]);
    assert_int_equal(9, r.at.v[1]);
    assert_int_equal(17, r.at.v[2]);
    read_free(&r);
}

TEST(csv_rows_with_more_cells_than_the_header_are_refused)
{
    no_rows(S("a,b\n1,2\n\n1,2,3\n"),
            "line 4: more than the 2 cells of the header; quote cells that contain commas, "
            "or export the file again");
    no_rows(S("a\n1,"),
            "line 2: more than the 1 cells of the header; quote cells that contain commas, "
            "or export the file again");
}

TEST(csv_rows_before_the_one_that_fails_are_handed_over)
{
    for (int path = CSV_FAST; path <= CSV_SLOW; path++) {
        struct read r;
        assert_false(read_all(&r, S("a,b\n1,2\n3,4\n5,6,7\n8,9\n"), (enum csv_path)path));
        STR_IS(buf_view(&r.rows), "1|2/3|4/");
        read_free(&r);
    }
}

TEST(csv_open_quotes_are_refused_with_the_line_of_their_row)
{
    no_rows(S("a,b\n1,2\n\"x\n\n3,4\n"),
            "line 3: unclosed quote; the file is truncated or damaged");
}

TEST(csv_bytes_that_are_not_utf8_are_refused_with_their_place)
{
    no_rows(S("a,b\n1,2\n3,\xC3(\n"),
            "line 3: byte 0xc3 at offset 10 is not UTF-8; convert the file to UTF-8");
    no_rows(S("a,b\n1,\xE2\x82"),
            "line 2: byte 0xe2 at offset 6 is not UTF-8; convert the file to UTF-8");
    rows_are(S("a,b\n1,\xE2\x82\xAC\n"), "1|\xE2\x82\xAC/");
}

TEST(csv_columns_can_be_picked_left_out_and_taken_twice)
{
    struct read r;
    str text = S("a,b,c\n1,2,3\n4,5,6\n");
    assert_true(read_head(&r, text));
    r.h.n = 3;
    int from[] = {2, -1, 2};
    struct csv_plan plan = {.from = from, .n_slots = 3, .take = take, .context = &r};
    assert_true(csv_scan(text, &r.h, &plan, CSV_FAST, &r.e));
    STR_IS(buf_view(&r.rows), "3||3/6||6/");
    read_free(&r);
}

TEST(csv_tables_of_many_rows_arrive_complete_and_in_order)
{
    enum { ROWS = 3 * CSV_BATCH_ROWS + 1 };
    struct buf b = {0}, want = {0};
    buf_z(&b, "a,b\n");
    for (int i = 0; i < ROWS; i++) {
        buf_printf(&b, "%d,\"x%d\"\n", i, i);
        buf_printf(&want, "%d|x%d/", i, i);
    }
    buf_char(&want, '\0');
    rows_are(buf_view(&b), want.p);
    buf_free(&b);
    buf_free(&want);
}

TEST(csv_cells_longer_than_16_mb_are_refused)
{
    struct buf b = {0};
    buf_z(&b, "a,b\n1,");
    buf_fill(&b, 'x', (size_t)CSV_CELL_MOST + 1);
    struct read r;
    assert_false(read_all(&r, buf_view(&b), CSV_FAST));
    assert_int_equal(ERR_LIMIT, r.e.code);
    assert_string_equal(
        "line 2: column 'b': a cell of over 16 MB; the file is damaged or not a table of "
        "ops",
        r.e.text);
    read_free(&r);
    buf_free(&b);
}

TEST(csv_line_of_counts_line_feeds_before_the_offset)
{
    str text = S("a\nb\n\nc");
    assert_int_equal(1, csv_line_of(text, 0));
    assert_int_equal(1, csv_line_of(text, 1));
    assert_int_equal(2, csv_line_of(text, 2));
    assert_int_equal(3, csv_line_of(text, 4));
    assert_int_equal(4, csv_line_of(text, 5));
    assert_int_equal(4, csv_line_of(text, 6));
}

// --- cells ---

static void text_of(str raw, const char *want)
{
    struct arena a = {0};
    test_str_is(csv_unquote(raw, &a), str_of(want), __FILE__, __LINE__);
    arena_free(&a);
}

TEST(csv_unquote_undoes_quotes_only_where_they_open_the_cell)
{
    text_of(S(""), "");
    text_of(S("plain"), "plain");
    text_of(S("\"in\""), "in");
    text_of(S("\"\""), "");
    text_of(S("\"a\"\"b\""), "a\"b");
    text_of(S("\"\"\"\""), "\"");
    text_of(S("a\"b\""), "a\"b\"");
    text_of(S("\"a\"b\"c\""), "ab\"c\"");
    text_of(S("\"a\" \"\""), "a \"\"");
}

TEST(csv_unquote_copies_only_what_it_must_change)
{
    struct arena a = {0};
    str raw = S("\"same\"");
    assert_ptr_equal(raw.p + 1, csv_unquote(raw, &a).p);
    assert_int_equal(0, a.used);
    arena_free(&a);
}

static void put_is(str cell, const char *want)
{
    struct buf b = {0};
    csv_put(&b, cell);
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
}

TEST(csv_put_quotes_only_where_it_must)
{
    put_is(S(""), "");
    put_is(S("plain text; 'x'"), "plain text; 'x'");
    put_is(S("a,b"), "\"a,b\"");
    put_is(S("a\"b"), "\"a\"\"b\"");
    put_is(S("a\nb"), "\"a\nb\"");
    put_is(S("a\rb"), "\"a\rb\"");
    put_is(S("\""), "\"\"\"\"");
}

// --- blocks ---

TEST(csv_classifiers_mark_each_delimiter_at_its_own_bit)
{
    csv_classify_fn *const both[] = {csv_classify_portable, csv_classifier()};
    for (int k = 0; k < 2; k++) {
        for (size_t at = 0; at < 128; at++) {
            char text[128];
            memset(text, 'x', sizeof text);
            text[at] = ',';
            text[(at + 1) % 128] = '\n';
            text[(at + 2) % 128] = '"';
            struct csv_masks m = {.has_high = false};
            both[k](text, 2, &m);
            assert_true(m.comma[at / 64] == UINT64_C(1) << at % 64);
            size_t n = (at + 1) % 128, q = (at + 2) % 128;
            assert_true(m.newline[n / 64] == UINT64_C(1) << n % 64);
            assert_true(m.quote[q / 64] == UINT64_C(1) << q % 64);
            assert_true(m.comma[1 - at / 64] == 0);
            assert_false(m.has_high);
            text[at] = '\x80';
            both[k](text, 2, &m);
            assert_true(m.has_high);
            assert_true(m.comma[at / 64] == 0);
        }
    }
}

// --- bad rows ---

TEST(csv_leaves_out_bad_rows_and_says_what_is_wrong_with_the_first)
{
    static const char text[] = "a,b\n1,2\n3,4,5\n\"x\ny\",6\n\xff,7\n8,9\n\"open,1\n10,11";
    for (int path = CSV_FAST; path <= CSV_SLOW; path++) {
        struct read r;
        struct csv_bad bad = {0};
        const int from[] = {0, 1};
        assert_true(read_head(&r, S(text)));
        struct csv_plan plan = {
            .from = from, .n_slots = 2, .take = take, .context = &r, .bad = &bad};
        assert_true(csv_scan(r.text, &r.h, &plan, (enum csv_path)path, &r.e));
        STR_IS(buf_view(&r.rows), "1|2/x\ny|6/8|9/10|11/");
        assert_int_equal(3, bad.n);
        assert_non_null(strstr(bad.first.text, "line 3: more than the 2 cells"));
        assert_int_equal(ERR_NONE, r.e.code);
        read_free(&r);
    }
}

// Rows as "1|2/" and how many were left out.
static void remaining_rows_are(const char *text, const char *want, uint64_t n_bad,
                               const char *why)
{
    for (int path = CSV_FAST; path <= CSV_SLOW; path++) {
        struct read r;
        struct csv_bad bad = {0};
        const int from[] = {0, 1, 2};
        assert_true(read_head(&r, str_of(text)));
        struct csv_plan plan = {
            .from = from, .n_slots = r.h.n, .take = take, .context = &r, .bad = &bad};
        assert_true(csv_scan(r.text, &r.h, &plan, (enum csv_path)path, &r.e));
        test_str_is(buf_view(&r.rows), str_of(want), __FILE__, __LINE__);
        assert_int_equal(n_bad, bad.n);
        assert_true(!why || strstr(bad.first.text, why));
        read_free(&r);
    }
}

TEST(csv_a_lost_closing_quote_costs_its_row_and_joins_no_others)
{
    remaining_rows_are("a,b,c\n1,\"x,2\n3,\"y\",4\n5,z,6\n", "3|y|4/5|z|6/", 1,
                       "line 2: text after a closing quote");
    remaining_rows_are("a,b,c\n1,\"x,2\n3,v,4\n5,z,6\n", "3|v|4/5|z|6/", 1,
                       "line 2: unclosed quote");
    remaining_rows_are("a,b,c\r\n1,x,\"2\"\r\n3,\"v\"w,4\r\n5,z,\"6\"\r\n", "1|x|2/5|z|6/",
                       1, "line 3: text after a closing quote");
}

TEST(csv_lines_of_a_bad_row_are_no_rows)
{
    remaining_rows_are("a,b\n1,\"x\ny\",2\n4,5\n", "4|5/", 2,
                       "line 2: more than the 2 cells");
    remaining_rows_are("a,b,c\n1,\"x\n\ny\nz\",2,3\n4,5,6\n", "4|5|6/", 3,
                       "line 2: more than the 3 cells");
}

TEST(csv_a_row_that_the_end_of_the_file_cuts_is_bad)
{
    remaining_rows_are("a,b,c\n1,2,3\n4,5", "1|2|3/", 1,
                       "line 3: ends before its last column");
    remaining_rows_are("a,b,c\n1,2,3\n4,5,", "1|2|3/4|5|/", 0, NULL);
    remaining_rows_are("a,b,c\n1,2,3\n4,5\n", "1|2|3/4|5|/", 0, NULL);
    remaining_rows_are("a,b,c\n1,2,3\n  ", "1|2|3/", 0, NULL);
}

TEST(csv_no_number_of_bad_rows_ends_the_table)
{
    enum { BAD = 1500 };
    struct buf text = {0}, want = {0};
    buf_z(&text, "a,b,c\n");
    for (int i = 0; i < BAD; i++) {
        buf_z(&text, i % 3 ? "1,2,3,4\n" : "1,\"x\"y,3\n");
        if (i % 100 == 0) {
            buf_printf(&text, "%d,,0\n", i);
            buf_printf(&want, "%d||0/", i);
        }
    }
    buf_char(&text, '\0');
    buf_char(&want, '\0');
    remaining_rows_are(text.p, want.p, BAD, NULL);
    buf_free(&text);
    buf_free(&want);
}
