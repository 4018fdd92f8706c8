// decode.h - `ttprof decode`: converts raw device dumps to the files of a run.
#ifndef TTP_APP_DECODE_DECODE_H
#define TTP_APP_DECODE_DECODE_H

#include "base/text/err.h"

#include "app/options.h"

struct decode_values {
    const char *folder;
    bool json, cpp_report, strict;
};

// Returns the exit code; a set error decides it when there is one.
int decode_command(const struct decode_values *v, struct words words, struct err *e);

#endif
