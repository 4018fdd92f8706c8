// cpp_report_csv.h - cpp_device_perf_report.csv: durations per op, in the form in which the
// runtime writes it when it does the post-processing itself.
#ifndef TTP_PRESENT_CPP_REPORT_CSV_H
#define TTP_PRESENT_CPP_REPORT_CSV_H

#include "base/err.h"

#include "analyse/device_ops.h"

// What is not known is an empty cell: the op's name always, durations and latencies without
// a clock, the end and duration of what never ended.
bool cpp_report_write(const struct trace *t, const struct device_ops *ops, const char *path,
                      struct err *e);

#endif
