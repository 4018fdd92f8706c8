// oracle_dispatch.c - rows 12 and 17 of the oracle with programs: dispatch cores that are
// profiled while they launch them.
#include <errno.h>
#include <stdio.h>

#include "analyse/ops/rows_of_log.h"
#include "oracle.h"
#include "runtime/runtime.h"

static void open_fast(struct oracle *o, const struct oracle_chip *chip, const char *option,
                      const char *variable)
{
    char config[64];
    (void)snprintf(config, sizeof config, "%s dispatch=fast", chip->board);
    oracle_open(o, config, option, variable);
}
#define OPTION  "TT_METAL_DEVICE_PROFILER_DISPATCH=1"
#define NO_MORE "TTPROF_LEVEL=all"

static ttdev_program *tick(struct oracle *o)
{
    ttdev_program *p = oracle_program(o, "tick");
    for (unsigned risc = 0; risc < TT_RISCS; risc++)
        oracle_kernels(o, p, o->all, 1u << risc, "multi_op/tick",
                       ORACLE_ARGS(o->info.l1_buffers + 16 * risc));
    return p;
}

// 50 nops x loops, on one RISC of one core.
static ttdev_program *wait(struct oracle *o, uint32_t loops)
{
    ttdev_program *p = oracle_program(o, "wait");
    oracle_kernels(o, p, oracle_one(0, 0), 1, "cycle_count/nops",
                   ORACLE_ARGS(loops, o->info.l1_buffers));
    return p;
}

// Programs go into the queue one behind the other.
static void enqueue(struct oracle *o, ttdev_program *p, uint32_t id)
{
    assert_int_equal(ttdev_launch(o->t, 0, p, id), 0);
}

static void measure(struct oracle *o, struct device_rows *r)
{
    device_rows_measure(r, &o->log.trace, &o->log.ops, &o->log.dispatch,
                        (struct device_rows_choice){0});
}

// Rows that have both times of the dispatch core.
static size_t n_with_dispatch(const struct device_rows *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->v.n; i++)
        n += r->v.v[i].state[DEVICE_DISPATCH_TOTAL] == STATE_OK &&
             r->v.v[i].state[DEVICE_DISPATCH_GO] == STATE_OK;
    return n;
}

static void check_zones(const struct oracle *o)
{
    static const char *const names[] = {"CQ-PREFETCH",
                                        "CQ-DISPATCH:", "CQ-DISPATCH-SUBORDINATE"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t n = 0;
        for (size_t i = 0; i < o->log.trace.sites.n; i++)
            n += str_starts(trace_text(&o->log.trace, o->log.trace.sites.v[i].name),
                            str_of(names[k]));
        if (!n)
            fail_msg("no zone %s", names[k]);
    }
}

ROW(row_12_dispatch_of_87_ops)
{
    struct oracle o;
    struct device_rows r;
    open_fast(&o, chip, OPTION, NO_MORE);
    assert_int_equal(oracle_said(&o, "gaps between ops are an upper bound"), 1);
    ttdev_program *p = tick(&o);
    for (uint32_t id = 1; id <= 87; id++)
        enqueue(&o, p, id);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    check_zones(&o);
    assert_int_equal(oracle_count(&o, "dispatch_total_cq_cmd_op_time"), 87);
    assert_int_equal(oracle_count(&o, "dispatch_go_send_wait_time"), 87);
    measure(&o, &r);
    assert_int_equal(r.v.n, 87);
    assert_int_equal(n_with_dispatch(&r), 87);
    assert_int_equal(r.n_dispatch_alone, 0);
    device_rows_free(&r);
    oracle_close(&o);
}

// Products of two tiles, as a model computes them: through the runtime and its program
// cache, with results that are freed.
static void multiply(struct oracle *o, uint32_t n)
{
    static float values[32 * 32], product[32 * 32];
    ttrt *m = ttrt_over(o->t);
    for (int i = 0; i < 32; i++)
        values[33 * i] = 3; // three times the identity
    ttrt_tensor *a = ttrt_from_host(m, values, ttrt_spec2(32, 32), "a"), *c = NULL;
    for (uint32_t i = 0; i < n; i++) {
        ttrt_free(m, c);
        c = ttrt_matmul(m, a, a, NULL);
    }
    ttrt_to_host(m, 0, c, product);
    assert_string_equal(ttrt_error(m), "");
    for (int i = 0; i < 32 * 32; i++)
        assert_true(product[i] == (i % 33 ? 0 : 9));
    assert_int_equal(ttrt_close(m), 0);
}

ROW(row_12_dispatch_of_1000_matmuls)
{
    struct oracle o;
    struct device_rows r;
    uint32_t n = oracle_programs(1000);
    open_fast(&o, chip, OPTION, NO_MORE);
    multiply(&o, n);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    check_zones(&o);
    measure(&o, &r);
    assert_int_equal(r.v.n, n);
    assert_int_equal(n_with_dispatch(&r), n);
    assert_int_equal(r.n_dispatch_alone, 0);
    device_rows_free(&r);
    oracle_close(&o);
}

// The subordinate waits for the program before: behind a long one the go signal is long in
// coming, and the dispatcher is ahead.
ROW(row_12_go_signals_wait_for_the_program_before)
{
    struct oracle o;
    struct device_rows r;
    open_fast(&o, chip, OPTION, NO_MORE);
    ttdev_program *p = wait(&o, 1), *long_one = wait(&o, 30000);
    enqueue(&o, p, 1);
    enqueue(&o, long_one, 2); // above a millisecond
    enqueue(&o, p, 3);
    enqueue(&o, p, 4);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    measure(&o, &r);
    assert_int_equal(r.v.n, 4);
    assert_true(r.v.v[1].v[DEVICE_KERNEL] > 1000000);
    assert_in_range(r.v.v[1].v[DEVICE_DISPATCH_GO], 1, 50000);
    assert_true(r.v.v[2].v[DEVICE_DISPATCH_GO] > 900000);
    assert_in_range(r.v.v[3].v[DEVICE_DISPATCH_GO], 1, 50000);
    device_rows_free(&r);
    oracle_close(&o);
}

