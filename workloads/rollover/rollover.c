// rollover.c - the low half of the wall clock rolls over while kernels read it.
//
// The device boots long before the rollover; the host sleeps until shortly before it, so
// that it falls into the run however long booting and launching take.
#include "workloads/workloads.h"

#define ROLLOVER (1ull << 32)
enum { BEFORE_BOOT = 600000, BEFORE_RUN = 50000, AFTER = 20000 };

struct clock_log {
    uint32_t first[2], last[2], reads, backwards, wrong[2];
};

static const struct workload_setting settings[] = {
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

static void configure(ttdev_cfg *cfg)
{
    if (cfg->boot_is_set)
        return;
    for (int i = 0; i < TTDEV_MAX_CHIPS; i++)
        cfg->boot_cycles[i] = ROLLOVER - BEFORE_BOOT;
    cfg->boot_is_set = true;
}

static uint64_t joined(const uint32_t half[2])
{
    return (uint64_t)half[1] << 32 | half[0];
}

// Launching takes two host writes per core, and the text of two kernels.
static void sleep_until_close(struct run *r)
{
    double writes = 2.0 * grid_cores(r) + 2;
    double ns = writes * (r->cfg.host_write_ns + r->cfg.host_jitter_ns + 50);
    uint64_t start = ROLLOVER - BEFORE_RUN - (uint64_t)(ns * r->info.hz / 1e9);
    uint64_t now = r->has_failed ? start : ttdev_clock(r->t, 0);
    if (now > start)
        run_fail(r, "the clock is already at %llu; use smaller boot_cycles",
                 (unsigned long long)now);
    else if (!r->has_failed)
        (void)ttdev_sleep_ns(r->t, (uint64_t)((double)(start - now) / r->info.hz * 1e9));
}

static void check_core(struct run *r, int core, const struct clock_log *torn,
                       const struct clock_log *safe)
{
    run_check(r,
              torn->first[1] == 0 && safe->first[1] == 0 && torn->last[1] == 1 &&
                  safe->last[1] == 1,
              "core %d did not see the rollover", core);
    run_check(r, safe->backwards == 0, "core %d: the safe clock went backwards", core);
    run_check(r, torn->backwards <= 1, "core %d: one rollover, %u torn reads", core,
              torn->backwards);
    // Old high half with new low half: one rollover too early.
    if (torn->backwards)
        run_check(r, torn->wrong[1] == 0 && torn->wrong[0] < BEFORE_RUN,
                  "core %d: the torn read gave %llu", core,
                  (unsigned long long)joined(torn->wrong));
}

static void run_rollover(struct run *r)
{
    ttdev_range all = range_all(r);
    ttdev_program *p = work_program(r, "rollover");
    int torn = work_kernel(r, p, all, TT_BRISC, "rollover/torn", 0);
    int safe = work_kernel(r, p, all, TT_NCRISC, "rollover/safe", 1);
    uint32_t log = work_scratch(r, p);
    uint32_t scratch = log + 2 * (uint32_t)sizeof(struct clock_log);
    work_args(r, p, torn, all, ARGS(log, scratch, AFTER));
    work_args(r, p, safe, all,
              ARGS(log + (uint32_t)sizeof(struct clock_log), scratch + 16, AFTER));
    sleep_until_close(r);
    work_run(r, p);
    uint64_t torn_reads = 0, reads = 0;
    for (int i = 0; i < grid_cores(r) && !r->has_failed; i++) {
        struct clock_log logs[2];
        work_l1_read(r, grid_at(r, i), log, logs, sizeof logs);
        check_core(r, i, &logs[0], &logs[1]);
        torn_reads += logs[0].backwards;
        reads += logs[0].reads;
    }
    // With this many cores in different phases of their loops, some must be hit.
    run_check(r, grid_cores(r) < 16 || torn_reads > 0, "no core saw a torn clock");
    run_figure(r, "cores", grid_cores(r), 0, "");
    run_figure(r, "reads high, then low", (double)reads, 0, "");
    run_figure(r, "torn, 2^32 too early", (double)torn_reads, 0, "");
    run_figure(r, "torn, read high-low-high", 0, 0, "");
}

const struct workload workload_rollover = {
    .name = "rollover",
    .what = "the low half of the wall clock rolls over in the run",
    .shows =
        "right order across the rollover; markers with a torn clock are repaired or flagged",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .configure = configure,
    .run = run_rollover,
};
