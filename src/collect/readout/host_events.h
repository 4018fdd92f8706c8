// host_events.h - what happens on a device, told to the recorder of the host: traces as the
// messages that the reference sends, buffers as allocations.
#ifndef TTP_COLLECT_READOUT_HOST_EVENTS_H
#define TTP_COLLECT_READOUT_HOST_EVENTS_H

#include "collect/readout/options.h"
#include "ttprof/device.h"

// `chip` is the id that logs show. Does nothing when the process is not recorded.
void host_event(const struct profiler_options *o, int chip, const struct tt_event *event);
// A buffer that the application itself tells of.
void host_event_buffer(int chip, bool is_alloc, str pool, uint64_t address, uint64_t bytes);
// A trace goes with its device.
void host_event_release(const struct profiler_options *o, int chip, int trace);

#endif
