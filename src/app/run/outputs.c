// outputs.c - writes the outputs of a finished run and prints the closing lines.
#include "app/run/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/log.h"

#include "app/ops/ops.h"
#include "app/run/clients.h"
#include "present/reports/zones_csv.h"

// --- tables of the host's zones and messages -------------------------------------------
static void write_tables(struct wrapped_run *r, struct run_facts *f, const char *logs)
{
    struct err e = {0};
    const char *times = arena_printf(&f->a, "%s/tracy_ops_times.csv", logs).p;
    const char *data = arena_printf(&f->a, "%s/tracy_ops_data.csv", logs).p;
    if (!f->has_host)
        return;
    if (!zones_write_unwrapped(&f->host, times, "TT_",
                               ops_children(r->v->child_functions, &f->a), &e))
        run_problem(r, "%s", e.text);
    else if (!r->v->quiet)
        log_line("run: Host side ops time report generated at %s", times);
    e = (struct err){0};
    if (!zones_write_messages(&f->host, data, ";", &e))
        run_problem(r, "%s", e.text);
    else if (!r->v->quiet)
        log_line("run: Host side ops data report generated at %s", data);
}

// --- closing lines ---------------------------------------------------------------------
static const char *why_nothing(const struct wrapped_run *r)
{
    bool has_window = r->v->start_at || r->v->skip != run_defaults.skip;
    if (!r->control || r->control->failed)
        return "nothing could be recorded";
    if (has_window && !r->control->opened_ns)
        return "no zones: the signpost or frame that starts the recording did not occur";
    if (run_code(r)) // it may not have come so far
        return "no zones";
    return r->control->linked
               ? "no zones: the programs linked with libttprof recorded none; compile with -DTTPROF_ENABLE"
               : "no zones: no program is linked with libttprof";
}

// A shell would show it only to those who ask.
static void tell_failure(const struct wrapped_run *r)
{
    if (WIFSIGNALED(r->status))
        log_line("run: the command was ended by signal %d (%s)", WTERMSIG(r->status),
                 strsignal(WTERMSIG(r->status)));
    else if (WEXITSTATUS(r->status))
        log_line("run: the command exited with code %d", WEXITSTATUS(r->status));
}

static void tell_recorded(const struct wrapped_run *r, const struct run_facts *f)
{
    struct buf b = {0};
    command_count(&b, f->n_seen, "process", "processes");
    if (f->events) {
        buf_z(&b, "; ");
        command_count(&b, f->events, "event", "events");
        buf_z(&b, " of ");
        command_count(&b, f->n_threads, "thread", "threads");
        buf_z(&b, " recorded");
    } else if (!run_clients_count(r->clients)) {
        buf_printf(&b, "; %s", why_nothing(r));
    }
    log_line("run: %s: %.*s", f->folder, STR(b));
    buf_free(&b);
}

static void tell_losses(const struct run_facts *f)
{
    for (int i = 0; i < TT_LOSSES; i++) {
        struct buf b = {0};
        if (!f->lost[i])
            continue;
        command_count(&b, f->lost[i], "event is", "events are");
        log_line("run: %.*s lost: %s; %s", STR(b), run_losses[i].why, run_losses[i].remedy);
        buf_free(&b);
    }
}

static void tell_clocks(const struct run_facts *f)
{
    size_t n_chips = 0, n_synced = 0;
    double worst = 0;
    if (f->n_virtual)
        log_line(
            "run: host times of %zu process%s are virtual from opening the device on (clockmode=det)",
            f->n_virtual, f->n_virtual == 1 ? "" : "es");
    for (size_t a = 0; a < f->attachments.v.n; a++) {
        const struct device_clocks *clocks = &f->attachments.v.v[a].clocks;
        for (size_t i = 0; i < clocks->chips.n; i++) {
            const struct clock_model *m = &clocks->chips.v[i].model;
            n_synced += m->is_synced;
            if (m->is_synced)
                worst = fmax(worst, clock_model_worst_ns(m));
        }
        n_chips += clocks->chips.n;
    }
    if (!n_chips)
        return;
    if (n_synced == n_chips)
        log_line("run: %zu device%s aligned with the host; the error is at most %.2f us",
                 n_synced, n_synced == 1 ? " is" : "s are", worst / 1000);
    else if (n_chips == 1)
        log_line("run: the device is not aligned with the host; use --sync-host-device");
    else
        log_line(
            "run: %zu of %zu devices are not aligned with the host; use --sync-host-device",
            n_chips - n_synced, n_chips);
}

