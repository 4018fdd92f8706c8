// device_axis.c - see device_axis.h.
#include "trace/device_axis.h"

#include <math.h>
#include <stdlib.h>

int64_t device_axis_ns(const struct device_axis *a, uint64_t cycle)
{
    const double most = (double)DEVICE_AXIS_MOST;
    double ns = a->model            ? clock_model_since(a->model, cycle, a->since)
                : cycle >= a->since ? (double)(cycle - a->since) * a->ns_per_cycle
                                    : -(double)(a->since - cycle) * a->ns_per_cycle;
    return a->axis + llround(fmin(fmax(ns, -most), most));
}

// Needs the process that used the chips: without it their clocks cannot be placed.
static bool host_axis(const struct trace *t, const struct trace_device *d, uint64_t host_ns,
                      int64_t *axis)
{
    if (!trace_has_host(t))
        return false;
    if (!d->is_program_clock) {
        *axis = (int64_t)(host_ns - t->origin_ns);
        return true;
    }
    for (size_t i = t->processes.n; i-- > 0;)
        if (t->processes.v[i].pid == d->pid &&
            trace_program_time(t, (uint32_t)i, host_ns, axis))
            return true;
    return false;
}

static const struct clock_model *model_of(const struct trace_device *d)
{
    return d->clock && d->clock->epochs.n ? d->clock : NULL;
}

// Without the host the axis starts at the first marker of any chip, or of each chip if the
// clocks are not aligned.
static struct device_axis without_host(const struct trace *t, const struct trace_device *d)
{
    const struct clock_model *m = model_of(d);
    int64_t mhz = trace_mhz(t, (uint32_t)(d - t->devices.v));
    struct device_axis a = {.since = d->first_time,
                            .ns_per_cycle = mhz > 0 ? 1000 / (double)mhz : 1};
    if (!m || !m->is_synced)
        return a;
    double first = INFINITY;
    a = (struct device_axis){.model = m, .since = m->epochs.v[0].host};
    for (size_t i = 0; i < t->devices.n; i++) {
        const struct clock_model *other = model_of(&t->devices.v[i]);
        if (other && other->is_synced)
            first =
                fmin(first, clock_model_since(other, t->devices.v[i].first_time, a.since));
    }
    a.axis = -(int64_t)llround(first);
    return a;
}

struct device_axis device_axis_of(const struct trace *t, const struct trace_device *d,
                                  bool *is_loose)
{
    const struct clock_model *m = model_of(d);
    struct device_axis a = {.model = m, .since = m ? m->epochs.v[0].host : 0};
    *is_loose = !m || !m->is_synced;
    if (m && host_axis(t, d, a.since, &a.axis))
        return a;
    *is_loose |= trace_has_host(t); // its epochs refer to an unknown clock
    return without_host(t, d);
}
