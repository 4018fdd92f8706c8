// device.h - what `ttprof device` makes of a device log: statistics, tables, pages.
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
    // Not options of the command: for reports beside others.
    struct option_list analyses;
    bool is_quiet;
};

extern const struct device_values device_defaults;

// Options whose values make no sense.
bool device_values_check(const struct device_values *v, struct err *e);

// Reads a log, prints and writes what was asked for. v is checked.
void device_report(const struct device_values *v, const char *log, const char *folder,
                   struct err *e);

struct device_report {
    const char *folder;          // is made
    struct option_list analyses; // by name; none: all
    const char *skip;            // files not to write, as in --skip
};

// Statistics, page and tables of a log, into a folder; nothing is printed but findings.
// Names of analyses that do not exist are reported and skipped.
// The ops of the source have been found; a log of 2023 has a T0 marker on every track
// afterwards.
bool device_report_write(const struct device_report *d, struct device_source *source,
                         struct err *e);

#endif
