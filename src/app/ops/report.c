// report.c - the ops report from start to end, and its printed summary.
#include <unistd.h>

#include "base/text/log.h"

#include "analyse/device/setup.h"
#include "analyse/ops/rows_of_log.h"
#include "app/ops/parts.h"
#include "present/page/ops_doc.h"

// The analyses that the report's columns need.
static void tell_analyses(void)
{
    struct arena a = {0};
    struct setup s = {0};
    struct err ignored = {0};
    struct buf names = {0};
    (void)setup_load(&s, "default_setup", &a, &ignored); // built in, cannot fail
    for (size_t i = 0; i < s.analyses.n; i++) {
        str name = s.analyses.v[i].name;
        if (str_starts(name, S("device_")) || str_starts(name, S("dispatch_")))
            buf_printf(&names, "%s%.*s", names.n ? ", " : "", STR(name));
    }
    log_line("ops: analyses of device logs: %.*s", STR(names));
    buf_free(&names);
    setup_free(&s);
    arena_free(&a);
}

bool ops_check_analyses(const struct option_list *list, struct err *e)
{
    for (size_t i = 0; i < list->n; i++) {
        if (device_rows_knows(list->v[i]))
            continue;
        tell_analyses();
        return err_set(
            e, ERR_USAGE,
            "option '--device-analysis-types': %s is not calculated in device analysis",
            list->v[i]);
    }
    return true;
}

// --- what is printed -------------------------------------------------------------------

static bool has_stdout(const struct ops_job *job)
{
    return !out_is_stdout(job->csv) && !out_is_stdout(job->json) &&
           !out_is_stdout(job->html);
}

static void put_lines(const struct ops_job *job, str text)
{
    while (text.n) {
        str line = str_cut(&text, '\n');
        log_line("%s: %.*s", ops_command(job), STR(line));
    }
}

// The head and the coverage; the coverage alone beside a document.
static bool print_summary(const struct ops_data *d, const struct ops_job *job,
                          struct err *e)
{
    struct buf b = {0};
    struct out o;
    bool ok = true;
    struct text_look look = terminal_look(job->on_stderr ? STDERR_FILENO : STDOUT_FILENO);
    if (job->quiet)
        return true;
    if (has_stdout(job)) {
        buf_str(&b, buf_view(&d->counters));
        ops_doc_head(&d->report, (size_t)job->print_rows, look, &b);
    }
    op_report_coverage_text(&d->report, &b);
    if (!has_stdout(job)) {
        put_lines(job, buf_view(&b));
    } else if (job->on_stderr) {
        log_text(buf_view(&b), look.is_coloured);
    } else {
        out_print(&o, look.is_coloured);
        buf_str(&o.b, buf_view(&b));
        ok = out_close(&o, e);
    }
    buf_free(&b);
    return ok;
}

// --strict: everything the program requested was measured.
static void check_coverage(const struct ops_data *d, const struct ops_job *job,
                           struct err *e)
{
    for (size_t i = 0; job->strict && i < d->report.coverage.n; i++) {
        const struct op_coverage *c = &d->report.coverage.v[i];
        if (c->measured < c->expected && e->code == ERR_NONE)
            (void)err_set(e, ERR_FAILED,
                          "--strict: device %lld: expected %llu, measured %llu",
                          (long long)c->device, (unsigned long long)c->expected,
                          (unsigned long long)c->measured);
    }
}

static bool write_folder(struct ops_data *d, const struct ops_job *job, struct arena *a,
                         const char **csv, struct err *e)
{
    struct ops_job own = *job;
    if (!job->folder && !job->root)
        return true;
    if (!job->folder) {
        own.folder =
            ops_report_folder(a, job->root, job->name_append, !job->no_date, &own.stamp, e);
        if (!own.folder)
            return false;
        own.name = arena_printf(a, "ops_perf_results%s", own.stamp).p;
    }
    return ops_write_folder(d, &own, a, csv, e);
}

bool ops_data_write(struct ops_data *d, const struct ops_job *job, struct arena *a,
                    const char **csv, struct err *e)
{
    bool ok = true;
    *csv = NULL;
    if (!d->has_report && !job->command)
        log_line("%s: No device logs found", ops_command(job));
    if (d->has_report) {
        ok = print_summary(d, job, e) && write_folder(d, job, a, csv, e) &&
             ops_write_documents(d, job, e);
        if (ok)
            check_coverage(d, job, e);
    }
    if (ok)
        command_findings(ops_command(job), &d->diag, job->strict, e);
    return e->code == ERR_NONE;
}

bool ops_report_write(const struct ops_job *job, struct arena *a, const char **csv,
                      struct err *e)
{
    struct ops_data d = {0};
    *csv = NULL;
    bool ok = ops_data_read(&d, job, e) && ops_data_write(&d, job, a, csv, e);
    ops_data_free(&d);
    return ok;
}
