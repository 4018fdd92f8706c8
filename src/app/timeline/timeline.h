// timeline.h - `ttprof timeline`: a run as an interactive page.
#ifndef TTP_APP_TIMELINE_TIMELINE_H
#define TTP_APP_TIMELINE_TIMELINE_H

#include "base/text/err.h"

#include "app/options.h"

struct timeline_values {
    const char *output;
    struct option_list processes;
    int64_t max_zones;
    bool no_device, strict;
};

// Returns the exit code; a set error decides it when there is one.
int timeline_command(const struct timeline_values *values, struct words words,
                     struct err *e);

#endif
