// device_log_merge.h - merges the lanes' results into one trace.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_MERGE_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_MERGE_H

#include "formats/device_log/device_log_rows.h"

// Allocates the trace's columns and gives each lane its slice.
void log_slice(struct trace *t, struct log_lane *lanes, unsigned n_lanes);
// Fills the trace; the lanes can be freed afterwards.
bool log_merge(struct trace *t, struct log_lane *lanes, unsigned n_lanes,
               uint32_t body_line, struct err *e);

#endif
