// test_train_log.c - what a training program prints, and throughput and roofline of a run.
// Spec: run-and-python 10.4 and 10.5.
#include <math.h>

#include "sample_train.h"

static void put_mark(struct buf *b, const char *name, int us)
{
    buf_printf(b, "step [NAIVE_PROFILER] %s timestamp_us=%d\n", name, 1700000000 + us);
}

// Forward 10 ms, backward 20, sync 1, optimizer 5; 2 ms before and 3 behind.
static void put_step(struct buf *b, int number)
{
    int at = 41000 * number;
    char iteration[32];
    (void)snprintf(iteration, sizeof iteration, "iteration_%d", number);
    put_mark(b, "dataloader_step_done", at + 2000);
    put_mark(b, "forward_pass_done", at + 12000);
    put_mark(b, "backward_pass_done", at + 32000);
    put_mark(b, "gradient_sync_done", at + 33000);
    put_mark(b, "optimizer_step_done", at + 38000);
    put_mark(b, iteration, at + 41000);
}

TEST(train_log_reads_the_naive_profiler)
{
    struct train_log l = {0};
    struct buf b = {0};
    for (int i = 1; i <= 4; i++)
        put_step(&b, i);
    train_log_parse(&l, buf_view(&b));
    // From iteration_2 on: the rest of 2, then 3 and 4.
    assert_int_equal(3, l.naive.v.n);
    const struct train_iteration *it = &l.naive.v.v[1];
    assert_int_equal(3, it->number);
    assert_int_equal(TRAIN_HOST_DEVICE, it->device);
    REAL_IS(it->ms[PHASE_FORWARD], 10);
    REAL_IS(it->ms[PHASE_BACKWARD], 20);
    REAL_IS(it->ms[PHASE_SYNC], 1);
    REAL_IS(it->ms[PHASE_OPTIMIZER], 5);
    REAL_IS(it->ms[PHASE_OTHER], 3 + 2); // behind its optimizer, and behind its marker
    assert_int_equal(2, l.naive.average.v[0].number);
    buf_free(&b);
    train_log_free(&l);
}

TEST(train_log_has_a_row_for_each_step)
{
    struct train_log l = {0};
    struct buf b = {0};
    for (int i = 1; i <= 4; i++)
        put_step(&b, i);
    train_log_parse(&l, buf_view(&b));
    assert_int_equal(4, l.steps.n);
    REAL_IS(l.steps.v[0].ms[PHASE_OTHER], NAN); // nothing came before
    REAL_IS(l.steps.v[1].ms[PHASE_OTHER], 5);   // this dataloader - last optimizer
    REAL_IS(l.steps.v[1].total, 41);
    assert_int_equal(2, l.average.number);
    REAL_IS(l.average.total, 41);
    buf_free(&b);
    train_log_free(&l);
}

TEST(train_log_reads_memory_and_step_times)
{
    struct train_log l = {0};
    train_log_parse(
        &l, S("Number of parameters: 110123\n"
              "--- FORWARD_PASS ---\n"
              "  DRAM: Segment Peak 12.50 MB, Allocations 20.00 MB, Deallocations 7.50 MB, "
              "Segment Change +12.50 MB\n"
              "  DRAM: Cumulative Peak 40.25 MB, Cumulative Current 30.00 MB\n"
              "--- OPTIMIZER ---\n"
              "  DRAM: Segment Peak 1.00 MB, Allocations 0.00 MB, Deallocations 2.00 MB, "
              "Segment Change -2.00 MB\n"
              "Overall DRAM Peak: 41.00 MB, Final DRAM Usage: 28.00 MB\n"
              "Full step time 900.5 ms, and so on\nFull step time 80 ms\n"
              "Full step time 50 ms\nFull step time 51 ms"));
    assert_int_equal(110123, l.n_parameters);
    assert_int_equal(2, l.memory.n);
    STR_IS(l.memory.v[0].name, "FORWARD_PASS");
    REAL_IS(l.memory.v[0].allocations, 20);
    REAL_IS(l.memory.v[0].deallocations, 7.5);
    REAL_IS(l.memory.v[0].cumulative, 30);
    REAL_IS(l.memory.v[1].change, -2);
    REAL_IS(l.memory.v[1].cumulative_peak, NAN);
    REAL_IS(l.overall_peak, 41);
    REAL_IS(l.final_usage, 28);
    REAL_IS(l.wall_ms, 50.5); // without the first two
    train_log_free(&l);
}

TEST(train_log_takes_any_text)
{
    static const char *const texts[] = {
        "",
        "\n\n",
        "[NAIVE_PROFILER]",
        "[NAIVE_PROFILER] x timestamp_us=",
        "[NAIVE_PROFILER] x timestamp_us=99999999999999999999999",
        "--- ---",
        "---  ---\nDRAM: ",
        "Full step time - ms",
        "Number of parameters: 1e999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct train_log l = {0};
        train_log_parse(&l, str_of(texts[i]));
        assert_int_equal(0, l.steps.n);
        REAL_IS(l.wall_ms, NAN);
        train_log_free(&l);
    }
}

