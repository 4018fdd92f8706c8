// profiler_clocks.h - device_clocks.json of a profiled device.
#ifndef TTP_PROFILER_PROFILER_CLOCKS_H
#define TTP_PROFILER_PROFILER_CLOCKS_H

#include "base/text/err.h"

#include "collect/readout/collection.h"
#include "collect/sync/device_clocks.h"

// Written to the logs folder unless files are disabled. Chips without a sync are included,
// with their clock value at open.
bool profiler_write_clocks(const struct collection *c, struct err *e);

// The clock of a chip; without a sync its nominal one, from its value at open on. Free the
// model.
struct device_clock profiler_clock_of(const struct chip_record *chip);
// Host times of clocks are on a clock of the program, not CLOCK_MONOTONIC.
bool profiler_has_program_clock(const struct collection *c);

#endif
