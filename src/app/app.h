// app.h - what all commands share: how results and findings are printed, and where the
// profiler's folder is.
#ifndef TTP_APP_APP_H
#define TTP_APP_APP_H

#include "base/data/arena.h"
#include "base/text/buf.h"
#include "base/text/diag.h"
#include "base/text/err.h"

// A line of a summary: a name, and behind it in one column what there is to say.
void command_fact(struct buf *b, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// Prints and frees the text; returns the exit code.
int command_print(struct buf *b, struct err *e);
// One line a kind of odd data: the place of the first, what, how often, what to do. With
// is_strict, any is an error.
void command_findings(const char *command, const struct diag *d, bool is_strict,
                      struct err *e);
// The profiler's folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or
// generated/profiler.
const char *command_artifacts_root(struct arena *a);
// Should output to this descriptor be coloured, when nobody forces it?
bool colour_by_default(int fd);

#endif