// --- the result ---

static struct train_model model(void)
{
    struct train_model m = {.name = "m",
                            .runner = "default",
                            .batch = 8,
                            .seq_len = 256,
                            .tp = 1,
                            .ddp = 2,
                            .grad_accum = 4,
                            .peak_tflops = 160,
                            .link_gb_s = 12.5};
    for (int i = 0; i < PARTS; i++)
        m.tflop[i] = m.roofline_ms[i] = m.ccl_ms[i] = NAN;
    return m;
}

static struct train_phases measured(struct train_iteration *it)
{
    *it = (struct train_iteration){
        .ms = {20, 40, 10, 5, 25}, .total = 100, .step = 400, .number = 3};
    it->ccl[PHASE_FORWARD][CCL_ALL_GATHER] = 2;
    it->ccl[PHASE_BACKWARD][CCL_REDUCE_SCATTER] = 3;
    it->ccl[PHASE_SYNC][CCL_REDUCE_SCATTER] = 10;
    struct train_phases p = {0};
    p.average.v = it;
    p.average.n = 1;
    return p;
}

TEST(train_result_has_throughput)
{
    struct train_iteration it;
    struct train_phases p = measured(&it);
    struct train_model m = model();
    struct train_result r;
    train_result_make(&r, &p, NULL, &m, 2);
    assert_string_equal("device", r.profiler);
    REAL_IS(train_tokens(&m), 8 * 256 * 2 * 4);
    REAL_IS(r.tokens_s, 40960); // of a step from marker to marker, not of its kernels
    REAL_IS(r.tokens_s_device, 20480);
    REAL_IS(r.step_ms, 400);
    REAL_IS(r.kernel_ms, 100);
}

TEST(train_result_compares_with_the_roofline)
{
    struct train_iteration it;
    struct train_phases p = measured(&it);
    struct train_model m = model();
    struct train_result r;
    m.tflop[PART_FWD] = 0.75;
    m.tflop[PART_BWD] = 1.5;
    m.roofline_ms[PART_FWD] = 5;
    m.roofline_ms[PART_BWD] = 10;
    m.roofline_ms[PART_OPT] = 1;
    train_result_make(&r, &p, NULL, &m, 1);
    REAL_IS(r.roofline[PART_FWD], 25);
    REAL_IS(r.roofline[PART_BWD], 25);
    REAL_IS(r.roofline[PART_OPT], 20);
    REAL_IS(r.roofline[PART_TOTAL], 4);
    REAL_IS(r.mfu[PART_FWD], 23.4375);    // 0.75 TFLOP in 20 ms are 37.5 TFLOP/s of 160
    REAL_IS(r.mfu[PART_TOTAL], 3.515625); // 5.625 of 160
    REAL_IS(r.mfu[PART_OPT], NAN);
    m.is_checkpointed = true;
    train_result_make(&r, &p, NULL, &m, 1);
    REAL_IS(r.roofline_ms[PART_BWD], 15);
    REAL_IS(r.roofline_ms[PART_TOTAL], 21);
    REAL_IS(r.mfu[PART_BWD], 23.4375); // the model's work only
}

TEST(train_result_compares_collectives_with_the_links)
{
    struct train_iteration it;
    struct train_phases p = measured(&it);
    struct train_model m = model();
    struct train_result r;
    m.ccl_ms[CCL_FWD] = 1;
    m.ccl_ms[CCL_SYNC] = 4;
    m.ccl_ms[CCL_TOTAL] = 6;
    train_result_make(&r, &p, NULL, &m, 2);
    REAL_IS(r.ccl_util[0], 50);
    REAL_IS(r.ccl_util[1], NAN);
    REAL_IS(r.ccl_util[2], 40); // 6 of 15
    REAL_IS(r.sync_util, 40);
    REAL_IS(r.sync_gb_s, 5);
    REAL_IS(r.ccl_ms[PART_TOTAL], 15);
}

TEST(train_result_falls_back_to_host_times)
{
    struct train_model m = model();
    struct train_result r;
    struct train_log l = {0};
    struct buf b = {0};
    train_log_parse(&l, S("Full step time 50 ms\n"));
    train_result_make(&r, NULL, &l, &m, 1);
    assert_string_equal("wall", r.profiler);
    REAL_IS(r.step_ms, 50);
    REAL_IS(r.ms[PART_FWD], NAN);
    train_log_free(&l);
    l = (struct train_log){0};
    for (int i = 1; i <= 4; i++)
        put_step(&b, i);
    train_log_parse(&l, buf_view(&b));
    train_result_make(&r, NULL, &l, &m, 1);
    assert_string_equal("naive", r.profiler);
    REAL_IS(r.ms[PART_FWD], 10);
    REAL_IS(r.ccl_ms[PART_FWD], NAN);
    train_result_make(&r, NULL, NULL, &m, 1);
    assert_string_equal("none", r.profiler);
    REAL_IS(r.tokens_s, NAN);
    buf_free(&b);
    train_log_free(&l);
}
