// cmd_sim_clock.c - the software device's host clock as the recorder's.
#include "cli/cmd_sim_clock.h"

#include <time.h>

#include "ttprof/host.h"

// Only the thread that drives the device records, so that nothing here is shared.
static struct sim_clock {
    const ttdev *t;      // NULL: closed
    uint64_t last, real; // when it was closed: its time, the real one
} sim_clock;

static uint64_t real_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now_ns(void *context)
{
    const struct sim_clock *c = context;
    return c->t ? ttdev_host_peek(c->t) : c->last + (real_ns() - c->real);
}

void sim_clock_start(const ttdev *t)
{
    if (!ttprof_is_recording() || !t)
        return;
    sim_clock = (struct sim_clock){.t = t};
    ttprof_use_clock(now_ns, &sim_clock);
}

void sim_clock_stop(void)
{
    if (sim_clock.t)
        sim_clock =
            (struct sim_clock){.last = ttdev_host_peek(sim_clock.t), .real = real_ns()};
}
