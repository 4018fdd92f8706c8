// zones.h - `ttprof zones`: statistics of host zones, and the exports of tracy-csvexport.
#ifndef TTP_APP_ZONES_ZONES_H
#define TTP_APP_ZONES_ZONES_H

#include "base/text/err.h"

#include "app/options.h"

struct zones_values {
    const char *by, *sort, *percentiles;
    int64_t top, pid, rank;
    double min_duration; // us
    const char *csv;
    bool json, strict, open;
    // of csvexport
    bool csvexport, unwrap, messages, gpu, self, is_case, plot, compat;
    bool fork, upstream; // neither: as the file
    bool version;        // of `ttprof csvexport`
    const char *filter, *separator, *children, *parent, *parent_too, *truncated_mean;
    const char *output;
};

// Returns the exit code; a set error decides it when there is one.
int zones_command(const struct zones_values *values, struct words words, struct err *e);

#endif