ROW(row_12_every_replay_has_its_own_dispatch_times)
{
    struct oracle o;
    struct device_rows r;
    open_fast(&o, chip, OPTION, NO_MORE);
    ttdev_program *p = wait(&o, 1), *long_one = wait(&o, 3000);
    assert_int_equal(ttdev_trace_begin(o.t, 0), 0);
    enqueue(&o, p, 1);
    enqueue(&o, long_one, 2);
    enqueue(&o, p, 3);
    int trace = oracle_end_trace(&o);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ttdev_trace_replay(o.t, 0, trace, 1000000000), 0);
    enqueue(&o, p, 4);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    check_zones(&o);
    measure(&o, &r);
    assert_int_equal(r.v.n, 4 * 3 + 1);
    assert_int_equal(n_with_dispatch(&r), 4 * 3 + 1);
    for (size_t i = 0; i < r.v.n; i++) {
        const struct device_row *row = &r.v.v[i];
        bool is_behind_long = row->op >> 10 == 3;
        assert_int_equal(row->trace != DEVICE_NO_ID, i >= 3 && i < 12);
        assert_int_equal(row->v[DEVICE_DISPATCH_GO] > 100000, is_behind_long);
    }
    device_rows_free(&r);
    oracle_close(&o);
}

// --- limits ----------------------------------------------------------------------------
// The region of 85 programs is as large as that of 1000 without dispatch cores.
ROW(row_12_ops_that_fit_a_region_without_the_raised_size)
{
    struct oracle o;
    struct device_rows r;
    open_fast(&o, chip, OPTION, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=85");
    ttdev_program *p = tick(&o);
    for (uint32_t id = 1; id <= 250; id++)
        enqueue(&o, p, id);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    measure(&o, &r);
    size_t n = n_with_dispatch(&r);
    assert_int_equal(n, 173);
    for (size_t i = 0; i < r.v.n; i++)
        assert_int_equal(r.v.v[i].state[DEVICE_DISPATCH_GO] == STATE_OK, i < n);
    assert_int_equal(r.v.n, 250); // the workers have room
    assert_int_equal(oracle_said(&o, "Profiler DRAM buffers were full"), 1);
    assert_int_equal(oracle_said(&o, "337 did not fit in DRAM"), 1);
    device_rows_free(&r);
    oracle_close(&o);
}

TEST(without_the_option_dispatch_cores_leave_no_rows)
{
    struct oracle o;
    open_fast(&o, &oracle_wormhole, "TT_METAL_DEVICE_PROFILER_DISPATCH=0", NO_MORE);
    enqueue(&o, tick(&o), 1);
    oracle_detach(&o);
    assert_int_equal(oracle_said(&o, "partial"), 0);
    assert_int_equal(oracle_said(&o, "never finished"), 0);
    assert_int_equal(oracle_said(&o, "dispatch cores"), 0);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    assert_int_equal(o.log.trace.cores.n, 64);
    oracle_close(&o);
}

TEST(with_slow_dispatch_the_option_says_that_there_is_nothing_to_profile)
{
    struct oracle o;
    oracle_open(&o, "board=n150 dispatch=slow", OPTION);
    assert_int_equal(oracle_said(&o, "no dispatch cores to profile"), 1);
    oracle_launch(&o, tick(&o), 1);
    oracle_detach(&o);
    assert_int_equal(oracle_said(&o, "upper bound"), 0);
    oracle_close(&o);
}

// --- the life of dispatch kernels ------------------------------------------------------
TEST(a_profiler_that_finds_no_programs_does_not_wait_for_dispatch_kernels)
{
    struct oracle o;
    open_fast(&o, &oracle_wormhole, OPTION, NO_MORE);
    uint64_t before = ttdev_host_ns(o.t);
    oracle_detach(&o);
    assert_true(ttdev_host_ns(o.t) - before < 50000000);
    assert_int_equal(oracle_said(&o, "never finished"), 0);
    oracle_close(&o);
}

TEST(after_the_end_of_dispatch_launches_are_refused)
{
    struct oracle o;
    open_fast(&o, &oracle_wormhole, OPTION, NO_MORE);
    ttdev_program *p = tick(&o);
    enqueue(&o, p, 1);
    oracle_detach(&o);
    assert_int_equal(ttdev_launch(o.t, 0, p, 2), -ESHUTDOWN);
    assert_non_null(strstr(ttdev_error(o.t), "dispatch has ended"));
    oracle_close(&o);
    // Without the option the kernels go on.
    open_fast(&o, &oracle_wormhole, "TT_METAL_DEVICE_PROFILER_DISPATCH=0", NO_MORE);
    p = tick(&o);
    enqueue(&o, p, 1);
    oracle_detach(&o);
    oracle_launch(&o, p, 2);
    oracle_close(&o);
}

// Clock sync launches kernels by itself, in mid-run and after dispatch has ended.
ROW(row_12_with_clock_sync_in_mid_run)
{
    struct oracle o;
    struct device_rows r;
    open_fast(&o, chip, OPTION, "TT_METAL_PROFILER_SYNC=1");
    ttdev_program *p = tick(&o);
    for (uint32_t id = 1; id <= 3; id++) {
        enqueue(&o, p, id);
        oracle_read(&o);
    }
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    measure(&o, &r);
    assert_int_equal(n_with_dispatch(&r), 3);
    device_rows_free(&r);
    oracle_close(&o);
}
