// device_log_write.h - a trace as profile_log_device.csv in its current form; device_log.h
// reads it back to the same trace.
//
// Nothing in a log is ever quoted, so a cell cannot hold a comma or a line end: in names,
// files and types a comma becomes ';' and a control character '?'; in meta data, which is
// the last cell and may hold commas, only line ends do. What is not known is written as
// logs without it have it: no "Max Compute Cores", an empty source line.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_WRITE_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_WRITE_H

#include "base/text/err.h"

#include "trace/trace.h"

// Rows in the order of the trace: track by track, markers in their order. `append`: rows
// only, behind what the file has (it gets its head if it is new or empty).
bool device_log_write(const struct trace *t, const char *path, bool append, struct err *e);

#endif
