// eltwise_add.c - adds two tensors tile by tile: reader, compute and writer on every core.
#include "workloads/workloads.h"

static const struct workload_setting settings[] = {
    {SETTING_TILES, 4096, 1, 16384, "tiles to add"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

// Mean cycles over the cores of one RISC's kernels.
static double mean_cycles(const struct run *r, int risc)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->spans.n; i++) {
        const struct span *s = &r->spans.v[i];
        if (s->risc == risc) {
            sum += (double)(s->exit - s->entry);
            n++;
        }
    }
    return n ? sum / (double)n : 0;
}

static void report(struct run *r, uint32_t tiles)
{
    double cycles = (double)spans_cycles(r);
    double bytes = 3.0 * TILE_BYTES * tiles;
    double rate = cycles > 0 ? bytes / cycles * r->info.hz / 1e9 : 0;
    // Peak of all banks: 265 GB/s measured on Wormhole, 54 GB/s per bank on Blackhole.
    double limit = r->info.arch == TT_BLACKHOLE ? 54.0 * r->info.n_banks : 265;
    run_check(r, rate > 0 && rate < limit, "DRAM moved %.1f GB/s, above the limit of %.0f",
              rate, limit);
    // Reader, math and writer overlap: the sum of their times exceeds the op's.
    double stages =
        mean_cycles(r, TT_NCRISC) + mean_cycles(r, TT_TRISC1) + mean_cycles(r, TT_BRISC);
    double longest = mean_cycles(r, TT_NCRISC) > mean_cycles(r, TT_BRISC)
                         ? mean_cycles(r, TT_NCRISC)
                         : mean_cycles(r, TT_BRISC);
    run_check(r, tiles < 16 * (uint32_t)grid_cores(r) || stages > 2.5 * longest,
              "the stages take %.0f cycles in all, the longest %.0f: they do not overlap",
              stages, longest);
    run_figure(r, "tiles", tiles, 0, "");
    run_figure(r, "cores", grid_cores(r), 0, "");
    run_figure(r, "op", cycles, 0, "cycles");
    run_figure(r, "reader, mean", mean_cycles(r, TT_NCRISC), 0, "cycles");
    run_figure(r, "math, mean", mean_cycles(r, TT_TRISC1), 0, "cycles");
    run_figure(r, "writer, mean", mean_cycles(r, TT_BRISC), 0, "cycles");
    run_figure(r, "math busy", 100.0 * (double)r->math_busy / cycles / grid_cores(r), 1,
               "%");
    run_figure(r, "DRAM traffic", rate, 1, "GB/s");
}

static void run_add(struct run *r)
{
    uint32_t tiles = (uint32_t)r->setting[SETTING_TILES];
    uint32_t cores = (uint32_t)grid_cores(r);
    struct tensor a = tensor_new(r, "a", TILE_SIDE, (int)tiles * TILE_SIDE);
    struct tensor b = tensor_new(r, "b", TILE_SIDE, (int)tiles * TILE_SIDE);
    struct tensor c = tensor_new(r, "c", TILE_SIDE, (int)tiles * TILE_SIDE);
    tensor_fill(&a, 1, 4);
    tensor_fill(&b, 2, 3);
    tensor_write(r, &a);
    tensor_write(r, &b);

    ttdev_range all = range_all(r);
    ttdev_program *p = work_program(r, "eltwise_add");
    for (int cb = 0; cb < 3; cb++)
        (void)work_cb(r, p, all, cb == 2 ? 16 : cb, 4, TILE_BYTES);
    int reader = work_kernel(r, p, all, TT_NCRISC, "eltwise_add/read", 0);
    int writer = work_kernel(r, p, all, TT_BRISC, "eltwise_add/write", 1);
    struct compute_kernel add = work_compute(r, p, all, "eltwise_add/add");
    for (uint32_t i = 0; i < cores; i++) {
        uint32_t first = tiles * i / cores, n = tiles * (i + 1) / cores - first;
        ttdev_xy at = grid_at(r, (int)i);
        ttdev_range one = range_one(at.x, at.y);
        work_args(r, p, reader, one, ARGS(a.address, b.address, first, n));
        work_args(r, p, writer, one, ARGS(c.address, first, n));
        work_compute_args(r, p, add, one, ARGS(n));
    }
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);
    tensor_read(r, &c);
    if (r->has_failed)
        return;
    size_t wrong = 0;
    for (size_t i = 0; i < (size_t)tiles * TILE_VALUES; i++)
        wrong += !(c.v[i] == bf16_round(a.v[i] + b.v[i]));
    run_check(r, !r->cfg.numerics || wrong == 0, "%zu of %zu sums are wrong", wrong,
              (size_t)tiles * TILE_VALUES);
    report(r, tiles);
}

const struct workload workload_eltwise_add = {
    .name = "eltwise_add",
    .what = "adds two interleaved tensors: reader, compute and writer on every core",
    .shows = "three overlapping stages; DRAM bound, below 265 GB/s; the reader is longest",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_add,
};
