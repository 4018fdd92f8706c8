// profile_steps.h - does what the arguments say (profile_script.h).
#include "profile_script.h"

#define STEP static __attribute__((noinline)) void

STEP zones(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        DeviceZoneScopedN("flat");
    }
}
STEP nest_deeper(uint32_t depth, uint32_t inner)
{
    DeviceZoneScopedN("nested");
    if (depth > 1)
        nest_deeper(depth - 1, inner);
    else
        zones(inner);
    __asm__ volatile(""); // no tail call
}
STEP nest(uint32_t n)
{
    nest_deeper(n & 0xFF, n >> 8);
}
STEP events(uint32_t n)
{
    for (uint32_t i = 1; i <= n; i++)
        DeviceRecordEvent(i);
}
STEP event(uint32_t n)
{
    DeviceRecordEvent(n);
}
STEP data(uint32_t n)
{
    for (uint32_t i = 1; i <= n; i++)
        DeviceTimestampedData("data", (uint64_t)i << 32 | ~i);
}
STEP data16(uint32_t n)
{
    for (uint32_t i = 1; i <= n; i++)
        DeviceTimestampedData("data16", (uint64_t)i << 32 | ~i, (uint64_t)~i << 32 | i);
}
STEP sum1(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        DeviceZoneScopedSumN1("sum 1");
        ttk_delay(50);
    }
}
STEP sum2(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        DeviceZoneScopedSumN2("sum 2");
        ttk_delay(100);
    }
}
STEP valid(uint32_t n)
{
    DeviceValidateProfiler(n != 0);
}
STEP counter(uint32_t n)
{
    DeviceZoneSetCounter(n);
}
STEP wait(uint32_t n)
{
    ttk_delay(n);
}
#ifdef PROFILE_MAINS // a kernel that has them has less room for others
STEP mains(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        DeviceZoneScopedMainN("own main");
    }
}
STEP children(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        DeviceZoneScopedMainChildN("own child");
    }
}
#else
#define mains    wait
#define children wait
#endif
#if TTK_PROFILE && TTK_IS_DATA_MOVEMENT
STEP push(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ttk_quick_push();
}
STEP flush_if(uint32_t n)
{
    ttk_flush_if_full(n);
}
STEP posted(uint32_t n)
{
    enum { PLACE = 0x3C000 };
    for (uint32_t i = 0; i < n; i++)
        noc_async_write_posted(PLACE, ttk_noc_address_here(PLACE + 64), 32);
    ttk_quick_push();
    noc_async_posted_writes_flushed();
    noc_async_full_barrier();
}
STEP linked(uint32_t n)
{
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_WRITE);
    TTK_REGISTER(at + TT_NOC_CTRL) = n ? TT_NOC_LINKED : 0;
}
#else
#define push     wait
#define flush_if wait
#define posted   wait
#define linked   wait
#endif

void kernel_main(void)
{
    static void (*const steps[PROFILE_STEPS])(uint32_t) = {
        [PROFILE_ZONES] = zones,    [PROFILE_NEST] = nest,
        [PROFILE_EVENTS] = events,  [PROFILE_EVENT] = event,
        [PROFILE_DATA] = data,      [PROFILE_DATA16] = data16,
        [PROFILE_SUM1] = sum1,      [PROFILE_SUM2] = sum2,
        [PROFILE_PUSH] = push,      [PROFILE_FLUSH_IF] = flush_if,
        [PROFILE_VALID] = valid,    [PROFILE_COUNTER] = counter,
        [PROFILE_DELAY] = wait,     [PROFILE_MAIN] = mains,
        [PROFILE_CHILD] = children, [PROFILE_POSTED] = posted,
        [PROFILE_LINKED] = linked,
    };
    for (uint32_t i = 0; get_arg_val(i) != PROFILE_END; i += 2)
        steps[get_arg_val(i)](get_arg_val(i + 1));
}
