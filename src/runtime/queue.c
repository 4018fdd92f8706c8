// queue.c - the command queue: programs run in the order they are enqueued, one at a time
// on each chip. With fast dispatch, enqueuing returns when the commands are in the queue;
// without it, when the program is launched, which waits for the one before.
#include <errno.h>

#include "runtime/parts.h"
#include "ttprof/host.h"

void rt_set_timeout(ttrt *m, uint64_t ns)
{
    m->timeout_ns = ns;
}

void rt_queue_wait(ttrt *m, int device)
{
    if (!m->is_busy[device])
        return;
    RT_CALL(zone, "WaitProgramDone");
    m->is_busy[device] = false;
    int code = ttdev_wait(m->t, device, m->timeout_ns);
    if (code >= 0) {
        rt_reads_finish(m, device, NULL);
        return;
    }
    rt_queue_fail(m, device, code);
}

void rt_queue_fail(ttrt *m, int device, int code)
{
    const char *fault = ttdev_fault(m->t, device);
    if (fault[0] && !m->code)
        m->fault = fault;
    m->is_broken = true;
    rt_fail_with(m, code, "device %d is not done after %.0f ms of device time: %s", device,
                 (double)m->timeout_ns / 1e6, strerror(-code));
}

void rt_queue_turn(ttrt *m, int device)
{
    if (!m->info.n_queues)
        rt_queue_wait(m, device);
}

void rt_queue_launch(ttrt *m, int device, ttdev_program *p, uint32_t base)
{
    RT_CALL(zone, "EnqueueProgram");
    TTPROF_TEXT(zone, ttdev_program_name(p), strlen(ttdev_program_name(p)));
    TTPROF_VALUE(zone, base);
    rt_queue_turn(m, device);
    if (m->code ||
        !rt_checked(m, ttdev_launch(m->t, device, p, base), ttdev_program_name(p)))
        return;
    m->is_busy[device] |= !m->is_capturing;
}

bool rt_queue_drain(ttrt *m, const char *what)
{
    if (m->is_capturing)
        rt_fail(m, "'%s': the host cannot read or write while a trace is being captured",
                what);
    ttrt_synchronise(m);
    return !m->code;
}

// Waits for all chips even if one failed, so that none keeps running.
void ttrt_synchronise(ttrt *m)
{
    if (!m || !rt_is_owner(m))
        return;
    TTPROF_ZONE("Synchronize");
    for (int i = 0; i < m->info.n_devices; i++)
        rt_queue_wait(m, i);
    rt_cache_drop(m);
    rt_buffers_give(m);
    rt_tell_simulation(m);
}
