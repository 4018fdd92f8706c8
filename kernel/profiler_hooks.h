// profiler_hooks.h - the profiler's hooks in the firmware, in the order in which a program
// reaches them. Without profiling they are empty.
#ifndef TTK_PROFILER_HOOKS_H
#define TTK_PROFILER_HOOKS_H

#include "ttprof/kernel/base.h"

#if TTK_PROFILE
#include "counters.h"
#include "profiler_core.h"

// Once, at firmware start.
TTK_INLINE void hook_boot(void)
{
    ttk_trace_reset();
}

// Opens the main zone. On BRISC and ERISC before any other RISC starts.
TTK_COLD void hook_program_start(void)
{
    uint32_t had = ttk_flags(), flags = profile_flags();
    TTK_MARKER_STATE(TT_STATE_FLAGS) = flags;
    TTK_MARKER_STATE(TT_STATE_SUMS) = 0;
    TTK_MARKER_STATE(TT_STATE_SUMS + 1) = 0;
#if TTK_AGGREGATES
    if (profile_is_on())
        core_start();
#endif
    profile_vector_start(flags, had);
#if TTK_AGGREGATES
    core_show_flush();
#endif
    profile_main_zone = TTK_ENTER(profile_main_enter, TTK_RISC_NAME "-FW");
}

// BRISC and ERISC: whether this run is profiled, and under which number.
TTK_INLINE void hook_program_id(bool is_valid, uint32_t host_id)
{
    if (!profile_is_on())
        return;
    ttk_validate(is_valid);
    ttk_set_counter(host_id);
}

// Closes the main zone and publishes the end index; on BRISC and ERISC also pushes the
// buffers to DRAM. Before DONE.
TTK_COLD void hook_program_end(void)
{
    ttk_fence();
    if (profile_main_zone)
        profile_main_leave(profile_main_zone);
    if (TTK_CONTROL(TT_CONTROL_PROFILER_DONE))
        return;
    if (profile_publishes(ttk_flags()))
        profile_publish();
#if TTK_AGGREGATES
    if (profile_is_on())
        core_end();
#endif
}

// Before a trace is replayed.
TTK_INLINE void hook_replay(void)
{
#if TTK_AGGREGATES
    TTK_MARKER_STATE(TT_STATE_FLAGS) = profile_flags();
    if (ttk_has_mode(TT_FLAG_TRACE_ONLY) && ttk_has_mode(TT_FLAG_LEVEL))
        ttk_trace_only_start();
    else if (profile_is_on())
        ttk_trace_increment();
#endif
}
#else
TTK_INLINE void hook_boot(void) {}
TTK_INLINE void hook_program_start(void) {}
TTK_INLINE void hook_program_id(bool is_valid, uint32_t host_id)
{
    (void)is_valid, (void)host_id;
}
TTK_INLINE void hook_program_end(void) {}
TTK_INLINE void hook_replay(void) {}
#endif

// On BRISC, before the other RISCs start and after they are done.
TTK_INLINE void hook_counters_prepare(void)
{
#if TTK_PROFILE && defined(TTK_BRISC)
    counters_prepare();
#endif
}
TTK_INLINE void hook_counters_read(void)
{
#if TTK_PROFILE && defined(TTK_BRISC)
    counters_read();
#endif
}
// On TRISC1, around the kernel: runs the performance counters.
TTK_INLINE void hook_counters_start(void)
{
#if TTK_PROFILE && defined(TTK_TRISC1)
    counters_switch(COUNTERS_START);
#endif
}
TTK_INLINE void hook_counters_stop(void)
{
#if TTK_PROFILE && defined(TTK_TRISC1)
    counters_switch(COUNTERS_STOP);
#endif
}

#endif
