// rearranged_csv.h - device_rearranged_timestamps.csv: when firmware and kernels of BRISC
// and NCRISC started and ended, a row for each core.
#ifndef TTP_PRESENT_DEVICE_REARRANGED_CSV_H
#define TTP_PRESENT_DEVICE_REARRANGED_CSV_H

#include "trace/trace.h"

// Rows are sorted by chip, then by y * 100 + x; an unknown clock is an empty cell.
bool rearranged_write(const struct trace *t, const char *path, struct err *e);

#endif
