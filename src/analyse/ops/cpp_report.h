// cpp_report.h - durations of every op, as the runtime's own post-processing computes them:
// the rows of durations.h by its rules. Only times are compared: an end in the cycle of the
// start counts as after it.
#ifndef TTP_ANALYSE_OPS_CPP_REPORT_H
#define TTP_ANALYSE_OPS_CPP_REPORT_H

#include "base/data/units.h"

#include "analyse/fold/device_ops.h"
#include "analyse/fold/durations.h"
#include "analyse/fold/fold.h"

// Its durations, in the order of the columns.
enum { CPP_FIRMWARE = 3, CPP_KERNEL = 4, CPP_DATA_MOVER = 5, CPP_ANALYSES = 16 };
extern const enum duration cpp_columns[CPP_ANALYSES];

struct cpp_span {
    cycles start, end;
    bool has_start, has_end; // an end has a start before it
    bool is_quasar;          // timed by its own clock
    uint32_t device;         // index
};

struct cpp_row {
    struct cpp_span span[CPP_ANALYSES];
    uint32_t n_cores; // cores that ran the firmware
};

#define CPP_NO_LATENCY INT64_MIN

struct cpp_report {
    const struct trace *trace;
    const struct device_ops *ops;
    struct fold fold;       // by op, a line for each duration
    uint32_t *order;        // ops in row order
    nanos (*latency)[GAPS]; // by op: since the previous op; CPP_NO_LATENCY
};

// The last op on a device, from which the next report continues.
struct cpp_last {
    int64_t device; // id
    struct cpp_span span[GAPS];
};

// Rows are sorted by device, run id, trace id (those without one last), replay and time.
void cpp_report_make(struct cpp_report *r, const struct trace *t,
                     const struct device_ops *ops);
// The same for one of several dumps of a run: latencies continue from the previous dump,
// and `last` is updated.
void cpp_report_make_next(struct cpp_report *r, const struct trace *t,
                          const struct device_ops *ops, struct cpp_last *last,
                          size_t n_last);
void cpp_report_free(struct cpp_report *r);

void cpp_report_row(const struct cpp_report *r, uint32_t op, struct cpp_row *row);
// The duration of a span, rounded half up; false if an end or the clock is missing.
bool cpp_report_duration(const struct cpp_report *r, const struct cpp_span *s, nanos *ns);

#endif
