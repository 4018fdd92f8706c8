// profile.c - `ttprof profile`: runs a command given as one word and writes its device ops
// as one table, labelled with what the compiler recorded for each.
#include "app/profile/profile.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "analyse/host/attachments.h"
#include "analyse/host/host_messages.h"
#include "app/app.h"
#include "app/run/run.h"
#include "formats/host_run/host_run.h"
#include "present/reports/labelled_report.h"

enum { PORT_TO_SEARCH_FROM = 8086 }; // Tracy's default: search from there on

static const char results_folder[] = "results/perf";

// --- the run ---------------------------------------------------------------------------
static struct run_values values_of_run(const struct profile_values *v)
{
    struct run_values run = run_defaults;
    run.report = true; // without it the runtime sends no messages about ops
    run.quiet = v->quiet;
    run.ignore_exit_code = v->ignore_exit_code;
    run.listen = v->port == PORT_TO_SEARCH_FROM;
    run.port = run.listen ? RUN_NOT_GIVEN : v->port;
    return run;
}

// Set in addition to those of `ttprof run`.
static void set_variables(struct wrapped_run *r)
{
    run_environment_set(r, "TT_METAL_CLEAR_L1", "1");
    run_environment_set(r, "TT_METAL_DEVICE_PROFILER_DISPATCH", "0");
}

// --- the table -------------------------------------------------------------------------
static void find_labels(struct op_labels *l, const struct wrapped_run *r)
{
    struct trace host;
    struct host_messages m;
    struct attachments a;
    struct buf text = {0};
    struct err e = {0};
    if (!r->folder)
        return; // nothing was recorded; already reported
    if (!host_run_open(&host, r->folder, &e)) {
        log_line("profile: %s; no op has a label", e.text);
        return;
    }
    attachments_find(&a, host.folder, &host);
    host_messages_find(&m, &host, NULL);
    for (size_t i = 0; i < m.v.n; i++) {
        uint32_t process = host.tracks.v[m.v.v[i].track].process;
        op_labels_take(
            l, process,
            attachments_message(&a, process, m.v.v[i].time, m.v.v[i].text, &text));
    }
    host_messages_free(&m);
    attachments_free(&a);
    buf_free(&text);
    trace_free(&host);
}

// Also creates the folder of the table.
static bool path_of_table(const struct profile_values *v, struct arena *a,
                          const char **path, struct err *e)
{
    *path = v->output[0] == '/' ? v->output
                                : arena_printf(a, "%s/%s", results_folder, v->output).p;
    const char *slash = strrchr(*path, '/');
    size_t n = (size_t)(slash - *path);
    return n == 0 || folder_make(arena_str(a, (str){*path, n}).p, e);
}

static void put_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
    num_put_fixed(b, (double)n, 0, true);
    buf_printf(b, " %s", n == 1 ? one : many);
}

static void report_labels(const char *path, const struct op_labels *l,
                          const struct labelled_count *count)
{
    struct buf b = {0};
    put_count(&b, count->n_ops, "op", "ops");
    if (!count->n_ops)
        buf_z(&b, ": no device was profiled, the table has only its header");
    else if (!l->n_ops)
        buf_z(&b, ", none with a label: no op messages were recorded");
    else
        buf_printf(&b, ", %llu with a label", (unsigned long long)count->n_labelled);
    log_line("profile: %s: %.*s", path, STR(b));
    buf_free(&b);
}

static void report_odd_labels(const struct op_labels *l)
{
    if (l->n_damaged)
        log_line(
            "profile: %llu of %llu op messages could not be read; their ops have no label",
            (unsigned long long)l->n_damaged, (unsigned long long)l->n_ops);
    if (l->n_again)
        log_line(
            "profile: %llu ops have several labels, as if processes used the same ids; the last one is used",
            (unsigned long long)l->n_again);
}

// The ops report; without op messages it holds less than the device's own report.
static const char *find_report(const struct wrapped_run *r, struct arena *a)
{
    if (r->has_host_ops)
        return r->ops_report;
    return r->logs ? arena_printf(a, "%s/cpp_device_perf_report.csv", r->logs).p : NULL;
}

static bool write_table(const struct profile_values *v, const struct wrapped_run *r,
                        struct err *e)
{
    struct arena a = {0};
    struct op_labels labels = {0};
    struct labelled_count count = {0};
    struct diag d = {0};
    const char *path = NULL;
    const char *report = find_report(r, &a);
    bool is_written = path_of_table(v, &a, &path, e);
    if (is_written) {
        find_labels(&labels, r);
        is_written = labelled_report_write(report, &labels, path, &count, &d, e);
    }
    if (is_written && !v->quiet)
        report_labels(path, &labels, &count);
    report_odd_labels(&labels);
    command_findings("profile", &d, false, e);
    op_labels_free(&labels);
    arena_free(&a);
    return is_written;
}

// --- the command -----------------------------------------------------------------------
int profile_command(const struct profile_values *v, struct words words, struct err *e)
{
    if (words.n != 1 || !str_trim(str_of(words.v[0])).n)
        return !err_set(
            e, ERR_USAGE,
            "the command must be one argument; quote it: ttprof profile \"pytest tests/test_model.py\"");
    const char *shell[] = {"/bin/sh", "-c", words.v[0]};
    struct run_values run = values_of_run(v);
    struct wrapped_run r = {.v = &run, .options = *v->run_options};
    struct err own = {0};
    set_variables(&r);
    int code = run_whole(&r, (struct words){shell, sizeof shell / sizeof *shell}, e);
    if (e->code == ERR_NONE && !write_table(v, &r, &own)) {
        // A command that failed keeps its exit code.
        if (code)
            log_line("profile: %s", own.text);
        else
            (void)err_set(e, ERR_FAILED, "%s", own.text);
    }
    run_free(&r);
    return code;
}
