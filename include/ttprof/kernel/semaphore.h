// semaphore.h - words in L1 on which cores wait for each other.
#ifndef TTPROF_KERNEL_SEMAPHORE_H
#define TTPROF_KERNEL_SEMAPHORE_H

#include "ttprof/kernel/noc.h"

typedef volatile uint32_t ttk_semaphore;

// Local semaphores cause no traffic: their events are for debugging.
TTK_INLINE void ttk_semaphore_event(uint32_t kind, ttk_semaphore *semaphore)
{
    ttk_debug_event(kind | TTK_EVENT_NO_VC | TTK_EVENT_NOWHERE | TTK_EVENT_NOC0,
                    (uintptr_t)semaphore, 0, 0);
}
TTK_INLINE void noc_semaphore_set(ttk_semaphore *semaphore, uint32_t value)
{
    ttk_semaphore_event(TT_NOC_EVENT_SEMAPHORE_SET, semaphore);
    *semaphore = value;
}
TTK_INLINE void noc_semaphore_wait(ttk_semaphore *semaphore, uint32_t value)
{
    ttk_semaphore_event(TT_NOC_EVENT_SEMAPHORE_WAIT, semaphore);
    do {
        ttk_fence();
    } while (*semaphore != value);
}
TTK_INLINE void noc_semaphore_wait_min(ttk_semaphore *semaphore, uint32_t value)
{
    ttk_semaphore_event(TT_NOC_EVENT_SEMAPHORE_WAIT, semaphore);
    do {
        ttk_fence();
    } while (*semaphore < value);
}

// Increment with wrap at 32 bits: instruction 1, width 31, word within 16 bytes.
TTK_INLINE void ttk_noc_increment(uint64_t at, uint32_t by, uint32_t control,
                                  uint32_t dests)
{
    uint32_t buffer = ttk_noc_ready(TT_NOC_BUFFER_ATOMIC);
    TTK_REGISTER(buffer + TT_NOC_CTRL) = TT_NOC_ATOMIC | control;
    TTK_REGISTER(buffer + TT_NOC_TARG_LO) = (uint32_t)at;
    TTK_REGISTER(buffer + TT_NOC_TARG_MID) = (uint32_t)(at >> 32);
    TTK_REGISTER(buffer + TT_NOC_AT_LEN) = 1u << 12 | 31u << 2 | ((uint32_t)at >> 2 & 3);
    TTK_REGISTER(buffer + TTL_noc_at_data) = by;
    TTK_REGISTER(buffer + TTL_noc_cmd_ctrl) = 1;
    ttk_noc.atomics += dests;
}
TTK_INLINE void noc_semaphore_inc_multicast(uint64_t at, uint32_t by, uint32_t dests)
{
    ttk_debug_event(TT_NOC_EVENT_SEMAPHORE_INC_MULTICAST | TTK_EVENT_MULTICAST_VC |
                        TTK_EVENT_MULTICAST,
                    at, 0, 0);
    ttk_noc_increment(at, by, TT_NOC_RESPONSE | TT_NOC_MULTICAST | TT_NOC_PATH_RESERVE,
                      dests);
}

// A word of the own L1 to the same use elsewhere.
TTK_INLINE void noc_semaphore_set_remote(uint32_t from, uint64_t to)
{
    ttk_event(TT_NOC_EVENT_SEMAPHORE_SET_REMOTE | TTK_EVENT_WRITE_VC, to, from, 4);
    ttk_noc_write(from, to, 4, TTK_NOC_UNICAST, 1);
}

TTK_INLINE void ttk_semaphore_multicast(uint32_t from, uint64_t to, uint32_t control,
                                        uint32_t dests)
{
    ttk_event_multicast(TT_NOC_EVENT_SEMAPHORE_SET_MULTICAST, from, to, 4,
                        control & TT_NOC_LINKED);
    ttk_noc_write(from, to, 4, TTK_NOC_MULTICAST | control, dests);
}

#ifdef __cplusplus
template <bool posted = false> TTK_INLINE void noc_semaphore_inc(uint64_t at, uint32_t by)
{
    ttk_debug_event(TT_NOC_EVENT_SEMAPHORE_INC | TTK_EVENT_WRITE_VC |
                        (posted ? TTK_EVENT_POSTED : 0),
                    at, 0, 0);
    ttk_noc_increment(at, by, posted ? 0 : TT_NOC_RESPONSE, posted ? 0 : 1);
}
TTK_INLINE void noc_semaphore_set_multicast(uint32_t from, uint64_t to, uint32_t dests,
                                            bool linked = false)
{
    ttk_semaphore_multicast(from, to, linked ? TT_NOC_LINKED : 0, dests);
}
TTK_INLINE void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t to,
                                                         uint32_t dests,
                                                         bool linked = false)
{
    ttk_semaphore_multicast(from, to, TT_NOC_INCLUDE_SOURCE | (linked ? TT_NOC_LINKED : 0),
                            dests);
}
#else
TTK_INLINE void noc_semaphore_inc(uint64_t at, uint32_t by)
{
    ttk_debug_event(TT_NOC_EVENT_SEMAPHORE_INC | TTK_EVENT_WRITE_VC, at, 0, 0);
    ttk_noc_increment(at, by, TT_NOC_RESPONSE, 1);
}
TTK_INLINE void noc_semaphore_set_multicast(uint32_t from, uint64_t to, uint32_t dests)
{
    ttk_semaphore_multicast(from, to, 0, dests);
}
TTK_INLINE void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t to,
                                                         uint32_t dests)
{
    ttk_semaphore_multicast(from, to, TT_NOC_INCLUDE_SOURCE, dests);
}
#endif

#endif
