// profiler_clocks.h - device_clocks.json of a profiled device.
#ifndef TTP_PROFILER_PROFILER_CLOCKS_H
#define TTP_PROFILER_PROFILER_CLOCKS_H

#include "base/text/err.h"

#include "collect/readout/collection.h"

// Into the logs folder, unless there are to be no files. Chips that were not synced are
// told of, too: by what their clocks showed when they were opened.
bool profiler_write_clocks(const struct collection *c, struct err *e);

#endif
