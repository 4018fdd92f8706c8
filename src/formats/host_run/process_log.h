// process_log.h - reads RUN/processes.log.
#ifndef TTP_FORMATS_HOST_RUN_PROCESS_LOG_H
#define TTP_FORMATS_HOST_RUN_PROCESS_LOG_H

#include "base/data/arena.h"
#include "base/text/diag.h"

#include "trace/processes.h"

// Damaged lines are counted in diag and skipped. Texts live in the arena.
void process_log_read(struct process_log *l, str text, struct arena *a, struct diag *d);

#endif
