// check_report.h - the results of performance checks: a table, a document, and report files
// that are merged over models.
#ifndef TTP_PRESENT_REPORTS_CHECK_REPORT_H
#define TTP_PRESENT_REPORTS_CHECK_REPORT_H

#include "analyse/compare/check.h"
#include "table/grid.h"

void check_grid(struct grid *g, const struct check *c);
void check_json(const struct check *c, struct grid *g, struct out *o);
// "AVG DEVICE KERNEL DURATION [ns] 12.0 is outside of expected range (9.85, 10.15)"
void check_put_outside(struct buf *b, const struct check_metric *m);

struct check_report {
    const char *model, *setting, *comments, *date; // date: 2026_11_16
    int64_t batch;
};
// device_perf_<model>_<comments>_<date>.csv in the folder; *path gets its name.
bool check_report_write(const struct check *c, const struct check_report *r,
                        const char *folder, struct arena *a, const char **path,
                        struct err *e);
// Branch, hash, header and a row for each report.
bool check_merge_write(const struct check_merge *m, const char *branch, const char *hash,
                       const char *path, struct err *e);

#endif
