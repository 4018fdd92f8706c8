// profile_this.h - `ttprof profile-this`: runs a command and writes its ops report.
#ifndef TTP_APP_PROFILE_PROFILE_THIS_H
#define TTP_APP_PROFILE_PROFILE_THIS_H

#include "base/text/err.h"

#include "app/options.h"

struct profile_this_values {
    const struct option_table *run_options; // of `ttprof run`, for the manifest
    const char *command, *output_folder, *name_append, *counters;
    bool noc_traces, stitch, device_only, host_only, ignore_exit_code, quiet;
    int64_t op_support_count;
};

// Returns the exit code; a set error decides it when there is one.
int profile_this_command(const struct profile_this_values *v, struct words words,
                         struct err *e);

#endif
