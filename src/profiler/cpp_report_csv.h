// cpp_report_csv.h - cpp_device_perf_report.csv: durations per op, in the form in which the
// runtime writes it when it does the post-processing itself.
#ifndef TTP_PROFILER_CPP_REPORT_CSV_H
#define TTP_PROFILER_CPP_REPORT_CSV_H

#include "base/text/err.h"

#include "analyse/ops/cpp_report.h"

// What a run itself does not say. NULL or empty: not known.
struct cpp_facts {
    str (*op_name)(const void *context, const struct trace_run *run);
    int64_t (*available_cores)(const void *context, const struct trace_run *run);
    const void *context;
};

// What is not known is an empty cell: the op's name always, durations and latencies without
// a clock, the end and duration of what never ended.
bool cpp_report_write(const struct trace *t, const struct device_ops *ops, const char *path,
                      struct err *e);
// A report that is made already; `append`: rows only, behind what the file has.
bool cpp_report_put(const struct cpp_report *r, const struct cpp_facts *facts,
                    const char *path, bool append, struct err *e);
void cpp_report_put_heads(struct buf *b); // its first line

#endif
