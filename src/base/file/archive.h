// archive.h - packs files into a .tar.gz.
//
// The bytes depend only on the names and contents of the entries: no times, no owners, and
// the same for any number of lanes. The stream is one gzip member per MiB, which gzip
// readers treat as one stream.
#ifndef TTP_BASE_FILE_ARCHIVE_H
#define TTP_BASE_FILE_ARCHIVE_H

#include "base/text/err.h"
#include "base/text/progress.h"
#include "base/text/str.h"

struct archive_entry {
    const char *name; // stored as "./name"; a relative path
    const char *path; // the regular file to take
};

// Writes the folder "./", then the entries in this order, each at its size at the start;
// one that shrinks meanwhile or cannot be read is an error. The bar, if any, goes to its
// total, whatever its unit.
bool archive_write(const char *path, const struct archive_entry *entries, size_t n,
                   struct progress *bar, struct err *e);

#endif
