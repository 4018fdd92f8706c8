// traces.c - traces: ops captured without running, then replayed any number of times.
#include "runtime/parts.h"
#include "ttprof/host.h"

void ttrt_trace_begin(ttrt *m)
{
    if (!m || m->code)
        return;
    if (m->is_capturing) {
        rt_fail(m, "a trace is already being captured");
        return;
    }
    TTPROF_ZONE("BeginTraceCapture");
    ttrt_synchronise(m);
    for (int i = 0; i < m->info.n_devices && !m->code; i++)
        (void)rt_checked(m, ttdev_trace_begin_only(m->t, i), "trace");
    m->is_capturing = !m->code;
}

int ttrt_trace_end(ttrt *m)
{
    struct rt_trace trace = {0};
    if (!m || m->code)
        return -1;
    if (!m->is_capturing) {
        rt_fail(m, "no trace is being captured");
        return -1;
    }
    TTPROF_ZONE("EndTraceCapture");
    m->is_capturing = false;
    for (int i = 0; i < m->info.n_devices && !m->code; i++) {
        trace.number[i] = ttdev_trace_end(m->t, i);
        (void)rt_checked(m, trace.number[i], "trace");
    }
    vec_push(&m->traces, trace);
    return (int)m->traces.n - 1;
}

static bool check_trace(ttrt *m, int trace)
{
    if (!m || m->code)
        return false;
    if (trace < 0 || (size_t)trace >= m->traces.n)
        rt_fail(m, "no trace %d", trace);
    else if (m->traces.v[trace].is_released)
        rt_fail(m, "trace %d was released", trace);
    else if (m->is_capturing)
        rt_fail(m, "trace %d: another trace is being captured", trace);
    return !m->code;
}

// Chips replay at the same time, so ops that wait for another chip finish.
void ttrt_trace_replay(ttrt *m, int trace)
{
    if (!check_trace(m, trace))
        return;
    TTPROF_ZONE_AS(zone, "ReplayTrace", 0);
    TTPROF_VALUE(zone, (uint64_t)trace);
    for (int i = 0; i < m->info.n_devices && !m->code; i++)
        rt_queue_turn(m, i);
    if (m->code ||
        !rt_checked(m,
                    ttdev_trace_replay_all(m->t, m->traces.v[trace].number, m->timeout_ns),
                    "replay"))
        return;
    for (int i = 0; i < m->info.n_devices; i++)
        m->is_busy[i] = m->info.n_queues > 0;
}

void ttrt_trace_release(ttrt *m, int trace)
{
    if (!check_trace(m, trace))
        return;
    for (int i = 0; i < m->info.n_devices && !m->code; i++)
        (void)rt_checked(m, ttdev_trace_release(m->t, i, m->traces.v[trace].number[i]),
                         "trace");
    m->traces.v[trace].is_released = true;
}
