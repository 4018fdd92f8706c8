// rows_of_log.h - the device half of an ops report, from a device log.
//
// The numbers are those of the default setup's analyses, in ns of the log's clock. An op is
// one execution (device_ops.h); trace id and replay counter come from the log.
#ifndef TTP_ANALYSE_OPS_ROWS_OF_LOG_H
#define TTP_ANALYSE_OPS_ROWS_OF_LOG_H

#include "analyse/device/device_analysis.h"
#include "formats/device_rows/device_rows.h"

struct device_rows_choice {
    // Names of analyses to use ("device_kernel_duration"); none: all.
    const char *const *analyses;
    size_t n_analyses;
    bool is_first_dispatch_only; // of replays only the first has dispatch times (--compat)
};

// Rows are sorted by device and start. Zones are not used: `t` need not be paired. Rows
// have no arch and no count of available cores; those are in `arch` and `workers`.
// `dispatch` may be NULL.
void device_rows_measure(struct device_rows *r, const struct trace *t,
                         const struct device_ops *ops, const struct dispatch_ops *dispatch,
                         struct device_rows_choice choice);

// The same for a six-column log (rows_of_call.c): one row for all of it.
void device_rows_of_call(struct device_rows *r, const struct trace *t);

// Does the default setup have an analysis of that name? (-a)
bool device_rows_knows(const char *analysis);

// The C++ report has no sub-devices, but the log beside it does: fills them in from the
// lines with a sub-device, reading no others.
void device_rows_add_sub_devices(struct device_rows *r, const struct file *log);

#endif
