// device_axis.h - from the cycles of a device to ns of an axis: that of a run, or of any
// other clock of the host.
#ifndef TTP_TRACE_DEVICE_AXIS_H
#define TTP_TRACE_DEVICE_AXIS_H

#include "trace/clock_model.h"
#include "trace/trace.h"

struct device_axis {
    const struct clock_model *model; // NULL: at the rate of the log
    uint64_t since;                  // a cycle or, with a model, a host time
    int64_t axis;                    // position on the axis at `since`
    double ns_per_cycle;             // without a model
};

#define DEVICE_AXIS_MOST ((UINT64_C(1) << 53) - 1)
// At most DEVICE_AXIS_MOST from `since`; may be below 0.
int64_t device_axis_ns(const struct device_axis *a, uint64_t cycle);

// The axis of the trace: that of its host or, without one, from the first marker of any
// chip on. *is_loose: the device's clock is not aligned with it.
struct device_axis device_axis_of(const struct trace *t, const struct trace_device *d,
                                  bool *is_loose);

#endif
