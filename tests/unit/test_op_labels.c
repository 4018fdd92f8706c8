// test_op_labels.c - messages about ops, what a compiler says about them, and the table.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "analyse/host/op_labels.h"
#include "formats/diags.h"
#include "formats/ops_table/op_message.h"
#include "present/reports/labelled_report.h"
#include "table/grid.h"
#include "test.h"

// --- messages about ops ------------------------------------------------------------------
static struct op_message parsed(const char *text)
{
    struct op_message m;
    assert_true(op_message_is(str_of(text)));
    if (!op_message_parse(str_of(text), &m))
        fail_msg("refused: %s", text);
    return m;
}

TEST(an_op_message_with_five_fields_tells_of_the_cache)
{
    struct op_message m = parsed(
        "`TT_DNN_DEVICE_OP: \"Matmul\", 18446744073709551615, 3, true, 7171 ->\n"
        "{\"attributes\": null}`");
    STR_IS(m.name, "Matmul");
    assert_true(m.hash == UINT64_MAX);
    assert_int_equal(3, m.device);
    assert_int_equal(7171, m.id);
    assert_int_equal(OP_CACHE_HIT, m.cache);
    STR_IS(m.json, "{\"attributes\": null}");
    m = parsed("`TT_DNN_DEVICE_OP: \"Matmul\", 1, 0, false, 1024`");
    assert_int_equal(OP_CACHE_MISS, m.cache);
    assert_int_equal(1024, m.id);
    assert_int_equal(0, m.json.n);
}

TEST(an_op_message_with_four_fields_is_of_before)
{
    struct op_message m = parsed("`TT_DNN_DEVICE_OP: \"Matmul\", 99, 2, 2050 ->\n{}`");
    assert_int_equal(99, m.hash);
    assert_int_equal(2, m.device);
    assert_int_equal(2050, m.id);
    assert_int_equal(OP_CACHE_UNKNOWN, m.cache);
    m = parsed("`TT_DNN_DEVICE_OP: \"Matmul\", 99, 2, 3074`");
    assert_int_equal(3074, m.id);
}

TEST(the_oldest_op_message_has_all_in_its_record)
{
    struct op_message m = parsed(
        "TT_DNN_DEVICE_OP:\"tt::Matmul\"\n{\"device_id\": 1, "
        "\"global_call_count\": 17, \"op_hash\": 5}");
    STR_IS(m.name, "tt::Matmul");
    assert_int_equal(1, m.device);
    assert_int_equal(17, m.id);
    assert_int_equal(5, m.hash);
    m = parsed(
        "TT_DNN_DEVICE_OP:\"a\"\n{\"global_call_count\": 1, \"op_hash\": "
        "18000000000000000001}");
    assert_true(m.hash == UINT64_C(18000000000000000001));
}

TEST(a_name_may_hold_quotes_and_commas)
{
    struct op_message m = parsed("`TT_DNN_DEVICE_OP: \"a\\\"b, 1, 2\", 7, 0, 4096`");
    STR_IS(m.name, "a\\\"b, 1, 2");
    assert_int_equal(4096, m.id);
}

TEST(a_damaged_op_message_is_refused)
{
    static const char *const damaged[] = {
        "TT_DNN_DEVICE_OP:",
        "TT_DNN_DEVICE_OP: \"Matmul",
        "TT_DNN_DEVICE_OP: \"Matmul\\",
        "TT_DNN_DEVICE_OP: \"Matmul\"",
        "TT_DNN_DEVICE_OP: \"Matmul\"\n{\"global_call_count\": ",
        "TT_DNN_DEVICE_OP: \"Matmul\"\n{\"device_id\": 1}",
        "TT_DNN_DEVICE_OP: \"Matmul\", 1, 2",
        "TT_DNN_DEVICE_OP: \"Matmul\", 1, 2, maybe, 3",
        "TT_DNN_DEVICE_OP: \"Matmul\", 1, 2, true, x3",
        "TT_DNN_DEVICE_OP: \"Matmul\", 1, 2, true, 3, 4",
        "TT_DNN_DEVICE_OP: \"Matmul\", 1, 2, true, ->",
        "TT_DNN_DEVICE_OP: \"Matmul\", 1, 2, true, 99999999999999999999999",
        "TT_DNN_DEVICE_OP: \"Matmul\", 1, 2, true, -3",
    };
    struct op_message m;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        if (op_message_parse(str_of(damaged[i]), &m))
            fail_msg("taken: %s", damaged[i]);
    assert_false(op_message_is(S("TT_DNN_FALL_BACK_OP:\"x\"")));
    assert_false(op_message_is(S("")));
    assert_false(op_message_is(S("`")));
}

