// device.h - `ttprof device`: statistics, tables and pages of a device log.
#ifndef TTP_APP_DEVICE_DEVICE_H
#define TTP_APP_DEVICE_DEVICE_H

#include "base/text/err.h"

#include "analyse/perf/select.h"
#include "app/device/source.h"
#include "app/options.h"

#define DEVICE_NO_CLOCK INT64_MIN // --mhz was not given

struct device_values {
    const char *setup;
    const char *log, *folder;
    struct selection selection;
    int64_t mhz;
    bool no_op_detection, incomplete_ops;
    bool percentiles, no_print_stats;
    const char *skip;
    bool no_artifacts, no_plots, no_webapp, print_only;
    const char *analysis_data;
    bool chrome_trace, compat;
    int64_t html_zones;
    bool strict;
    int64_t port;
    // Not options of the command; set by commands that include a device report.
    struct option_list analyses;
    bool is_quiet;
};

extern const struct device_values device_defaults;

// Rejects invalid option values.
bool device_values_check(const struct device_values *v, struct err *e);

// Reads a log, then prints and writes what v requests. v must have passed
// device_values_check.
void device_report(const struct device_values *v, const char *log, const char *folder,
                   struct err *e);

struct device_report {
    const char *folder;          // created
    struct option_list analyses; // by name; none: all
    const char *skip;            // files not to write, as in --skip
};

// Writes statistics, page and tables to a folder; prints findings only. Unknown analyses
// are reported and skipped. Requires device_source_find. Adds a T0 marker to every track of
// a log in the 2023 format.
bool device_report_write(const struct device_report *d, struct device_source *source,
                         struct err *e);

#endif
