// file_out.c - output files that are either complete or absent.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/mapping.h"
#include "base/file/temporary.h"
#include "base/text/log.h"

enum {
    OUT_WORTH_WRITING = 256 * 1024,
    OUT_MODE = 0664, // less the umask: others may never write
};

static int stdout_error;

int out_stdout_error(void)
{
    return stdout_error;
}

bool out_fail(const char *path, int why, struct err *e)
{
    return err_set(e, ERR_IO, "%s: cannot write: %s; %schoose another file", path,
                   strerror(why), why == ENOSPC ? "free some space or " : "");
}

// Devices, pipes and links to them are written in place; a regular or missing file is
// replaced when the output is complete.
static bool is_replaceable(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

static char *copy_z(const char *z, const char *more)
{
    size_t n = strlen(z), m = strlen(more);
    char *p = mem_alloc(n + m + 1);
    memcpy(p, z, n);
    memcpy(p + n, more, m);
    return p;
}

// A link stays a link: its target is replaced.
static void follow_link(struct out *o)
{
    char *real = realpath(o->path, NULL);
    o->target = copy_z(real ? real : o->path, "");
    free(real); // realpath allocates by itself
}

static int open_temp(struct out *o)
{
    follow_link(o);
    o->temp = copy_z(o->target, ".part-XXXXXX");
    int fd = temporary_file(o->temp);
    if (fd < 0) {
        mem_free(o->temp);
        o->temp = NULL;
        return -1;
    }
    // mkstemp makes private files; a report gets the mode of the file it replaces, or of
    // any new file.
    struct stat st;
    mode_t mask = umask(0);
    (void)umask(mask);
    mode_t mode = stat(o->path, &st) == 0 ? st.st_mode & 0777 : OUT_MODE & ~mask;
    (void)fchmod(fd, mode);
    return fd;
}

static void open_stdout(struct out *o, bool is_text, unsigned keep)
{
    *o = (struct out){.fd = STDOUT_FILENO, .is_text = is_text, .keep = keep};
    o->path = copy_z("-", "");
}

void out_print(struct out *o, bool is_coloured)
{
    open_stdout(o, true, VISIBLE_LINES | (is_coloured ? VISIBLE_COLOURS : 0));
}

bool out_open(struct out *o, const char *path, struct err *e)
{
    if (strcmp(path, "-") == 0) {
        // Whoever pipes a document gets its exact bytes; a terminal does not.
        open_stdout(o, isatty(STDOUT_FILENO), VISIBLE_LINES);
        return true;
    }
    *o = (struct out){.fd = -1};
    o->path = copy_z(path, "");
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        errno = EISDIR;
    else if (is_replaceable(path))
        o->fd = access(path, F_OK) == 0 && access(path, W_OK) != 0 ? -1 : open_temp(o);
    else
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (o->fd >= 0)
        return true;
    (void)out_fail(path, errno, e);
    out_abandon(o);
    return false;
}

bool out_append(struct out *o, const char *path, struct err *e)
{
    *o = (struct out){.fd = -1};
    o->path = copy_z(path, "");
    o->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, OUT_MODE);
    struct stat st;
    if (o->fd >= 0 && fstat(o->fd, &st) == 0) {
        o->behind = (uint64_t)st.st_size;
        o->is_appended = S_ISREG(st.st_mode);
        return true;
    }
    (void)out_fail(path, errno, e);
    out_abandon(o);
    return false;
}

static void write_all(struct out *o, str text)
{
    size_t done = 0;
    while (done < text.n && !o->error) {
        ssize_t n = write(o->fd, text.p + done, text.n - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            o->error = errno;
    }
    o->total += done;
}

void out_flush(struct out *o)
{
    struct buf shown = {0};
    if (o->is_text)
        buf_visible(&shown, buf_view(&o->b), o->keep);
    write_all(o, buf_view(o->is_text ? &shown : &o->b));
    buf_free(&shown);
    o->b.n = 0;
}

void out_flush_some(struct out *o)
{
    if (o->b.n >= OUT_WORTH_WRITING)
        out_flush(o);
}

void out_hole(struct out *o, uint64_t bytes)
{
    out_flush(o);
    if (!o->error && o->temp && lseek(o->fd, (off_t)bytes, SEEK_CUR) >= 0) {
        o->total += bytes;
        return;
    }
    for (size_t n; bytes; bytes -= n) {
        n = bytes < OUT_WORTH_WRITING ? (size_t)bytes : OUT_WORTH_WRITING;
        buf_fill(&o->b, 0, n);
        out_flush_some(o);
    }
}

static void out_release(struct out *o)
{
    if (o->fd >= 0 && o->fd != STDOUT_FILENO)
        (void)close(o->fd);
    o->fd = -1;
    if (o->temp)
        temporary_done(o->temp);
    buf_free(&o->b);
    mem_free(o->path);
    mem_free(o->target);
    mem_free(o->temp);
    o->path = o->target = o->temp = NULL;
}

bool out_close(struct out *o, struct err *e)
{
    // Figures from an input that lost its end are not published.
    if (!mapping_check(e)) {
        out_abandon(o);
        return false;
    }
    out_flush(o);
    if (!o->error && o->temp && rename(o->temp, o->target) != 0)
        o->error = errno;
    bool is_stdout = out_is_stdout(o->path);
    if (is_stdout && !stdout_error)
        stdout_error = o->error;
    if (!o->error || is_stdout) {
        out_release(o);
        return true;
    }
    (void)out_fail(o->path, o->error, e);
    out_abandon(o);
    return false;
}

void out_abandon(struct out *o)
{
    if (o->temp)
        (void)unlink(o->temp);
    if (o->is_appended && ftruncate(o->fd, (off_t)o->behind) != 0)
        log_line("%s: its last %llu bytes are incomplete", o->path,
                 (unsigned long long)o->total);
    out_release(o);
}
