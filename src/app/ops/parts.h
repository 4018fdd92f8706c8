// parts.h - what the parts of `ttprof ops` hand each other.
#ifndef TTP_APP_OPS_PARTS_H
#define TTP_APP_OPS_PARTS_H

#include "analyse/fold/device_ops.h"
#include "analyse/fold/dispatch_ops.h"
#include "app/ops/ops.h"

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
    struct trace trace;
    struct device_ops ops;
    struct dispatch_ops dispatch;
    bool has_trace;
    struct op_report report;
    bool has_report;
    bool is_device_only;
    struct diag diag; // of all parts
    VEC(const char *) sources;
    struct buf counters; // tables of counters for the terminal
};
// False: the request cannot be met. has_report tells whether there is anything.
bool ops_data_read(struct ops_data *d, const struct ops_job *job, struct err *e);
void ops_data_free(struct ops_data *d);
const char *ops_command(const struct ops_job *job); // for messages

// --- files -------------------------------------------------------------------------------
bool ops_write_folder(struct ops_data *d, const struct ops_job *job, struct arena *a,
                      const char **csv, struct err *e);
// Copies of the logs, and their archive.
bool ops_write_copies(const struct ops_data *d, const struct ops_job *job, struct arena *a,
                      struct err *e);
bool ops_write_documents(struct ops_data *d, const struct ops_job *job, struct err *e);

#endif
