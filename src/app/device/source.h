// source.h - a device log read once, with its trace and ops, shared by all reports.
#ifndef TTP_APP_DEVICE_SOURCE_H
#define TTP_APP_DEVICE_SOURCE_H

#include "analyse/fold/device_ops.h"
#include "analyse/fold/dispatch_ops.h"
#include "analyse/host/attachments.h"
#include "analyse/perf/select.h"
#include "trace/trace.h"

struct device_source {
    const char *path; // "-": standard input
    struct trace trace;
    struct attachments attachments; // of the run of the log; empty: none
    struct device_ops ops;
    struct dispatch_ops dispatch;
};

// Reads a log, or all logs of a run: `path` is a log, a folder with logs, or a run. A log
// that was merged from those of several attachments is read as they are, if they are there.
// False: the log cannot be read, e is set. The source must be freed either way.
bool device_source_read(struct device_source *s, const char *path, struct err *e);
// Pairs zones and finds ops. Keeps selected markers only; NULL: all. False: the selection
// is invalid.
bool device_source_find(struct device_source *s, const struct selection *selection,
                        bool with_dispatch, struct err *e);
void device_source_free(struct device_source *s);

#endif
