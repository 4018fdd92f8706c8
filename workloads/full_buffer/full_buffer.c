// full_buffer.c - 125 zones per run and RISC, as many as one L1 buffer of the profiler
// holds: 23 runs fit into DRAM, 24 do not.
#include "workloads/workloads.h"

enum { ZONES = 125 };

static const struct workload_setting settings[] = {
    {SETTING_RUNS, 23, 1, 10000, "runs of the first part; the second has one more"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

// Checks that every RISC counted its zones.
static void check_counts(struct run *r, uint32_t log, uint32_t runs)
{
    size_t wrong = 0;
    uint64_t sum = 0;
    for (int i = 0; i < grid_cores(r); i++) {
        uint32_t count[TT_RISCS][4];
        work_l1_read(r, grid_at(r, i), log, count, sizeof count);
        for (int risc = 0; risc < TT_RISCS; risc++) {
            wrong += count[risc][0] != runs * ZONES;
            sum += count[risc][0];
        }
    }
    run_check(r, wrong == 0, "%zu RISCs did not count %u zones in %u runs", wrong,
              runs * ZONES, runs);
    run_figure(r,
               runs == (uint32_t)r->setting[SETTING_RUNS] ? "zones" : "zones, one more run",
               (double)sum, 0, "");
}

static void run_full_buffer(struct run *r)
{
    uint32_t runs = (uint32_t)r->setting[SETTING_RUNS];
    ttdev_range all = range_all(r);
    ttdev_program *p = work_program(r, "full_buffer");
    uint32_t log = work_scratch(r, p);
    for (int risc = 0; risc < TT_RISCS; risc++) {
        int k = work_kernel(r, p, all, risc, "full_buffer/zones", risc == TT_NCRISC);
        work_args(r, p, k, all, ARGS(ZONES, log + 16 * (uint32_t)risc));
    }
    run_figure(r, "runs", runs, 0, "");
    for (uint32_t part = 0; part < 2; part++) {
        work_l1_clear(r, log, (size_t)TT_RISCS * 16);
        for (uint32_t i = 0; i < runs + part && !r->has_failed; i++)
            work_run(r, p);
        check_counts(r, log, runs + part);
        run_read(r);
    }
}

const struct workload workload_full_buffer = {
    .name = "full_buffer",
    .what = "125 zones per RISC and run, 23 runs, then 24",
    .shows =
        "exactly cores x 23 x 5 x 125 zones; with 24 runs the dropped-zone bits are set",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_full_buffer,
};
