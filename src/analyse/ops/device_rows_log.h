// device_rows_log.h - the device's half of an ops report, from a device log.
//
// The numbers are those of the analyses of the default setup, in ns of the log's clock. An
// op is one execution (device_ops.h); trace id and replay counter come from the log.
#ifndef TTP_ANALYSE_OPS_DEVICE_ROWS_LOG_H
#define TTP_ANALYSE_OPS_DEVICE_ROWS_LOG_H

#include "analyse/device/device_analysis.h"
#include "formats/device_log/device_rows.h"

struct device_rows_choice {
    // Names of analyses to take ("device_kernel_duration"); none: all.
    const char *const *analyses;
    size_t n_analyses;
};

// Rows device by device, by start. Zones are not looked at: `t` need not be paired. Rows
// have no arch and no count of available cores, as the reference has it; `arch` and
// `workers` tell them. `dispatch` may be NULL.
void device_rows_measure(struct device_rows *r, const struct trace *t,
                         const struct device_ops *ops, const struct dispatch_ops *dispatch,
                         struct device_rows_choice choice);

// Is there an analysis of that name in the default setup? (-a)
bool device_rows_knows(const char *analysis);

// Rows of the C++ report do not tell sub devices, but the log beside it does: fills them in
// from its lines with a sub device, and looks at no other line.
void device_rows_add_sub_devices(struct device_rows *r, const struct file *log);

#endif