// --- labels ------------------------------------------------------------------------------
static void label_is(const struct op_labels *l, int64_t device, uint64_t id,
                     const char *location, const char *is_const, const char *metadata)
{
    struct op_label_set set;
    (void)op_labels_find(l, device, id, &set);
    test_str_is(set.v[OP_LOCATION], str_of(location), __FILE__, __LINE__);
    test_str_is(set.v[OP_CONST_EVAL], str_of(is_const), __FILE__, __LINE__);
    test_str_is(set.v[OP_METADATA], str_of(metadata), __FILE__, __LINE__);
}

static void take_all(struct op_labels *l, uint32_t process, const char *const *texts)
{
    for (; *texts; texts++)
        op_labels_take(l, process, str_of(*texts));
}
#define TAKE(l, process, ...) take_all(l, process, (const char *const[]){__VA_ARGS__, NULL})

TEST(a_label_holds_until_the_next_of_its_kind)
{
    struct op_labels l = {0};
    TAKE(&l, 0, "`TT_DNN_DEVICE_OP: \"a\", 1, 0, false, 1024`",
         "MLIR_OP_LOCATION;loc(\"x\")", "MLIR_PROGRAM_METADATA;{'loop_number': 0}",
         "`TT_DNN_DEVICE_OP: \"b\", 1, 0, false, 2048 ->\n{}`", "something else",
         "MLIR_CONST_EVAL_OP;true", "`TT_DNN_DEVICE_OP: \"c\", 1, 0, 3072`",
         "MLIR_OP_LOCATION;loc(\"y\")", "MLIR_CONST_EVAL_OP;false",
         "`TT_DNN_DEVICE_OP: \"d\", 1, 0, true, 4096`");
    label_is(&l, 0, 1024, "loc(unknown)", "false", "{}");
    label_is(&l, 0, 2048, "loc(\"x\")", "false", "{'loop_number': 0}");
    label_is(&l, 0, 3072, "loc(\"x\")", "true", "{'loop_number': 0}");
    label_is(&l, 0, 4096, "loc(\"y\")", "false", "{'loop_number': 0}");
    label_is(&l, 0, 5120, "loc(unknown)", "false", "{}");
    label_is(&l, 1, 2048, "loc(unknown)", "false", "{}"); // another device
    assert_int_equal(4, l.n_ops);
    assert_int_equal(0, l.n_damaged + l.n_again);
    struct op_label_set set;
    assert_false(op_labels_find(&l, 0, 1024, &set));
    assert_true(op_labels_find(&l, 0, 2048, &set));
    op_labels_free(&l);
}

TEST(a_label_is_all_behind_its_first_semicolon)
{
    struct op_labels l = {0};
    TAKE(&l, 0, "MLIR_OP_LOCATION;loc(fused[\"a;b\":1:2; \"c\"])\nsecond line",
         "MLIR_PROGRAM_METADATA;", "MLIR_OP_LOCATION", "MLIR_OP_LOCATIONS;no",
         "`TT_DNN_DEVICE_OP: \"a\", 1, 0, 1024`");
    label_is(&l, 0, 1024, "loc(fused[\"a;b\":1:2; \"c\"])\nsecond line", "false", "");
    op_labels_free(&l);
}

TEST(labels_of_one_process_are_not_those_of_another)
{
    struct op_labels l = {0};
    TAKE(&l, 5, "MLIR_OP_LOCATION;five");
    TAKE(&l, 0, "MLIR_OP_LOCATION;zero", "`TT_DNN_DEVICE_OP: \"a\", 1, 0, 1024`");
    TAKE(&l, 5, "`TT_DNN_DEVICE_OP: \"a\", 1, 1, 1025`");
    TAKE(&l, 3, "`TT_DNN_DEVICE_OP: \"a\", 1, 2, 1026`");
    label_is(&l, 0, 1024, "zero", "false", "{}");
    label_is(&l, 1, 1025, "five", "false", "{}");
    label_is(&l, 2, 1026, "loc(unknown)", "false", "{}");
    assert_int_equal(0, l.n_again);
    TAKE(&l, 5, "`TT_DNN_DEVICE_OP: \"a\", 1, 0, 1024`"); // the same op: who is right?
    label_is(&l, 0, 1024, "five", "false", "{}");
    assert_int_equal(1, l.n_again);
    op_labels_free(&l);
}

TEST(an_op_that_cannot_be_read_is_counted)
{
    struct op_labels l = {0};
    TAKE(&l, 0, "MLIR_OP_LOCATION;x", "`TT_DNN_DEVICE_OP: \"cut of",
         "TT_DNN_DEVICE_OP:", "`TT_DNN_DEVICE_OP: \"a\", 1, 0, 1024`");
    assert_int_equal(3, l.n_ops);
    assert_int_equal(2, l.n_damaged);
    label_is(&l, 0, 1024, "x", "false", "{}");
    op_labels_free(&l);
}

