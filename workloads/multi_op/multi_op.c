// multi_op.c - many tiny ops in sequence: 1000, then 1001 on a cleared count.
#include "base/text/progress.h"

#include "workloads/workloads.h"

struct tick_log {
    uint32_t count, idle, end, longest;
};

static const struct workload_setting settings[] = {
    {SETTING_OPS, 1000, 1, 40000, "ops of the first part; the second has one more"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

// Mean idle cycles between two ops, over the BRISCs.
static double check_part(struct run *r, uint32_t log, uint32_t ops)
{
    double idle = 0;
    size_t wrong = 0;
    for (int i = 0; i < grid_cores(r); i++) {
        struct tick_log t[TT_RISCS];
        work_l1_read(r, grid_at(r, i), log, t, sizeof t);
        for (int risc = 0; risc < TT_RISCS; risc++)
            wrong += t[risc].count != ops;
        idle += (double)t[TT_BRISC].idle;
    }
    run_check(r, wrong == 0, "%zu RISCs did not run %u ops", wrong, ops);
    return ops > 1 ? idle / grid_cores(r) / (ops - 1) : 0;
}

// What the host does for an op before it can start: puts its commands into a queue, or
// writes to every core twice, and each core sees at least its own two writes.
static double host_ns(const struct run *r)
{
    return r->info.n_queues ? r->cfg.host_enqueue_ns : 2.0 * r->cfg.host_write_ns;
}

static void run_multi_op(struct run *r)
{
    uint32_t ops = (uint32_t)r->setting[SETTING_OPS], done = 0;
    ttdev_range all = range_all(r);
    ttdev_program *p = work_program(r, "multi_op");
    uint32_t log = work_scratch(r, p);
    for (int risc = 0; risc < TT_RISCS; risc++) {
        int k = work_kernel(r, p, all, risc, "multi_op/tick", risc == TT_NCRISC);
        work_args(r, p, k, all,
                  ARGS(log + (uint32_t)sizeof(struct tick_log) * (uint32_t)risc));
    }
    struct progress bar = progress_start("running ops", 2 * (uint64_t)ops + 1);
    for (uint32_t part = 0; part < 2; part++) {
        work_l1_clear(r, log, sizeof(struct tick_log) * TT_RISCS);
        r->next_id = 1;
        for (uint32_t i = 0; i < ops + part && !r->has_failed; i++) {
            work_run(r, p);
            progress_at(&bar, ++done);
        }
        double gap = check_part(r, log, ops + part);
        run_read(r);
        if (part == 0) {
            double cost = host_ns(r), least = cost * r->info.hz / 1e9;
            run_check(r, ops < 2 || gap >= least,
                      "%.0f cycles between two ops are less than the host's work: %.0f",
                      gap, least);
            run_figure(r, "ops", ops, 0, "");
            run_figure(r, "cores", grid_cores(r), 0, "");
            run_figure(r, "op to op, mean", gap / r->info.hz * 1e9, 0, "ns");
            run_figure(r, "of that host, at least", cost, 0, "ns");
        } else {
            run_figure(r, "ops, second part", ops + 1, 0, "");
        }
    }
    progress_end(&bar);
}

const struct workload workload_multi_op = {
    .name = "multi_op",
    .what = "1000 tiny ops, then 1001",
    .shows =
        "the profiler's limit of 1000 programs; the gap between ops is the host's: it waits for each op",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_multi_op,
};