static void tell_next(const struct wrapped_run *r, const struct run_facts *f)
{
    bool has_device = f->attachments.n_logs > 0;
    if (f->report)
        log_line("run: the report is in %s", f->report);
    else if (r->v->report && !r->skips_reports && !r->makes_no_report && !has_device)
        log_line("run: no device was profiled: nothing to report");
    else if (has_device)
        log_line("run: 'ttprof device %s%s' shows the device statistics", f->folder,
                 f->attachments.n_logs > 1 ? "" : "/.logs/profile_log_device.csv");
    if (f->events)
        log_line("run: 'ttprof zones %s' shows where the time went", f->folder);
    if (f->events || has_device || f->n_seen)
        log_line("run: 'ttprof timeline %s -o page.html' makes a timeline", f->folder);
}

static void print_closing_lines(const struct wrapped_run *r, const struct run_facts *f)
{
    if (r->v->quiet)
        return;
    tell_failure(r);
    tell_recorded(r, f);
    run_captured_tell(r);
    tell_losses(f);
    tell_clocks(f);
    tell_next(r, f);
}

// Problems of the recorded processes, which print nothing themselves.
static void tell_failures(struct wrapped_run *r, const struct run_facts *f)
{
    uint32_t failed = r->control ? r->control->failed : 0;
    size_t n = f->has_host ? f->host.processes.n : 0;
    if (failed)
        run_problem(r, "%u process%s could not record: %s", failed, failed == 1 ? "" : "es",
                    strerror((int)r->control->failed_errno));
    for (size_t i = 0; i < n; i++) {
        const struct trace_process *p = &f->host.processes.v[i];
        if (!p->ring_error && !p->stream_error)
            continue;
        run_problem(r, "process %u: %s: %s", p->pid,
                    p->ring_error ? "not all threads could be recorded"
                                  : "its stream could not be written",
                    strerror(p->ring_error ? p->ring_error : p->stream_error));
        break; // usually the same for the others
    }
}

// --- all of it -------------------------------------------------------------------------
// The run that published the logs in the root; without that link the root is only a folder
// of logs.
static bool find_run(struct wrapped_run *r, struct run_facts *f, const char *logs)
{
    char target[4096];
    ssize_t n = readlink(arena_printf(&f->a, "%s/run", logs).p, target, sizeof target);
    if (n <= 0 || n == sizeof target)
        return false;
    const char *folder = arena_printf(&f->a, "%s/%.*s", logs, (int)n, target).p;
    struct err e = {0};
    f->has_host = host_run_open(&f->host, folder, &e);
    if (!f->has_host)
        run_problem(r, "%s", e.text);
    return f->has_host;
}

// --process-logs-only
static void process_logs(struct wrapped_run *r, struct err *e)
{
    struct run_facts f = {0};
    const char *logs = arena_printf(&f.a, "%s/.logs", r->root).p;
    if (access(logs, R_OK | X_OK) != 0) {
        (void)err_set(
            e, ERR_FAILED,
            "%s: no logs to report on; run a command first, or choose another folder with -o",
            logs);
    } else {
        if (find_run(r, &f, logs)) {
            write_tables(r, &f, logs);
            run_captured_publish(&f, r, logs);
        }
        run_report(r, &f, logs);
        if (f.report)
            log_line("run: the report is in %s", f.report);
        else
            log_line("run: %s has no device log: nothing to report", logs);
    }
    run_facts_free(&f);
}

void run_outputs(struct wrapped_run *r, struct err *e)
{
    struct run_facts f;
    struct err own = {0};
    if (r->v->process_logs_only) {
        process_logs(r, e);
        return;
    }
    if (!r->folder)
        return; // nothing could be recorded; already reported
    run_facts_find(&f, r);
    tell_failures(r, &f);
    run_python_tell(r, &f);
    if (r->v->report && !r->skips_reports)
        write_tables(r, &f, r->logs);
    run_captured_publish(&f, r, r->logs);
    run_publish(r);
    if (r->v->report && !r->skips_reports && !r->makes_no_report)
        run_report(r, &f, r->logs);
    if (!run_manifest_write(r, &f, &own))
        run_problem(r, "%s", own.text);
    print_closing_lines(r, &f);
    run_facts_free(&f);
}
