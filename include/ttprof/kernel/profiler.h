// profiler.h - recording markers of this RISC.
//
// A marker goes to the RISC's vector in L1, at an address that local RAM holds, if enough
// of the vector is free. What is rare lies out of line (profiler_push.h): no room, and
// making some. A vector goes to DRAM when its program ends, or from within it in pushes.
//
// One zone costs at most 40 cycles. The clock is read first and the pointers are moved
// while its registers answer; their accesses are volatile to keep them in this order.
#ifndef TTPROF_KERNEL_PROFILER_H
#define TTPROF_KERNEL_PROFILER_H

#include "ttprof/kernel/base.h"

#if TTK_PROFILE

#include "ttprof/kernel/noc_state.h"
#include "ttprof/kernel/zone_header.h"

#ifdef TTK_ERISC
#define TTK_PROFILER_RISC    0
#define TTK_PROFILER_RISCS   1
#define TTK_PROFILER_CONTROL ((uint32_t)TTL_eth_profiler_control)
#define TTK_PROFILER_VECTORS ((uint32_t)TTL_eth_profiler_buffers)
#else
#define TTK_PROFILER_RISC    TTK_RISC
#define TTK_PROFILER_RISCS   5
#define TTK_PROFILER_CONTROL ((uint32_t)TTL_profiler_control)
#define TTK_PROFILER_VECTORS ((uint32_t)TTL_profiler_buffers)
#endif
#if TTK_IS_COMPUTE
#define TTK_RISC_NAME "TRISC"
#elif defined(TTK_ERISC)
#define TTK_RISC_NAME "ERISC"
#elif defined(TTK_NCRISC)
#define TTK_RISC_NAME "NCRISC"
#else
#define TTK_RISC_NAME "BRISC"
#endif
#define TTK_AGGREGATES (TTK_PROFILER_RISC == 0) // pushes for all RISCs of its core

// Words of the core's control vector, and of the vector of a RISC.
#define TTK_CONTROL(word) (*TTK_L1(volatile uint32_t, TTK_PROFILER_CONTROL + 4u * (word)))
#define TTK_VECTOR(risc)                                                                   \
    (TTK_PROFILER_VECTORS + (uint32_t)TT_PROFILER_BUFFER_BYTES * (uint32_t)(risc))
#define TTK_OWN_VECTOR                TTK_VECTOR(TTK_PROFILER_RISC)
#define TTK_VECTOR_WORD(vector, word) (*TTK_L1(volatile uint32_t, (vector) + 4u * (word)))

#define TTK_MARKER_STATE(word)                                                             \
    (((volatile struct ttk_state_word *)(uintptr_t)(TT_LOCAL_RAM + 4u * (word)))->value)
#define TTK_MARKER_NEXT TTK_MARKER_STATE(TT_STATE_MARKER_NEXT)
#define TTK_MARKER_FREE TTK_MARKER_STATE(TT_STATE_MARKER_FREE)

// In place of the free bytes: this RISC records no optional markers, and so loses none.
#define TTK_MARKER_CLOSED ((uint32_t)-0x40000000)

// The flags of the control vector as of the program's start. The level is the one that
// applies to optional markers of this RISC.
TTK_INLINE uint32_t ttk_flags(void)
{
    return TTK_MARKER_STATE(TT_STATE_FLAGS);
}

// --- one marker ------------------------------------------------------------------------
struct ttk_clock {
    uint32_t high, low, again;
};
TTK_INLINE struct ttk_clock ttk_clock_read(void)
{
    struct ttk_clock c;
    c.high = TTK_REGISTER(TT_WALL_CLOCK_HIGH);
    c.low = TTK_REGISTER(TT_WALL_CLOCK_L);
    c.again = TTK_REGISTER(TT_WALL_CLOCK_HIGH);
    return c;
}
TTK_INLINE uint32_t ttk_stamped(uint32_t header, uint32_t high)
{
    return header | high << 20 >> 20;
}
// The low half may wrap between the loads: then all three are repeated.
TTK_INLINE void ttk_marker_write(uint32_t at, uint32_t header, struct ttk_clock c)
{
    // Neither earlier, where it would wait for the clock, nor after the second high half,
    // which comes last.
    __asm__ volatile("" : "+r"(c.high));
    uint32_t word = ttk_stamped(header, c.high);
    __asm__ volatile("" : "+r"(word));
    while (__builtin_expect(c.high != c.again, 0)) {
        c = ttk_clock_read();
        word = ttk_stamped(header, c.high);
    }
    TTK_VECTOR_WORD(at, 0) = word;
    TTK_VECTOR_WORD(at, 1) = c.low;
}

