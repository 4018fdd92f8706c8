// labelled_report.h - the ops report or the device report of a run with what the compiler
// says about each op behind it: device_ops_perf_trace.csv.
#ifndef TTP_PRESENT_REPORTS_LABELLED_REPORT_H
#define TTP_PRESENT_REPORTS_LABELLED_REPORT_H

#include "base/text/diag.h"
#include "base/text/err.h"

#include "analyse/host/op_labels.h"

struct labelled_count {
    uint64_t n_ops, n_labelled; // rows; signposts are none
};

// All columns of the report as they are there, then those of the labels.
// Where there is no such file (NULL: it is known) the table has its heads only: who reads
// it finds it. Rows that cannot be read are left out and counted.
bool labelled_report_write(const char *report, const struct op_labels *l, const char *path,
                           struct labelled_count *count, struct diag *d, struct err *e);

#endif
