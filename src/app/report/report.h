// report.h - `ttprof report`: the performance report of a table of ops.
#ifndef TTP_APP_REPORT_REPORT_H
#define TTP_APP_REPORT_REPORT_H

#include "base/text/err.h"

#include "analyse/perf/perf.h"
#include "app/options.h"

struct report_values {
    struct perf_options perf;
    const char *id_range;
    bool color, no_color;
    const char *csv;
    bool json;
    const char *html;
    bool no_advice, raw_op_codes;
    bool no_summary, no_stacked_report;
    const char *group_by;
    const char *summary_file, *stacked_csv;
    bool classic_colors;
    bool no_stack_by_in0;
    int64_t top;
    const char *sort;
    bool strict;
};

// Returns the exit code; a set error decides it when there is one.
int report_command(const struct report_values *values, struct words words, struct err *e);

#endif
