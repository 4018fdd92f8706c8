// app.h - shared by all commands: printing results and findings, locating the profiler's
// folder.
#ifndef TTP_APP_APP_H
#define TTP_APP_APP_H

#include "base/data/arena.h"
#include "base/text/buf.h"
#include "base/text/diag.h"
#include "base/text/err.h"

// Appends a summary line: a name and its value in an aligned column.
void command_fact(struct buf *b, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// Prints and frees the text; returns the exit code.
int command_print(struct buf *b, struct err *e);
// Prints one line per kind of finding: first location, what, count, remedy. With is_strict,
// any finding is an error.
void command_findings(const char *command, const struct diag *d, bool is_strict,
                      struct err *e);
// The profiler's folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or
// generated/profiler.
const char *command_artifacts_root(struct arena *a);
// Whether output to this descriptor is coloured unless an option decides.
bool colour_by_default(int fd);

#endif
