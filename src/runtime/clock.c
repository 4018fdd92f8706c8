// clock.c - makes the device's host clock the recorder's clock, so that host and device
// zones share one timeline.
#include <time.h>

#include "runtime/parts.h"
#include "ttprof/host.h"

// The recorder asks for the time as long as the process lives, even after the device is
// closed. Only the thread that drives the device records.
static struct rt_clock {
    const ttdev *t;      // NULL if closed
    uint64_t last, real; // device time and real time at close
    uint64_t given;      // the last time returned
} rt_clock;

static uint64_t real_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now_ns(void *context)
{
    struct rt_clock *c = context;
    uint64_t now = c->t ? ttdev_host_peek(c->t) : c->last + (real_ns() - c->real);
    // The device's clock may stand still: while the host works, or while a call is in
    // progress and another thread asks. Advancing 1 ns per event keeps events in order for
    // anyone who sorts by time.
    uint64_t before = __atomic_load_n(&c->given, __ATOMIC_RELAXED);
    uint64_t next;
    do
        next = now > before ? now : before + 1;
    while (!__atomic_compare_exchange_n(&c->given, &before, next, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return next;
}

uint64_t ttrt_simulation_ns(const ttrt *m)
{
    return m ? ttdev_simulation_ns(m->t) : 0;
}

void rt_tell_simulation(ttrt *m)
{
    if (!ttprof_is_on() || ttdev_clock_mode(m->t) != TTDEV_WARP)
        return;
    uint64_t ns = ttdev_simulation_ns(m->t);
    if (ns != m->simulation_ns)
        ttprof_plot("simulation [ms]", (double)ns / 1e6);
    m->simulation_ns = ns;
}

void rt_clock_start(const ttdev *t)
{
    if (!ttprof_is_recording() || !t)
        return;
    rt_clock = (struct rt_clock){.t = t};
    if (ttdev_clock_mode(t) == TTDEV_WARP)
        ttprof_use_clock(now_ns, &rt_clock);
    else
        ttprof_use_virtual_clock(now_ns, &rt_clock);
}

void rt_clock_stop(const ttdev *t)
{
    if (!t || rt_clock.t != t)
        return;
    rt_clock.t = NULL;
    rt_clock.last = ttdev_host_peek(t);
    rt_clock.real = real_ns();
}
