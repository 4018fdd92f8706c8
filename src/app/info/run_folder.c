// run_folder.c - one-screen summary of a run folder: `ttprof info RUN`.
#include "base/text/json.h"
#include "base/text/num.h"

#include "analyse/host/attachments.h"
#include "app/app.h"
#include "app/info/info.h"
#include "formats/host_run/host_run.h"

enum { PROCESSES_SHOWN = 20 };

static const char *const loss_names[TT_LOSSES] = {
    [TT_LOSS_FULL] = "full", // of a ring
    [TT_LOSS_OLDEST] = "overwritten",
    [TT_LOSS_HANDLER] = "handler",
    [TT_LOSS_DISK] = "disk",
};

// Totals of one process, or of all.
struct run_count {
    size_t n_threads, n_fibers;
    uint64_t events, lost[TT_LOSSES];
    uint64_t missing; // from the files
};

static void count_process(const struct trace *r, const struct trace_process *p,
                          struct run_count *n)
{
    n->missing += p->n_missing;
    for (size_t i = 0; i < p->tracks.n; i++) {
        const struct trace_track *t = &r->tracks.v[p->tracks.v[i]];
        n->n_threads += t->kind == TRACK_THREAD;
        n->n_fibers += t->kind == TRACK_FIBER;
        n->events += t->n_events;
        for (int k = 0; k < TT_LOSSES; k++)
            n->lost[k] += t->lost[k];
    }
}

static uint64_t total_lost(const struct run_count *n)
{
    uint64_t lost = 0;
    for (int k = 0; k < TT_LOSSES; k++)
        lost += n->lost[k];
    return lost;
}

static void put_count(struct buf *b, uint64_t n)
{
    num_put_fixed(b, (double)n, 0, true);
}

// How the process ended, if known.
static void put_end(struct buf *b, const struct trace *r, const struct trace_process *p)
{
    const struct process *log = p->log == TRACE_NONE ? NULL : &r->log.processes.v[p->log];
    if (log && log->end == PROCESS_EXITED)
        buf_printf(b, "exit code %d", log->status);
    else if (log && log->end == PROCESS_SIGNALLED)
        buf_printf(b, "signal %d", log->status);
    else if (p->has_ended)
        buf_z(b, "regularly");
    else
        buf_z(b, "not seen");
}

static str program_of(const struct trace *r, const struct trace_process *p)
{
    str program = r->strings.keys.v[p->program];
    return program.n ? program : S("?");
}

// --- text ------------------------------------------------------------------------------

static void put_events(struct buf *b, const char *name, const struct run_count *n)
{
    struct buf text = {0};
    put_count(&text, n->events);
    buf_z(&text, ", lost ");
    put_count(&text, total_lost(n));
    bool is_first = true;
    for (int k = 0; k < TT_LOSSES; k++) {
        if (!n->lost[k])
            continue;
        buf_printf(&text, "%s%s ", is_first ? " (" : ", ", loss_names[k]);
        put_count(&text, n->lost[k]);
        is_first = false;
    }
    buf_z(&text, is_first ? "" : ")");
    if (n->missing) {
        buf_z(&text, ", missing ");
        put_count(&text, n->missing);
    }
    command_fact(b, name, "%.*s", STR(text));
    buf_free(&text);
}

static void put_process(struct buf *b, const struct trace *r, const struct trace_process *p)
{
    struct run_count n = {0};
    struct buf end = {0};
    count_process(r, p, &n);
    put_end(&end, r, p);
    buf_printf(b, "\nProcess %u, %.*s\n", p->pid, STR(program_of(r, p)));
    command_fact(b, "  time", "%.6f s to %.6f s", (double)p->start_ns / 1e9,
                 (double)p->end_ns / 1e9);
    command_fact(b, "  ended", "%.*s", STR(end));
    if (p->log != TRACE_NONE && r->log.processes.v[p->log].rank >= 0)
        command_fact(b, "  rank", "%lld", (long long)r->log.processes.v[p->log].rank);
    if (n.n_fibers)
        command_fact(b, "  threads", "%zu, and %zu fibers", n.n_threads, n.n_fibers);
    else
        command_fact(b, "  threads", "%zu", n.n_threads);
    put_events(b, "  events", &n);
    if (p->clock != PROCESS_CLOCK_REAL)
        command_fact(b, "  clock", "%s", process_clock_facts[p->clock]);
    command_fact(b, "  clock error", "%.0f ns", p->clock_error_ns);
    buf_free(&end);
}

// The chips of each attachment, and where their log is.
static void put_devices(struct buf *b, const struct attachments *a)
{
    for (size_t i = 0; i < a->v.n; i++) {
        const struct attachment *at = &a->v.v[i];
        for (size_t c = 0; at->folder && c < at->clocks.chips.n; c++) {
            buf_printf(b, "\nDevice %lld of process %u\n",
                       (long long)at->clocks.chips.v[c].chip, at->pid);
            command_fact(b, "  attachment", "%u", at->number);
            command_fact(b, "  log", "%s/profile_log_device.csv", at->folder);
            long long first = at->more_programs + at->clocks.programs.first;
            command_fact(b, "  programs", "%u, numbered from %lld",
                         at->clocks.programs.end - at->clocks.programs.first, first);
        }
    }
}

