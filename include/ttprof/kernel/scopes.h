// scopes.h - zones and sums as scopes: a variable whose destruction records the end.
#ifndef TTPROF_KERNEL_SCOPES_H
#define TTPROF_KERNEL_SCOPES_H

#include "ttprof/kernel/base.h"

#if TTK_PROFILE

#include "ttprof/kernel/profiler.h"
#include "ttprof/kernel/profiler_modes.h"

TTK_INLINE void ttk_mark_data(uint32_t header, uint64_t data)
{
    if (ttk_records())
        ttk_record(header, TTK_HEADROOM_DATA, (uint32_t)(data >> 32), (uint32_t)data);
}
TTK_INLINE void ttk_mark_data16(uint32_t header, uint64_t data, uint64_t second)
{
    if (ttk_records())
        ttk_record_16(header, TTK_HEADROOM_DATA, (uint32_t)(data >> 32), (uint32_t)data,
                      (uint32_t)(second >> 32), (uint32_t)second);
}

#ifdef __cplusplus
#define TTK_MEMBER inline __attribute__((always_inline))
struct ttk_zone {
    uint32_t end;
    TTK_MEMBER explicit ttk_zone(uint32_t header) : end(header) {}
    TTK_MEMBER ~ttk_zone() { ttk_zone_leave(end); }
    ttk_zone(const ttk_zone &) = delete;
    ttk_zone &operator=(const ttk_zone &) = delete;
};
template <uint32_t slot> struct ttk_sum_scope {
    ttk_sum sum;
    TTK_MEMBER explicit ttk_sum_scope(ttk_sum started) : sum(started) {}
    TTK_MEMBER ~ttk_sum_scope() { ttk_sum_leave(slot, sum); }
    ttk_sum_scope(const ttk_sum_scope &) = delete;
    ttk_sum_scope &operator=(const ttk_sum_scope &) = delete;
};
#define TTK_ZONE_VARIABLE(name, value)      ttk_zone name(value)
#define TTK_SUM_VARIABLE(slot, name, value) ttk_sum_scope<slot> name(value)
#else
TTK_INLINE void ttk_zone_cleanup(const uint32_t *end)
{
    ttk_zone_leave(*end);
}
TTK_INLINE void ttk_sum_0_cleanup(const struct ttk_sum *sum)
{
    ttk_sum_leave(0, *sum);
}
TTK_INLINE void ttk_sum_1_cleanup(const struct ttk_sum *sum)
{
    ttk_sum_leave(1, *sum);
}
#define TTK_ZONE_VARIABLE(name, value)                                                     \
    const uint32_t name __attribute__((cleanup(ttk_zone_cleanup), unused)) = value
#define TTK_SUM_VARIABLE(slot, name, value)                                                \
    const struct ttk_sum name __attribute__((cleanup(ttk_sum_##slot##_cleanup), unused)) = \
        value
#endif

#define TTK_JOIN_OF(a, b) a##b
#define TTK_JOIN(a, b)    TTK_JOIN_OF(a, b)
#define TTK_ZONE_SCOPE(enter, number, name)                                                \
    TTK_ZONE_VARIABLE(TTK_JOIN(ttk_zone_, number), TTK_ENTER_OF(enter, number, name))
#define TTK_SUM_SCOPE(number, slot, name)                                                  \
    TTK_SUM_VARIABLE(                                                                      \
        slot, TTK_JOIN(ttk_sum_, number),                                                  \
        ttk_sum_enter(TTK_ZONE_HEADER_OF(number, name, TT_PACKET_ZONE_TOTAL)))

#endif // TTK_PROFILE
#endif
