// logs.c - moves the files of the only attachment to .logs, or has several merged there.
#include "app/run/logs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/profiler_run.h"

// While the run lasts, .logs has links to the files of the last attachment.
static void remove_links(struct wrapped_run *r, struct arena *a)
{
    DIR *d = opendir(r->logs);
    for (const struct dirent *entry; d && (entry = readdir(d));) {
        struct stat st;
        const char *path = arena_printf(a, "%s/%s", r->logs, entry->d_name).p;
        if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
            (void)unlink(path);
    }
    if (d)
        (void)closedir(d);
}

static bool move_files(struct wrapped_run *r, const char *folder, struct arena *a)
{
    DIR *d = opendir(folder);
    bool ok = d != NULL;
    for (const struct dirent *entry; ok && (entry = readdir(d));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        ok = rename(arena_printf(a, "%s/%s", folder, entry->d_name).p,
                    arena_printf(a, "%s/%s", r->logs, entry->d_name).p) == 0;
    }
    if (d)
        (void)closedir(d);
    return ok && rmdir(folder) == 0;
}

// The only attachment, if its numbers stay as they are; else NULL.
static struct attachment *only_one(const struct attachments *a)
{
    for (size_t i = 0; a->n_logs == 1 && i < a->v.n; i++) {
        struct attachment *at = &a->v.v[i];
        if (at->folder)
            return at->more_programs || at->more_traces ? NULL : at;
    }
    return NULL;
}

// Folders of attachments that ended before they wrote anything, and an empty `devices`.
static void remove_empty(const struct wrapped_run *r, struct arena *a)
{
    const char *devices = arena_printf(a, "%s/" RUN_DEVICES, r->folder).p;
    DIR *d = opendir(devices);
    for (const struct dirent *entry; d && (entry = readdir(d));)
        if (entry->d_name[0] != '.')
            (void)rmdir(arena_printf(a, "%s/%s", devices, entry->d_name).p);
    if (d)
        (void)closedir(d);
    (void)rmdir(arena_printf(a, "%s/" RUN_DUMPED, devices).p);
    (void)rmdir(devices);
}

void run_logs_settle(struct wrapped_run *r, struct attachments *a)
{
    struct arena arena = {0};
    struct err e = {0};
    struct attachment *one = only_one(a);
    remove_links(r, &arena);
    if (one && strcmp(one->folder, ".logs") != 0) {
        const char *folder = arena_printf(&arena, "%s/%s", r->folder, one->folder).p;
        if (move_files(r, folder, &arena))
            one->folder = ".logs";
        else
            run_problem(r, "%s: cannot move its files to .logs: %s", folder,
                        strerror(errno));
    } else if (!one && a->n_logs) {
        run_logs_merge(r, a, r->logs);
    }
    remove_empty(r, &arena);
    if (a->v.n > 1 && !attachments_write(a, &e))
        run_problem(r, "%s", e.text);
    arena_free(&arena);
}
