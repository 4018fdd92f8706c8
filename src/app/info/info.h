// info.h - `ttprof info`: one-screen summary of a log or a run folder.
#ifndef TTP_APP_INFO_INFO_H
#define TTP_APP_INFO_INFO_H

#include "base/text/err.h"

#include "app/options.h"

struct info_values {
    bool json;
};

// Returns the exit code; a set error decides it when there is one.
int info_command(const struct info_values *v, struct words words, struct err *e);

// The same for a run folder.
int info_run(const char *path, bool as_json, struct err *e);

#endif
