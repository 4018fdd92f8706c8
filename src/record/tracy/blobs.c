// blobs.c - texts too long for a ring: in P.blobs of the run folder, or without one in a
// bounded memory, where new ones replace the oldest.
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "record/tracy/session.h"

enum { MEMORY = 1 << 24 };

static char *memory;
static uint64_t end; // bytes put so far; the last MEMORY ones are there

uint64_t recorder_blob_put(const struct recorder_piece *pieces, size_t n)
{
    uint64_t bytes = 0, at = end;
    for (size_t i = 0; i < n; i++)
        bytes += pieces[i].n;
    if (!memory)
        memory = recorder_pages(MEMORY);
    if (!memory || bytes > MEMORY / 4)
        return UINT64_MAX;
    if (at % MEMORY + bytes > MEMORY) // in one piece
        at += MEMORY - at % MEMORY;
    end = at + bytes;
    char *to = memory + at % MEMORY;
    for (size_t i = 0; i < n; to += pieces[i++].n)
        if (pieces[i].n)
            memcpy(to, pieces[i].p, pieces[i].n);
    return at;
}

static bool get_from_memory(uint64_t at, char *out, size_t n)
{
    recorder_lock(&recorder_short);
    bool is_there = memory && at + n <= end && end - at <= MEMORY;
    if (is_there)
        memcpy(out, memory + at % MEMORY, n);
    recorder_unlock(&recorder_short);
    return is_there;
}

bool recorder_blob_get(uint64_t at, char *out, size_t n)
{
    char path[PATH_MAX];
    if (!recorder_has_folder())
        return get_from_memory(at, out, n);
    if (!recorder_file_path("blobs", path, sizeof path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_there = pread(fd, out, n, (off_t)at) == (ssize_t)n;
    close(fd);
    return is_there;
}
