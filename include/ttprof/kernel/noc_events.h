// noc_events.h - NoC calls leave a data marker: what was requested from whom, and when.
//
// Only images of the variant `full`, on BRISC and NCRISC, while TT_FLAG_NOC_EVENTS is set;
// kinds that debugging alone needs, and the form with addresses, with TT_FLAG_NOC_DEBUG. An
// event is recorded before its command is issued. Packing: ttprof/noc_event_kinds.h. Its
// coordinates are those of the NoC address, also where that is the source of a read; of the
// trailer's addresses `dst` goes with them and `src` is in the own L1. The trailer's
// counter has the low bits of the count that the matching barrier would wait for.
#ifndef TTPROF_KERNEL_NOC_EVENTS_H
#define TTPROF_KERNEL_NOC_EVENTS_H

#include "ttprof/kernel/core.h"
#include "ttprof/kernel/noc_state.h"
#include "ttprof/noc_event_kinds.h"

#if TTK_PROFILE >= 2 && TTK_RISC <= 1 && !defined(TTK_FIRMWARE)
#define TTK_HAS_NOC_EVENTS 1
#include "ttprof/kernel/profiler.h"
#else
#define TTK_HAS_NOC_EVENTS 0
#endif

// What an event is, as one constant: kind, virtual channel, and these.
enum {
    TTK_EVENT_VC_SHIFT = 8,
    TTK_EVENT_NO_VC = 15 << TTK_EVENT_VC_SHIFT,
    TTK_EVENT_WRITE_VC = 1 << TTK_EVENT_VC_SHIFT,
    TTK_EVENT_MULTICAST_VC = 4 << TTK_EVENT_VC_SHIFT,
    TTK_EVENT_POSTED_SHIFT = 12,
    TTK_EVENT_POSTED = 1 << TTK_EVENT_POSTED_SHIFT,
    TTK_EVENT_MULTICAST = 1 << 13, // the address has two corners
    TTK_EVENT_NOWHERE = 1 << 14,   // no coordinates
    TTK_EVENT_NOC0 = 1 << 15,      // whatever network the RISC uses
    TTK_EVENT_SPECIAL = TTK_EVENT_MULTICAST | TTK_EVENT_NOWHERE | TTK_EVENT_NOC0,
};

#if TTK_HAS_NOC_EVENTS
TTK_INLINE uint32_t ttk_event_counter(uint32_t kind)
{
    if (kind <= TT_NOC_EVENT_READ_DRAM_SHARDED_WITH_STATE)
        return ttk_noc.reads;
    bool is_atomic = kind == TT_NOC_EVENT_ATOMIC_BARRIER ||
                     kind == TT_NOC_EVENT_SEMAPHORE_INC ||
                     kind == TT_NOC_EVENT_SEMAPHORE_INC_MULTICAST;
    return is_atomic ? ttk_noc.atomics : ttk_noc.acks;
}

// Room for a marker, after a push if necessary; 0: it is lost and counted.
TTK_INLINE uint32_t ttk_event_take(uint32_t bytes, struct ttk_clock *c)
{
    for (;;) {
        *c = ttk_clock_read();
        uint32_t next = TTK_MARKER_NEXT;
        int32_t left = (int32_t)(TTK_MARKER_FREE - bytes);
        if (__builtin_expect(left >= 0, 1)) {
            TTK_MARKER_NEXT = next + bytes;
            TTK_MARKER_FREE = (uint32_t)left;
            return next;
        }
        if (!ttk_room_made(bytes | TTK_ROOM_MARKER | TTK_ROOM_PUSH))
            return 0;
    }
}

