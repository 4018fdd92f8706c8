// device_log_merge.h - merges the lanes' results into one trace.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_MERGE_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_MERGE_H

#include "base/data/threads.h"

#include "formats/device_log/device_log_rows.h"

// Allocates the trace's columns and gives each lane its slice.
void log_slice(struct trace *t, struct log_lane *lanes, unsigned n_lanes);
// Fills the trace; the lanes can be freed afterwards.
bool log_merge(struct trace *t, struct log_lane *lanes, unsigned n_lanes, struct err *e);
// Calls work for every lane, on as many threads as are worth it.
void log_lanes_run(unsigned n_lanes, void (*work)(struct lane lane, void *context),
                   void *context);

#endif
