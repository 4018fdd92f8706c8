// host_run_tracy.c - captures of Tracy clients, RUN/tracy/*.tracy, as further processes.
//
// processes.log has the time of CLOCK_MONOTONIC at which each capture's time 0 was. A file
// that it does not mention was put there by someone else.
#include <dirent.h>
#include <stdlib.h>

#include "formats/diags.h"
#include "formats/host_run/host_run.h"
#include "formats/host_run/host_run_files.h"
#include "formats/tracy/tracy_trace.h"
#include "trace/diags.h"

struct capture_names {
    VEC(str) v;
};

static int by_name(const void *a, const void *b)
{
    const str *x = a, *y = b;
    return strcmp(x->p, y->p);
}

static void list_captures(struct capture_names *names, const char *folder, struct arena *a)
{
    DIR *d = opendir(folder);
    for (const struct dirent *entry; d && (entry = readdir(d));) {
        str name = str_of(entry->d_name);
        if (entry->d_name[0] != '.' && str_ends(name, S(".tracy")))
            vec_push(&names->v, arena_str(a, name));
    }
    if (d)
        (void)closedir(d);
    if (names->v.n)
        qsort(names->v.v, names->v.n, sizeof *names->v.v, by_name);
}

// A process that is alone has nothing to be compared with.
static void count_clock(struct trace *t, str name)
{
    const struct process_capture *c = process_log_capture(&t->log, name);
    bool is_known = c && !str_is(c->source, RUN_TRACY_ARRIVAL);
    if (is_known || t->processes.n < 2 || !diag_count(&t->diag, DIAG_TRACY_CLOCK))
        return;
    if (c)
        diag_note(&t->diag, DIAG_TRACY_CLOCK, "%.*s: its times are right within %.3f ms",
                  STR(name), (double)c->error_ns / 1e6);
    else
        diag_note(&t->diag, DIAG_TRACY_CLOCK, "%.*s: its times begin at 0", STR(name));
}

static void add_capture(struct trace *t, const char *folder, str name, bool is_alone)
{
    struct err e = {0};
    const char *path = arena_printf(&t->arena, "%s/%.*s", folder, STR(name)).p;
    const struct process_capture *c = process_log_capture(&t->log, name);
    struct tracy_in_run in_run = {.log = TRACE_NONE, .clock = PROCESS_CLOCK_APART};
    if (c)
        in_run = (struct tracy_in_run){
            .log = c->process,
            .begin_ns = c->begin_ns > t->origin_ns ? c->begin_ns - t->origin_ns : 0,
            .error_ns = (double)c->error_ns,
        };
    in_run.is_alone = is_alone;
    if (!tracy_trace_add(t, path, &in_run, &e) &&
        diag_count(&t->diag, DIAG_HOST_FILE_DAMAGED))
        diag_note(&t->diag, DIAG_HOST_FILE_DAMAGED, "%s", e.text);
}

void host_run_read_captures(struct trace *t, const char *path)
{
    struct capture_names names = {0};
    const char *folder = arena_printf(&t->arena, "%s/" RUN_TRACY, path).p;
    list_captures(&names, folder, &t->arena);
    bool is_alone = names.v.n == 1 && !t->processes.n;
    for (size_t i = 0; i < names.v.n; i++)
        add_capture(t, folder, names.v.v[i], is_alone);
    for (size_t i = 0; i < names.v.n; i++)
        count_clock(t, names.v.v[i]);
    vec_free(&names.v);
}
