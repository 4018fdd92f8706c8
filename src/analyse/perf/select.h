// select.h - looking at a part of a trace: everything else is taken out of it.
#ifndef TTP_ANALYSE_PERF_SELECT_H
#define TTP_ANALYSE_PERF_SELECT_H

#include "base/text/err.h"

#include "analyse/fold/device_ops.h"

struct selection {
    // Shell patterns; several are joined by `|`. NULL = all.
    const char *device;    // "0"
    const char *core;      // "1,*"
    const char *risc;      // "TRISC_?"
    const char *zone;      // "*-KERNEL"
    const char *op;        // run id: "1027", "10*"
    const char *run_range; // "A-B", "A-", "-B"
    const char *from, *to; // cycles as logged, or "+N": from the device's first marker
};

bool selection_is_empty(const struct selection *s);
// Ops belong to the window when they lie in it as a whole; markers without an op by their
// own time. Whether an op is complete stays as it was found in the whole log.
bool trace_select(struct trace *t, struct device_ops *ops, const struct selection *s,
                  struct err *e);

#endif
