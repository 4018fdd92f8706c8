// ops.h - `ttprof ops`: the ops report of a folder of logs, for other commands too.
//
//   find.c    which files a folder holds
//   read.c    reads and joins them
//   write.c   the report's files
//   copies.c  its folder, copies and an archive of the logs
//   report.c  the whole, and what is said about it
#ifndef TTP_APP_OPS_OPS_H
#define TTP_APP_OPS_OPS_H

#include "analyse/ops/op_report.h"
#include "analyse/ops/op_stitch.h"
#include "app/app.h"
#include "app/device/source.h"
#include "app/options.h"
#include "formats/host_run/host_run.h"

struct ops_job {
    const char *logs; // folder of tables and logs, or a log of a device
    // The run that the logs are of: its own events tell of its ops. NULL: the tables in the
    // folder do, else the run that published them.
    const struct trace *run;
    // The log of the folder where that was read already, its ops found. NULL: it is read.
    struct device_source *device;
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

// Paths of what a folder holds; NULL: it does not.
struct ops_files {
    const char *root; // where reports go when nobody says so
    const char *logs; // the folder with the rest
    const char *times, *data;
    const char *device_log, *cpp_report;
    const char *tracy, *npe;
    const char *run; // folder of the run that the logs are of
};
bool ops_files_find(struct ops_files *f, const char *path, struct arena *a, struct err *e);

struct ops_data {
    struct arena arena;
    struct ops_files files;
    struct trace run; // opened here
    bool has_run;
    struct host_ops host, measured; // measured: of the run with devices, to be stitched
    bool has_host, has_measured;
    struct device_rows rows;
    bool has_rows;
    struct device_source own;     // the log, where nobody had read it
    struct device_source *device; // that, or the one of the job; NULL: the log is not used
    struct op_report report;
    bool has_report;
    bool is_device_only;
    struct diag diag; // of all parts
    VEC(const char *) sources;
    struct buf counters; // tables of counters for the terminal
};
// False: the request cannot be met. has_report tells whether there is anything.
bool ops_data_read(struct ops_data *d, const struct ops_job *job, struct err *e);
// Prints and writes what the job asks for. *csv is the path of the table in the folder, in
// the arena; NULL: there was nothing to report on.
bool ops_data_write(struct ops_data *d, const struct ops_job *job, struct arena *a,
                    const char **csv, struct err *e);
void ops_data_free(struct ops_data *d);
// Does the report have a table of times between ops, by core?
bool ops_data_has_op_to_op(const struct ops_data *d);

// Both at once. Never fails for what the data is.
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
