// test_train.c - time per op, anomalies and phases of training runs. Spec: run-and-python
// 10.3 and 10.4.
#include <math.h>

#include "analyse/diags.h"
#include "sample_train.h"

static const struct train_options all = {.device = -1};

static void start(struct buf *b)
{
    buf_z(b, TRAIN_HEAD);
    sample_op(b, 0, "Matmul", 9000000); // compiles
    sample_marker(b, 0, "iteration_1");
    sample_marker(b, 0, "compilation_finished");
}

TEST(train_leaves_out_what_stands_before_the_end_of_compilation)
{
    struct buf b = {0};
    struct sample_training s;
    start(&b);
    sample_op(&b, 0, "Matmul", 100);
    sample_marker(&b, 0, "iteration_2");
    sample_op(&b, 0, "Add", 50);
    sample_marker(&b, 0, "iteration_3");
    sample_training(&s, &b, &all);
    assert_true(s.ok && s.train.has_compilation);
    assert_int_equal(22, s.train.rows.n);
    assert_int_equal(31 - 10, s.train.rows.v[0].row); // the index that pandas shows
    assert_int_equal(2, s.train.n_steps);
    assert_int_equal(0, s.train.notes.list.n);
    sample_training_free(&s, &b);
}

TEST(train_goes_on_without_markers_and_says_so)
{
    struct buf b = {0};
    struct sample_training s;
    buf_z(&b, TRAIN_HEAD);
    sample_op(&b, 0, "Matmul", 100);
    sample_training(&s, &b, &all);
    assert_true(s.ok);
    assert_int_equal(1, s.train.rows.n);
    assert_int_equal(3, s.train.n_steps); // assumed
    assert_int_equal(2, s.train.notes.list.n);
    sample_training_free(&s, &b);
}

TEST(train_cuts_each_device_at_its_own_marker)
{
    struct buf b = {0};
    struct sample_training s;
    buf_z(&b, TRAIN_HEAD);
    for (int device = 0; device < 2; device++) { // one after the other
        sample_op(&b, device, "Matmul", 9000);
        sample_marker(&b, device, "compilation_finished");
        sample_op(&b, device, "Matmul", 100);
    }
    sample_training(&s, &b, &all);
    assert_int_equal(2, s.train.rows.n);
    assert_int_equal(2, s.train.devices.n);
    sample_training_free(&s, &b);
}

TEST(train_takes_one_device_when_asked)
{
    struct buf b = {0}, c = {0};
    struct sample_training s;
    buf_z(&b, TRAIN_HEAD);
    sample_op(&b, 0, "Matmul", 100);
    sample_op(&b, 3, "Add", 100);
    buf_str(&c, buf_view(&b));
    sample_training(&s, &b, &(struct train_options){.device = 3});
    assert_int_equal(1, s.train.rows.n);
    sample_training_free(&s, &b);
    sample_training(&s, &c, &(struct train_options){.device = 7});
    assert_false(s.ok);
    assert_int_equal(ERR_USAGE, s.e.code);
    sample_training_free(&s, &c);
}

TEST(train_needs_op_codes)
{
    struct buf b = {0};
    struct sample_training s;
    buf_z(&b, "A,B\n1,2\n");
    sample_training(&s, &b, &all);
    assert_false(s.ok);
    assert_non_null(strstr(s.e.text, "missing column 'OP CODE'"));
    sample_training_free(&s, &b);
}

// --- time per op ---

static void three_ops(struct buf *b)
{
    start(b);
    sample_op(b, 0, "Add", 90);     // firmware 100
    sample_op(b, 0, "Matmul", 290); // 300
    sample_op(b, 0, "Matmul", 590); // 600
    sample_marker(b, 0, "iteration_2");
    sample_marker(b, 0, "iteration_3");
}

TEST(train_sums_and_means_are_by_op)
{
    struct buf b = {0};
    struct sample_training s;
    struct train_ops o;
    uint32_t order[2];
    three_ops(&b);
    sample_training(&s, &b, &all);
    train_ops_make(&o, &s.train);
    train_ops_order(&o, TRAIN_DEVICE, TRAIN_SUM, order);
    assert_int_equal(2, o.v.n);
    const struct train_op *matmul = &o.v.v[order[0]];
    STR_IS(train_name(&s.train, matmul->code), "Matmul");
    REAL_IS(matmul->sum[TRAIN_DEVICE], 900);
    REAL_IS(matmul->mean[TRAIN_DEVICE], 450);
    REAL_IS(matmul->sum[TRAIN_HOST], 1000);
    REAL_IS(o.total[TRAIN_KERNEL], 970);
    train_ops_free(&o);
    sample_training_free(&s, &b);
}

