// profiler_run.h - the logs folder of an attachment in a run of several processes.
//
// In the folder of `ttprof run` every attachment to devices writes to a folder of its own,
// devices/<pid>-<n>: processes never write to each other's files, one after the other or at
// the same time. Elsewhere the logs folder stays .logs, as in tt-metal.
#ifndef TTP_PROFILER_PROFILER_RUN_H
#define TTP_PROFILER_PROFILER_RUN_H

#include "base/text/err.h"

#include "collect/readout/collection.h"

// The folder of all attachments, in the run folder.
#define RUN_DEVICES "devices"
// In it: an attachment has the folder of raw dumps for itself.
#define RUN_DUMPED ".dumped"

// Counts the attachment. In a run folder: makes its folder and points the options there.
bool profiler_run_enter(struct collection *c, struct err *e);
// Links the files of this attachment in .logs, where programs look for them while the run
// lasts. The last dump of any process wins, as without a run. Nothing elsewhere.
void profiler_run_show(const struct collection *c);

#endif