// --- room ------------------------------------------------------------------------------
// What the out-of-line part is asked to do.
enum {
    TTK_ROOM_BYTES = 0xFF,    // mask: so many bytes
    TTK_ROOM_MARKER = 1 << 8, // so many markers are lost if there is no room
    TTK_ROOM_PUSH = 1 << 16,  // push first, whatever the mode
    TTK_ZONE_BYTES = 16,      // start and end
    TTK_EVENT_BYTES = 8,
    TTK_DATA_BYTES = 16,
    TTK_DATA16_BYTES = 24,
};
// What a context keeps free: dispatch kernels run for a whole session and push in time.
enum {
    TTK_HEADROOM_NONE = 0,
#ifdef DISPATCH_KERNEL
    TTK_HEADROOM_ZONE = 64,
    TTK_HEADROOM_DATA = 16,
#else
    TTK_HEADROOM_ZONE = 0,
    TTK_HEADROOM_DATA = 0,
#endif
};

// Markers of this RISC that did not fit L1, once this kernel has lost one; 0: a loss takes
// the long way. Local RAM answers at once, and so a marker that is dropped costs no more
// than one that is recorded. The host reads the copy in L1, whose only writer this RISC is.
#ifndef TTK_FIRMWARE
__attribute__((weak)) volatile struct ttk_state_word ttk_lost;
#endif
TTK_INLINE bool ttk_drops(uint32_t markers)
{
#ifndef TTK_FIRMWARE
    uint32_t lost = ttk_lost.value;
    if (__builtin_expect(lost != 0, 1)) {
        ttk_lost.value = lost + markers;
        TTK_CONTROL(TT_CONTROL_L1_DROPPED + TTK_PROFILER_RISC) = lost + markers;
        return true;
    }
#else
    (void)markers;
#endif
    return false;
}

// The call changes two registers and the count of posted writes, so that it costs nothing
// where it is not taken. True: there is room now.
TTK_INLINE bool ttk_room_made(uint32_t what)
{
    register uint32_t value __asm__("t1") = what;
#if TTK_IS_DATA_MOVEMENT
    __asm__ volatile("jal t0, ttk_room_entry"
                     : "+r"(value), "+m"(ttk_noc.posted)
                     :
                     : "t0", "t2");
#else
    __asm__ volatile("jal t0, ttk_room_entry" : "+r"(value) : : "t0", "t2");
#endif
    return value != 0;
}

// In a dispatch kernel, markers need an option of their own.
TTK_INLINE bool ttk_records(void)
{
#ifdef DISPATCH_KERNEL
    return ttk_flags() & TT_FLAG_DISPATCH;
#else
    return true;
#endif
}

// --- zones -----------------------------------------------------------------------------
// Returns the header of the end marker, 0: the zone has no room and no markers. The end's
// room is taken off with the start's.
TTK_INLINE uint32_t ttk_zone_enter(uint32_t start, uint32_t end)
{
    if (!ttk_records())
        return 0;
    for (;;) {
        struct ttk_clock c = ttk_clock_read();
        uint32_t next = TTK_MARKER_NEXT;
        int32_t left = (int32_t)TTK_MARKER_FREE - TTK_ZONE_BYTES;
        if (__builtin_expect(left >= TTK_HEADROOM_ZONE, 1)) {
            TTK_MARKER_NEXT = next + 8;
            TTK_MARKER_FREE = (uint32_t)left;
            ttk_marker_write(next, start, c);
            return end;
        }
        if (ttk_drops(2) || left < -TTK_ZONE_BYTES ||
            !ttk_room_made((TTK_ZONE_BYTES + TTK_HEADROOM_ZONE) | 2 * TTK_ROOM_MARKER))
            return 0;
    }
}
TTK_INLINE void ttk_quick_push(void);
TTK_INLINE void ttk_zone_leave(uint32_t end)
{
    if (__builtin_expect(end == 0, 0))
        return;
    struct ttk_clock c = ttk_clock_read();
    uint32_t next = TTK_MARKER_NEXT;
    TTK_MARKER_NEXT = next + 8;
    ttk_marker_write(next, end, c);
#ifdef DISPATCH_KERNEL
    if (next + 8 >= TTK_OWN_VECTOR + TT_PROFILER_BUFFER_BYTES - TTK_HEADROOM_ZONE)
        ttk_quick_push();
#endif
}