TEST(train_pie_has_fifteen_slices_and_the_others)
{
    struct buf b = {0};
    struct sample_training s;
    struct train_ops o;
    struct train_slice slices[TRAIN_PIE_SLICES + 1];
    buf_z(&b, TRAIN_HEAD);
    for (int i = 0; i < 17; i++) {
        char name[8] = {'O', (char)('a' + i)};
        sample_op(&b, 0, name, i < 2 ? 10 : 90); // firmware 20 and 100
    }
    sample_training(&s, &b, &all);
    train_ops_make(&o, &s.train);
    assert_int_equal(16, train_pie(&s.train, &o, TRAIN_DEVICE, TRAIN_SUM, slices));
    STR_IS(slices[15].label, "Others");
    REAL_IS(slices[15].value, 40);
    REAL_IS(slices[15].percent, 100.0 * 40 / 1540);
    STR_IS(slices[0].label, "Oc"); // equal ones keep their order
    train_ops_free(&o);
    sample_training_free(&s, &b);
}

TEST(train_overhead_is_for_each_step)
{
    struct buf b = {0};
    struct sample_training s;
    struct train_ops o;
    buf_z(&b, TRAIN_HEAD);
    for (int i = 0; i < 4; i++) // 6 ms of firmware, 2 ms between
        buf_z(&b, "Matmul,,0,,1,1000000,6000000,2000000,5000000,\n");
    buf_z(&b, "Add,,0,,1,-,,-,,\n"); // nothing measured
    sample_training(&s, &b, &(struct train_options){.device = -1, .steps = 2});
    train_ops_make(&o, &s.train);
    struct train_overhead v = train_overhead_of(&s.train, &o, &o.v.v[0]);
    assert_int_equal(2, v.calls);
    REAL_IS(v.host, 2);
    REAL_IS(v.between, 4);
    REAL_IS(v.device, 12);
    REAL_IS(v.percent, 25);
    REAL_IS(train_overhead_of(&s.train, &o, &o.v.v[1]).percent, NAN);
    v = train_overhead_of(&s.train, &o, NULL);
    assert_int_equal(2, v.calls); // 5 rows in 2 steps, cut
    REAL_IS(v.percent, 25);
    train_ops_free(&o);
    sample_training_free(&s, &b);
}

TEST(train_anomalies_are_further_than_three_deviations)
{
    struct buf b = {0};
    struct sample_training s;
    struct train_ops o;
    struct train_anomalies a;
    buf_z(&b, TRAIN_HEAD);
    for (int i = 0; i < 20; i++)
        sample_op(&b, 0, "Matmul", i == 7 ? 5000 : 90 + i % 2);
    sample_op(&b, 0, "Add", 1); // alone: no deviation
    sample_training(&s, &b, &all);
    train_ops_make(&o, &s.train);
    train_anomalies_find(&a, &s.train, &o);
    assert_int_equal(1, a.v.n);
    assert_int_equal(7, a.v.v[0].row);
    assert_int_equal(TRAIN_DEVICE, a.v.v[0].metric);
    assert_true(a.v.v[0].std > 1090 && a.v.v[0].std < 1100);
    train_anomalies_free(&a);
    train_ops_free(&o);
    sample_training_free(&s, &b);
}

// --- phases ---

static void one_step(struct buf *b, int device, int number)
{
    char iteration[32];
    (void)snprintf(iteration, sizeof iteration, "iteration_%d", number);
    sample_marker(b, device, "dataloader_step_done");
    sample_op(b, device, "Matmul", 1000000 * number);
    sample_marker(b, device, "[FWD] own_marker"); // no boundary
    sample_op(b, device, "Matmul", 500000);
    sample_marker(b, device, "forward_pass_done");
    sample_op(b, device, "Matmul", 2000000);
    sample_op(b, device, "AllGatherAsyncDeviceOperation", 250000);
    sample_marker(b, device, "backward_pass_done");
    sample_op(b, device, "ReduceScatterMinimalAsyncDeviceOperation", 300000);
    sample_marker(b, device, "gradient_sync_done");
    sample_op(b, device, "AdamW", 400000);
    sample_marker(b, device, "optimizer_step_done");
    sample_op(b, device, "Copy", 123456);
    sample_marker(b, device, iteration);
}

