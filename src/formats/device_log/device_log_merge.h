// device_log_merge.h - one trace from what the lanes found.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_MERGE_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_MERGE_H

#include "formats/device_log/device_log_rows.h"

// Columns of the trace for all lanes, and each lane's slice of them.
void log_slice(struct trace *t, struct log_lane *lanes, unsigned n_lanes);
// Fills the trace; the lanes can be freed afterwards.
bool log_merge(struct trace *t, struct log_lane *lanes, unsigned n_lanes,
               uint32_t body_line, struct err *e);

#endif