// --- events and data -------------------------------------------------------------------
// Room for one marker of so many bytes; returns its address, 0: none. The clock is read
// here, because a wait for room may lie between.
TTK_INLINE uint32_t ttk_marker_take(int32_t bytes, int32_t headroom, struct ttk_clock *c)
{
    for (;;) {
        *c = ttk_clock_read();
        uint32_t next = TTK_MARKER_NEXT;
        int32_t left = (int32_t)TTK_MARKER_FREE - bytes;
        if (__builtin_expect(left >= headroom, 1)) {
            TTK_MARKER_NEXT = next + (uint32_t)bytes;
            TTK_MARKER_FREE = (uint32_t)left;
            if (next == 0)
                __builtin_unreachable();
            return next;
        }
        if (ttk_drops(1) || left < -bytes ||
            !ttk_room_made((uint32_t)(bytes + headroom) | TTK_ROOM_MARKER))
            return 0;
    }
}
// An event's number has 16 bits. The compiler refuses larger ones; those that it does not
// know are counted and not recorded.
TTK_INLINE void ttk_record_event(uint64_t event)
{
    struct ttk_clock c;
    if (!ttk_records())
        return;
    if (__builtin_expect(event > 0xFFFF, 0)) {
        if ((int32_t)TTK_MARKER_FREE >= 0)
            TTK_CONTROL(TT_CONTROL_BAD_EVENTS + TTK_PROFILER_RISC) += 1;
        return;
    }
    uint32_t at = ttk_marker_take(TTK_EVENT_BYTES, TTK_HEADROOM_ZONE, &c);
    if (__builtin_expect(at != 0, 1))
        ttk_marker_write(at, TT_MARKER_HEADER(TT_PACKET_TS_EVENT, (uint32_t)event), c);
}
TTK_INLINE void ttk_record(uint32_t header, int32_t headroom, uint32_t high, uint32_t low)
{
    struct ttk_clock c;
    if (ttk_flags() & TT_FLAG_ACCUMULATE) // there are only zones and events then
        return;
    uint32_t at = ttk_marker_take(TTK_DATA_BYTES, headroom, &c);
    if (__builtin_expect(at == 0, 0))
        return;
    ttk_marker_write(at, header, c);
    TTK_VECTOR_WORD(at, 2) = high;
    TTK_VECTOR_WORD(at, 3) = low;
}
TTK_INLINE void ttk_record_16(uint32_t header, int32_t headroom, uint32_t high,
                              uint32_t low, uint32_t trailer_high, uint32_t trailer_low)
{
    struct ttk_clock c;
    if (ttk_flags() & TT_FLAG_ACCUMULATE)
        return;
    uint32_t at = ttk_marker_take(TTK_DATA16_BYTES, headroom, &c);
    if (__builtin_expect(at == 0, 0))
        return;
    ttk_marker_write(at, header, c);
    TTK_VECTOR_WORD(at, 2) = high;
    TTK_VECTOR_WORD(at, 3) = low;
    TTK_VECTOR_WORD(at, 4) = trailer_high;
    TTK_VECTOR_WORD(at, 5) = trailer_low;
}
// For recorders of the product: they make room themselves. A header is TTK_ZONE_HEADER, or
// TT_MARKER_HEADER with a static id.
TTK_INLINE void ttk_record_data(uint32_t header, uint32_t high, uint32_t low)
{
    ttk_record(header, TTK_HEADROOM_NONE, high, low);
}
TTK_INLINE void ttk_record_data16(uint32_t header, uint32_t high, uint32_t low,
                                  uint32_t trailer_high, uint32_t trailer_low)
{
    ttk_record_16(header, TTK_HEADROOM_NONE, high, low, trailer_high, trailer_low);
}

// --- pushes ----------------------------------------------------------------------------
// Pushes the vector to DRAM; TRISCs, which have no network, keep it.
TTK_INLINE void ttk_quick_push(void)
{
#if TTK_IS_DATA_MOVEMENT
    (void)ttk_room_made(TTK_ROOM_PUSH);
#endif
}
// Pushes unless `words` words and one more are free.
TTK_INLINE void ttk_flush_if_full(uint32_t words)
{
    if (__builtin_expect((int32_t)TTK_MARKER_FREE < (int32_t)(4 * words + 4), 0))
        ttk_quick_push();
}

// --- sums ------------------------------------------------------------------------------
struct ttk_sum {
    uint32_t header, start; // header 0: sums are not asked for
};
TTK_INLINE struct ttk_sum ttk_sum_enter(uint32_t header)
{
    struct ttk_sum sum = {0, 0};
    if (__builtin_expect(ttk_flags() & TT_FLAG_SUM, 0) && ttk_records()) {
        sum.header = header;
        sum.start = ttk_cycles_low();
    }
    return sum;
}
TTK_INLINE void ttk_sum_leave(uint32_t slot, struct ttk_sum sum)
{
    if (__builtin_expect(sum.header == 0, 1))
        return;
    uint32_t now = ttk_cycles_low();
    TTK_MARKER_STATE(TT_STATE_SUMS + slot) += now - sum.start;
    TTK_MARKER_STATE(TT_STATE_SUM_HEADERS + slot) = sum.header;
}

#include "ttprof/kernel/profiler_push.h"

#endif // TTK_PROFILE
#endif
