// cycle_count.c - a loop of known length on all five RISCs of every core.
#include "workloads/workloads.h"

enum { LOOP_CYCLES = 52, OVERHEAD = 5 }; // 50 nops, addi, bnez; the two clock reads

static const struct workload_setting settings[] = {
    {SETTING_LOOPS, 2000, 1, 1000000, "rounds of 50 nops"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

static void run_cycle_count(struct run *r)
{
    uint32_t loops = (uint32_t)r->setting[SETTING_LOOPS];
    ttdev_range all = range_all(r);
    ttdev_program *p = work_program(r, "cycle_count");
    uint32_t log = work_scratch(r, p);
    for (int risc = 0; risc < TT_RISCS; risc++) {
        int k = work_kernel(r, p, all, risc, "cycle_count/nops", risc == TT_NCRISC);
        work_args(r, p, k, all, ARGS(loops, log + 16 * (uint32_t)risc));
    }
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);

    uint32_t shortest = UINT32_MAX, longest = 0;
    for (int i = 0; i < grid_cores(r); i++) {
        uint32_t took[TT_RISCS][4];
        work_l1_read(r, grid_at(r, i), log, took, sizeof took);
        for (int risc = 0; risc < TT_RISCS; risc++) {
            shortest = took[risc][0] < shortest ? took[risc][0] : shortest;
            longest = took[risc][0] > longest ? took[risc][0] : longest;
        }
    }
    if (r->has_failed)
        return;
    uint32_t want = loops * LOOP_CYCLES + OVERHEAD;
    run_check(r, shortest == longest,
              "RISCs took from %u to %u cycles, expected equal times", shortest, longest);
    run_check(r, longest >= want - OVERHEAD && longest <= want + OVERHEAD,
              "the loops took %u cycles, expected %u", longest, want);
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < r->spans.n; i++) {
        uint64_t cycles = r->spans.v[i].exit - r->spans.v[i].entry;
        least = cycles < least ? cycles : least;
        most = cycles > most ? cycles : most;
    }
    run_check(r, r->spans.n == (size_t)grid_cores(r) * TT_RISCS, "%zu kernels ran",
              r->spans.n);
    run_check(r, (double)(most - least) <= 0.01 * (double)most + 50 || run_is_profiled(r),
              "kernels took from %llu to %llu cycles", (unsigned long long)least,
              (unsigned long long)most);
    run_figure(r, "RISCs", (double)r->spans.n, 0, "");
    run_figure(r, "loops", loops, 0, "");
    run_figure(r, "clock to clock", longest, 0, "cycles");
    run_figure(r, "kernel, shortest", (double)least, 0, "cycles");
    run_figure(r, "kernel, longest", (double)most, 0, "cycles");
}

const struct workload workload_cycle_count = {
    .name = "cycle_count",
    .what = "50 nops x 2000 on all five RISCs of every core",
    .shows =
        "kernel zones of 104000 cycles and overhead, equal over RISCs and cores within 1 %",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_cycle_count,
};
