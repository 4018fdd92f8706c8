// preload.c - unpacks the library that is preloaded into the processes of a run.
#include "app/run/preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/file/temporary.h"

#include "preload_library.h" // generated: the library's bytes
#include "record/process_log_write.h"

// The loader ends a path at spaces and colons, and expands $.
static bool can_be_listed(const char *path)
{
    return strpbrk(path, " :$\t\n") == NULL;
}

// The file system may be mounted noexec.
static bool can_be_mapped(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    void *p = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
    (void)fclose(f);
    if (p == MAP_FAILED)
        return false;
    (void)munmap(p, 1);
    return true;
}

static bool put_path(char *path, size_t room, const char *folder, struct err *e)
{
    int n = snprintf(path, room, "%s/" PRELOAD_NAME, folder);
    return (n > 0 && (size_t)n < room) ||
           err_set(e, ERR_IO, "%s: the path is too long; choose a shorter one with -o",
                   folder);
}

static bool unpack_into(const char *folder, char *path, size_t room, struct err *e)
{
    struct out o;
    if (!put_path(path, room, folder, e) || !folder_make(folder, e) ||
        !out_open(&o, path, e))
        return false;
    buf_str(&o.b, (str){preload_library, sizeof preload_library - 1});
    if (!out_close(&o, e))
        return false;
    if (chmod(path, 0755) != 0)
        return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    return true;
}

static bool unpack_elsewhere(char *path, size_t room, struct err *e)
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/' || !can_be_listed(base))
        base = "/tmp";
    char folder[512];
    int n = snprintf(folder, sizeof folder, "%s/ttprof-XXXXXX", base);
    if (n < 0 || (size_t)n >= sizeof folder || !temporary_folder(folder))
        return err_set(e, ERR_IO, "%s: cannot create a folder: %s", base, strerror(errno));
    (void)chmod(folder, 0755); // programs that change their user load it too
    if (!unpack_into(folder, path, room, e) || !can_be_mapped(path)) {
        preload_remove(path);
        return e->code
                   ? false
                   : err_set(
                         e, ERR_IO,
                         "%s: nothing can be executed there; set TMPDIR to a folder without noexec",
                         base);
    }
    return true;
}

bool preload_unpack(const char *run_folder, char *path, size_t room, struct err *e)
{
    *e = (struct err){0};
    if (can_be_listed(run_folder)) {
        struct buf lib = {0};
        buf_printf(&lib, "%s/lib", run_folder);
        bool is_there = unpack_into(lib.p, path, room, e);
        buf_free(&lib);
        if (!is_there)
            return false;
        if (can_be_mapped(path))
            return true;
        preload_remove(path);
    }
    return unpack_elsewhere(path, room, e);
}

void preload_remove(const char *path)
{
    struct buf folder = {0};
    const char *slash = strrchr(path, '/');
    if (!slash || strcmp(slash + 1, PRELOAD_NAME) != 0)
        return;
    (void)unlink(path);
    buf_str(&folder, (str){path, (size_t)(slash - path)});
    buf_char(&folder, '\0');
    (void)rmdir(folder.p);
    temporary_done(folder.p);
    buf_free(&folder);
}

void preload_list(struct buf *b, const char *path, const char *old)
{
    buf_z(b, path);
    for (str rest = str_of(old); rest.n;) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] != ':' && rest.p[n] != ' ')
            n++;
        str one = {rest.p, n};
        rest = str_from(rest, n + 1);
        if (one.n && !str_ends(one, S("/" PRELOAD_NAME))) {
            buf_char(b, ':');
            buf_str(b, one);
        }
    }
    buf_char(b, '\0');
    b->n--; // a zero byte follows it
}
