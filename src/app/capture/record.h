// record.h - `ttprof capture`: records programs that have a Tracy client.
#ifndef TTP_APP_CAPTURE_RECORD_H
#define TTP_APP_CAPTURE_RECORD_H

#include "base/text/err.h"

#include "app/options.h"

struct capture_values {
    const char *output, *address, *format;
    int64_t port, seconds, memory;
    bool force, all;
};

// Codes of the reference's capture tool.
enum {
    CAPTURE_EXIT_MISMATCH = 1, // also: a bad command line
    CAPTURE_EXIT_TAKEN = 2,
    CAPTURE_EXIT_LOST = 3,   // in the handshake
    CAPTURE_EXIT_EXISTS = 4, // the output does
    CAPTURE_EXIT_OUTPUT = 5, // it cannot be written
};

// Returns the exit code; a set error is a bad command line.
int capture_command(const struct capture_values *values, struct words words, struct err *e);

#endif
