// facts.c - collects what a run recorded, from its folder.
#include <dirent.h>
#include <sys/stat.h>

#include "app/run/logs.h"
#include "app/run/outputs.h"

const struct run_loss run_losses[TT_LOSSES] = {
    [TT_LOSS_FULL] = {"full", "their threads were faster than the disk",
                      "use a larger --ring-size, or --policy block to make them wait"},
    [TT_LOSS_OLDEST] = {"oldest", "newer events overwrote them (--policy drop-oldest)",
                        "a larger --ring-size keeps more"},
    [TT_LOSS_HANDLER] = {"handler", "signal handlers interrupted other events",
                         "do not use zones in signal handlers"},
    [TT_LOSS_DISK] = {"disk", "they could not be written",
                      "free disk space, choose another disk with -o, or raise --max-size"},
};

// Total bytes of the files in a folder tree; *n counts them.
static uint64_t folder_bytes(struct arena *a, const char *path, uint64_t *n)
{
    DIR *d = opendir(path);
    const struct dirent *entry;
    uint64_t sum = 0;
    while (d && (entry = readdir(d))) {
        struct stat st;
        const char *file = arena_printf(a, "%s/%s", path, entry->d_name).p;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            lstat(file, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            sum += folder_bytes(a, file, n);
        else if (S_ISREG(st.st_mode)) {
            sum += (uint64_t)st.st_size;
            ++*n;
        }
    }
    if (d)
        (void)closedir(d);
    return sum;
}

static void add_track(struct run_facts *f, const struct trace_track *t)
{
    f->events += t->n_events;
    f->n_threads += t->kind == TRACK_THREAD;
    for (int i = 0; i < TT_LOSSES; i++) {
        f->lost[i] += t->lost[i];
        f->n_lost += t->lost[i];
    }
}

static void find_host(struct run_facts *f, const struct wrapped_run *r)
{
    struct err e = {0};
    f->n_seen = r->n_processes;
    f->has_host = host_run_open(&f->host, r->folder, &e);
    if (!f->has_host)
        return;
    // Most are waited for by their parents and appear only in the log.
    if (f->host.log.processes.n > f->n_seen)
        f->n_seen = f->host.log.processes.n;
    f->n_processes = f->host.processes.n;
    for (size_t i = 0; i < f->host.tracks.n; i++)
        add_track(f, &f->host.tracks.v[i]);
    for (size_t i = 0; i < f->host.processes.n; i++) {
        const struct trace_process *p = &f->host.processes.v[i];
        if (p->clock_error_ns > f->clock_error_ns)
            f->clock_error_ns = p->clock_error_ns;
        f->n_virtual += p->clock == PROCESS_CLOCK_VIRTUAL;
        f->lost[TT_LOSS_DISK] += p->lost;
        f->n_lost += p->lost;
    }
}

void run_facts_find(struct run_facts *f, struct wrapped_run *r)
{
    uint64_t n_files = 0;
    *f = (struct run_facts){0};
    find_host(f, r);
    attachments_find(&f->attachments, r->folder, f->has_host ? &f->host : NULL);
    run_logs_settle(r, &f->attachments);
    f->host_bytes =
        folder_bytes(&f->a, arena_printf(&f->a, "%s/host", r->folder).p, &n_files);
    f->log_bytes = folder_bytes(&f->a, r->logs, &f->n_logs);
    const char *slash = strrchr(r->folder, '/');
    f->folder = arena_printf(&f->a, "%s/runs/%s", r->root, slash ? slash + 1 : "").p;
}

void run_facts_free(struct run_facts *f)
{
    if (f->has_host)
        trace_free(&f->host);
    attachments_free(&f->attachments);
    arena_free(&f->a);
}
