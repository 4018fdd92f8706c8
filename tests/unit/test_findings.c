// test_findings.c - what was odd, as a table, as JSON and as lines.
#include "analyse/diags.h"
#include "formats/diags.h"
#include "table/findings.h"
#include "test.h"

static struct diag some(void)
{
    struct diag d = {0};
    diag_note(&d, DIAG_ROW_DAMAGED, "a.csv: line 7");
    d.entry[DIAG_ROW_DAMAGED].count = 3;
    diag_note(&d, DIAG_LOG_CUT, "a.csv: line 9");
    d.entry[DIAG_LOG_CUT].count = 1;
    return d;
}

TEST(findings_are_a_table_of_the_kinds_that_were_counted)
{
    struct diag d = some();
    struct arena a = {0};
    struct table t = findings_table(&d, &a);
    struct out o = {.fd = -1};
    table_csv(&t, &o);
    assert_int_equal(2, t.n_rows);
    assert_true(str_has(buf_view(&o.b), S(",1,a.csv: line 9,")));
    assert_true(str_has(buf_view(&o.b), S(",3,a.csv: line 7,")));
    assert_true(str_starts(buf_view(&o.b), S("Finding,Count,First seen,Remedy\r\n")));
    buf_free(&o.b);
    arena_free(&a);
}

static void keep_line(void *context, const char *text)
{
    buf_printf(context, "%s\n", text);
}

TEST(findings_are_lines_with_first_place_count_and_remedy)
{
    struct diag d = some();
    struct buf got = {0}, want = {0};
    findings_lines(&d, keep_line, &got);
    buf_printf(&want, "a.csv: line 9: %s (1 in all): %s\n", diag_what(DIAG_LOG_CUT),
               diag_remedy(DIAG_LOG_CUT));
    buf_printf(&want, "a.csv: line 7: %s (3 in all): %s\n", diag_what(DIAG_ROW_DAMAGED),
               diag_remedy(DIAG_ROW_DAMAGED));
    test_str_is(buf_view(&got), buf_view(&want), __FILE__, __LINE__);
    got.n = 0;
    findings_lines(&(struct diag){0}, keep_line, &got);
    assert_int_equal(0, got.n);
    buf_free(&got);
    buf_free(&want);
}
