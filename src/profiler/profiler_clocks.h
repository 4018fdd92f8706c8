// profiler_clocks.h - device_clocks.json of a profiled device.
#ifndef TTP_PROFILER_PROFILER_CLOCKS_H
#define TTP_PROFILER_PROFILER_CLOCKS_H

#include "base/text/err.h"

#include "collect/readout/collection.h"

// Written to the logs folder unless files are disabled. Chips without a sync are included,
// with their clock value at open.
bool profiler_write_clocks(const struct collection *c, struct err *e);

#endif
