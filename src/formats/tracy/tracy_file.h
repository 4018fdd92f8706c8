// tracy_file.h - .tracy files to contents of a trace.
#ifndef TTP_FORMATS_TRACY_TRACY_FILE_H
#define TTP_FORMATS_TRACY_TRACY_FILE_H

#include "base/text/err.h"

#include "formats/tracy/tracy.h"

// True if a file that begins so is a .tracy file, whatever its name.
bool tracy_is_file(str head);

struct tracy_read_how {
    const char *folder; // where lists that do not fit in memory go; NULL: all in memory
    uint64_t held_most; // bytes of long lists held in memory; 0: no limit
    bool is_strict;     // a damaged or truncated file is an error
};
// Starts *t and reads the file into it: tracy_free it also after an error. Of a damaged
// file, what comes before the damage is kept, and counted in t->diag.
bool tracy_read(struct tracy *t, const char *path, struct tracy_read_how how,
                struct err *e);

#endif
