// file_in.c - mapped, streamed and compressed input.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/mapping.h"
#include "base/file/unpack.h"

enum { MAP_AT_ONCE_MOST = 1 << 30 };

static uint64_t held_most = FILE_HELD_MOST;

void file_limit(uint64_t bytes)
{
    held_most = bytes;
}

static bool fail_limit(const char *what, struct err *e)
{
    return err_set(
        e, ERR_LIMIT,
        "%s is larger than %.4g GiB, the limit for input held in memory; if it is sound, raise the limit with --max-input SIZE",
        what, (double)held_most / (1 << 30));
}

static bool read_all(int fd, struct file *f, struct err *e)
{
    struct buf b = {0};
    for (;;) {
        if (b.n > held_most) {
            buf_free(&b);
            return fail_limit("the input", e);
        }
        char *room = buf_room(&b, 1 << 20);
        ssize_t n = read(fd, room, b.cap - b.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            buf_free(&b);
            return err_set(e, ERR_IO, "cannot read: %s", strerror(errno));
        }
        if (n == 0)
            break;
        b.n += (size_t)n;
    }
    f->text = buf_view(&b);
    f->owned = b.p;
    return true;
}

static bool open_fd(int fd, const char *path, struct file *f, struct err *e)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return err_set(e, ERR_IO, "cannot read: %s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return err_set(e, ERR_IO, "is a directory; name the CSV file in it");
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return read_all(fd, f, e);
    // Populating a mapping at once is cheaper than a fault every few pages, unless the file
    // may not fit in memory.
    int at_once = st.st_size <= MAP_AT_ONCE_MOST ? MAP_POPULATE : 0;
    f->text = mapping_make(fd, (size_t)st.st_size, at_once, path);
    if (!f->text.p)
        return read_all(fd, f, e);
    f->owned = (char *)f->text.p;
    f->is_mapped = true;
    (void)madvise(f->owned, f->text.n, MADV_SEQUENTIAL);
    return true;
}

static void release(struct file *f)
{
    if (f->is_mapped)
        mapping_free(f->text);
    else
        mem_free(f->owned);
}

// Replaces the packed bytes by their text.
static bool unpack_file(struct file *f, struct err *e)
{
    struct buf b = {0};
    const char *ending = unpack_ending(f->text);
    const char *damage = unpack(f->text, held_most, &b);
    release(f);
    *f = (struct file){
        .text = buf_view(&b), .owned = b.p, .packed = ending, .damage = damage};
    if (damage != unpack_over && (!damage || b.n > 0))
        return true;
    file_close(f);
    if (damage == unpack_over)
        return fail_limit("the decompressed text", e);
    return err_set(e, ERR_FORMAT, "cannot decompress: %s; copy or compress the file again",
                   damage);
}

bool file_open(const char *path, struct file *f, struct err *e)
{
    *f = (struct file){0};
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        bool is_missing = errno == ENOENT || errno == ENOTDIR;
        const char *remedy = is_missing        ? "; check the path"
                             : errno == EACCES ? "; make the file readable"
                                               : "";
        return err_set(e, ERR_IO, "%s: %s%s", path, strerror(errno), remedy);
    }
    bool ok = open_fd(fd, path, f, e);
    if (!is_stdin)
        (void)close(fd);
    ok = ok && (!unpack_ending(f->text) || unpack_file(f, e));
    return ok ? true : err_in(e, "%s", is_stdin ? "stdin" : path);
}

void file_close(struct file *f)
{
    release(f);
    *f = (struct file){0};
}

void file_forget(str part)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = (page - (uintptr_t)part.p % page) % page; // whole pages only
    if (skip >= part.n)
        return;
    size_t n = (part.n - skip) / page * page;
    if (n)
        (void)madvise((char *)part.p + skip, n, MADV_DONTNEED);
}

bool file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}
