// profiler_hooks.h - the places of the firmware at which the profiler does something, in
// the order in which a program meets them.
#ifndef TTK_PROFILER_HOOKS_H
#define TTK_PROFILER_HOOKS_H

#include "ttprof/kernel/base.h"

// Once, at the start of the firmware.
TTK_INLINE void hook_boot(void) {}
// The main zone opens. On BRISC and ERISC before any other RISC starts.
TTK_INLINE void hook_program_start(void) {}
// BRISC and ERISC: is this run to be profiled, and under which number?
TTK_INLINE void hook_program_id(bool is_valid, uint32_t host_id)
{
    (void)is_valid, (void)host_id;
}
// TRISC1, around the kernel: performance counters run.
TTK_INLINE void hook_counters_start(void) {}
TTK_INLINE void hook_counters_stop(void) {}
// BRISC, after all other RISCs are done.
TTK_INLINE void hook_counters_read(void) {}
// The main zone closes and the end index is published; on BRISC and ERISC the buffers are
// pushed to DRAM. Before DONE.
TTK_INLINE void hook_program_end(void) {}
// A trace is about to be replayed.
TTK_INLINE void hook_replay(void) {}

#endif
