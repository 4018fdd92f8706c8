// select.h - restricts a trace to a part of it.
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
// An op belongs to the window if it lies entirely in it; markers without an op by their own
// time. Completeness of an op stays as determined on the whole log.
bool trace_select(struct trace *t, struct device_ops *ops, const struct selection *s,
                  struct err *e);

#endif
