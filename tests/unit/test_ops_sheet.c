// test_ops_sheet.c - tables of ops as columns by name.
#include <math.h>

#include "../support/memory_file.h"
#include "formats/diags.h"
#include "formats/ops_table/ops_sheet.h"
#include "test.h"

struct sample {
    struct memory_file file;
    struct ops_sheet t;
    struct diag d;
    struct err e;
    bool ok;
};

static void load(struct sample *s, str text, ops_sheet_keeps *keeps)
{
    *s = (struct sample){.file = memory_file_make(text)};
    s->ok = ops_sheet_load(&s->t, s->file.path, keeps, &s->d, &s->e);
}
static void done(struct sample *s)
{
    ops_sheet_free(&s->t);
    memory_file_free(&s->file);
}

static bool keeps_b(str name)
{
    return str_is(name, "B");
}

TEST(ops_sheet_finds_cells_by_name)
{
    struct sample s;
    load(&s, S("A,B,C\r\n1,\"x, \"\"y\"\"\", 3.5 \r\n\r\n4\r\n"), NULL);
    assert_true(s.ok);
    assert_int_equal(2, s.t.n_rows);
    int a = ops_sheet_find(&s.t, "A"), b = ops_sheet_find(&s.t, "B"),
        c = ops_sheet_find(&s.t, "C");
    STR_IS(ops_sheet_text(&s.t, b, 0), "x, \"y\"");
    REAL_IS(ops_sheet_number(&s.t, c, 0), 3.5);
    REAL_IS(ops_sheet_number(&s.t, a, 1), 4);
    assert_false(ops_sheet_has(&s.t, c, 1));
    assert_int_equal(-1, ops_sheet_find(&s.t, "D"));
    STR_IS(ops_sheet_text(&s.t, -1, 0), "");
    REAL_IS(ops_sheet_number(&s.t, -1, 0), NAN);
    assert_int_equal(1, diag_total(&s.d)); // the short row
    assert_int_equal(1, s.d.entry[DIAG_TABLE_SHORT].count);
    done(&s);
}

TEST(ops_sheet_keeps_only_what_is_wanted)
{
    struct sample s;
    load(&s, S("A,B\n1,2\n"), keeps_b);
    STR_IS(ops_sheet_text(&s.t, ops_sheet_find(&s.t, "A"), 0), "");
    STR_IS(ops_sheet_text(&s.t, ops_sheet_find(&s.t, "B"), 0), "2");
    done(&s);
}

TEST(ops_sheet_knows_the_words_for_nothing_and_counts_what_is_no_number)
{
    struct sample s;
    load(&s, S("A\n-\nnan\nN/A\ninf\nabc\n7\n"), NULL);
    for (size_t i = 0; i < 5; i++)
        REAL_IS(ops_sheet_number(&s.t, 0, i), NAN);
    REAL_IS(ops_sheet_number(&s.t, 0, 5), 7);
    assert_int_equal(1, s.d.entry[DIAG_NOT_A_NUMBER].count);
    assert_non_null(
        strstr(s.d.entry[DIAG_NOT_A_NUMBER].first, "line 6: column 'A': 'abc'"));
    done(&s);
}

TEST(ops_sheet_leaves_out_rows_that_do_not_fit)
{
    struct sample s;
    load(&s, S("A,B\n1,2\n3,4,5\n\"a\nb\",6\n7,8,9,10\n11,12\n"), NULL);
    assert_true(s.ok);
    assert_int_equal(3, s.t.n_rows);
    STR_IS(ops_sheet_text(&s.t, 0, 1), "a\nb");
    STR_IS(ops_sheet_text(&s.t, 1, 2), "12");
    assert_int_equal(2, s.d.entry[DIAG_TABLE_ROW].count);
    done(&s);
}

TEST(ops_sheet_needs_a_header)
{
    struct sample s;
    load(&s, S(""), NULL);
    assert_false(s.ok);
    assert_int_equal(ERR_FORMAT, s.e.code);
    done(&s);
}

static void load_device(struct sample *s, str text)
{
    *s = (struct sample){.file = memory_file_make(text)};
    s->ok = ops_sheet_open(&s->t, s->file.path, &s->d, &s->e) &&
            ops_sheet_scan_device(&s->t, &s->e);
}

TEST(ops_sheet_of_a_device_report_has_the_columns_of_all_its_headers)
{
    struct sample s;
    load_device(&s, S("\xEF\xBB\xBFGLOBAL CALL COUNT,OP NAME,A\n"
                      "1,x, 5 \n"
                      "1,y,\n" // not joined with the row before
                      "B,GLOBAL CALL COUNT,A\n"
                      "7,2,\"8\"\n"
                      "7,2,8,9\n"
                      "7,3"));
    assert_true(s.ok);
    assert_int_equal(3, s.t.n_rows);
    assert_int_equal(2, s.t.n_unread);
    static const char *const names[] = {"GLOBAL CALL COUNT", "OP NAME", "A", "B"};
    static const char *const want[3][4] = {
        {"1", "x", " 5 ", ""}, {"1", "y", "", ""}, {"2", "", "\"8\"", "7"}};
    assert_int_equal(4, s.t.file.header.n);
    for (int c = 0; c < 4; c++) {
        assert_int_equal(c, ops_sheet_find(&s.t, names[c]));
        for (size_t row = 0; row < 3; row++)
            test_str_is(ops_sheet_raw(&s.t, c, row), str_of(want[row][c]), __FILE__,
                        __LINE__);
    }
    assert_true(str_ends(ops_sheet_place(&s.t, 2), S(": line 5")));
    done(&s);
}

TEST(ops_sheet_of_a_device_report_has_a_limit_of_columns)
{
    struct buf b = {0};
    for (int table = 0; table < 2; table++) {
        buf_z(&b, "GLOBAL CALL COUNT");
        for (int i = 1; i < 4000; i++)
            buf_printf(&b, ",%d/%d", table, i);
        buf_z(&b, "\n1,2,3\n");
    }
    struct sample s;
    load_device(&s, buf_view(&b));
    assert_true(s.ok);
    assert_int_equal(4096, s.t.file.header.n);
    assert_int_equal(7999 - 4096, s.d.entry[DIAG_DEVICE_COLUMN].count);
    assert_int_equal(2, s.t.n_rows);
    STR_IS(ops_sheet_raw(&s.t, ops_sheet_find(&s.t, "1/2"), 1), "3");
    done(&s);
    buf_free(&b);
}
