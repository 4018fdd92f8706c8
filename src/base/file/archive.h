// archive.h - files put together in one .tar.gz.
//
// The bytes depend on the names and contents of the entries alone: no times, no owners, and
// the same for any number of lanes. The compressed stream is one gzip member per MiB, which
// every gzip reader takes as one stream.
#ifndef TTP_BASE_FILE_ARCHIVE_H
#define TTP_BASE_FILE_ARCHIVE_H

#include "base/text/err.h"
#include "base/text/progress.h"
#include "base/text/str.h"

struct archive_entry {
    const char *name; // stored as "./name"; a relative path
    const char *path; // the regular file to take
};

// The folder "./", then the entries in this order. Each is taken at the size that it has at
// the start; one that becomes shorter meanwhile is an error, as is one that cannot be read.
// The bar, if any, goes to its total, in whatever unit that is.
bool archive_write(const char *path, const struct archive_entry *entries, size_t n,
                   struct progress *bar, struct err *e);

#endif
