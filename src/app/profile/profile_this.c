// profile_this.c - `ttprof profile-this`: runs a command given as one word once or twice
// and writes its ops report.
//
// With --stitch it runs twice. Reading a device slows the host, so host times come from a
// run without device profiling and device times from a run with it.
#include "app/profile/profile_this.h"

#include <unistd.h>

#include "base/text/log.h"

#include "app/app.h"
#include "app/ops/ops.h"
#include "app/run/run.h"

enum which { RUN_DEVICE, RUN_HOST };

static struct run_values values_of_run(const struct profile_this_values *v,
                                       enum which which)
{
    struct run_values run = run_defaults;
    run.report = true; // else the runtime sends no op messages
    run.partial = true;
    run.quiet = v->quiet;
    run.ignore_exit_code = v->ignore_exit_code;
    run.output_folder = v->output_folder;
    run.name_append = v->name_append;
    run.no_device = which == RUN_HOST;
    run.op_support_count = v->op_support_count;
    if (which == RUN_DEVICE) {
        run.noc_traces = v->noc_traces;
        run.counters = v->counters;
    }
    return run;
}

static int run_once(struct wrapped_run *r, const char *command, struct err *e)
{
    const char *shell[] = {"/bin/sh", "-c", command};
    return run_whole(r, (struct words){shell, sizeof shell / sizeof *shell}, e);
}

// A run that failed to start sets `e`; a command that failed keeps its exit code.
static bool has_run(const struct wrapped_run *r, const struct err *e)
{
    return e->code == ERR_NONE && r->folder && r->logs;
}

// --- two runs ----------------------------------------------------------------------------
// Host data of the second run, device data of the first.
static bool write_stitched(const struct profile_this_values *v,
                           const struct wrapped_run *with,
                           const struct wrapped_run *without, struct err *e)
{
    enum { ROWS_PRINTED = 10 };
    struct arena a = {0};
    struct trace measured, timed;
    const char *csv = NULL, *stamp = NULL;
    if (!host_run_open(&measured, with->folder, e))
        return false;
    if (!host_run_open(&timed, without->folder, e)) {
        trace_free(&measured);
        return false;
    }
    const char *folder =
        ops_report_folder(&a, without->root, v->name_append, true, &stamp, e);
    if (folder) {
        struct ops_job job = {.logs = with->logs,
                              .run = &measured,
                              .timed = &timed,
                              .with_noc = v->noc_traces,
                              .folder = folder,
                              .name = arena_printf(&a, "ops_perf_results%s", stamp).p,
                              .stamp = stamp,
                              .no_artifacts = true,
                              .command = "profile-this",
                              .print_rows = ROWS_PRINTED,
                              .quiet = v->quiet,
                              .on_stderr = true};
        if (ops_report_write(&job, &a, &csv, e) && !csv) {
            (void)rmdir(folder);
            log_line("profile-this: no device was profiled: nothing to report");
        }
    }
    trace_free(&timed);
    trace_free(&measured);
    arena_free(&a);
    return e->code == ERR_NONE;
}

static int run_twice(const struct profile_this_values *v, struct err *e)
{
    struct run_values values[] = {values_of_run(v, RUN_DEVICE), values_of_run(v, RUN_HOST)};
    struct wrapped_run runs[] = {
        {.v = &values[0], .options = *v->run_options, .makes_no_report = true},
        {.v = &values[1], .options = *v->run_options, .makes_no_report = true}};
    int code = run_once(&runs[RUN_DEVICE], v->command, e);
    if (has_run(&runs[RUN_DEVICE], e) && !runs[RUN_DEVICE].was_interrupted) {
        int second = run_once(&runs[RUN_HOST], v->command, e);
        code = code ? code : second;
    }
    struct err own = {0};
    if (has_run(&runs[RUN_DEVICE], e) && has_run(&runs[RUN_HOST], e) &&
        !write_stitched(v, &runs[RUN_DEVICE], &runs[RUN_HOST], &own)) {
        if (code)
            log_line("profile-this: %s", own.text);
        else
            *e = own;
    }
    run_free(&runs[RUN_HOST]);
    run_free(&runs[RUN_DEVICE]);
    return code;
}

// --- one run -----------------------------------------------------------------------------
static int run_one(const struct profile_this_values *v, struct err *e)
{
    struct run_values values = values_of_run(v, v->host_only ? RUN_HOST : RUN_DEVICE);
    struct wrapped_run r = {.v = &values, .options = *v->run_options};
    int code = run_once(&r, v->command, e);
    run_free(&r);
    return code;
}

int profile_this_command(const struct profile_this_values *v, struct words words,
                         struct err *e)
{
    if (words.n)
        return !err_set(
            e, ERR_USAGE,
            "unexpected argument '%s'; quote the whole command after -c: ttprof profile-this -c \"pytest tests/test_model.py\"",
            words.v[0]);
    if (!v->command || !str_trim(str_of(v->command)).n)
        return !err_set(e, ERR_USAGE,
                        "no command given; use -c \"pytest tests/test_model.py\"");
    if (v->stitch + v->device_only + v->host_only > 1)
        return !err_set(e, ERR_USAGE,
                        "--stitch, --device-only and --host-only exclude each other");
    if (!v->quiet)
        log_line("profile-this: running %s%s", v->command, v->stitch ? ", twice" : "");
    return v->stitch ? run_twice(v, e) : run_one(v, e);
}
