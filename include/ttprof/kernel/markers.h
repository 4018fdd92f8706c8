// markers.h - the profiler's macros for kernels.
//
// A build without profiling checks their arguments and makes no code of them.
#ifndef TTPROF_KERNEL_MARKERS_H
#define TTPROF_KERNEL_MARKERS_H

#include "ttprof/kernel/base.h"

TTK_INLINE void ttk_check_name(const char *name)
{
    (void)name;
}
TTK_INLINE void ttk_check_event(uint16_t event)
{
    (void)event;
}
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
#define TTK_NAME(name)    ttk_check_name("" name)

#define DeviceZoneScopedN(name)          TTK_CHECKED(TTK_NAME(name))
#define DeviceZoneScopedMainN(name)      TTK_CHECKED(TTK_NAME(name))
#define DeviceZoneScopedMainChildN(name) TTK_CHECKED(TTK_NAME(name))
#define DeviceZoneScopedSumN1(name)      TTK_CHECKED(TTK_NAME(name))
#define DeviceZoneScopedSumN2(name)      TTK_CHECKED(TTK_NAME(name))
// DeviceTimestampedData(name, value) or (name, value, second value)
#define TTK_DATA_1(name, a, ...)      (TTK_NAME(name), ttk_check_data(a))
#define TTK_DATA_2(name, a, b, ...)   (TTK_NAME(name), ttk_check_data(a), ttk_check_data(b))
#define TTK_THIRD_OF(a, b, c, d, ...) d
#define TTK_DATA(...)                 TTK_THIRD_OF(__VA_ARGS__, TTK_DATA_2, TTK_DATA_1, 0)
#define DeviceTimestampedData(...)    TTK_CHECKED(TTK_DATA(__VA_ARGS__)(__VA_ARGS__, 0))
#define DeviceRecordEvent(event)      TTK_CHECKED(ttk_check_event(event))
#define DeviceValidateProfiler(valid) TTK_CHECKED(ttk_check_condition(valid))
#define DeviceZoneSetCounter(counter) TTK_CHECKED(ttk_check_data(counter))
#define DeviceProfilerInit()          ((void)0)
#define DeviceIncrementTraceCount()   ((void)0)
#define DeviceTraceOnlyProfilerInit() ((void)0)

// Around kernel_main, in the start-up code.
#define TTK_KERNEL_ZONE ((void)0)

#endif
