// labelled_report.h - the ops report or device report of a run with the compiler's labels
// for each op appended: device_ops_perf_trace.csv.
#ifndef TTP_PRESENT_REPORTS_LABELLED_REPORT_H
#define TTP_PRESENT_REPORTS_LABELLED_REPORT_H

#include "base/text/diag.h"
#include "base/text/err.h"

#include "analyse/host/op_labels.h"

struct labelled_count {
    uint64_t n_ops, n_labelled; // rows other than signposts
};

// All columns of the report unchanged, then those of the labels. If the report does not
// exist (or is NULL), only the header is written, so that readers still find the file.
// Unreadable rows are left out and counted.
bool labelled_report_write(const char *report, const struct op_labels *l, const char *path,
                           struct labelled_count *count, struct diag *d, struct err *e);

#endif
