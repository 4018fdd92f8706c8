// publish.c - links to all files of a folder, exchanged for what was there before.
#include "base/file/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data/arena.h"
#include "base/file/folder.h"

enum { MOST_DEPTH = 64, MOST_TRIES = 100 };

// --- deleting --------------------------------------------------------------------------
static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// Never through a symbolic link: what it points at is not ours.
static bool delete_at(int folder, const char *name, int depth)
{
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
        return true;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 && depth < MOST_DEPTH ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    const struct dirent *entry;
    bool is_gone = true;
    while ((entry = readdir(d)))
        if (!is_dots(entry->d_name))
            is_gone &= delete_at(fd, entry->d_name, depth + 1);
    (void)closedir(d);
    return is_gone && unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

bool folder_delete(const char *path, struct err *e)
{
    if (delete_at(AT_FDCWD, path, 0))
        return true;
    return err_set(e, ERR_IO, "%s: cannot delete: %s; delete it by hand", path,
                   strerror(errno));
}

// --- filling ---------------------------------------------------------------------------
struct publication {
    struct arena a;
    struct err *e;
};

static bool fill(struct publication *p, const char *from, const char *to, int depth);

static bool take(struct publication *p, const char *from, const char *to, int depth)
{
    struct stat st;
    if (lstat(from, &st) != 0)
        return errno == ENOENT || // it has gone meanwhile
               err_set(p->e, ERR_IO, "%s: %s", from, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return depth < MOST_DEPTH && folder_make(to, p->e) && fill(p, from, to, depth + 1);
    if (!S_ISREG(st.st_mode))
        return true; // sockets and the like
    return link(from, to) == 0 || folder_copy(from, to, p->e);
}

static bool fill(struct publication *p, const char *from, const char *to, int depth)
{
    DIR *d = opendir(from);
    if (!d)
        return err_set(p->e, ERR_IO, "%s: cannot read: %s", from, strerror(errno));
    const struct dirent *entry;
    bool ok = true;
    while (ok && (entry = readdir(d))) {
        const char *name = entry->d_name;
        if (!is_dots(name))
            ok = take(p, arena_printf(&p->a, "%s/%s", from, name).p,
                      arena_printf(&p->a, "%s/%s", to, name).p, depth);
    }
    (void)closedir(d);
    return ok;
}

// --- taking the place ------------------------------------------------------------------
static bool cannot(const char *to, struct err *e)
{
    return err_set(e, ERR_IO, "%s: cannot replace: %s", to, strerror(errno));
}

// Where the file system cannot exchange two names there is a moment without the folder.
static bool move_away(const char *to, const char *old)
{
    return rename(to, old) == 0 || errno == ENOENT;
}

// What was at `to` is at `fresh` or `old` when it returns.
static bool exchange(const char *fresh, const char *to, const char *old, struct err *e)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        if (renameat2(AT_FDCWD, fresh, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
            return true;
        bool can_exchange = errno != EINVAL && errno != ENOSYS;
        if (can_exchange && errno != ENOENT)
            return cannot(to, e);
        if (!can_exchange && !move_away(to, old))
            return cannot(to, e);
        if (rename(fresh, to) == 0)
            return true;
        // Somebody else was quicker: once more.
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
            return cannot(to, e);
    }
    return err_set(e, ERR_IO, "%s: too many runs write there at once", to);
}

bool folder_publish(const char *from, const char *to, const struct publish_note *note,
                    struct err *e)
{
    struct publication p = {.e = e};
    struct err later = {0};
    char *fresh = (char *)arena_printf(&p.a, "%s.XXXXXX", to).p;
    bool ok = mkdtemp(fresh) != NULL || cannot(to, e);
    if (ok) {
        const char *old = arena_printf(&p.a, "%s.old", fresh).p;
        (void)chmod(fresh, 0755);
        ok = fill(&p, from, fresh, 0);
        if (ok && note)
            // A link that cannot be made is only missed by those who look for it.
            (void)!symlink(note->target, arena_printf(&p.a, "%s/%s", fresh, note->name).p);
        ok = ok && exchange(fresh, to, old, e);
        (void)folder_delete(fresh, &later);
        (void)folder_delete(old, &later);
    }
    arena_free(&p.a);
    return ok;
}
