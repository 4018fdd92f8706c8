// ops.h - `ttprof ops`: the ops report of a folder of logs, for other commands too.
//
//   cmd_ops.c         options, and what they stand for
//   cmd_ops_find.c    which files a folder holds
//   cmd_ops_read.c    reads and joins them
//   cmd_ops_write.c   the report's files
//   cmd_ops_copies.c  its folder, copies and an archive of the logs
//   cmd_ops_reports.c the two together, and what is said about them
#ifndef TTP_APP_OPS_OPS_H
#define TTP_APP_OPS_OPS_H

#include "analyse/ops/op_report.h"
#include "analyse/ops/op_stitch.h"
#include "app/app.h"
#include "app/options.h"
#include "trace/host_run.h"

struct ops_job {
    const char *logs; // folder of tables and logs, or a log of a device
    // A run whose own events tell of its ops, where there are no tables; NULL: none, or
    // the one that published the logs.
    const struct trace *run;
    // The host's half comes from this run, the device's from the logs, see op_stitch.h;
    // NULL: both from the logs.
    const struct trace *timed;
    bool device_only, force_legacy, with_noc;
    struct option_list analyses; // of device logs, by name; none: all
    const char *children;        // more zones whose time is summed, by comma; NULL: none
    bool compat;

    const char *folder; // gets the CSV and copies of the logs; is made. NULL: see `root`
    const char *name;   // of the CSV, without its ending: "ops_perf_results"
    const char
        *stamp; // "_2026_11_16_10_20_30", behind names of other files too; NULL: none
    // Without a folder: a report of its own below this one, see ops_report_folder, once
    // there is something to report on. NULL: no folder at all.
    const char *root, *name_append;
    bool no_date;
    const char *csv, *json, *html; // more files; "-": standard output. NULL: none
    bool with_unmatched;
    unsigned more; // enum ops_csv_more
    bool no_artifacts, with_tarball;

    const char *command; // whose messages these are; NULL: "ops"
    int64_t print_rows;  // of the head; 0: only sums
    bool quiet;          // nothing is printed but findings
    bool on_stderr;      // the head goes there: standard output is somebody else's
    bool strict;
};

// Never fails for what the data is. *csv is the path of the table in the folder, in the
// arena; NULL: there was nothing to report on.
bool ops_report_write(const struct ops_job *job, struct arena *a, const char **csv,
                      struct err *e);
// Names of zones whose time is summed by op, separated by commas: the reference's, and
// more.
const char *ops_children(const char *more, struct arena *a);
// Names of analyses that there are not are an error, which names those that there are.
bool ops_check_analyses(const struct option_list *list, struct err *e);
// <parent>/<date>, for nobody else: a second one of the same second gets a number.
const char *ops_dated_folder(struct arena *a, const char *parent, const char *date,
                             struct err *e);
// <root>/reports[/<name>][/<stamp>], for nobody else; a second one of the same second gets
// a number. *stamp becomes what is behind file names: "_<name>_<stamp>".
const char *ops_report_folder(struct arena *a, const char *root, const char *name,
                              bool with_date, const char **stamp, struct err *e);

#endif