// `place` is the upper half of the NoC address. Out of line, so that a call costs its place
// in a kernel few instructions.
static __attribute__((noinline, unused)) void
ttk_event_record(uint32_t what, uint32_t place, uint32_t remote, uint32_t local,
                 uint32_t bytes)
{
    int kind = (int)(what & 0xFF), noc = (int)ttk_noc_index();
    int x = (int)(place >> 4 & 63), y = (int)(place >> 10 & 63), end_x = 0, end_y = 0;
    if (__builtin_expect(what & TTK_EVENT_SPECIAL, 0)) {
        if (what & TTK_EVENT_MULTICAST) {
            end_x = x;
            end_y = y;
            x = (int)(place >> 16 & 63);
            y = (int)(place >> 22 & 63);
        }
        if (what & TTK_EVENT_NOWHERE)
            x = y = -1;
        if (what & TTK_EVENT_NOC0)
            noc = 0;
    }
    uint32_t low = tt_noc_event_low(kind, x, y, end_x);
    uint32_t high = tt_noc_event_high(end_y, noc, (int)(what >> TTK_EVENT_VC_SHIFT), bytes,
                                      what >> TTK_EVENT_POSTED_SHIFT & 1);
    bool is_long = ttk_flags() & TT_FLAG_NOC_DEBUG;
    uint32_t type = is_long ? TT_PACKET_TS_DATA_16B : TT_PACKET_TS_DATA;
    struct ttk_clock c;
    uint32_t at = ttk_event_take(is_long ? TTK_DATA16_BYTES : TTK_DATA_BYTES, &c);
    if (__builtin_expect(at == 0, 0))
        return;
    ttk_marker_write(at, TT_MARKER_HEADER(type, TT_ID_NOC_EVENT), c);
    TTK_VECTOR_WORD(at, 2) = high;
    TTK_VECTOR_WORD(at, 3) = low;
    if (is_long) {
        TTK_VECTOR_WORD(at, 4) =
            tt_noc_trailer_high(local, ttk_event_counter((uint32_t)kind));
        TTK_VECTOR_WORD(at, 5) = tt_noc_trailer_low(remote, local);
    }
}

TTK_INLINE bool ttk_events_are_on(void)
{
    return __builtin_expect(ttk_flags() & TT_FLAG_NOC_EVENTS, 0);
}
TTK_INLINE void ttk_event_if(uint32_t flag, uint32_t what, uint64_t at, uint32_t local,
                             uint32_t bytes)
{
    if (__builtin_expect(ttk_flags() & flag, 0))
        ttk_event_record(what, (uint32_t)(at >> 32), (uint32_t)at, local, bytes);
}

// Before a series of linked commands: the path is reserved until the last one, and the
// profiler must not send meanwhile.
TTK_INLINE void ttk_event_before_linked(bool linked)
{
    if (linked && ttk_events_are_on() &&
        !(TTK_REGISTER(ttk_noc.niu + TT_NOC_BUFFER_WRITE * TTL_noc_buffer_stride +
                       TT_NOC_CTRL) &
          TT_NOC_LINKED))
        ttk_quick_push();
}
#else
TTK_INLINE bool ttk_events_are_on(void)
{
    return false;
}
TTK_INLINE void ttk_event_if(uint32_t flag, uint32_t what, uint64_t at, uint32_t local,
                             uint32_t bytes)
{
    (void)flag, (void)what, (void)at, (void)local, (void)bytes;
}
TTK_INLINE void ttk_event_before_linked(bool linked)
{
    (void)linked;
}
#endif

// Always recorded: `at` is the NoC address, `local` the own one.
TTK_INLINE void ttk_event(uint32_t what, uint64_t at, uint32_t local, uint32_t bytes)
{
    ttk_event_if(TT_FLAG_NOC_EVENTS, what, at, local, bytes);
}
// Recorded for debugging only.
TTK_INLINE void ttk_debug_event(uint32_t what, uint64_t at, uint32_t local, uint32_t bytes)
{
    ttk_event_if(TT_FLAG_NOC_DEBUG, what, at, local, bytes);
}
// Barriers, flushes and the like: without an address.
TTK_INLINE void ttk_debug_moment(uint32_t kind)
{
    ttk_debug_event(kind | TTK_EVENT_NO_VC | TTK_EVENT_NOWHERE, 0, 0, 0);
}

// The calls that move data.
TTK_INLINE void ttk_event_read(uint64_t from, uint32_t to, uint32_t bytes)
{
    ttk_event(TT_NOC_EVENT_READ | TTK_EVENT_NO_VC, from, to, bytes);
}
TTK_INLINE void ttk_event_write(uint32_t from, uint64_t to, uint32_t bytes)
{
    ttk_event(TT_NOC_EVENT_WRITE_ | TTK_EVENT_WRITE_VC, to, from, bytes);
}
TTK_INLINE void ttk_event_multicast(uint32_t kind, uint32_t from, uint64_t to,
                                    uint32_t bytes, bool linked)
{
    ttk_event_before_linked(linked);
    ttk_event(kind | TTK_EVENT_MULTICAST_VC | TTK_EVENT_MULTICAST, to, from, bytes);
}

#endif
