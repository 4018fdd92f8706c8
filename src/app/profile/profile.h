// profile.h - `ttprof profile`: runs a command and writes its device ops as one table.
#ifndef TTP_APP_PROFILE_PROFILE_H
#define TTP_APP_PROFILE_PROFILE_H

#include "base/text/err.h"

#include "app/options.h"

struct profile_values {
    const struct option_table *run_options; // of `ttprof run`, for the manifest
    const char *output;
    int64_t port;
    bool ignore_exit_code, quiet;
};

// Returns the exit code; a set error decides it when there is one.
int profile_command(const struct profile_values *v, struct words words, struct err *e);

#endif
