// deadlock.c - one core waits for a page that never arrives.
#include <string.h>

#include "workloads/workloads.h"

enum { CB = 3, X = 2, Y = 1 };

static void run_deadlock(struct run *r)
{
    ttdev_range all = {{0, 0}, {3, 3}};
    ttdev_program *p = work_program(r, "deadlock");
    (void)work_cb(r, p, all, CB, 2, TILE_BYTES);
    (void)work_kernel(r, p, all, TT_BRISC, "deadlock/work", 0);
    int wait = work_kernel(r, p, range_one(X, Y), TT_NCRISC, "deadlock/wait", 1);
    work_args(r, p, wait, range_one(X, Y), ARGS(CB));
    work_run(r, p);
    if (!r->has_failed)
        run_fail(r, "a wait that never ends was not reported");
}

const struct workload workload_deadlock = {
    .name = "deadlock",
    .what = "a wait for a page that never comes; ends with a report, exit code 1",
    .shows =
        "the report names circular buffer and core; a partial profile is still written",
    .ends_in_fault = true,
    .run = run_deadlock,
};
