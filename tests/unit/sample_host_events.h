// sample_host_events.h - what a device tells its profiler: a trace, and a buffer.
#ifndef TTP_TESTS_SAMPLE_HOST_EVENTS_H
#define TTP_TESTS_SAMPLE_HOST_EVENTS_H

#include <stdbool.h>

enum { SAMPLE_CHIP = 3, SAMPLE_TRACE = 5, SAMPLE_PROGRAM = 7 };

// Trace 5 of chip 3 is recorded with program 7, replayed and released; 4096 bytes of DRAM
// at 0x1000 are taken and given back.
void sample_host_events(bool tracks_traces, bool keeps_memory);

#endif
