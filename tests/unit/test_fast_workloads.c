// Every workload with slow and with fast dispatch on one grid: all its checks pass, and it
// leaves the same bits in DRAM and in the buffers of the workers, on every chip. One that
// ends in a fault reports the same.
#include <errno.h>
#include <stdio.h>

#include "base/data/array.h"
#include "base/data/mem.h"

#include "sim/cluster.h"
#include "sim/noc/noc.h"
#include "sim/program/program.h"
#include "test.h"
#include "workloads/workloads.h"

enum { DRAM_BYTES = 1 << 20 }; // in every bank, from its first byte for buffers

// Settings that keep a run short. L1 may hold times, which are no results.
static const struct small {
    const struct workload *workload;
    struct {
        int id;
        int64_t value;
    } set[3];
    int x, y; // grid; 0: the workload has none
    bool has_times_in_l1;
} smalls[] = {
    // clang-format off
    {&workload_loopback, {{SETTING_PAGES, 24}}, 0, 0, false},
    {&workload_eltwise_add, {{SETTING_TILES, 48}}, 3, 2, false},
    {&workload_matmul_tiled, {{SETTING_SIZE, 128}}, 2, 2, false},
    {&workload_reduce, {{SETTING_TILES, 2}}, 4, 2, true},
    {&workload_mcast, {{SETTING_SIZE, 16384}}, 4, 3, true},
    {&workload_pipeline, {{SETTING_PAGES, 64}, {SETTING_CORES, 4}, {SETTING_SLOW_STAGE, 2}}, 0, 0, true},
    {&workload_full_buffer, {{SETTING_RUNS, 3}}, 2, 2, true},
    {&workload_cycle_count, {{SETTING_LOOPS, 200}}, 2, 2, true},
    {&workload_imbalance, {{SETTING_LOOPS, 5}}, 4, 2, true},
    {&workload_multi_op, {{SETTING_OPS, 10}}, 2, 2, true},
    {&workload_allgather2, {{SETTING_SIZE, 4096}}, 0, 0, false},
    {&workload_matmul_peak, {{SETTING_SIZE, 128}}, 2, 2, false},
    {&workload_mlp, {{SETTING_SIZE, 64}}, 4, 2, false},
    {&workload_stream, {{SETTING_SIZE, 64}, {SETTING_LOOPS, 3}}, 4, 2, false},
    {&workload_transformer_block, {{SETTING_SIZE, 32}}, 4, 2, false},
    {&workload_training_step, {{SETTING_SIZE, 32}, {SETTING_LOOPS, 2}}, 2, 2, false},
    {&workload_rollover, {{0}}, 4, 4, true},
    {&workload_deadlock, {{0}}, 0, 0, false},
    // clang-format on
};

// Of all chips, one behind the other.
struct left {
    struct buf dram, l1;
    struct buf fault; // the report's lines on cores
};

static void keep_dram(struct left *left, struct chip *chip)
{
    uint8_t *bank = mem_alloc(DRAM_BYTES);
    for (int i = 0; i < chip->n_banks; i++) {
        (void)dram_read(chip, i, chip->dram_buffers, bank, DRAM_BYTES);
        buf_str(&left->dram, (str){(const char *)bank, DRAM_BYTES});
    }
    mem_free(bank);
}

static void keep_l1(struct left *left, const struct run *r, struct chip *chip)
{
    uint32_t from = chip->layout->buffers, bytes = chip->tiles[0].l1_bytes - from;
    int x = (int)r->setting[SETTING_GRID_X], y = (int)r->setting[SETTING_GRID_Y];
    x = x ? x : 1;
    y = y ? y : 1;
    for (int i = 0; i < x * y; i++) {
        const struct tile *core = chip_core(chip, (ttdev_xy){i % x, i / x}, TT_BRISC);
        buf_str(&left->l1, (str){(const char *)core->l1 + from, bytes});
    }
}

// What cores wait for does not depend on the dispatch; how many there are, and cycles, do.
static void keep_fault(struct left *left, const struct run *r)
{
    str text = buf_view(&r->failures);
    while (text.n) {
        str line = str_cut(&text, '\n');
        if (str_starts(line, S("  core ")))
            buf_printf(&left->fault, "%.*s\n", (int)line.n, line.p);
    }
    assert_true(str_has(buf_view(&left->fault), S("core 2,1")));
    assert_true(str_has(buf_view(&left->fault), S("CB 3")));
    assert_int_equal(ttdev_wait(r->t, 0, r->timeout_ns), -EDEADLK);
}

static void left_free(struct left *left)
{
    buf_free(&left->dram);
    buf_free(&left->l1);
    buf_free(&left->fault);
}

static void use_normal(struct run *r, const struct workload *w)
{
    for (size_t i = 0; i < w->n_settings; i++)
        r->setting[w->settings[i].id] = w->settings[i].normal;
}

static ttdev_cfg config_of(const struct workload *w, const char *text)
{
    struct err e = {0};
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    if (ttdev_cfg_parse(&cfg, text, &e))
        fail_msg("%s", e.text);
    if (w->configure)
        w->configure(&cfg);
    return cfg;
}

