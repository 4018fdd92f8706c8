// device_log_write.h - writes a trace as profile_log_device.csv in its current form;
// device_log.h reads it back to the same trace.
//
// A log is never quoted, so a cell cannot contain a comma or a line end: in names, files
// and types a comma becomes ';' and a control character '?'; in metadata, which is the last
// cell and may contain commas, only line ends do. Unknown values are written as in logs
// that lack them: no "Max Compute Cores", an empty source line.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_WRITE_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_WRITE_H

#include "base/text/err.h"

#include "trace/trace.h"

// Writes rows in trace order: track by track, markers in order. `append`: adds rows only (a
// new or empty file gets its head).
bool device_log_write(const struct trace *t, const char *path, bool append, struct err *e);

#endif
