// captured.c - what Tracy clients of the run sent, as outputs.
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/run/clients.h"
#include "app/run/outputs.h"
#include "formats/tracy/tracy_trace.h"

static const char name_in_logs[] = "tracy_profile_log_host.tracy";

// A second name for the same file, as it is not changed any more.
static bool put_in_logs(const char *from, const char *to, struct err *e)
{
    if (link(from, to) == 0)
        return true;
    return folder_copy(from, to, e); // not every file system can
}

void run_captured_open(struct run_facts *f, struct wrapped_run *r, const char *logs)
{
    struct err e = {0};
    const char *path = arena_printf(&f->a, "%s/%s", logs, name_in_logs).p;
    if (!path_is_file(path))
        return;
    f->has_captured = tracy_trace_add(&f->captured, path, &e);
    if (!f->has_captured)
        run_problem(r, "%s", e.text);
}

void run_captured_find(struct run_facts *f, struct wrapped_run *r)
{
    struct err e = {0};
    const struct run_capture *most = run_clients_main(r->clients);
    const char *to = arena_printf(&f->a, "%s/%s", r->logs, name_in_logs).p;
    if (!most)
        return;
    if (!put_in_logs(most->path, to, &e))
        run_problem(r, "%s", e.text);
    else if (r->v->report && !r->skips_reports)
        run_captured_open(f, r, r->logs);
}

void run_captured_tell(const struct wrapped_run *r)
{
    const struct run_capture *most = run_clients_main(r->clients);
    for (size_t i = 0; i < run_clients_count(r->clients); i++) {
        const struct run_capture *one = run_clients_at(r->clients, i);
        struct buf b = {0};
        if (!one->path)
            continue;
        command_count(&b, one->n_zones, "zone", "zones");
        buf_z(&b, " and ");
        command_count(&b, one->n_messages, "message", "messages");
        log_line("run: %.*s captured from the Tracy client of process %u: %s%s", STR(b),
                 one->pid, one->path,
                 one == most && run_clients_count(r->clients) > 1
                     ? "; the tables are made of these"
                     : "");
        buf_free(&b);
    }
}

const struct trace *run_facts_events(const struct run_facts *f)
{
    return f->has_captured ? &f->captured : f->has_host ? &f->host : NULL;
}
