// folder.c - makes folders and copies files.
#include "base/file/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"

enum { FOLDER_MODE = 0775 };

bool path_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool path_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

mode_t folder_mode(void)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    return FOLDER_MODE & ~mask;
}

static bool make_one(const char *path, struct err *e)
{
    if (mkdir(path, FOLDER_MODE) == 0)
        return true;
    int why = errno;
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    return err_set(e, ERR_IO, "%s: cannot create folder: %s; choose another one", path,
                   strerror(why));
}

bool folder_make(const char *path, struct err *e)
{
    size_t n = strlen(path);
    char *part = mem_alloc(n + 1);
    memcpy(part, path, n);
    bool ok = true;
    for (size_t i = 1; ok && i < n; i++) {
        if (part[i] != '/')
            continue;
        part[i] = '\0';
        ok = make_one(part, e);
        part[i] = '/';
    }
    ok = ok && make_one(path, e);
    mem_free(part);
    return ok;
}

// Copies in the kernel if possible, else through the output's buffer.
static bool copy_bytes(int from, struct out *o)
{
    for (;;) {
        ssize_t n = copy_file_range(from, NULL, o->fd, NULL, 1 << 30, 0);
        if (n == 0)
            return true;
        if (n < 0)
            break;
    }
    for (;;) {
        char *room = buf_room(&o->b, 1 << 18);
        ssize_t n = read(from, room, 1 << 18);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        o->b.n += (size_t)n;
        out_flush(o);
    }
}

bool folder_copy(const char *from, const char *to, struct err *e)
{
    int fd = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // never waits for a writer
    if (fd < 0)
        return err_set(e, ERR_IO, "%s: cannot read: %s", from, strerror(errno));
    struct out o;
    bool ok = out_open(&o, to, e);
    if (ok && !copy_bytes(fd, &o)) {
        ok = err_set(e, ERR_IO, "%s: cannot read: %s", from, strerror(errno));
        out_abandon(&o);
    } else if (ok) {
        ok = out_close(&o, e);
    }
    (void)close(fd);
    return ok;
}
