// folders.h - finding the table of ops that an analysis is to read.
#ifndef TTP_APP_OPS_FOLDERS_H
#define TTP_APP_OPS_FOLDERS_H

#include "base/data/arena.h"
#include "base/text/err.h"

// The file itself, or the newest ops_perf_results_*.csv of a folder: in it, in its folders,
// or in its reports/. Newest is what comes last by name, as names are times. NULL: there is
// none, e says where it was looked for.
const char *ops_report_find(const char *path, struct arena *a, struct err *e);

#endif
