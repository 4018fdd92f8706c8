// labelled_report.h - the ops report or device report of a run with the compiler's labels
// for each op appended: device_ops_perf_trace.csv.
#ifndef TTP_PRESENT_REPORTS_LABELLED_REPORT_H
#define TTP_PRESENT_REPORTS_LABELLED_REPORT_H

#include "base/text/diag.h"

#include "analyse/host/op_labels.h"
#include "table/table.h"

struct labelled_count {
    uint64_t n_ops, n_labelled; // rows other than signposts
};

// All columns of the ops report, then those of the labels. Adds to the count.
bool labelled_report_write(const struct table *ops, const struct op_labels *labels,
                           const char *path, struct labelled_count *count, struct err *e);
// The same for the lines of a device report, whose ops have no labels. If it does not exist
// (or is NULL), only the header is written, so that readers still find the file. A last
// line without a line feed is left out and counted.
bool labelled_report_copy(const char *report, const char *path,
                          struct labelled_count *count, struct diag *d, struct err *e);

#endif
