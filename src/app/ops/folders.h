// folders.h - finds the table of ops for an analysis.
#ifndef TTP_APP_OPS_FOLDERS_H
#define TTP_APP_OPS_FOLDERS_H

#include "base/data/arena.h"
#include "base/text/err.h"

// The file itself, or the newest ops_perf_results_*.csv of a folder: in it, its subfolders
// or its reports/. Newest means last by name, as names contain times. NULL: none; e lists
// the places searched.
const char *ops_report_find(const char *path, struct arena *a, struct err *e);

#endif
