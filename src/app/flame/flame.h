// flame.h - `ttprof flame`: where the time of host threads went, by stack.
#ifndef TTP_APP_FLAME_FLAME_H
#define TTP_APP_FLAME_FLAME_H

#include "base/text/err.h"

#include "app/options.h"

struct flame_values {
    const char *output, *folded, *by;
    int64_t pid, rank, max_frames;
    bool strict;
};

enum { FLAME_MAX_FRAMES = 50000 };

// Returns the exit code; a set error decides it when there is one.
int flame_command(const struct flame_values *values, struct words words, struct err *e);

#endif
