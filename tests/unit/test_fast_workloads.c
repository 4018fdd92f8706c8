// Every workload with slow and with fast dispatch on one grid: all its checks pass, and it
// leaves the same bits in DRAM and in the buffers of the workers.
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
    {&workload_matmul_peak, {{SETTING_SIZE, 128}}, 2, 2, false},
    {&workload_mlp, {{SETTING_SIZE, 64}}, 4, 2, false},
    {&workload_transformer_block, {{SETTING_SIZE, 32}}, 4, 2, false},
    {&workload_training_step, {{SETTING_SIZE, 32}, {SETTING_LOOPS, 2}}, 2, 2, false},
    // clang-format on
};

struct left {
    uint8_t *dram, *l1;
    size_t dram_bytes, l1_bytes;
};

static void keep_dram(struct left *left, const struct run *r)
{
    struct chip *chip = &r->t->chips[0];
    left->dram_bytes = (size_t)chip->n_banks * DRAM_BYTES;
    left->dram = mem_alloc(left->dram_bytes);
    for (int bank = 0; bank < chip->n_banks; bank++)
        (void)dram_read(chip, bank, r->info.dram_buffers,
                        left->dram + (size_t)bank * DRAM_BYTES, DRAM_BYTES);
}

static void keep_l1(struct left *left, const struct run *r)
{
    struct chip *chip = &r->t->chips[0];
    uint32_t from = chip->layout->buffers, bytes = chip->tiles[0].l1_bytes - from;
    int x = (int)r->setting[SETTING_GRID_X], y = (int)r->setting[SETTING_GRID_Y];
    x = x ? x : 1;
    y = y ? y : 1;
    left->l1_bytes = (size_t)bytes * (size_t)x * (size_t)y;
    left->l1 = mem_alloc(left->l1_bytes);
    for (int i = 0; i < x * y; i++)
        memcpy(left->l1 + (size_t)i * bytes,
               chip_core(chip, (ttdev_xy){i % x, i / x}, TT_BRISC)->l1 + from, bytes);
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
    if (w->configure)
        w->configure(&cfg);
    if (ttdev_cfg_parse(&cfg, text, &e))
        fail_msg("%s", e.text);
    return cfg;
}

static void run_it(struct run *r, const struct workload *w, const char *config)
{
    ttdev_cfg cfg = config_of(w, config);
    run_open(r, w, &cfg);
    w->run(r);
    if (r->n_failures)
        fail_msg("%s on %s: %.*s", w->name, config, (int)r->failures.n, r->failures.p);
    assert_true(r->n_checks > 0);
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
    keep_dram(&left, &r);
    keep_l1(&left, &r);
    run_close(&r);
    return left;
}

static void compare(const struct small *small, const char *board)
{
    struct left slow = run_small(small, board, "slow");
    struct left fast = run_small(small, board, "fast");
    if (slow.dram_bytes != fast.dram_bytes ||
        memcmp(slow.dram, fast.dram, slow.dram_bytes) != 0)
        fail_msg("%s on %s: DRAM differs with fast dispatch", small->workload->name, board);
    if (!small->has_times_in_l1 &&
        (slow.l1_bytes != fast.l1_bytes || memcmp(slow.l1, fast.l1, slow.l1_bytes) != 0))
        fail_msg("%s on %s: L1 differs with fast dispatch", small->workload->name, board);
    mem_free(slow.dram);
    mem_free(slow.l1);
    mem_free(fast.dram);
    mem_free(fast.l1);
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
