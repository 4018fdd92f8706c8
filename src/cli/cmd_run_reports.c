// cmd_run_reports.c - logs and reports of a run where the reference has them.
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/publish.h"

#include "cli/cmd_device.h"
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

void run_report(struct wrapped_run *r, struct run_facts *f, const char *logs)
{
    struct err e = {0};
    const char *name = r->v->name_append;
    const char *log = arena_printf(&f->a, "%s/profile_log_device.csv", logs).p;
    if (access(log, R_OK) != 0)
        return; // no device was profiled
    const char *parent = name && *name
                             ? arena_printf(&f->a, "%s/reports/%s", r->root, name).p
                             : arena_printf(&f->a, "%s/reports", r->root).p;
    const char *folder = make_folder(&f->a, parent, stamp_of(r), &e);
    struct device_report report = {.log = log,
                                   .folder = folder,
                                   .analyses = r->v->analysis_types,
                                   .skip = "rearranged,tarball"};
    if (folder && device_report_write(&report, &e))
        f->report = folder;
    else
        run_problem(r, "no report of the device: %s", e.text);
}
