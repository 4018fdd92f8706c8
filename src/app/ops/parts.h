// parts.h - functions shared by the parts of `ttprof ops`.
#ifndef TTP_APP_OPS_PARTS_H
#define TTP_APP_OPS_PARTS_H

#include "app/ops/ops.h"

const char *ops_command(const struct ops_job *job); // for messages

// Measures the calls in the folder of the op profiler of 2023.
void ops_folder_measure(struct ops_data *d, const struct ops_job *job);

// --- files -------------------------------------------------------------------------------
bool ops_write_folder(struct ops_data *d, const struct ops_job *job, struct arena *a,
                      const char **csv, struct err *e);
// Copies of the logs, and their archive.
bool ops_write_copies(const struct ops_data *d, const struct ops_job *job, struct arena *a,
                      struct err *e);
bool ops_write_documents(struct ops_data *d, const struct ops_job *job, struct err *e);

#endif
