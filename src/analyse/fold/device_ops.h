// device_ops.h - ops of a device log: one execution of one program on one device.
//
// Markers with the same run id, trace id and replay counter on one device belong together.
// If the same ids were executed several times (logs without trace columns, programs
// enqueued again), the firmware zones of the cores separate the executions; each gets its
// own run in the trace.
#ifndef TTP_ANALYSE_FOLD_DEVICE_OPS_H
#define TTP_ANALYSE_FOLD_DEVICE_OPS_H

#include "trace/trace.h"

struct device_op {
    uint32_t run;     // index in trace.runs
    uint32_t n_cores; // with any marker
    uint64_t first_time,
        last_time; // of its markers; of dispatch cores only if it has no others
    uint32_t n_markers;
    bool is_complete; // firmware started and ended on each of its cores
};

struct device_ops {
    struct device_op *v; // by device; ids by their first time, then executions
    size_t n;
    uint32_t *of_run; // by run: index in v, or NO_OP
    size_t *first;    // by device: index of its first op; first[n_devices] = n
    uint64_t n_incomplete;
};
#define NO_OP UINT32_MAX

// Splits runs that hold several executions, and counts anomalies.
void device_ops_find(struct device_ops *ops, struct trace *t);
// The same for a trace reduced by a selection; completeness stays as it was.
void device_ops_again(struct device_ops *ops, struct trace *t);
void device_ops_free(struct device_ops *ops);

// By site: the RISC (string) whose zone brackets the firmware of a whole core, or NO_RISC.
// The caller frees it.
uint32_t *master_riscs(const struct trace *t);
#define NO_RISC UINT32_MAX

#endif
