// test_check.c - device performance checks. Spec: run-and-python 11.
#include <math.h>

#include "../support/memory_file.h"
#include "analyse/compare/check.h"
#include "test.h"

#define HEAD                                                                               \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE FW START CYCLE,DEVICE FW DURATION [ns],"             \
    "DEVICE KERNEL DURATION [ns]\n"

struct sample {
    struct memory_file files[3];
    struct check c;
    struct err e;
    bool ok;
};

static void measure(struct sample *s, const char *const *texts, size_t n,
                    const struct check_options *o)
{
    const char *paths[3];
    *s = (struct sample){0};
    for (size_t i = 0; i < n; i++) {
        s->files[i] = memory_file_make(str_of(texts[i]));
        paths[i] = s->files[i].path;
    }
    s->ok = check_tables(&s->c, paths, n, o, &s->e);
    for (size_t i = 0; i < n; i++)
        memory_file_free(&s->files[i]);
}

static double value(const struct sample *s, const char *name)
{
    for (size_t i = 0; i < s->c.metrics.n; i++)
        if (str_is(s->c.metrics.v[i].name, name))
            return s->c.metrics.v[i].value;
    fail_msg("no metric '%s'", name);
    return 0;
}

TEST(check_sums_a_column_of_each_table)
{
    struct sample s;
    const char *texts[] = {HEAD "A,,0,1,,1000\nB,,0,2,-,3000\n",
                           HEAD "A,,0,1,,6000\nB,,0,2,,\n"};
    measure(
        &s, texts, 2,
        &(struct check_options){.columns = {"DEVICE KERNEL"}, .n_columns = 1, .batch = 10});
    assert_true(s.ok);
    assert_int_equal(6, s.c.metrics.n);
    STR_IS(s.c.metrics.v[0].name, "AVG DEVICE KERNEL SAMPLES/S");
    REAL_IS(value(&s, "AVG DEVICE KERNEL DURATION [ns]"), 5000);
    REAL_IS(value(&s, "MIN DEVICE KERNEL DURATION [ns]"), 4000);
    REAL_IS(value(&s, "MAX DEVICE KERNEL DURATION [ns]"), 6000);
    REAL_IS(value(&s, "AVG DEVICE KERNEL SAMPLES/S"), 10 / (5000 * 1e-9));
    REAL_IS(value(&s, "MIN DEVICE KERNEL SAMPLES/S"), 10 / (6000 * 1e-9));
    REAL_IS(value(&s, "MAX DEVICE KERNEL SAMPLES/S"), 10 / (4000 * 1e-9));
    check_free(&s.c);
}

TEST(check_takes_the_usual_columns_that_are_there)
{
    struct sample s;
    const char *texts[] = {HEAD "A,,0,1,20,10\n", "OP CODE,X\nA,1\n"};
    measure(&s, texts, 1, &(struct check_options){.batch = 1});
    assert_int_equal(12, s.c.metrics.n);
    REAL_IS(value(&s, "AVG DEVICE FW DURATION [ns]"), 20);
    check_free(&s.c);
    measure(&s, texts + 1, 1, &(struct check_options){.batch = 1});
    assert_false(s.ok);
    assert_non_null(strstr(s.e.text, "missing column 'DEVICE KERNEL DURATION [ns]'"));
    check_free(&s.c);
    measure(&s, texts, 1,
            &(struct check_options){
                .columns = {"DEVICE BRISC KERNEL"}, .n_columns = 1, .batch = 1});
    assert_false(s.ok);
    assert_int_equal(ERR_FORMAT, s.e.code);
    check_free(&s.c);
}

static double kernel_of(const char *text, const struct check_options *o, struct sample *s)
{
    measure(s, &text, 1, o);
    double v = s->ok ? value(s, "AVG DEVICE KERNEL DURATION [ns]") : NAN;
    check_free(&s->c);
    return v;
}

TEST(check_finds_ops_by_code_by_end_and_by_part)
{
    static const char text[] = HEAD
        "Mat,,0,1,,1\nns::Mat,,0,1,,10\nX<ns::Mat>,,0,1,,100\n"
        "ns::Add,,0,1,,1000\nY<Sub>,,0,1,,5\n";
    struct sample s;
    REAL_IS(kernel_of(text, &(struct check_options){.op = "Mat", .batch = 1}, &s), 1);
    REAL_IS(kernel_of(text, &(struct check_options){.op = "Add", .batch = 1}, &s), 1000);
    REAL_IS(kernel_of(text, &(struct check_options){.op = "Sub", .batch = 1}, &s), 5);
    REAL_IS(kernel_of(text, &(struct check_options){.op = "Nix", .batch = 1}, &s), NAN);
    assert_non_null(
        strstr(s.e.text, "no op 'Nix'; the table has 5: Mat, ns::Mat, X<ns::Mat>"));
}

TEST(check_takes_what_is_between_signposts)
{
    static const char text[] = HEAD
        "A,,0,1,,1\nstart,signpost,,,,\nA,,0,1,,10\nstop,signpost,,,,\n"
        "A,,0,1,,100\nstart,signpost,,,,\n";
    struct sample s;
    REAL_IS(kernel_of(text, &(struct check_options){.batch = 1}, &s), 111);
    REAL_IS(kernel_of(text, &(struct check_options){.has_signposts = true, .batch = 1}, &s),
            10);
    REAL_IS(kernel_of(HEAD "A,,0,1,,1\n",
                      &(struct check_options){.has_signposts = true, .batch = 1}, &s),
            NAN);
    assert_non_null(strstr(s.e.text, "no signpost 'start'"));
}

