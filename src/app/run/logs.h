// logs.h - the device files of a run in tt-metal's forms: one folder of logs for all
// processes.
//
//   logs.c        a run with one attachment: its files are those of the run
//   logs_merge.c  several: their files are merged, with unique ids; the originals stay
#ifndef TTP_APP_RUN_LOGS_H
#define TTP_APP_RUN_LOGS_H

#include "analyse/host/attachments.h"
#include "app/run/run.h"

// Fills <run>/.logs from the folders of all attachments, and writes attachments.json if a
// run has several processes. Failures are reported; the originals stay.
void run_logs_settle(struct wrapped_run *r, struct attachments *a);

// --- logs_merge.c ---
// Writes the merged files to the folder `logs`.
void run_logs_merge(struct wrapped_run *r, const struct attachments *a, const char *logs);

#endif
