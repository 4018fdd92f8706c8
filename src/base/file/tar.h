// tar.h - a ustar archive as a stream of bytes with random access.
//
// It is laid out once, from the sizes of the files; then several lanes may read parts of
// it. No times, no owners: the bytes depend only on names and contents.
#ifndef TTP_BASE_FILE_TAR_H
#define TTP_BASE_FILE_TAR_H

#include <stdint.h>

#include "base/file/archive.h"

struct tar_member;

struct tar {
    struct tar_member *members;
    size_t n_members;
    uint64_t total; // bytes of the stream
};

// The folder "./", then the entries. Must be freed even on failure.
bool tar_lay_out(struct tar *t, const struct archive_entry *entries, size_t n,
                 struct err *e);
// Copies n bytes of the stream, from `start` on, to `to`.
bool tar_read(const struct tar *t, uint64_t start, char *to, size_t n, struct err *e);
void tar_free(struct tar *t);

#endif
