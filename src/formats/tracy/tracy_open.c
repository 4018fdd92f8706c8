// tracy_open.c - opens a .tracy file as the host's part of a trace.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/tracy/tracy_blocks.h"
#include "formats/tracy/tracy_file.h"
#include "formats/tracy/tracy_trace.h"

const char *tracy_spill_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

static bool read_container(const char *path, struct tracy_container *c)
{
    char head[16];
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    ssize_t n =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, head, sizeof head) : 0;
    (void)close(fd);
    return n > 0 && tracy_container_of((str){head, (size_t)n}, c);
}

bool tracy_is_at(const char *path)
{
    struct tracy_container c;
    return read_container(path, &c);
}

bool tracy_generation_at(const char *path, enum tracy_generation *generation)
{
    struct tracy_container c;
    if (!read_container(path, &c))
        return false;
    *generation = c.is_new ? TRACY_U14 : TRACY_F10;
    return true;
}

bool tracy_trace_add(struct trace *t, const char *path, const struct tracy_in_run *in_run,
                     struct err *e)
{
    struct tracy contents;
    struct tracy_read_how how = {.folder = tracy_spill_folder(),
                                 .held_most = TRACY_HELD_MOST};
    bool ok = tracy_read(&contents, path, how, e);
    if (ok)
        tracy_trace(t, &contents, path, in_run);
    tracy_free(&contents);
    return ok;
}
