// test_counter_merge.c - the reports of two runs of a program put together.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/num.h"

#include "../support/memory_file.h"
#include "present/reports/counter_merge.h"
#include "table/grid.h"
#include "test.h"

// A table with texts and ids, row by row; NULL: an empty cell.
static void fill(struct grid *g, const struct column *columns, size_t n,
                 const char *const *cells, size_t n_cells)
{
    grid_open(g, "ops", "Ops", columns, n);
    for (size_t i = 0; i < n_cells; i++) {
        int64_t v;
        str s = str_of(cells[i]);
        grid_put(g, !cells[i] ? cell_none() : num_int(s, &v) ? cell_int(v) : cell_text(s));
    }
}
#define FILL(g, columns, cells)                                                            \
    fill(g, columns, sizeof(columns) / sizeof *(columns), cells,                           \
         sizeof(cells) / sizeof *(cells))

// Merges, and compares what was written.
static struct counter_merged merge(struct grid *first, str second, const char *want)
{
    struct memory_file b = memory_file_make(second);
    char path[] = "/tmp/counter-merge-XXXXXX";
    int fd = mkstemp(path);
    struct counter_merged m;
    struct diag d = {0};
    struct err e = {0};
    struct file f;
    assert_true(fd >= 0 && close(fd) == 0);
    if (!counter_merge_write(&first->table, b.path, path, &m, &d, &e))
        fail_msg("%s", e.text);
    assert_true(file_open(path, &f, &e));
    test_str_is(f.text, str_of(want), __FILE__, __LINE__);
    file_close(&f);
    assert_int_equal(0, unlink(path));
    memory_file_free(&b);
    grid_free(first);
    return m;
}

TEST(merged_reports_have_the_columns_that_only_the_second_has)
{
    static const struct column columns[] = {
        GRID_TEXT("OP CODE"), GRID_WHOLE("GLOBAL CALL COUNT"), GRID_WHOLE("METAL TRACE ID"),
        GRID_WHOLE("METAL TRACE REPLAY SESSION ID"), GRID_WHOLE("A")};
    static const char *const cells[] = {"x, y", "1", NULL, NULL, "1",  "b", "2",
                                        "5",    "1", "2",  "b",  "2",  "5", "2",
                                        "3",    "c", "3",  NULL, NULL, "4"};
    struct grid first;
    FILL(&first, columns, cells);
    struct counter_merged m = merge(
        &first,
        S("GLOBAL CALL COUNT,A,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,B,C (%)\r\n"
          "2,9,5,2,two,22\r\n1,9,,,one,11\r\n2,9,5,1,\"t,w\",21\r\n7,9,,,no,0\r\n"),
        "OP CODE,GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,A,B,"
        "C (%)\r\n"
        "\"x, y\",1,,,1,one,11\r\nb,2,5,1,2,\"t,w\",21\r\nb,2,5,2,3,two,22\r\n"
        "c,3,,,4,,\r\n");
    assert_int_equal(2, m.n_columns);
    assert_int_equal(3, m.n_matched);
}

TEST(merged_rows_with_the_same_ids_keep_their_order)
{
    // Reports of devices alone have no traces.
    static const struct column columns[] = {GRID_WHOLE("GLOBAL CALL COUNT"),
                                            GRID_WHOLE("A")};
    static const char *const cells[] = {"4", "1", "4", "2", "4", "3"};
    struct grid first;
    FILL(&first, columns, cells);
    (void)merge(&first, S("GLOBAL CALL COUNT,METAL TRACE ID,B\n4,,x\n4,8,y\n"),
                "GLOBAL CALL COUNT,A,METAL TRACE ID,B\r\n4,1,,x\r\n4,2,8,y\r\n"
                "4,3,,\r\n");
}

TEST(merging_something_else_than_a_report_is_an_error)
{
    static const struct column columns[] = {GRID_WHOLE("GLOBAL CALL COUNT")};
    static const char *const cells[] = {"4"};
    struct memory_file b = memory_file_make(S("id,B\n4,1\n"));
    struct counter_merged m;
    struct diag d = {0};
    struct err e = {0};
    struct grid first;
    FILL(&first, columns, cells);
    assert_false(counter_merge_write(&first.table, b.path, "/nowhere/at/all", &m, &d, &e));
    assert_int_equal(ERR_FORMAT, e.code);
    assert_non_null(strstr(e.text, "missing column 'GLOBAL CALL COUNT'"));
    e = (struct err){0};
    assert_false(
        counter_merge_write(&first.table, "/nowhere/at/all", "/tmp/x", &m, &d, &e));
    assert_int_equal(ERR_IO, e.code);
    grid_free(&first);
    memory_file_free(&b);
}
