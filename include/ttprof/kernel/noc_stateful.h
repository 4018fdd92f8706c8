// noc_stateful.h - commands in two parts: what stays the same is set once, the rest with
// every packet; and transaction ids, by which some commands can be waited for alone.
//
// The fields stand in the command buffer for reads or in that for writes: a call of noc.h
// between the two parts overwrites them. Ids are 1..14; the profiler's own pushes have 15.
#ifndef TTPROF_KERNEL_NOC_STATEFUL_H
#define TTPROF_KERNEL_NOC_STATEFUL_H

#include "ttprof/kernel/noc.h"

enum { TTK_TRANSACTION_SHIFT = 10 };

// --- reads -----------------------------------------------------------------------------
// All following reads have this id, until another one is set; 0: none.
TTK_INLINE void noc_async_read_set_trid(uint32_t trid)
{
    ttk_event(TT_NOC_EVENT_READ_SET_TRID | TTK_EVENT_NO_VC | TTK_EVENT_NOWHERE, 0, 0, 0);
    TTK_REGISTER(ttk_noc_ready(TT_NOC_BUFFER_READ) + TT_NOC_PACKET_TAG) =
        trid << TTK_TRANSACTION_SHIFT;
}
TTK_INLINE void noc_async_read_barrier_with_trid(uint32_t trid)
{
    ttk_debug_moment(TT_NOC_EVENT_READ_BARRIER_WITH_TRID);
    ttk_noc_wait_counter(TT_NOC_OUTSTANDING + trid, 0);
    ttk_fence();
}

TTK_INLINE void ttk_noc_read_set(uint64_t from, uint32_t bytes)
{
    ttk_event(TT_NOC_EVENT_READ_SET_STATE | TTK_EVENT_NO_VC, from, 0, bytes);
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_READ);
    TTK_REGISTER(at + TT_NOC_TARG_MID) = (uint32_t)(from >> 32);
    TTK_REGISTER(at + TT_NOC_AT_LEN) = bytes;
}
TTK_INLINE void ttk_noc_read_go(uint32_t from, uint32_t to)
{
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_READ);
    TTK_REGISTER(at + TT_NOC_RET_LO) = to;
    TTK_REGISTER(at + TT_NOC_TARG_LO) = from;
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
    ttk_noc.reads++;
}
// The core that is read from; `from` in the second part is an address there.
TTK_INLINE void noc_async_read_set_state(uint64_t from)
{
    ttk_noc_read_set(from, 0);
}
TTK_INLINE void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t bytes)
{
    ttk_event(TT_NOC_EVENT_READ_WITH_STATE | TTK_EVENT_NO_VC, from, to, bytes);
    for (uint32_t part; bytes; bytes -= part) {
        part = NOC_MAX_BURST_SIZE;
        if (bytes < part)
            part = bytes;
        TTK_REGISTER(ttk_noc_ready(TT_NOC_BUFFER_READ) + TT_NOC_AT_LEN) = part;
        ttk_noc_read_go(from, to);
        from += part;
        to += part;
    }
}
// Same, with the size set once, too, and at most one packet.
TTK_INLINE void noc_async_read_one_packet_set_state(uint64_t from, uint32_t bytes)
{
    ttk_noc_read_set(from, bytes);
}
TTK_INLINE void noc_async_read_one_packet_with_state(uint32_t from, uint32_t to)
{
    ttk_event(TT_NOC_EVENT_READ_WITH_STATE | TTK_EVENT_NO_VC, from, to, 0);
    ttk_noc_read_go(from, to);
}
TTK_INLINE void noc_async_read_one_packet_with_state_with_trid(uint32_t base, uint32_t from,
                                                               uint32_t to, uint32_t trid)
{
    (void)trid; // it has been set
    ttk_event(TT_NOC_EVENT_READ_WITH_STATE_AND_TRID | TTK_EVENT_NO_VC, base + from, to, 0);
    ttk_noc_read_go(base + from, to);
}

// --- writes ----------------------------------------------------------------------------
TTK_INLINE void ttk_noc_write_tag(uint32_t trid)
{
    TTK_REGISTER(ttk_noc_ready(TT_NOC_BUFFER_WRITE) + TT_NOC_PACKET_TAG) =
        trid << TTK_TRANSACTION_SHIFT;
}
TTK_INLINE void noc_async_write_set_trid(uint32_t trid)
{
    ttk_event(TT_NOC_EVENT_WRITE_SET_TRID | TTK_EVENT_NO_VC | TTK_EVENT_NOWHERE, 0, 0, 0);
    ttk_noc_write_tag(trid);
}
TTK_INLINE void noc_async_write_barrier_with_trid(uint32_t trid)
{
    ttk_debug_moment(TT_NOC_EVENT_WRITE_BARRIER_WITH_TRID);
    ttk_noc_wait_counter(TT_NOC_OUTSTANDING + trid, 0);
}
TTK_INLINE void noc_async_write_flushed_with_trid(uint32_t trid)
{
    ttk_debug_moment(TT_NOC_EVENT_WRITE_FLUSH_WITH_TRID);
    ttk_noc_wait_counter(TT_NOC_LEAVING + trid, 0);
}

TTK_INLINE void noc_async_write_one_packet_set_state(uint64_t to, uint32_t bytes)
{
    ttk_event(TT_NOC_EVENT_WRITE_SET_STATE | TTK_EVENT_WRITE_VC, to, 0, bytes);
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_WRITE);
    TTK_REGISTER(at + TT_NOC_CTRL) = TTK_NOC_UNICAST;
    TTK_REGISTER(at + TT_NOC_RET_MID) = (uint32_t)(to >> 32);
    TTK_REGISTER(at + TT_NOC_AT_LEN) = bytes;
}
TTK_INLINE void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to)
{
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_WRITE);
    if (ttk_events_are_on())
        ttk_event(TT_NOC_EVENT_WRITE_WITH_STATE | TTK_EVENT_NO_VC, to, from,
                  TTK_REGISTER(at + TT_NOC_AT_LEN));
    TTK_REGISTER(at + TT_NOC_TARG_LO) = from;
    TTK_REGISTER(at + TT_NOC_RET_LO) = to;
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
    ttk_noc.writes++;
    ttk_noc.acks++;
}
TTK_INLINE void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to,
                                                     uint32_t bytes, uint32_t trid)
{
    ttk_event(TT_NOC_EVENT_WRITE_WITH_TRID | TTK_EVENT_NO_VC, to, from, bytes);
    ttk_noc_write_tag(trid);
    ttk_noc_write_packet(TT_NOC_BUFFER_WRITE, from, to, bytes, TTK_NOC_UNICAST);
    ttk_noc.writes++;
    ttk_noc.acks++;
    ttk_noc_write_tag(0);
}

#endif
