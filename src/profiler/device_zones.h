// device_zones.h - sends what was read of a device to a Tracy server that is connected.
#ifndef TTP_PROFILER_DEVICE_ZONES_H
#define TTP_PROFILER_DEVICE_ZONES_H

#include "collect/readout/collection.h"
#include "trace/trace.h"

// The zones of a dump, in host time as far as the clocks are known by now. Does nothing if
// nobody is connected. Pairs the zones of the trace: what that finds odd is left in it. A
// zone that is still open ends at the last marker of its track.
void device_zones_send(const struct collection *c, struct trace *t, bool is_last);

#endif
