// op_to_op_csv.h - per_core_op_to_op_times.csv: how long each core waited between two ops.
#ifndef TTP_PRESENT_DEVICE_OP_TO_OP_CSV_H
#define TTP_PRESENT_DEVICE_OP_TO_OP_CSV_H

#include "base/text/err.h"

#include "analyse/device/device_analysis.h"

// Only the head is written when there are no pairs: the setup has no analysis `op2op` over
// the neighbours of a core, or the log is one of 2023. `compat` writes what the reference
// does: cycles under a heading of ns. Without a clock and without `compat` cells are empty.
bool op_to_op_write(const struct device_analysis *d, bool compat, const char *path,
                    struct err *e);

#endif
