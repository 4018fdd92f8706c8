// test_counter_merge.c - the reports of two runs of a program put together.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "../support/memory_file.h"
#include "present/reports/counter_merge.h"
#include "test.h"

// Merges, and reads what was written into `text`, which is the caller's.
static struct counter_merged merge(str first, str second, char *text, size_t size)
{
    struct memory_file a = memory_file_make(first), b = memory_file_make(second);
    char path[] = "/tmp/counter-merge-XXXXXX";
    int fd = mkstemp(path);
    struct counter_merged m;
    struct diag d = {0};
    struct err e = {0};
    struct file f;
    assert_true(fd >= 0 && close(fd) == 0);
    if (!counter_merge_csv(a.path, b.path, path, &m, &d, &e))
        fail_msg("%s", e.text);
    assert_true(file_open(path, &f, &e));
    assert_true(f.text.n < size);
    memcpy(text, f.text.p, f.text.n);
    text[f.text.n] = '\0';
    file_close(&f);
    assert_int_equal(0, unlink(path));
    memory_file_free(&a);
    memory_file_free(&b);
    return m;
}

TEST(merged_reports_have_the_columns_that_only_the_second_has)
{
    char text[1000];
    struct counter_merged m = merge(
        S("OP CODE,GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,A\r\n"
          "\"x, y\",1,,,1\r\nb,2,5,1,2\r\nb,2,5,2,3\r\nc,3,,,4\r\n"),
        S("GLOBAL CALL COUNT,A,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,B,C (%)\r\n"
          "2,9,5,2,two,22\r\n1,9,,,one,11\r\n2,9,5,1,\"t,w\",21\r\n7,9,,,no,0\r\n"),
        text, sizeof text);
    assert_string_equal(
        text,
        "OP CODE,GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,A,B,"
        "C (%)\r\n"
        "\"x, y\",1,,,1,one,11\r\nb,2,5,1,2,\"t,w\",21\r\nb,2,5,2,3,two,22\r\n"
        "c,3,,,4,,\r\n");
    assert_int_equal(2, m.n_columns);
    assert_int_equal(4, m.n_rows);
    assert_int_equal(3, m.n_matched);
    assert_int_equal(1, m.n_left_over);
}

TEST(merged_rows_with_the_same_ids_keep_their_order)
{
    char text[1000];
    // Reports of devices alone have no traces.
    (void)merge(S("GLOBAL CALL COUNT,A\n4,1\n4,2\n4,3\n"),
                S("GLOBAL CALL COUNT,METAL TRACE ID,B\n4,,x\n4,8,y\n"), text, sizeof text);
    assert_string_equal(text,
                        "GLOBAL CALL COUNT,A,METAL TRACE ID,B\r\n4,1,,x\r\n4,2,8,y\r\n"
                        "4,3,,\r\n");
}

TEST(merging_something_else_than_reports_is_an_error)
{
    struct memory_file a = memory_file_make(S("GLOBAL CALL COUNT,A\n4,1\n"));
    struct memory_file b = memory_file_make(S("id,B\n4,1\n"));
    struct counter_merged m;
    struct diag d = {0};
    struct err e = {0};
    assert_false(counter_merge_csv(a.path, b.path, "/nowhere/at/all", &m, &d, &e));
    assert_int_equal(ERR_FORMAT, e.code);
    assert_non_null(strstr(e.text, "missing column 'GLOBAL CALL COUNT'"));
    e = (struct err){0};
    assert_false(counter_merge_csv(a.path, "/nowhere/at/all", "/tmp/x", &m, &d, &e));
    assert_int_equal(ERR_IO, e.code);
    memory_file_free(&a);
    memory_file_free(&b);
}
