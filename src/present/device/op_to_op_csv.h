// op_to_op_csv.h - per_core_op_to_op_times.csv: how long each core waited between two ops.
#ifndef TTP_PRESENT_DEVICE_OP_TO_OP_CSV_H
#define TTP_PRESENT_DEVICE_OP_TO_OP_CSV_H

#include "base/text/err.h"

#include "analyse/device/device_analysis.h"

// Writes only the header if there are no pairs: the setup has no adjacent `op2op` analysis
// of cores, or the log is from 2023. `compat` writes cycles under a heading of ns, like the
// reference. If the clock is unknown, cells are empty unless `compat` is set.
bool op_to_op_write(const struct device_analysis *d, bool compat, const char *path,
                    struct err *e);

#endif
