// captured.c - what Tracy clients of the run sent, under the name that tt-metal's tools
// expect, and in the closing lines. Everything else reads it as processes of the run.
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/convert/convert.h"
#include "app/run/clients.h"
#include "app/run/outputs.h"

static size_t count_files(const struct wrapped_run *r, const char **path)
{
    size_t n = 0;
    for (size_t i = 0; i < run_clients_count(r->clients); i++) {
        const struct run_capture *one = run_clients_at(r->clients, i);
        if (one->path && !n++)
            *path = one->path;
    }
    return n;
}

// A second name for the same file, as it is not changed any more.
static bool put_in_logs(const char *from, const char *to, struct err *e)
{
    if (link(from, to) == 0)
        return true;
    return folder_copy(from, to, e); // not every file system can
}

void run_captured_publish(struct run_facts *f, struct wrapped_run *r, const char *logs)
{
    struct err e = {0};
    const char *only = NULL;
    const char *to = arena_printf(&f->a, "%s/tracy_profile_log_host.tracy", logs).p;
    size_t n = count_files(r, &only);
    bool is_wanted = n || r->v->process_logs_only || (r->v->report && !r->skips_reports);
    if (!is_wanted || !f->has_host || path_is_file(to)) // the command may have left one
        return;
    struct diag odd = {0};
    struct tracy_write_how how = tracy_write_usual(TRACY_F10);
    how.diag = &odd;
    bool ok = n == 1 ? put_in_logs(only, to, &e)
                     : convert_run("run", f->host.folder, to, how, NULL, &e);
    if (!ok)
        run_problem(r, "%s", e.text);
    command_findings("run", &odd, false, &e);
}

void run_captured_tell(const struct wrapped_run *r)
{
    for (size_t i = 0; i < run_clients_count(r->clients); i++) {
        const struct run_capture *one = run_clients_at(r->clients, i);
        struct buf b = {0};
        if (!one->path)
            continue;
        command_count(&b, one->n_zones, "zone", "zones");
        buf_z(&b, " and ");
        command_count(&b, one->n_messages, "message", "messages");
        log_line("run: %.*s captured from the Tracy client of process %u: %s", STR(b),
                 one->pid, one->path);
        buf_free(&b);
    }
}
