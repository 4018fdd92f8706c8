// memory_file.h - a file without a place on the disk, for tests that need a path.
#ifndef TTP_TESTS_MEMORY_FILE_H
#define TTP_TESTS_MEMORY_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/file.h"

struct memory_file {
    int fd;
    char path[32]; // good as long as the file is open
};

static inline struct memory_file memory_file_make(str text)
{
    struct memory_file f = {.fd = memfd_create("test", MFD_CLOEXEC)};
    size_t done = 0;
    while (f.fd >= 0 && done < text.n) {
        ssize_t n = write(f.fd, text.p + done, text.n - done);
        if (n <= 0)
            abort();
        done += (size_t)n;
    }
    if (f.fd < 0)
        abort();
    (void)snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}

static inline void memory_file_free(struct memory_file *f)
{
    (void)close(f->fd);
}

// Output that goes to the file, and what it holds once all is written; close it.
static inline struct out memory_out(const struct memory_file *f)
{
    return (struct out){.fd = f->fd};
}
static inline struct file memory_out_end(struct out *o, const struct memory_file *f)
{
    struct file written;
    struct err e;
    out_flush(o);
    if (o->error || !file_open(f->path, &written, &e))
        abort();
    buf_free(&o->b);
    return written;
}

#endif
