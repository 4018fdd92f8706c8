// preload.h - the library that follows the processes of a run: it is part of this program
// and unpacked into the run folder. What it does is said in src/record/preload/preload.h.
#ifndef TTP_APP_RUN_PRELOAD_H
#define TTP_APP_RUN_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text/buf.h"
#include "base/text/err.h"

// Writes RUN/lib/libttprof-preload.so; `path` is what LD_PRELOAD must say. Where that
// cannot be a path for the loader (blanks, colons, a file system without programs) it is in
// a new folder for temporary files. False: processes cannot be followed, and why.
bool preload_unpack(const char *run_folder, char *path, size_t room, struct err *e);
// Takes the library and its folder away again, when the last process has ended.
void preload_remove(const char *path);
// Value of LD_PRELOAD: the library, then what was there without the library of a run around
// this one. old NULL: nothing was there.
void preload_list(struct buf *b, const char *path, const char *old);

#endif
