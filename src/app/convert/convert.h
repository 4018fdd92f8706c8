// convert.h - `ttprof convert`: a run or a .tracy file as a .tracy file.
#ifndef TTP_APP_CONVERT_CONVERT_H
#define TTP_APP_CONVERT_CONVERT_H

#include "base/text/err.h"

#include "app/options.h"
#include "formats/tracy/tracy_file.h"
#include "trace/trace.h"

struct convert_values {
    const char *format, *compression;
    int64_t level, streams;
    bool strict;
};

// Returns the exit code; a set error decides it when there is one.
int convert_command(const struct convert_values *values, struct words words, struct err *e);

// Writes the host's part of a trace with unique ids of ops.
bool convert_run(const struct trace *run, const char *path, struct tracy_write_how how,
                 struct err *e);

#endif
