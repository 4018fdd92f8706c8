// convert.h - `ttprof convert`: a run or a .tracy file as a .tracy file.
#ifndef TTP_APP_CONVERT_CONVERT_H
#define TTP_APP_CONVERT_CONVERT_H

#include "base/text/err.h"

#include "app/options.h"
#include "formats/tracy/tracy_file.h"

struct convert_values {
    const char *format, *compression;
    int64_t level, streams;
    bool strict;
};

// Returns the exit code; a set error decides it when there is one.
int convert_command(const struct convert_values *values, struct words words, struct err *e);

// Writes a run, host and devices, with unique ids of ops. `in`: as host_run_open takes it;
// `command` is for messages; odd: what is odd in the run, NULL: nobody asks.
bool convert_run(const char *command, const char *in, const char *out,
                 struct tracy_write_how how, struct diag *odd, struct err *e);

#endif
