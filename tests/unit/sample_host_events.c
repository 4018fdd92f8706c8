// sample_host_events.c - events of a device, to the recorder.
#include "sample_host_events.h"

#include "collect/readout/host_events.h"

void sample_host_events(bool tracks_traces, bool keeps_memory)
{
    struct profiler_options o = {.trace_tracking = tracks_traces, .memory = keeps_memory};
    struct tt_event launch = {.kind = TT_EVENT_LAUNCH,
                              .trace = SAMPLE_TRACE,
                              .program = SAMPLE_PROGRAM,
                              .name = "up"};
    struct tt_event free_launch = launch, again = launch;
    free_launch.trace = -1;
    again.is_replay = true;
    struct tt_event buffer = {.kind = TT_EVENT_ALLOC,
                              .trace = -1,
                              .name = "x",
                              .pool = "DRAM",
                              .address = 0x1000,
                              .bytes = 4096};
    struct tt_event back = buffer;
    back.kind = TT_EVENT_FREE;
    const struct tt_event events[] = {
        free_launch,
        {.kind = TT_EVENT_TRACE_BEGIN, .trace = SAMPLE_TRACE},
        launch,
        {.kind = TT_EVENT_TRACE_END, .trace = SAMPLE_TRACE},
        {.kind = TT_EVENT_TRACE_REPLAY, .trace = SAMPLE_TRACE},
        again,
        buffer,
        back,
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        host_event(&o, SAMPLE_CHIP, &events[i]);
    host_event_release(&o, SAMPLE_CHIP, SAMPLE_TRACE);
}
