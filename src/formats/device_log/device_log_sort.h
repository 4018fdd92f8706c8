// device_log_sort.h - puts each track in time order and removes duplicate rows.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_SORT_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_SORT_H

#include "trace/trace.h"

// Sorts the markers of every track by time; equal times keep file order. Counts rows
// earlier than their predecessor, and drops duplicates.
void log_sort(struct trace *t);

#endif
