// attachments.c - finds the attachments of a run and their place in the host's data.
#include "analyse/host/attachments.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/file/folder.h"

#include "analyse/host/attachments_parts.h"
#include "analyse/host/op_ids.h"
#include "formats/host_run/host_run.h"

#define DEVICES     "devices"
#define LOG_NAME    "profile_log_device.csv"
#define CLOCKS_NAME "device_clocks.json"

// The run of a folder: itself, or the one whose logs it has.
static const char *find_run(struct attachments *a, const char *folder)
{
    static const char *const places[] = {"", "/..", "/run"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *run = arena_printf(&a->a, "%s%s", folder, places[i]).p;
        if (path_is_folder(arena_printf(&a->a, "%s/host", run).p))
            return run;
    }
    return NULL;
}

bool attachment_read_clocks(struct attachments *a, struct attachment *at)
{
    struct err ignored = {0}; // an attachment that wrote nothing has no data
    const char *path = arena_printf(&a->a, "%s/%s/" CLOCKS_NAME, a->run, at->folder).p;
    const char *log = arena_printf(&a->a, "%s/%s/" LOG_NAME, a->run, at->folder).p;
    if (!path_is_file(path) || !path_is_file(log) ||
        !device_clocks_read(&at->clocks, path, &ignored))
        return false;
    at->pid = at->clocks.pid;
    at->number = at->clocks.attachment ? at->clocks.attachment : 1;
    return true;
}

static void add_folder(struct attachments *a, const char *folder)
{
    struct attachment at = {.folder = folder, .process = TRACE_NONE};
    if (attachment_read_clocks(a, &at))
        vec_push(&a->v, at);
}

static int by_attached(const void *x, const void *y)
{
    const struct attachment *a = x, *b = y;
    SORT_BY(a, b, clocks.attached_ns);
    SORT_BY(a, b, pid);
    SORT_BY(a, b, number);
    return 0;
}

static void list_folders(struct attachments *a)
{
    DIR *d = opendir(arena_printf(&a->a, "%s/" DEVICES, a->run).p);
    for (const struct dirent *entry; d && (entry = readdir(d));) {
        if (entry->d_name[0] != '.')
            add_folder(a, arena_printf(&a->a, DEVICES "/%s", entry->d_name).p);
    }
    if (d)
        (void)closedir(d);
    if (!a->v.n) // the only one
        add_folder(a, ".logs");
    if (a->v.n)
        qsort(a->v.v, a->v.n, sizeof *a->v.v, by_attached);
}

static void count_logs(struct attachments *a)
{
    a->n_logs = 0;
    for (size_t i = 0; i < a->v.n; i++)
        a->n_logs += a->v.v[i].folder != NULL;
}

// Walks host data of its own: a walk adds to the findings of a trace, and the caller's are
// those of its own walks.
static void number(struct attachments *a, const struct trace *host)
{
    struct trace own;
    struct err ignored = {0}; // without host data the logs alone are numbered
    // A single process has unique numbers, unless it opened its devices twice.
    bool is_alone = a->v.n < 2 && host && host->processes.n < 2;
    bool has_own = !is_alone && host_run_open(&own, a->run, &ignored);
    attachments_number(a, has_own ? &own : host, has_own);
    if (has_own)
        trace_free(&own);
}

void attachments_find(struct attachments *a, const char *folder, const struct trace *host)
{
    *a = (struct attachments){0};
    a->run = folder ? find_run(a, folder) : NULL;
    if (!a->run)
        return;
    if (!attachments_read(a, host)) {
        list_folders(a);
        number(a, host);
    }
    count_logs(a);
}

void attachments_free(struct attachments *a)
{
    for (size_t i = 0; i < a->v.n; i++)
        device_clocks_free(&a->v.v[i].clocks);
    vec_free(&a->v);
    arena_free(&a->a);
    *a = (struct attachments){0};
}

// --- logs ------------------------------------------------------------------------------
bool attachments_have_parts(const struct attachments *a)
{
    for (size_t i = 0; i < a->v.n; i++)
        if (a->v.v[i].folder &&
            (a->n_logs > 1 || a->v.v[i].more_programs || a->v.v[i].more_traces))
            return true;
    return false;
}

bool attachments_read_logs(const struct attachments *a, struct trace *t, struct err *e)
{
    size_t n = 0;
    struct log_part *parts = push_many(&t->arena, struct log_part, a->n_logs);
    for (size_t i = 0; i < a->v.n; i++) {
        const struct attachment *at = &a->v.v[i];
        if (at->folder)
            parts[n++] = (struct log_part){
                .path = arena_printf(&t->arena, "%s/%s/" LOG_NAME, a->run, at->folder).p,
                .pid = at->pid,
                .attachment = at->number,
                .more_programs = at->more_programs,
                .more_traces = at->more_traces};
    }
    return device_logs_read(t, parts, n, e);
}

void attachments_place(const struct attachments *a, struct trace *t)
{
    uint32_t log = 0;
    for (size_t i = 0; i < a->v.n; i++)
        if (a->v.v[i].folder)
            device_clocks_attach(&a->v.v[i].clocks, t, log++);
}

// --- lookups ---------------------------------------------------------------------------
const struct attachment *attachments_at(const struct attachments *a, uint32_t process,
                                        uint64_t ns)
{
    const struct attachment *found = NULL;
    size_t low = 0, high = a->v.n;
    while (low < high) { // the first one of the process
        size_t middle = low + (high - low) / 2;
        if (a->v.v[middle].process < process)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < a->v.n && a->v.v[low].process == process; low++)
        if (!found || a->v.v[low].since_ns <= ns)
            found = &a->v.v[low];
    return found;
}

static bool has_number(const struct clocks_numbers *n, int64_t number)
{
    return number >= n->first && number < n->end;
}

uint32_t attachments_of_run(const struct attachments *a, uint64_t run_id, int64_t *more)
{
    int64_t program = op_id_program(run_id);
    uint32_t log = 0;
    *more = 0;
    for (size_t i = 0; i < a->v.n; i++) {
        const struct attachment *at = &a->v.v[i];
        if (at->folder && has_number(&at->clocks.programs, program - at->more_programs)) {
            *more = at->more_programs;
            return log;
        }
        log += at->folder != NULL;
    }
    return 0;
}

uint32_t attachments_of_trace(const struct attachments *a, int64_t trace)
{
    uint32_t log = 0;
    for (size_t i = 0; i < a->v.n; i++) {
        const struct attachment *at = &a->v.v[i];
        if (at->folder && has_number(&at->clocks.traces, trace - at->more_traces))
            return log;
        log += at->folder != NULL;
    }
    return 0;
}

str attachments_message(const struct attachments *a, uint32_t process, uint64_t ns,
                        str text, struct buf *b)
{
    struct op_id_place places[OP_IDS_MOST];
    const struct attachment *at = a && a->v.n ? attachments_at(a, process, ns) : NULL;
    if (!at || (!at->more_programs && !at->more_traces))
        return text;
    return op_ids_raised(text, places, op_ids_in_message(text, places), at->more_programs,
                         at->more_traces, b);
}

str attachments_zone(const struct attachments *a, uint32_t process, uint64_t ns, str text,
                     struct buf *b)
{
    struct op_id_place places[OP_IDS_MOST];
    const struct attachment *at = a && a->v.n ? attachments_at(a, process, ns) : NULL;
    if (!at || (!at->more_programs && !at->more_traces))
        return text;
    return op_ids_raised(text, places, op_ids_in_zone(text, places), at->more_programs,
                         at->more_traces, b);
}
