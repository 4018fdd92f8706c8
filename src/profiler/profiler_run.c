// profiler_run.c - makes the folder of an attachment, and links to its files.
#include "profiler/profiler_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/folder.h"

#include "ttprof/host.h"

enum { FOLDERS_MOST = 100000, PATH_MOST = sizeof((struct profiler_options *)0)->folder };

static str trimmed(const char *path)
{
    str s = str_of(path ? path : "");
    while (s.n > 1 && s.p[s.n - 1] == '/')
        s.n--;
    return s;
}

// Does this process write its files to the folder of the run it belongs to?
static bool is_in_run(const struct profiler_options *o)
{
    str run = trimmed(getenv("TTPROF_RUN"));
    return run.n && str_eq(run, trimmed(o->folder)) && !o->no_files;
}

// A pid may return in a run: the folder is the first that does not exist.
static bool make_own(struct profiler_options *o, struct err *e)
{
    char path[PATH_MOST + sizeof o->logs];
    (void)snprintf(path, sizeof path, "%s" RUN_DEVICES, o->folder);
    if (!folder_make(path, e))
        return false;
    for (int i = 1; i < FOLDERS_MOST; i++) {
        (void)snprintf(o->logs, sizeof o->logs, RUN_DEVICES "/%ld-%d", (long)getpid(), i);
        (void)snprintf(path, sizeof path, "%s%s", o->folder, o->logs);
        if (mkdir(path, folder_mode()) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    return err_set(e, ERR_IO, "%s: cannot create folder: %s", path, strerror(errno));
}

// Raw dumps: the first attachment has the folder itself, others a folder in it each.
static bool separate_dumps(struct profiler_options *o, struct err *e)
{
    char path[PATH_MOST + sizeof o->logs];
    (void)snprintf(path, sizeof path, "%s" RUN_DEVICES "/" RUN_DUMPED, o->folder);
    if (!o->dump_raw[0] || mkdir(path, folder_mode()) == 0)
        return true;
    size_t n = strlen(o->dump_raw);
    int more = snprintf(o->dump_raw + n, sizeof o->dump_raw - n, "%s",
                        o->logs + strlen(RUN_DEVICES));
    if (more < 0 || (size_t)more >= sizeof o->dump_raw - n)
        return err_set(e, ERR_USAGE, "TTPROF_DUMP_RAW is longer than %zu bytes",
                       sizeof o->dump_raw - sizeof o->logs);
    return true;
}

// NoC traces go to .logs of the run unless the user chose another folder.
static void move_noc_traces(struct profiler_options *o)
{
    char logs[PATH_MOST + 8];
    (void)snprintf(logs, sizeof logs, "%s.logs", o->folder);
    if (str_eq(trimmed(o->noc_folder), trimmed(logs)))
        o->noc_folder[0] = '\0';
}

// Host ops that follow belong to this attachment: a process may open its devices again, and
// traces are then numbered from 0 again.
static void tell_host(const struct collection *c)
{
    char text[64];
    int n = snprintf(text, sizeof text, "TTPROF_ATTACHMENT: %u", c->attachment);
    if (c->attachment > 1)
        ttprof_message_as(text, (size_t)n, TTPROF_DEBUG, 0);
}

bool profiler_run_enter(struct collection *c, struct err *e)
{
    static uint32_t n_attachments;
    struct profiler_options *o = &c->options;
    o->logs[0] = '\0';
    if (!is_in_run(o))
        return true;
    if (!c->attachment) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        c->attachment = __atomic_add_fetch(&n_attachments, 1, __ATOMIC_RELAXED);
        c->attached_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        tell_host(c);
    }
    move_noc_traces(o);
    return make_own(o, e) && separate_dumps(o, e);
}

void profiler_run_show(const struct collection *c)
{
    const struct profiler_options *o = &c->options;
    char path[PATH_MOST + sizeof o->logs];
    if (!o->logs[0])
        return;
    (void)snprintf(path, sizeof path, "%s%s", o->folder, o->logs);
    DIR *d = opendir(path);
    for (const struct dirent *entry; d && (entry = readdir(d));) {
        char link[PATH_MOST + 300], fresh[sizeof link + 32], target[600];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(target, sizeof target, "../%s/%s", o->logs, entry->d_name);
        (void)snprintf(link, sizeof link, "%s.logs/%s", o->folder, entry->d_name);
        (void)snprintf(fresh, sizeof fresh, "%s.%ld", link, (long)getpid());
        // Without the link the run is still complete.
        if (symlink(target, fresh) == 0 && rename(fresh, link) != 0)
            (void)unlink(fresh);
    }
    if (d)
        (void)closedir(d);
}
