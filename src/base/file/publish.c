// publish.c - links to all files of a folder, exchanged for the previous folder.
#include "base/file/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data/arena.h"
#include "base/file/folder.h"
#include "base/file/temporary.h"

enum { MOST_DEPTH = 64, MOST_TRIES = 100 };

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// --- filling ---------------------------------------------------------------------------
struct publication {
    struct arena a;
    struct err *e;
};

static bool fill_folder(struct publication *p, const char *from, const char *to, int depth);

static bool link_or_copy(struct publication *p, const char *from, const char *to, int depth)
{
    struct stat st;
    if (lstat(from, &st) != 0)
        return errno == ENOENT || // deleted meanwhile
               err_set(p->e, ERR_IO, "%s: %s", from, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return depth < MOST_DEPTH && folder_make(to, p->e) &&
               fill_folder(p, from, to, depth + 1);
    if (!S_ISREG(st.st_mode))
        return true; // sockets and the like
    return link(from, to) == 0 || folder_copy(from, to, p->e);
}

static bool fill_folder(struct publication *p, const char *from, const char *to, int depth)
{
    DIR *d = opendir(from);
    if (!d)
        return err_set(p->e, ERR_IO, "%s: cannot read: %s", from, strerror(errno));
    const struct dirent *entry;
    bool ok = true;
    while (ok && (entry = readdir(d))) {
        const char *name = entry->d_name;
        if (!is_dots(name))
            ok = link_or_copy(p, arena_printf(&p->a, "%s/%s", from, name).p,
                              arena_printf(&p->a, "%s/%s", to, name).p, depth);
    }
    (void)closedir(d);
    return ok;
}

// --- exchanging ------------------------------------------------------------------------
static bool fail_replace(const char *to, struct err *e)
{
    return err_set(e, ERR_IO, "%s: cannot replace: %s", to, strerror(errno));
}

// If the file system cannot exchange two names, the folder is missing for a moment.
static bool move_away(const char *to, const char *old)
{
    return rename(to, old) == 0 || errno == ENOENT;
}

// Afterwards the previous `to` is at `fresh` or `old`.
static bool exchange_folders(const char *fresh, const char *to, const char *old,
                             struct err *e)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        if (renameat2(AT_FDCWD, fresh, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
            return true;
        bool can_exchange = errno != EINVAL && errno != ENOSYS;
        if (can_exchange && errno != ENOENT)
            return fail_replace(to, e);
        if (!can_exchange && !move_away(to, old))
            return fail_replace(to, e);
        if (rename(fresh, to) == 0)
            return true;
        // Another process was faster: try again.
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
            return fail_replace(to, e);
    }
    return err_set(e, ERR_IO, "%s: too many runs write there at once", to);
}

bool folder_publish(const char *from, const char *to, const struct publish_note *note,
                    struct err *e)
{
    struct publication p = {.e = e};
    struct err later = {0};
    char *fresh = (char *)arena_printf(&p.a, "%s.XXXXXX", to).p;
    bool ok = temporary_folder(fresh) || fail_replace(to, e);
    if (ok) {
        const char *old = arena_printf(&p.a, "%s.old", fresh).p;
        (void)chmod(fresh, folder_mode());
        ok = fill_folder(&p, from, fresh, 0);
        if (ok && note)
            // The note is optional.
            (void)!symlink(note->target, arena_printf(&p.a, "%s/%s", fresh, note->name).p);
        ok = ok && exchange_folders(fresh, to, old, e);
        (void)folder_delete(fresh, &later);
        (void)folder_delete(old, &later);
        temporary_done(fresh);
    }
    arena_free(&p.a);
    return ok;
}
