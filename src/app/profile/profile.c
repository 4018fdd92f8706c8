// profile.c - `ttprof profile`: runs a command given as one word and writes its device ops
// as one table, labelled with what the compiler recorded for each.
#include "app/profile/profile.h"

#include "base/file/folder.h"
#include "base/text/log.h"

#include "analyse/host/attachments.h"
#include "analyse/host/host_messages.h"
#include "app/app.h"
#include "app/run/run.h"
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
    run.port = v->port == PORT_TO_SEARCH_FROM ? RUN_NOT_GIVEN : v->port;
    return run;
}

// Set in addition to those of `ttprof run`.
static void set_variables(struct wrapped_run *r)
{
    run_environment_set(r, "TT_METAL_CLEAR_L1", "1");
    run_environment_set(r, "TT_METAL_DEVICE_PROFILER_DISPATCH", "0");
}

// --- the table -------------------------------------------------------------------------
struct labelling {
    const struct profile_values *v;
    struct arena a;
    struct op_labels labels;
    struct labelled_count count;
    const char *path;        // of the table
    bool is_done, is_failed; // see e
    struct err e;
};

static void find_labels(struct op_labels *l, const struct trace *host)
{
    struct host_messages m;
    struct attachments a;
    struct buf text = {0};
    attachments_find(&a, host->folder, host);
    host_messages_find(&m, host, NULL);
    for (size_t i = 0; i < m.v.n; i++) {
        uint32_t process = host->tracks.v[m.v.v[i].track].process;
        op_labels_take(
            l, process,
            attachments_message(&a, process, m.v.v[i].time, m.v.v[i].text, &text));
    }
    host_messages_free(&m);
    attachments_free(&a);
    buf_free(&text);
}

// Also creates the folder of the table.
static bool path_of_table(struct labelling *l)
{
    const char *name = l->v->output;
    l->path = name[0] == '/' ? name : arena_printf(&l->a, "%s/%s", results_folder, name).p;
    size_t n = (size_t)(strrchr(l->path, '/') - l->path);
    return n == 0 || folder_make(arena_str(&l->a, (str){l->path, n}).p, &l->e);
}

static void label_ops(void *taker, const struct table *ops, const struct trace *host)
{
    struct labelling *l = taker;
    find_labels(&l->labels, host);
    l->is_failed = !path_of_table(l) ||
                   !labelled_report_write(ops, &l->labels, l->path, &l->count, &l->e);
    l->is_done = true;
}

static void report_labels(const char *path, const struct op_labels *l,
                          const struct labelled_count *count)
{
    struct buf b = {0};
    command_count(&b, count->n_ops, "op", "ops");
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

// Without op messages the ops report holds less than the device's own report.
static bool finish_table(struct labelling *l, const struct wrapped_run *r)
{
    struct diag d = {0};
    const char *report =
        r->logs ? arena_printf(&l->a, "%s/cpp_device_perf_report.csv", r->logs).p : NULL;
    if (!l->is_done)
        l->is_failed = !path_of_table(l) ||
                       !labelled_report_copy(report, l->path, &l->count, &d, &l->e);
    if (!l->is_failed && !l->v->quiet)
        report_labels(l->path, &l->labels, &l->count);
    report_odd_labels(&l->labels);
    command_findings("profile", &d, false, &l->e);
    return !l->is_failed;
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
    struct labelling l = {.v = v};
    struct wrapped_run r = {
        .v = &run, .options = *v->run_options, .take_ops = label_ops, .taker = &l};
    set_variables(&r);
    int code = run_whole(&r, (struct words){shell, sizeof shell / sizeof *shell}, e);
    if (e->code == ERR_NONE && !finish_table(&l, &r)) {
        // A command that failed keeps its exit code.
        if (code)
            log_line("profile: %s", l.e.text);
        else
            (void)err_set(e, ERR_FAILED, "%s", l.e.text);
    }
    op_labels_free(&l.labels);
    arena_free(&l.a);
    run_free(&r);
    return code;
}
