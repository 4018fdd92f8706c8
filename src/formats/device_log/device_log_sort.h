// device_log_sort.h - each track in time order, each row once.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_SORT_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_SORT_H

#include "trace/trace.h"

// Sorts the markers of every track by time; equal times keep the order of the file. Counts
// rows that were earlier than the one before, and drops those that stand there twice.
void log_sort(struct trace *t);

#endif