static void put_text(struct buf *b, const struct trace *r, const struct attachments *a)
{
    struct run_count n = {0};
    for (size_t i = 0; i < r->processes.n; i++)
        count_process(r, &r->processes.v[i], &n);
    command_fact(b, "run", "%s", r->folder ? r->folder : r->path);
    command_fact(b, "span", "%.6f s", (double)r->end_ns / 1e9);
    command_fact(b, "processes", "%zu seen, %zu recorded events", r->log.processes.n,
                 r->processes.n);
    command_fact(b, "threads", "%zu", n.n_threads);
    command_fact(b, "places", "%zu in the sources", r->sites.n - 1);
    put_events(b, "events", &n);
    for (size_t i = 0; i < r->processes.n && i < PROCESSES_SHOWN; i++)
        put_process(b, r, &r->processes.v[i]);
    if (r->processes.n > PROCESSES_SHOWN)
        buf_printf(b, "\n... and %zu more processes: see --json\n",
                   r->processes.n - PROCESSES_SHOWN);
    put_devices(b, a);
    buf_char(b, '\n');
    command_fact(b, "odd data", "%llu in all",
                 (unsigned long long)diag_total(trace_findings(r)));
}

// --- json ------------------------------------------------------------------------------

static void put_losses(struct json *j, const struct run_count *n)
{
    json_key(j, S("lost"));
    json_open(j, '{');
    for (int k = 0; k < TT_LOSSES; k++)
        json_key_int(j, loss_names[k], (int64_t)n->lost[k]);
    json_close(j, '}');
}

static void put_json_process(struct json *j, const struct trace *r,
                             const struct trace_process *p)
{
    struct run_count n = {0};
    struct buf end = {0};
    count_process(r, p, &n);
    put_end(&end, r, p);
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "pid", p->pid);
    json_key_int(j, "parent", p->parent_pid);
    json_key_text(j, "program", program_of(r, p));
    json_key_int(j, "rank", p->log == TRACE_NONE ? -1 : r->log.processes.v[p->log].rank);
    json_key_text(j, "ended", buf_view(&end));
    json_key_int(j, "start_ns", (int64_t)p->start_ns);
    json_key_int(j, "end_ns", (int64_t)p->end_ns);
    json_key_int(j, "threads", (int64_t)n.n_threads);
    json_key_int(j, "fibers", (int64_t)n.n_fibers);
    json_key_int(j, "events", (int64_t)n.events);
    put_losses(j, &n);
    json_key_int(j, "missing", (int64_t)n.missing);
    json_key_text(j, "clock", str_of(process_clock_names[p->clock]));
    json_key_int(j, "clock_error_ns", (int64_t)p->clock_error_ns);
    json_key_int(j, "stream_error", p->stream_error);
    json_close(j, '}');
    buf_free(&end);
}

static void put_json_device(struct json *j, const struct attachment *at)
{
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "pid", at->pid);
    json_key_int(j, "attachment", at->number);
    json_key_text(j, "folder", str_of(at->folder));
    json_key(j, S("chips"));
    json_open(j, '[');
    for (size_t c = 0; c < at->clocks.chips.n; c++)
        json_int(j, at->clocks.chips.v[c].chip);
    json_close(j, ']');
    json_key_int(j, "more_programs", at->more_programs);
    json_key_int(j, "more_traces", at->more_traces);
    json_close(j, '}');
}

static void put_json(struct buf *b, const struct trace *r, const struct attachments *a)
{
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "run", str_of(r->path));
    json_key_int(&j, "span_ns", (int64_t)r->end_ns);
    json_key_int(&j, "seen", (int64_t)r->log.processes.n);
    json_key_int(&j, "places", (int64_t)r->sites.n - 1);
    json_key_int(&j, "odd", (int64_t)diag_total(trace_findings(r)));
    json_key(&j, S("processes"));
    json_open(&j, '[');
    for (size_t i = 0; i < r->processes.n; i++)
        put_json_process(&j, r, &r->processes.v[i]);
    json_close(&j, ']');
    json_key(&j, S("devices"));
    json_open(&j, '[');
    for (size_t i = 0; i < a->v.n; i++)
        if (a->v.v[i].folder)
            put_json_device(&j, &a->v.v[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(b, '\n');
}

int info_run(const char *path, bool as_json, struct err *e)
{
    struct trace r;
    struct buf b = {0};
    if (!host_run_open(&r, path, e))
        return err_exit_code(e->code);
    struct attachments a;
    attachments_find(&a, r.folder, &r);
    if (as_json)
        put_json(&b, &r, &a);
    else
        put_text(&b, &r, &a);
    attachments_free(&a);
    int code = command_print(&b, e);
    command_findings("info", trace_findings(&r), false, e);
    trace_free(&r);
    return code;
}