// Device 1 starts first; its rows and those of device 0 follow in turn.
TEST(check_leaves_out_warm_up_rows_devices_in_turn)
{
    static const char text[] = HEAD
        "A,,0,500,,1\nA,,0,600,,2\nA,,1,100,,10\nB,,1,200,,20\n"
        "host,python_fallback,,,,\n";
    struct sample s;
    REAL_IS(kernel_of(text, &(struct check_options){.warmup = 1, .batch = 1}, &s), 23);
    REAL_IS(kernel_of(text, &(struct check_options){.warmup = 3, .batch = 1}, &s), 2);
    REAL_IS(kernel_of(text, &(struct check_options){.warmup = 4, .batch = 1}, &s), NAN);
    assert_non_null(strstr(s.e.text, "no rows left"));
}

TEST(check_has_deviations_in_detail)
{
    const char *texts[] = {HEAD "A,,0,1,,2\nA,,0,2,,4\nB,,0,3,,9\n"};
    struct sample s;
    measure(
        &s, texts, 1,
        &(struct check_options){
            .columns = {"DEVICE KERNEL"}, .n_columns = 1, .is_detailed = true, .batch = 1});
    REAL_IS(value(&s, "AVG DEVICE KERNEL DURATION [ns]"), 5);
    REAL_IS(value(&s, "STD DEVICE KERNEL DURATION [ns]"), sqrt(26.0 / 2));
    check_free(&s.c);
    measure(&s, texts, 1,
            &(struct check_options){.columns = {"DEVICE KERNEL"},
                                    .n_columns = 1,
                                    .is_detailed = true,
                                    .is_per_op = true,
                                    .batch = 1});
    assert_int_equal(8, s.c.metrics.n);
    REAL_IS(value(&s, "A: MAX DEVICE KERNEL DURATION [ns]"), 4);
    REAL_IS(value(&s, "B: STD DEVICE KERNEL DURATION [ns]"), NAN);
    check_free(&s.c);
}

TEST(check_fails_too_slow_and_too_fast)
{
    const char *texts[] = {HEAD "A,,0,1,,1000\n"};
    struct sample s;
    str key = S("AVG DEVICE KERNEL DURATION [ns]");
    measure(&s, texts, 1, &(struct check_options){.batch = 1});
    struct check_metric *m = NULL;
    for (size_t i = 0; i < s.c.metrics.n; i++)
        if (str_eq(s.c.metrics.v[i].name, key))
            m = &s.c.metrics.v[i];
    assert_non_null(m);
    assert_true(check_expect(&s.c, key, 1000, 0.015) && !m->is_outside);
    REAL_IS(m->lower, 985);
    assert_true(check_expect(&s.c, key, 1015, 0.015) && !m->is_outside);
    assert_true(check_expect(&s.c, key, 1020, 0.015) && m->is_outside);
    assert_true(check_expect(&s.c, key, 980, 0.015) && m->is_outside);
    assert_false(check_expect(&s.c, S("AVG X"), 980, 0.015));
    check_free(&s.c);
}

TEST(check_of_times_wants_no_regression_and_a_fresh_baseline)
{
    assert_int_equal(CHECK_PASS, check_time(1.0, 1.0));
    assert_int_equal(CHECK_PASS, check_time(0.8, 1.0));
    assert_int_equal(CHECK_REGRESSION, check_time(1.001, 1.0));
    assert_int_equal(CHECK_BASELINE, check_time(0.799, 1.0));
}

static void merge(struct check_merge *m, const char *const *texts, size_t n, struct err *e)
{
    struct memory_file files[3];
    const char *paths[3];
    for (size_t i = 0; i < n; i++) {
        files[i] = memory_file_make(str_of(texts[i]));
        paths[i] = files[i].path;
    }
    if (check_merge_read(m, paths, n, e))
        check_merge_judge(m);
    for (size_t i = 0; i < n; i++)
        memory_file_free(&files[i]);
}

TEST(check_merges_reports_by_the_names_of_their_columns)
{
    struct check_merge m;
    struct err e = {0};
    const char *texts[] = {
        "Model, Setting, Batch, T SAMPLES/S, Lower Threshold T SAMPLES/S, "
        "Upper Threshold T SAMPLES/S\na, s, 1, 120, 90.0, 110.0",
        "Model, Setting, Batch, D DURATION [ns], Lower Threshold D DURATION "
        "[ns], Upper Threshold D DURATION [ns], T SAMPLES/S\n"
        "b, s, 2, 120, 90.0, 110.0, 3"};
    merge(&m, texts, 2, &e);
    assert_int_equal(2, m.n_rows);
    assert_int_equal(9, m.columns.n);
    STR_IS(m.cells.v[9], "b");
    STR_IS(m.cells.v[9 + 3], "3");
    STR_IS(m.cells.v[6], ""); // a has no duration
    assert_int_equal(2, m.findings.n);
    STR_IS(m.findings.v[0].text,
           "a_s T SAMPLES/S is faster than expected with 120.0, max expected 110.0. Please "
           "update perf targets with latest expected perf");
    STR_IS(m.findings.v[1].text,
           "b_s D DURATION [ns] is too slow with 120.0, max expected 110.0.");
    check_merge_free(&m);
}

TEST(check_merge_takes_only_reports)
{
    struct check_merge m;
    struct err e = {0};
    const char *texts[] = {"OP CODE,X\nA,1\n"};
    merge(&m, texts, 1, &e);
    assert_int_equal(ERR_FORMAT, e.code);
    check_merge_free(&m);
}
