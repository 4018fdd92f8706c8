// host_run.h - opens a run folder: what processes recorded. Processes, their threads and
// fibers become tracks; cursor.h walks the events of each track. So do the Tracy clients
// that were captured, in RUN/tracy. A .tracy file is accepted wherever a run is
// (formats/tracy/tracy_trace.h).
//
// A run may still be in progress, and its processes may have been killed: the files are
// read as they are. Zones without an end are closed at the last time that their process is
// known to have been alive, and marked. All times are ns on one axis: since the start of
// the run (CLOCK_MONOTONIC of the manifest, else of the first process).
#ifndef TTP_FORMATS_HOST_RUN_HOST_RUN_H
#define TTP_FORMATS_HOST_RUN_HOST_RUN_H

#include "base/text/err.h"

#include "trace/trace.h"

#define RUN_TRACY "tracy" // the folder of captures in that of a run
// What found a capture's time in processes.log, if its clock did not.
#define RUN_TRACY_ARRIVAL "arrival"

// Is there a run, a profiler folder with runs in it, or a .tracy file?
bool host_run_is_at(const char *path);
// The newest run in runs/ of a profiler folder, or the path itself. Lives in the arena.
char *host_run_find(const char *path, struct arena *a);
// A trace of the host's tracks.
bool host_run_open(struct trace *t, const char *path, struct err *e);
// Adds host tracks to a trace of devices. False: the trace is unchanged.
bool host_run_add(struct trace *t, const char *path, struct err *e);

#endif
