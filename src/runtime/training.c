// training.c - profiler calls for training loops: read-outs, and marker ops around them
// that reports recognise.
#include <stdio.h>
#include <stdlib.h>

#include "runtime/parts.h"

void ttrt_read_device_profiler(ttrt *m)
{
    if (!rt_enter(m))
        return;
    ttrt_synchronise(m);
    if (m->code)
        return;
    if (m->read)
        m->read(m->read_context);
    else if (m->profiler && ttprof_read_device_profiler(m->profiler) < 0)
        rt_fail(m, "read of the profiler: %s", ttprof_profiler_error(m->profiler));
}

ttprof_profiler *ttrt_profiler(const ttrt *m)
{
    return m ? m->profiler : NULL;
}

void rt_use_reader(ttrt *m, void (*read)(void *context), void *context)
{
    m->read = read;
    m->read_context = context;
}

static void put_markers(ttrt *m, const char *identifier, int n)
{
    for (int i = 0; i < n; i++)
        ttrt_profiler_noop(m, identifier);
}

// Host times instead of device times: no markers, but waits for the device.
static void print_time(ttrt *m, const char *identifier)
{
    ttrt_synchronise(m);
    (void)printf("[NAIVE_PROFILER] %s timestamp_us=%llu\n", identifier,
                 (unsigned long long)(ttdev_host_ns(m->t) / 1000));
    (void)fflush(stdout);
}

void ttrt_read_results(ttrt *m, const char *identifier, bool dump_results, int n_noops)
{
    if (!rt_enter(m))
        return;
    identifier = identifier ? identifier : "noop_identifier";
    if (getenv("TTML_NAIVE_PROFILER")) {
        print_time(m, identifier);
        return;
    }
    if (!m->is_profiled && !m->read)
        return;
    put_markers(m, identifier, n_noops);
    if (dump_results)
        ttrt_read_device_profiler(m);
    put_markers(m, identifier, n_noops);
}

void ttrt_dump_results(ttrt *m, const char *identifier, int n_noops)
{
    ttrt_read_results(m, identifier, true, n_noops);
}
