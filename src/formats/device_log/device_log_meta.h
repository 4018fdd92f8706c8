// device_log_meta.h - metadata of the rows of a device log.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_META_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_META_H

#include "trace/trace.h"

#define META_PROGRAM "workers_runtime_id" // the program that a dispatch core works for

// The value of a key in logged metadata: a JSON object whose commas are semicolons,
// possibly with single quotes. False if it is not there.
bool meta_find(str meta, str key, str *value);

// Raises the ids of programs in metadata, in the data that they describe and in the names
// of dispatch zones, like the run ids of their logs (struct log_part).
void log_meta_raise_programs(struct trace *t);

#endif
