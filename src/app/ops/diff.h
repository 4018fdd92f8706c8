// diff.h - `ttprof ops-diff`: compares two tables of ops.
#ifndef TTP_APP_OPS_DIFF_H
#define TTP_APP_OPS_DIFF_H

#include "base/text/err.h"

#include "app/options.h"

struct diff_values {
    int64_t most;
    bool ids_only;
};

// Returns the exit code; a set error decides it when there is one.
int ops_diff_command(const struct diff_values *v, struct words words, struct err *e);

#endif