TEST(train_phases_lie_between_their_markers)
{
    struct buf b = {0};
    struct sample_training s;
    struct train_phases p;
    start(&b);
    for (int number = 2; number < 5; number++)
        one_step(&b, 0, number);
    sample_op(&b, 0, "Late", 7000000); // behind the last iteration: of no phase
    sample_training(&s, &b, &all);
    train_phases_make(&p, &s.train);
    assert_int_equal(3, p.v.n);
    const struct train_iteration *it = &p.v.v[1];
    assert_int_equal(3, it->number);
    REAL_IS(it->ms[PHASE_FORWARD], 3.5);
    REAL_IS(it->ms[PHASE_BACKWARD], 2.25);
    REAL_IS(it->ms[PHASE_SYNC], 0.3);
    REAL_IS(it->ms[PHASE_OPTIMIZER], 0.4);
    REAL_IS(it->ms[PHASE_OTHER], 0.123);
    REAL_IS(it->total, 6.573);
    REAL_IS(it->ccl[PHASE_BACKWARD][CCL_ALL_GATHER], 0.25);
    REAL_IS(it->ccl[PHASE_SYNC][CCL_REDUCE_SCATTER], 0.3);
    assert_true(p.has_ccl);
    // The average is of what comes behind the first.
    assert_int_equal(2, p.average.v[0].number);
    REAL_IS(p.average.v[0].ms[PHASE_FORWARD], 4);
    train_phases_free(&p);
    sample_training_free(&s, &b);
}

TEST(train_phases_are_of_each_device)
{
    struct buf b = {0};
    struct sample_training s;
    struct train_phases p;
    buf_z(&b, TRAIN_HEAD);
    one_step(&b, 4, 2);
    one_step(&b, 1, 2);
    sample_training(&s, &b, &all);
    train_phases_make(&p, &s.train);
    assert_int_equal(2, p.v.n);
    assert_int_equal(1, p.v.v[0].device);
    assert_int_equal(1, p.average.v[0].number); // the only one counts
    assert_non_null(train_phases_average_of(&p, 4));
    assert_null(train_phases_average_of(&p, 0));
    train_phases_free(&p);
    sample_training_free(&s, &b);
}

TEST(train_phases_without_a_number_are_counted)
{
    struct buf b = {0};
    struct sample_training s;
    struct train_phases p;
    start(&b);
    sample_marker(&b, 0, "dataloader_step_done");
    sample_op(&b, 0, "Matmul", 100);
    sample_marker(&b, 0, "forward_pass_done"); // and here the run ends
    sample_training(&s, &b, &all);
    train_phases_make(&p, &s.train);
    assert_int_equal(0, p.v.n);
    assert_int_equal(1, s.train.diag.entry[DIAG_STEP_UNNUMBERED].count);
    train_phases_free(&p);
    sample_training_free(&s, &b);
}

TEST(train_markers_tell_their_iteration)
{
    int64_t n = 0;
    assert_true(train_iteration_of(S("iteration_12"), &n));
    assert_int_equal(12, n);
    assert_false(train_iteration_of(S("iteration_"), &n));
    assert_false(train_iteration_of(S("iterations"), &n));
    assert_int_equal(PHASE_OTHER,
                     train_phase_between(S("optimizer_step_done"), S("iteration_4")));
    assert_int_equal(PHASE_OTHER,
                     train_phase_between(S("iteration_4"), S("dataloader_step_done")));
    assert_int_equal(PHASES, train_phase_between(S("forward_pass_done"), S("iteration_4")));
}

TEST(train_counts_markers_without_a_name)
{
    struct buf b = {0};
    struct sample_training s;
    buf_z(&b, TRAIN_HEAD
          "ProfilerNoopOperation,,0,{},1,1,1,1,1,\n"
          "ProfilerNoopOperation,,0,\"{\"\"identifier\"\": \"\"it's\"\"}\",1,1,1,1,1,\n");
    sample_training(&s, &b, &all);
    assert_int_equal(1, s.train.diag.entry[DIAG_MARKER_UNNAMED].count);
    STR_IS(train_name(&s.train, s.train.rows.v[1].marker), "it's");
    sample_training_free(&s, &b);
}
