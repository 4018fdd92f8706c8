// reports.c - puts logs and reports of a run where tt-metal's profiler puts them.
#include <time.h>
#include <unistd.h>

#include "base/file/publish.h"

#include "app/device/device.h"
#include "app/ops/ops.h"
#include "app/run/outputs.h"
#include "present/reports/ops_columns.h"

void run_publish(struct wrapped_run *r)
{
    struct arena a = {0};
    struct err e = {0};
    const char *slash = strrchr(r->folder, '/');
    // Links the logs to their run.
    struct publish_note run = {"run", arena_printf(&a, "../runs%s", slash).p};
    if (!folder_publish(r->logs, arena_printf(&a, "%s/.logs", r->root).p, &run, &e))
        run_problem(r, "%s; the logs of the run are in %s", e.text, r->logs);
    arena_free(&a);
}

// --- reports ---------------------------------------------------------------------------
static const char *stamp_of(struct wrapped_run *r)
{
    if (!r->stamp[0]) { // nothing was run
        time_t now = time(NULL);
        struct tm at;
        (void)strftime(r->stamp, sizeof r->stamp, "%Y_%m_%d_%H_%M_%S",
                       localtime_r(&now, &at));
    }
    return r->stamp;
}

// Inputs of the report: the log, read once, and the run itself for host data.
struct run_sources {
    struct device_source device;
    bool has_device; // it could be read
    struct ops_job job;
    struct ops_data ops;
    bool has_ops; // it could be read
};

static void read_device(struct wrapped_run *r, struct run_sources *s, const char *log)
{
    struct err e = {0};
    s->has_device = device_source_read(&s->device, log, &e) &&
                    device_source_find(&s->device, NULL, true, &e);
    if (!s->has_device)
        run_problem(r, "no device statistics: %s", e.text);
}

static void read_ops(struct wrapped_run *r, const struct run_facts *f,
                     struct run_sources *s, const char *logs)
{
    enum { ROWS_PRINTED = 10 };
    struct err e = {0};
    s->job = (struct ops_job){.logs = logs,
                              .run = f->has_host ? &f->host : NULL,
                              .device = s->has_device ? &s->device : NULL,
                              .with_noc = r->v->noc_traces,
                              .analyses = r->v->analysis_types,
                              .children = r->v->child_functions,
                              .has_log = true,
                              .command = "run",
                              .print_rows = ROWS_PRINTED,
                              .quiet = r->v->quiet,
                              .on_stderr = true};
    s->has_ops = ops_data_read(&s->ops, &s->job, &e);
    if (!s->has_ops)
        run_problem(r, "no ops report: %s", e.text);
}

static void free_sources(struct run_sources *s)
{
    ops_data_free(&s->ops);
    device_source_free(&s->device);
}

// Statistics of device markers, next to the ops report.
static bool write_statistics(struct wrapped_run *r, struct run_sources *s,
                             const char *folder)
{
    struct err e = {0};
    bool has_op_to_op = s->has_ops && ops_data_has_op_to_op(&s->ops);
    struct device_report report = {.folder = folder,
                                   .analyses = r->v->analysis_types,
                                   .skip = has_op_to_op ? "rearranged,tarball,op-to-op"
                                                        : "rearranged,tarball"};
    if (device_report_write(&report, &s->device, &e))
        return true;
    run_problem(r, "no device statistics: %s", e.text);
    return false;
}

static void give_ops(struct wrapped_run *r, const struct run_facts *f,
                     struct run_sources *s)
{
    struct ops_csv csv = ops_data_csv(&s->ops, &s->job);
    struct ops_columns columns;
    ops_columns_make(&columns, &csv);
    r->take_ops(r->taker, &columns.table, f->has_host ? &f->host : NULL);
    ops_columns_free(&columns);
}

static bool write_ops(struct wrapped_run *r, struct run_facts *f, struct run_sources *s,
                      const char *folder)
{
    struct err e = {0};
    const char *name = r->v->name_append, *dated = strrchr(folder, '/') + 1, *csv = NULL;
    s->job.folder = folder;
    s->job.stamp = name && *name ? arena_printf(&f->a, "_%s_%s", name, dated).p
                                 : arena_printf(&f->a, "_%s", dated).p;
    s->job.name = arena_printf(&f->a, "ops_perf_results%s", s->job.stamp).p;
    if (!ops_data_write(&s->ops, &s->job, &f->a, &csv, &e))
        run_problem(r, "no ops report: %s", e.text);
    else if (csv && r->take_ops && !s->ops.is_device_only)
        give_ops(r, f, s);
    return e.code == ERR_NONE && csv;
}

static void write_reports(struct wrapped_run *r, struct run_facts *f, struct run_sources *s)
{
    struct err e = {0};
    const char *name = r->v->name_append;
    const char *parent = name && *name
                             ? arena_printf(&f->a, "%s/reports/%s", r->root, name).p
                             : arena_printf(&f->a, "%s/reports", r->root).p;
    const char *folder = ops_dated_folder(&f->a, parent, stamp_of(r), &e);
    if (!folder) {
        run_problem(r, "no report: %s", e.text);
        return;
    }
    bool has_statistics = s->has_device && write_statistics(r, s, folder);
    bool has_ops = s->has_ops && write_ops(r, f, s, folder);
    if (has_statistics || has_ops)
        f->report = folder;
    else
        (void)rmdir(folder);
}

void run_report(struct wrapped_run *r, struct run_facts *f, const char *logs)
{
    struct run_sources s = {0};
    const char *log = arena_printf(&f->a, "%s/profile_log_device.csv", logs).p;
    bool has_log = access(log, R_OK) == 0;
    if (has_log)
        read_device(r, &s, log);
    read_ops(r, f, &s, logs);
    if (has_log || s.ops.host.ops.n) // else no device was profiled and no ops are known
        write_reports(r, f, &s);
    free_sources(&s);
}