// --- the table ---------------------------------------------------------------------------
struct labelled_files {
    char folder[64], report[96], path[96];
};

static void files_open(struct labelled_files *t, const char *report)
{
    struct out o;
    struct err e = {0};
    memcpy(t->folder, "/tmp/ttprof-labels-XXXXXX", 26);
    assert_non_null(mkdtemp(t->folder));
    (void)snprintf(t->report, sizeof t->report, "%s/in.csv", t->folder);
    (void)snprintf(t->path, sizeof t->path, "%s/out.csv", t->folder);
    assert_true(out_open(&o, t->report, &e));
    buf_z(&o.b, report);
    assert_true(out_close(&o, &e));
}

static void file_is(const struct labelled_files *t, const char *want)
{
    struct file f;
    struct err e = {0};
    assert_true(file_open(t->path, &f, &e));
    test_str_is(f.text, str_of(want), __FILE__, __LINE__);
    file_close(&f);
}

static void files_close(const struct labelled_files *t)
{
    (void)unlink(t->report);
    (void)unlink(t->path);
    assert_int_equal(0, rmdir(t->folder));
}

TEST(a_labelled_report_keeps_every_column)
{
    static const struct column columns[] = {GRID_WHOLE("GLOBAL CALL COUNT"),
                                            GRID_WHOLE("DEVICE ID"), GRID_TEXT("OP NAME"),
                                            GRID_WHOLE("A, B")};
    struct op_labels l = {0};
    struct labelled_count n = {0};
    struct labelled_files t;
    struct grid g;
    struct err e = {0};
    TAKE(&l, 0, "MLIR_OP_LOCATION;loc(\"a\",1)", "`TT_DNN_DEVICE_OP: \"a\", 1, 1, 1025`");
    files_open(&t, "");
    grid_open(&g, "ops", "Ops", columns, 4);
    const struct cell cells[] = {
        cell_int(1025), cell_int(1), cell_text(S("x,y")),   cell_int(5),
        cell_int(1025), cell_int(0), cell_none(),           cell_none(),
        cell_none(),    cell_none(), cell_text(S("start")), cell_none()}; // a signpost
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        grid_put(&g, cells[i]);
    assert_true(labelled_report_write(&g.table, &l, t.path, &n, &e));
    file_is(&t,
            "GLOBAL CALL COUNT,DEVICE ID,OP NAME,\"A, B\",LOC,CONST_EVAL_OP,"
            "PROGRAM_METADATA\n"
            "1025,1,\"x,y\",5,\"loc(\"\"a\"\",1)\",false,{}\n"
            "1025,0,,,loc(unknown),false,{}\n"
            ",,start,,loc(unknown),false,{}\n");
    assert_int_equal(2, n.n_ops);
    assert_int_equal(1, n.n_labelled);
    grid_free(&g);
    files_close(&t);
    op_labels_free(&l);
}

TEST(a_device_report_keeps_its_lines_and_has_no_labels)
{
    struct labelled_count n = {0};
    struct diag d = {0};
    struct labelled_files t;
    struct err e = {0};
    files_open(&t,
               "GLOBAL CALL COUNT,DEVICE ID\r\n1024,0\n\n"
               "GLOBAL CALL COUNT,DEVICE ID\n2048,0\n30"); // two dumps, the last cut
    assert_true(labelled_report_copy(t.report, t.path, &n, &d, &e));
    file_is(&t,
            "GLOBAL CALL COUNT,DEVICE ID,LOC,CONST_EVAL_OP,PROGRAM_METADATA\n"
            "1024,0,loc(unknown),false,{}\n"
            "GLOBAL CALL COUNT,DEVICE ID,LOC,CONST_EVAL_OP,PROGRAM_METADATA\n"
            "2048,0,loc(unknown),false,{}\n");
    assert_int_equal(2, n.n_ops);
    assert_int_equal(1, d.entry[DIAG_DEVICE_REPORT_CUT].count);
    files_close(&t);
}

static size_t commas(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == ',';
    return n;
}

TEST(a_labelled_report_comes_out_of_nothing)
{
    struct labelled_count n = {0};
    struct diag d = {0};
    struct labelled_files t;
    struct err e = {0};
    files_open(&t, "\n");
    for (int is_there = 0; is_there < 2; is_there++) {
        struct file f;
        assert_true(labelled_report_copy(is_there ? t.report : NULL, t.path, &n, &d, &e));
        assert_int_equal(0, n.n_ops);
        assert_true(file_open(t.path, &f, &e));
        assert_true(str_starts(f.text, S("GLOBAL CALL COUNT,METAL TRACE ID,")));
        assert_true(str_ends(f.text, S(",LOC,CONST_EVAL_OP,PROGRAM_METADATA\n")));
        assert_true(commas(f.text) > 30);
        file_close(&f);
    }
    files_close(&t);
}
