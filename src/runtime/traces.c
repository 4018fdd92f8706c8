// traces.c - traces: ops captured without running, then replayed any number of times.
#include "runtime/parts.h"
#include "ttprof/host.h"

int ttrt_trace_begin(ttrt *m)
{
    if (!rt_enter(m))
        return -1;
    if (m->is_capturing) {
        rt_fail(m, "a trace is already being captured");
        return -1;
    }
    TTPROF_ZONE("BeginTraceCapture");
    ttrt_synchronise(m);
    for (int i = 0; i < m->info.n_devices && !m->code; i++) {
        (void)rt_checked(m, ttdev_trace_begin_only(m->t, i), "trace");
        rt_break_after(m, i);
    }
    if (m->code)
        return -1;
    m->is_capturing = true;
    vec_push(&m->traces, (struct rt_trace){0});
    return (int)m->traces.n - 1;
}

void ttrt_trace_end(ttrt *m, int trace)
{
    if (!rt_enter(m))
        return;
    int open = m->is_capturing ? (int)m->traces.n - 1 : -1;
    if (open < 0)
        rt_fail(m, "no trace is being captured");
    else if (trace != open)
        rt_fail(m, "trace %d is being captured, not trace %d", open, trace);
    if (m->code)
        return;
    TTPROF_ZONE("EndTraceCapture");
    m->is_capturing = false;
    for (int i = 0; i < m->info.n_devices && !m->code; i++) {
        int number = ttdev_trace_end(m->t, i);
        (void)rt_checked(m, number, "trace");
        m->traces.v[trace].number[i] = number;
    }
    m->is_broken |= m->code != 0; // some chips may still be capturing
}

static bool check_trace(ttrt *m, int trace)
{
    if (!rt_enter(m))
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
    rt_tell_simulation(m);
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
    m->is_broken |= m->code != 0;
    m->traces.v[trace].is_released = true;
}
