// markers.h - the profiler's macros for kernels.
//
// A zone is a scope: its end is recorded wherever the scope is left. A build without
// profiling checks the arguments and generates no code for them.
#ifndef TTPROF_KERNEL_MARKERS_H
#define TTPROF_KERNEL_MARKERS_H

#include "ttprof/kernel/base.h"
#include "ttprof/kernel/scopes.h"
#include "ttprof/kernel/zone_header.h"

// A call that is not optimised away is an error.
TTK_C_LINKAGE void ttk_event_too_large(void)
    __attribute__((error("the number of an event must be between 0 and 65535")));
TTK_INLINE void ttk_check_data(uint64_t data)
{
    (void)data;
}
TTK_INLINE void ttk_check_condition(bool condition)
{
    (void)condition;
}

// Arguments are type-checked and not evaluated.
#define TTK_CHECKED(call) ((void)sizeof((call), 0))
#define TTK_CHECK_EVENT(event)                                                             \
    (__builtin_constant_p(event) && (uint64_t)(event) > 0xFFFF ? ttk_event_too_large()     \
                                                               : (void)0)
// DeviceTimestampedData has two arguments or three.
#define TTK_FOURTH_OF(a, b, c, d, ...) d
#define TTK_DATA(...)                  TTK_FOURTH_OF(__VA_ARGS__, TTK_DATA_2, TTK_DATA_1, 0)

#if TTK_PROFILE == 0
#define DeviceZoneScopedN(name)          TTK_CHECK_NAME(name)
#define DeviceZoneScopedMainN(name)      TTK_CHECK_NAME(name)
#define DeviceZoneScopedMainChildN(name) TTK_CHECK_NAME(name)
#define DeviceZoneScopedSumN1(name)      TTK_CHECK_NAME(name)
#define DeviceZoneScopedSumN2(name)      TTK_CHECK_NAME(name)
#define TTK_DATA_1(name, a, ...)         (TTK_CHECK_NAME(name), TTK_CHECKED(ttk_check_data(a)))
#define TTK_DATA_2(name, a, b, ...)      (TTK_DATA_1(name, a, 0), TTK_CHECKED(ttk_check_data(b)))
#define DeviceTimestampedData(...)       TTK_DATA(__VA_ARGS__)(__VA_ARGS__, 0)
#define DeviceRecordEvent(event)                                                           \
    (TTK_CHECK_EVENT(event), TTK_CHECKED(ttk_check_data(event)))
#define DeviceValidateProfiler(valid) TTK_CHECKED(ttk_check_condition(valid))
#define DeviceZoneSetCounter(counter) TTK_CHECKED(ttk_check_data(counter))
#define DeviceProfilerInit()          ((void)0)
#define DeviceIncrementTraceCount()   ((void)0)
#define DeviceTraceOnlyProfilerInit() ((void)0)
#else
// Covers this scope.
#define DeviceZoneScopedN(name)          TTK_ZONE_SCOPE(ttk_zone_enter, __COUNTER__, name)
// Always recorded the first time, however many markers the kernel has. The guaranteed slots
// belong to the firmware and the start-up code; the kernel reserves room of its own.
#define DeviceZoneScopedMainN(name)      TTK_ZONE_SCOPE(ttk_main_enter, __COUNTER__, name)
#define DeviceZoneScopedMainChildN(name) TTK_ZONE_SCOPE(ttk_child_enter, __COUNTER__, name)
// The total cycles of all runs of this scope, as one marker at the end of the program; two
// such sums per RISC. Enabled by an option.
#define DeviceZoneScopedSumN1(name)      TTK_SUM_SCOPE(__COUNTER__, 0, name)
#define DeviceZoneScopedSumN2(name)      TTK_SUM_SCOPE(__COUNTER__, 1, name)
// (name, value) or (name, value, second value), 64 bits each.
#define DeviceTimestampedData(...)       TTK_DATA(__VA_ARGS__)(__VA_ARGS__, 0)
#define TTK_DATA_1(name, a, ...)         ttk_mark_data(TTK_ZONE_HEADER(name, TT_PACKET_TS_DATA), a)
#define TTK_DATA_2(name, a, b, ...)                                                        \
    ttk_mark_data16(TTK_ZONE_HEADER(name, TT_PACKET_TS_DATA_16B), a, b)
// A 16-bit number.
#define DeviceRecordEvent(event)      (TTK_CHECK_EVENT(event), ttk_record_event(event))
// An invalid program leaves no markers.
#define DeviceValidateProfiler(valid) ttk_validate(valid)
// The program's number in everything this core records from here on.
#define DeviceZoneSetCounter(counter) ttk_set_counter((uint32_t)(counter))
// For the firmware.
#define DeviceProfilerInit()          ttk_trace_reset()
#define DeviceIncrementTraceCount()   ttk_trace_increment()
#define DeviceTraceOnlyProfilerInit() ttk_trace_only_start()
#endif

#endif
