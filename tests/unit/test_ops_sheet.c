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