static void run_it(struct run *r, const struct workload *w, const char *config)
{
    ttdev_cfg cfg = config_of(w, config);
    run_open(r, w, &cfg);
    w->run(r);
    if ((r->n_failures > 0) != w->ends_in_fault)
        fail_msg("%s on %s: %.*s", w->name, config, (int)r->failures.n, r->failures.p);
    assert_true(r->n_checks > 0 || w->ends_in_fault);
}

static struct left run_small(const struct small *small, const char *board,
                             const char *dispatch)
{
    const struct workload *w = small->workload;
    struct run r = {.timeout_ns = 1000000000};
    struct left left = {0};
    char text[64];
    (void)snprintf(text, sizeof text, "board=%s dispatch=%s", board, dispatch);
    use_normal(&r, w);
    for (size_t i = 0; i < COUNT_OF(small->set) && small->set[i].value; i++)
        r.setting[small->set[i].id] = small->set[i].value;
    if (small->x) {
        r.setting[SETTING_GRID_X] = small->x;
        r.setting[SETTING_GRID_Y] = small->y;
    }
    run_it(&r, w, text);
    if (w->ends_in_fault)
        keep_fault(&left, &r);
    for (int i = 0; i < r.t->n_chips; i++) {
        keep_dram(&left, &r.t->chips[i]);
        keep_l1(&left, &r, &r.t->chips[i]);
    }
    run_close(&r);
    return left;
}

static void compare(const struct small *small, const char *board)
{
    struct left slow = run_small(small, board, "slow");
    struct left fast = run_small(small, board, "fast");
    const char *name = small->workload->name;
    if (!str_eq(buf_view(&slow.dram), buf_view(&fast.dram)))
        fail_msg("%s on %s: DRAM differs with fast dispatch", name, board);
    if (!small->has_times_in_l1 && !str_eq(buf_view(&slow.l1), buf_view(&fast.l1)))
        fail_msg("%s on %s: L1 differs with fast dispatch", name, board);
    if (!str_eq(buf_view(&slow.fault), buf_view(&fast.fault)))
        fail_msg("%s on %s: the fault differs with fast dispatch", name, board);
    left_free(&slow);
    left_free(&fast);
}

TEST(workloads_leave_the_same_bits_with_either_dispatch)
{
    static const char *const boards[] = {"n150", "n300", "p150"};
    for (size_t i = 0; i < COUNT_OF(smalls); i++)
        for (size_t b = 0; b < COUNT_OF(boards); b++)
            compare(&smalls[i], boards[b]);
}

// --- kernel times ----------------------------------------------------------------------
// An op of device 0: from the first start of a kernel to the last end, and to the start of
// the core that starts last.
struct op_time {
    uint32_t id;
    uint64_t first, last, end;
};
typedef VEC(struct op_time) op_times;

static bool is_first_on_core(const struct run *r, const struct span *s)
{
    for (size_t i = 0; i < r->spans.n; i++) {
        const struct span *o = &r->spans.v[i];
        if (o->id == s->id && o->x == s->x && o->y == s->y && o->entry < s->entry)
            return false;
    }
    return true;
}

static op_times times_of(const struct run *r)
{
    op_times ops = {0};
    for (size_t i = 0; i < r->spans.n; i++) {
        const struct span *s = &r->spans.v[i];
        size_t k = 0;
        while (k < ops.n && ops.v[k].id != s->id)
            k++;
        if (k == ops.n)
            vec_push(&ops, (struct op_time){s->id, UINT64_MAX, 0, 0});
        struct op_time *op = &ops.v[k];
        op->first = s->entry < op->first ? s->entry : op->first;
        op->end = s->exit > op->end ? s->exit : op->end;
        if (s->entry > op->last && is_first_on_core(r, s))
            op->last = s->entry;
    }
    return ops;
}

static uint64_t kernel_time(const op_times *ops)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ops->n; i++)
        sum += ops->v[i].end - ops->v[i].first;
    return sum;
}

static op_times block_times(const char *config)
{
    struct run r = {.timeout_ns = 1000000000};
    use_normal(&r, &workload_transformer_block);
    run_it(&r, &workload_transformer_block, config);
    op_times ops = times_of(&r);
    run_close(&r);
    return ops;
}

// A host that takes no time starts all cores within 64 ns, too.
TEST(kernel_times_of_a_block_are_those_of_cores_that_start_together)
{
    static const char *const configs[][2] = {
        {"board=n150 variant=off dispatch=fast",
         "board=n150 variant=off dispatch=slow host_write_ns=1 host_jitter_ns=0 "
         "host_bytes_per_ns=1000000"},
        {"board=p150 variant=off dispatch=fast",
         "board=p150 variant=off dispatch=slow host_write_ns=1 host_jitter_ns=0 "
         "host_bytes_per_ns=1000000"}};
    for (size_t b = 0; b < 2; b++) {
        op_times fast = block_times(configs[b][0]), together = block_times(configs[b][1]);
        assert_int_equal(fast.n, together.n);
        assert_true(fast.n >= 20);
        double ratio = (double)kernel_time(&fast) / (double)kernel_time(&together);
        assert_true(ratio > 0.9 && ratio < 1.1);
        for (size_t i = 0; i < fast.n; i++) {
            const struct op_time *op = &fast.v[i];
            uint64_t all = op->end - op->first, skew = op->last - op->first;
            assert_true(all < 4000 || skew * 20 <= all);
        }
        vec_free(&fast);
        vec_free(&together);
    }
}
