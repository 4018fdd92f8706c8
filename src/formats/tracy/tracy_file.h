// tracy_file.h - .tracy files to contents of a trace, and contents to files.
#ifndef TTP_FORMATS_TRACY_TRACY_FILE_H
#define TTP_FORMATS_TRACY_TRACY_FILE_H

#include "base/file/file.h"
#include "base/text/err.h"

#include "formats/tracy/tracy.h"
#include "formats/tracy/tracy_blocks.h"

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
// The same of a file in memory; the path is for messages.
bool tracy_read_text(struct tracy *t, str file, const char *path, struct tracy_read_how how,
                     struct err *e);

struct tracy_write_how {
    enum tracy_generation generation; // of the file, whatever that of the contents
    enum tracy_packing packing;
    unsigned n_streams; // only 0.14; 0: the usual number
    int level;          // of zstd; 0: the usual one
    struct diag *diag;  // what the file cannot hold is counted here; NULL: nowhere
};
// As the reference's capture tool of that generation: LZ4 for 0.10, zstd for 0.14.
struct tracy_write_how tracy_write_usual(enum tracy_generation generation);
// `keyed` is sorted by key. What a file needs and the contents lack is added.
bool tracy_write(const struct tracy *t, const char *path, struct tracy_write_how how,
                 struct err *e);
void tracy_write_to(const struct tracy *t, struct out *out, struct tracy_write_how how);

#endif
