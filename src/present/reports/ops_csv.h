// ops_csv.h - ops_perf_results.csv: every column of the reference in its order and format,
// so that existing readers work unchanged.
#ifndef TTP_PRESENT_REPORTS_OPS_CSV_H
#define TTP_PRESENT_REPORTS_OPS_CSV_H

#include "base/file/file.h"

#include "analyse/ops/op_report.h"

// Optional columns that the reference does not have; they come after its own.
enum ops_csv_more {
    OPS_CSV_STATE = 1, // ROW STATE, CELL STATES
    OPS_CSV_NET = 2,   // OP TO OP LATENCY WITHOUT PROFILER [ns]
    OPS_CSV_SEED = 4,  // CALL DEPTH, <API> Count, <API> Average [ns] of 2023
    OPS_CSV_SITE = 8,  // CALL SITE
};

struct ops_csv {
    const struct op_report *report;
    bool is_device_only;
    bool with_unmatched;
    unsigned more; // enum ops_csv_more, or-ed
    // For documents: sources and findings; NULL: the report's own findings.
    const char *const *sources;
    size_t n_sources;
    const struct diag *findings;
};

bool ops_csv_write(const struct ops_csv *c, const char *path, struct err *e);

#endif
