// cpp_report_csv.h - cpp_device_perf_report.csv: durations per op, in the format that the
// runtime writes when it does the post-processing itself.
#ifndef TTP_PROFILER_CPP_REPORT_CSV_H
#define TTP_PROFILER_CPP_REPORT_CSV_H

#include "base/text/err.h"

#include "analyse/ops/cpp_report.h"

// Facts that a run does not record. NULL or empty: not known.
struct cpp_facts {
    str (*op_name)(const void *context, const struct trace_run *run);
    int64_t (*available_cores)(const void *context, const struct trace_run *run);
    const void *context;
};

// Unknown values are empty cells: always the op's name, durations and latencies without a
// clock, end and duration of zones that never ended.
bool cpp_report_write(const struct trace *t, const struct device_ops *ops, const char *path,
                      struct err *e);
// Writes a finished report; `append`: adds only rows to the file.
bool cpp_report_put(const struct cpp_report *r, const struct cpp_facts *facts,
                    const char *path, bool append, struct err *e);
void cpp_report_put_heads(struct buf *b); // the header line

#endif
