// host_events.h - reports device events to the host recorder: traces as the messages that
// tt-metal sends, buffers as allocations.
#ifndef TTP_COLLECT_READOUT_HOST_EVENTS_H
#define TTP_COLLECT_READOUT_HOST_EVENTS_H

#include "collect/readout/options.h"
#include "ttprof/device.h"

// `chip` is the id shown in logs. Does nothing if the process is not recorded.
void host_event(const struct profiler_options *o, int chip, const struct tt_event *event);
// A buffer reported by the application.
void host_event_buffer(int chip, bool is_alloc, str pool, uint64_t address, uint64_t bytes);
// A trace was released with its device.
void host_event_release(const struct profiler_options *o, int chip, int trace);

#endif
