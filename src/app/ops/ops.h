// ops.h - `ttprof ops`: the ops report of a folder of logs, for other commands too.
//
//   find.c    finds the input files
//   read.c    reads and joins them
//   write.c   writes the report's files
//   op_folder.c  device logs by call, in folders of the op profiler of 2023
//   copies.c  the report's folder, copies and archive of the logs
//   report.c  the whole pipeline and its printed summary
#ifndef TTP_APP_OPS_OPS_H
#define TTP_APP_OPS_OPS_H

#include "analyse/host/attachments.h"
#include "analyse/host/host_folder.h"
#include "analyse/ops/op_report.h"
#include "analyse/ops/op_stitch.h"
#include "app/app.h"
#include "app/device/source.h"
#include "app/options.h"
#include "formats/host_run/host_run.h"
#include "present/reports/ops_csv.h"

struct ops_job {
    const char *logs; // folder of tables and logs, or a device log
    // The run of the logs; its events describe the ops. NULL: use the tables in the folder,
    // else the run that published them.
    const struct trace *run;
    // The folder's log if already read and its ops found. NULL: it is read here.
    struct device_source *device;
    // Host data comes from this run, device data from the logs, see op_stitch.h. NULL: both
    // from the logs.
    const struct trace *timed;
    bool device_only, force_legacy, with_noc;
    struct option_list analyses; // of device logs, by name; none: all
    const char *children;        // more zones to sum, comma-separated; NULL: none
    bool compat;

    const char *folder; // for the CSV and copies of the logs; created. NULL: see `root`
    const char *name;   // of the CSV, without extension: "ops_perf_results"
    const char *stamp;  // suffix of other files: "_2026_11_16_10_20_30"; NULL: none
    // Without a folder: create one below this root (see ops_report_folder) if there is
    // anything to report. NULL: no folder at all.
    const char *root, *name_append;
    bool no_date;
    const char *csv, *json, *html; // more files; "-": stdout; NULL: none
    const char *merged; // report of a run with other counters, for the tables; NULL: none
    bool with_unmatched;
    unsigned more; // enum ops_csv_more
    bool no_artifacts, with_tarball;
    bool has_log; // the folder has the log already: copies of the rest, no archive

    const char *command; // name in messages; NULL: "ops"
    int64_t print_rows;  // of the printed table; 0: totals only
    bool quiet;          // print findings only
    bool on_stderr;      // print there, as stdout belongs to the profiled command
    bool strict;
};

// Paths of the files in a folder; NULL: missing.
struct ops_files {
    const char *root; // default folder for reports
    const char *logs; // the folder with the rest
    const char *times, *data;
    const char *device_log, *cpp_report;
    const char *tracy, *npe;
    const char *run; // run folder of the logs
    // Folders of the op profiler of 2023: of the run with host times, and of the run with
    // device profiling.
    const char *folder, *folder_device;
};
bool ops_files_find(struct ops_files *f, const char *path, struct arena *a, struct err *e);

struct ops_data {
    struct arena arena;
    struct ops_files files;
    struct attachments attachments; // of the run of the logs
    struct trace run;               // opened here
    bool has_run;
    struct host_ops host, measured; // measured: of the run with device profiling, to stitch
    bool has_host, has_measured;
    struct device_rows rows;
    bool has_rows;
    struct host_folder folder;
    struct device_source own;     // the log, if read here
    struct device_source *device; // own or the job's; NULL: the log is not used
    struct op_report report;
    bool has_report;
    bool is_device_only;
    struct diag diag; // of all parts
    VEC(const char *) sources;
    struct buf counters; // tables of counters for the terminal
};
// False: the request cannot be met. has_report: there is something to report.
bool ops_data_read(struct ops_data *d, const struct ops_job *job, struct err *e);
// Prints and writes what the job asks for. *csv is the path of the table in the folder, in
// the arena; NULL: there was nothing to report on.
bool ops_data_write(struct ops_data *d, const struct ops_job *job, struct arena *a,
                    const char **csv, struct err *e);
// What its table is made of; `d` must outlive it.
struct ops_csv ops_data_csv(const struct ops_data *d, const struct ops_job *job);
void ops_data_free(struct ops_data *d);
// Whether the report has a table of times between ops, by core.
bool ops_data_has_op_to_op(const struct ops_data *d);

// Both at once. Never fails because of the data.
bool ops_report_write(const struct ops_job *job, struct arena *a, const char **csv,
                      struct err *e);
// Names of zones whose time is summed per op, comma-separated: the default ones and more.
const char *ops_children(const char *more, struct arena *a);
// Unknown analyses are an error that lists the known ones.
bool ops_check_analyses(const struct option_list *list, struct err *e);
// Creates <parent>/<date>; a second folder within one second gets a number.
const char *ops_dated_folder(struct arena *a, const char *parent, const char *date,
                             struct err *e);
// Creates <root>/reports[/<name>][/<stamp>]; a second folder within one second gets a
// number. *stamp becomes the suffix of file names: "_<name>_<stamp>".
const char *ops_report_folder(struct arena *a, const char *root, const char *name,
                              bool with_date, const char **stamp, struct err *e);

#endif
