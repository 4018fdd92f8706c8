// imbalance.c - work proportional to the core's index, plus one hot core.
#include <math.h>

#include "workloads/workloads.h"

enum { ROUND_CYCLES = 52, HOT_FACTOR = 3 };

static const struct workload_setting settings[] = {
    {SETTING_LOOPS, 20, 1, 100000, "rounds of 50 nops per step of the gradient"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

static uint32_t rounds_of(const struct run *r, int index)
{
    uint32_t rounds = (uint32_t)(index + 1) * (uint32_t)r->setting[SETTING_LOOPS];
    return index == grid_cores(r) / 2 ? rounds * HOT_FACTOR : rounds;
}

static void run_imbalance(struct run *r)
{
    int cores = grid_cores(r);
    ttdev_program *p = work_program(r, "imbalance");
    int k = work_kernel(r, p, range_all(r), TT_BRISC, "imbalance/work", 0);
    uint32_t log = work_scratch(r, p);
    for (int i = 0; i < cores; i++) {
        ttdev_xy at = grid_at(r, i);
        work_args(r, p, k, range_one(at.x, at.y), ARGS(rounds_of(r, i), log));
    }
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);

    double sum = 0, most = 0, want_sum = 0, want_most = 0;
    int slowest = 0;
    for (int i = 0; i < cores; i++) {
        uint32_t took = 0;
        work_l1_read(r, grid_at(r, i), log, &took, sizeof took);
        double want = (double)rounds_of(r, i) * ROUND_CYCLES;
        sum += took;
        slowest = took > most ? i : slowest;
        most = took > most ? took : most;
        want_sum += want;
        want_most = want > want_most ? want : want_most;
        run_check(r, fabs(took - want) <= 10, "core %d worked %u cycles, expected %.0f", i,
                  took, want);
    }
    if (r->has_failed)
        return;
    double ratio = sum / cores / most, want = want_sum / cores / want_most;
    run_check(r, fabs(ratio - want) <= 0.01 * want, "mean / max is %.4f, expected %.4f",
              ratio, want);
    double op = (double)spans_cycles(r);
    run_check(r, op >= most, "the op took %.0f cycles, its slowest core %.0f", op, most);
    run_figure(r, "cores", cores, 0, "");
    run_figure(r, "op", op, 0, "cycles");
    run_figure(r, "slowest core", slowest, 0, "");
    run_figure(r, "work, longest", most, 0, "cycles");
    run_figure(r, "work, mean", sum / cores, 1, "cycles");
    run_figure(r, "mean / max", ratio, 4, "");
    run_figure(r, "mean / max, closed form", want, 4, "");
}

const struct workload workload_imbalance = {
    .name = "imbalance",
    .what = "work proportional to the core's index, and one hot core",
    .shows =
        "a gradient over the cores; the op lasts as long as the slowest core; the ratio of mean to longest is known",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_imbalance,
};
