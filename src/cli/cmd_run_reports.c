// cmd_run_reports.c - logs and reports of a run where the reference has them.
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/publish.h"

#include "cli/cmd_device.h"
#include "cli/cmd_ops.h"
#include "cli/cmd_run_outputs.h"

enum { MOST_OF_A_SECOND = 1000 };

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
// A folder that nobody else has: a second report of the same second gets a number.
static const char *make_folder(struct arena *a, const char *parent, const char *stamp,
                               struct err *e)
{
    if (!folder_make(parent, e))
        return NULL;
    for (int i = 1; i < MOST_OF_A_SECOND; i++) {
        const char *path = i == 1 ? arena_printf(a, "%s/%s", parent, stamp).p
                                  : arena_printf(a, "%s/%s-%d", parent, stamp, i).p;
        if (mkdir(path, 0777) == 0)
            return path;
        if (errno != EEXIST) {
            (void)err_set(e, ERR_IO, "%s: cannot be made a folder: %s", path,
                          strerror(errno));
            return NULL;
        }
    }
    (void)err_set(e, ERR_LIMIT, "%s: too many reports of one second", parent);
    return NULL;
}

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
    const char *name = r->v->name_append;
    const char *stamp = name && *name ? arena_printf(&f->a, "_%s_%s", name, r->stamp).p
                                      : arena_printf(&f->a, "_%s", r->stamp).p;
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

void run_report(struct wrapped_run *r, struct run_facts *f, const char *logs)
{
    struct err e = {0};
    const char *name = r->v->name_append;
    const char *log = arena_printf(&f->a, "%s/profile_log_device.csv", logs).p;
    bool has_log = access(log, R_OK) == 0;
    if (!has_log && !f->has_host)
        return; // no device was profiled, and nothing tells of ops
    const char *parent = name && *name
                             ? arena_printf(&f->a, "%s/reports/%s", r->root, name).p
                             : arena_printf(&f->a, "%s/reports", r->root).p;
    const char *folder = make_folder(&f->a, parent, stamp_of(r), &e);
    if (!folder) {
        run_problem(r, "no report: %s", e.text);
        return;
    }
    bool has_statistics = has_log && write_statistics(r, log, folder);
    bool has_ops = write_ops(r, f, logs, folder);
    if (has_statistics || has_ops)
        f->report = folder;
    else
        (void)rmdir(folder); // nothing was recorded that a report could be made of
}
