// preload.h - unpacks the embedded preload library into the run folder. See
// src/record/preload/preload.h for what it does.
#ifndef TTP_APP_RUN_PRELOAD_H
#define TTP_APP_RUN_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text/buf.h"
#include "base/text/err.h"

// Writes RUN/lib/libttprof-preload.so; `path` is the value for LD_PRELOAD. If the loader
// cannot use that path (spaces, colons, noexec) the library goes to a new temporary folder.
// False: processes cannot be followed, e is set.
bool preload_unpack(const char *run_folder, char *path, size_t room, struct err *e);
// Removes the library and its folder once the last process has ended.
void preload_remove(const char *path);
// Value of LD_PRELOAD: the library, then the old value without the library of an enclosing
// run. old NULL: it was not set.
void preload_list(struct buf *b, const char *path, const char *old);

#endif
