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
// Appends "1,234 events" or "1 event".
void command_count(struct buf *b, uint64_t n, const char *one, const char *many);
// Prints and frees the text; returns the exit code.
int command_print(struct buf *b, struct err *e);
// Prints one line per kind of finding: first location, what, count, remedy. With is_strict,
// any finding is an error.
void command_findings(const char *command, const struct diag *d, bool is_strict,
                      struct err *e);
// The profiler's folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or
// generated/profiler.
const char *command_artifacts_root(struct arena *a);
// Colours unless NO_COLOR is set, and the width of the terminal. Without a terminal, lines
// are plain and as long as they need to be; COLUMNS sets the width in any case.
struct text_look;
struct text_look terminal_look(int fd);

#endif
