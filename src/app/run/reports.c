// reports.c - logs and reports of a run where the reference has them.
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/publish.h"

#include "app/device/device.h"
#include "app/ops/ops.h"
#include "app/run/outputs.h"

void run_publish(struct wrapped_run *r)
{
    struct arena a = {0};
    struct err e = {0};
    const char *slash = strrchr(r->folder, '/');
    // Whoever finds the logs finds the run that they are of.
    struct publish_note run = {"run", arena_printf(&a, "../runs%s", slash).p};
    if (!folder_publish(r->logs, arena_printf(&a, "%s/.logs", r->root).p, &run, &e))
        run_problem(r, "%s; the run's own logs are in %s", e.text, r->logs);
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

// Statistics of the device's markers beside the ops report.
static bool write_statistics(struct wrapped_run *r, const char *log, const char *folder)
{
    struct err e = {0};
    struct device_report report = {.log = log,
                                   .folder = folder,
                                   .analyses = r->v->analysis_types,
                                   .skip = "rearranged,tarball"};
    if (device_report_write(&report, &e))
        return true;
    run_problem(r, "no statistics of the device: %s", e.text);
    return false;
}

// A copy to be freed.
static char *copy_of(const char *z)
{
    size_t n = strlen(z) + 1;
    return memcpy(mem_alloc(n), z, n);
}

static bool write_ops(struct wrapped_run *r, struct run_facts *f, const char *logs,
                      const char *folder)
{
    enum { ROWS_PRINTED = 10 };
    struct err e = {0};
    const char *name = r->v->name_append, *dated = strrchr(folder, '/') + 1;
    const char *stamp = name && *name ? arena_printf(&f->a, "_%s_%s", name, dated).p
                                      : arena_printf(&f->a, "_%s", dated).p;
    struct ops_job job = {.logs = logs,
                          .run = f->has_host ? &f->host : NULL,
                          .with_noc = r->v->noc_traces,
                          .analyses = r->v->analysis_types,
                          .children = r->v->child_functions,
                          .folder = folder,
                          .name = arena_printf(&f->a, "ops_perf_results%s", stamp).p,
                          .stamp = stamp,
                          .no_artifacts = true,
                          .command = "run",
                          .print_rows = ROWS_PRINTED,
                          .quiet = r->v->quiet,
                          .on_stderr = true};
    const char *csv = NULL;
    if (ops_report_write(&job, &f->a, &csv, &e)) {
        r->ops_report = csv ? copy_of(csv) : NULL;
        return csv != NULL;
    }
    run_problem(r, "no report on ops: %s", e.text);
    return false;
}

// Did any program tell of its ops?
static bool has_op_messages(struct run_facts *f, const char *logs)
{
    struct file data;
    struct err ignored = {0};
    const char *path = arena_printf(&f->a, "%s/tracy_ops_data.csv", logs).p;
    if (access(path, R_OK) != 0 || !file_open(path, &data, &ignored))
        return false;
    bool has_ops = str_has(data.text, S("TT_DNN"));
    file_close(&data);
    return has_ops;
}

void run_report(struct wrapped_run *r, struct run_facts *f, const char *logs)
{
    struct err e = {0};
    const char *name = r->v->name_append;
    const char *log = arena_printf(&f->a, "%s/profile_log_device.csv", logs).p;
    bool has_log = access(log, R_OK) == 0;
    if (!has_log && !has_op_messages(f, logs))
        return; // no device was profiled, and nothing tells of ops
    const char *parent = name && *name
                             ? arena_printf(&f->a, "%s/reports/%s", r->root, name).p
                             : arena_printf(&f->a, "%s/reports", r->root).p;
    const char *folder = ops_dated_folder(&f->a, parent, stamp_of(r), &e);
    if (!folder) {
        run_problem(r, "no report: %s", e.text);
        return;
    }
    bool has_statistics = has_log && write_statistics(r, log, folder);
    bool has_ops = write_ops(r, f, logs, folder);
    if (has_statistics || has_ops)
        f->report = folder;
    else
        (void)rmdir(folder);
}
