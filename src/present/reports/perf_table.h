// perf_table.h - the tables of the performance report: ops, stacked summary, advice and
// findings, as columns over the results of the analysis.
#ifndef TTP_PRESENT_REPORTS_PERF_TABLE_H
#define TTP_PRESENT_REPORTS_PERF_TABLE_H

#include "analyse/perf/perf.h"
#include "analyse/perf/summary.h"
#include "table/table.h"

enum { PERF_OPS_COLUMNS = 24, PERF_SUMMARY_COLUMNS = 11 };

struct advice_row {
    const char *section;
    uint32_t op;
    str text;
};

struct perf_view {
    struct perf *perf;
    const struct summary *summary; // NULL: none
    struct arena arena;
    struct column ops_columns[PERF_OPS_COLUMNS];
    struct column summary_columns[PERF_SUMMARY_COLUMNS];
    struct advice_row *advice_rows;
    struct table ops, summary_table, advice, diag;
};

// The table of ops.
void perf_view_make(struct perf_view *v, struct perf *p, bool with_advice,
                    bool with_raw_codes);
// The stacked report (summary_table.c).
void perf_view_add_summary(struct perf_view *v, const struct summary *s);
// Advice and findings (perf_findings.c).
void perf_view_add_findings(struct perf_view *v, bool with_advice);
// Documents show nothing where tt-perf-report prints `nan`.
void perf_view_leave_out_nan(struct perf_view *v);
void perf_view_free(struct perf_view *v);

enum colour op_code_colour(str code);

#endif
