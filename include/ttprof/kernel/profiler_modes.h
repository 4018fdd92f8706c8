// profiler_modes.h - what concerns a core rather than a marker: the program's number, the
// count of replays, the kernel's own zone in the modes that there are.
//
// The kernel's zone, like the firmware's, has a slot of its own that no other marker can
// take. In accumulate mode both are ordinary zones, so that several programs fit a vector.
// In trace-only mode the first RISC of a replay opens them, the last one closes them, and
// all use the vector of RISC 0.
#ifndef TTPROF_KERNEL_PROFILER_MODES_H
#define TTPROF_KERNEL_PROFILER_MODES_H

#include "ttprof/kernel/profiler.h"
#include "ttprof/kernel/profiler_mains.h"

#if TTK_PROFILE

// Addresses of the guaranteed slots.
#define TTK_SLOT_OF(vector, slot) ((vector) + 4u * TT_CHUNK_GUARANTEED + 8u * (slot))
enum { TTK_SLOT_MAIN, TTK_SLOT_MAIN_END, TTK_SLOT_CHILD, TTK_SLOT_CHILD_END, TTK_SLOTS };

TTK_INLINE bool ttk_has_mode(uint32_t modes)
{
    return ttk_flags() & modes;
}

// --- the program -----------------------------------------------------------------------
// A program that is not valid leaves nothing.
TTK_INLINE void ttk_validate(bool is_valid)
{
    if (!ttk_has_mode(TT_FLAG_ACCUMULATE))
        TTK_CONTROL(TT_CONTROL_PROFILER_DONE) = !is_valid;
}
// The same word of the vectors of all RISCs of the core.
TTK_INLINE void ttk_vectors_set(uint32_t word, uint32_t value, uint32_t step)
{
    for (uint32_t risc = 0; risc < TTK_PROFILER_RISCS; risc++, value += step)
        TTK_VECTOR_WORD(TTK_VECTOR(risc), word) = value;
}
TTK_INLINE void ttk_set_counter(uint32_t counter)
{
    if (!ttk_has_mode(TT_FLAG_ACCUMULATE | TT_FLAG_TRACE_ONLY))
        ttk_vectors_set(TT_CHUNK_ID_LL, counter, 0);
}

// --- replays ---------------------------------------------------------------------------
// Records who wrote a vector, and in which replay.
TTK_INLINE void ttk_stamp_identities(void)
{
    uint32_t flat = TTK_CONTROL(TT_CONTROL_FLAT_ID) << TT_IDENTITY_FLAT_SHIFT;
    uint32_t trace =
        TTK_MARKER_STATE(TT_STATE_TRACE_COUNT) << 16 >> (16 - TT_IDENTITY_TRACE_SHIFT);
    ttk_vectors_set(TT_CHUNK_ID_LH, trace | flat, 1);
}
TTK_INLINE void ttk_trace_reset(void)
{
    TTK_MARKER_STATE(TT_STATE_TRACE_COUNT) = 0;
}
TTK_INLINE void ttk_trace_increment(void)
{
    TTK_MARKER_STATE(TT_STATE_TRACE_COUNT) += 1;
    ttk_stamp_identities();
}

TTK_INLINE void ttk_slots_clear(uint32_t vector)
{
    for (uint32_t word = TT_CHUNK_GUARANTEED; word < TT_CHUNK_CUSTOM; word++)
        TTK_VECTOR_WORD(vector, word) = TT_MARKER_VALID;
}

#if TTK_IS_DATA_MOVEMENT
// Trace-only: a replay begins. What the previous one left in the vector goes to DRAM.
TTK_COLD void ttk_trace_only_start(void)
{
    uint32_t vector = TTK_VECTOR(0), count = TTK_MARKER_STATE(TT_STATE_TRACE_COUNT);
    if (count > 0) {
        ttk_push_own();
    } else {
        TTK_MARKER_FREE = TTK_MARKER_CLOSED;
        TTK_MARKER_NEXT = vector + 4u * TT_CHUNK_CUSTOM;
        TTK_VECTOR_WORD(vector, TT_CHUNK_ID_HL) = 0;
    }
    ttk_trace_increment();
    ttk_slots_clear(vector);
    TTK_VECTOR_WORD(vector, TT_CHUNK_ID_LL) = count + 1;
    TTK_CONTROL(TT_CONTROL_TRACE_STATUS) = (uint32_t)TT_TRACE_ARMED;
    TTK_VECTOR_WORD(vector, TT_CHUNK_ID_HH) = TT_MARKER_VALID;
}
#endif
// A RISC enters its main zone, or its kernel, for which the state is `from`. True: it is
// the first to do so, and opens the zone.
TTK_INLINE bool ttk_trace_only_opens(uint32_t from)
{
    ttk_fence();
    if (TTK_CONTROL(TT_CONTROL_TRACE_STATUS) != from)
        return false;
    TTK_CONTROL(TT_CONTROL_TRACE_STATUS) = from >> 1;
    return true;
}
// Every RISC that leaves closes the zone; the last one's marker stays.
TTK_INLINE bool ttk_trace_only_closes(void)
{
    ttk_fence();
    if (TTK_CONTROL(TT_CONTROL_TRACE_STATUS) != TT_TRACE_IN_CHILD)
        return false;
    if (TTK_AGGREGATES)
        TTK_VECTOR_WORD(TTK_VECTOR(0), TT_CHUNK_ID_HH) = 0;
    return true;
}

// --- accumulate ------------------------------------------------------------------------
// The zones of firmware and kernel take room as others do. Where they are the only ones
// wanted, a kernel finds none; how much there is stays in the place of a sum, which this
// mode has not.
TTK_INLINE bool ttk_hides_room(uint32_t flags)
{
    return (flags & TT_FLAG_LEVEL) != TT_LEVEL_ALL;
}
TTK_INLINE uint32_t ttk_accumulate_enter(uint32_t flags, uint32_t start, uint32_t end)
{
    uint32_t left = TTK_MARKER_FREE, next = TTK_MARKER_NEXT;
    if ((int32_t)left < TTK_ZONE_BYTES) {
        ttk_count_lost(TT_CONTROL_L1_DROPPED, TTK_PROFILER_RISC, 2);
        end = 0;
    } else {
        left -= TTK_ZONE_BYTES;
        TTK_MARKER_NEXT = next + 8;
        ttk_marker_write(next, start, ttk_clock_read());
    }
    TTK_MARKER_STATE(TT_STATE_SUMS) = ttk_hides_room(flags) ? left : 0;
    TTK_MARKER_FREE = ttk_hides_room(flags) ? TTK_MARKER_CLOSED : left;
    return end;
}
TTK_INLINE void ttk_accumulate_leave(uint32_t flags, uint32_t end)
{
    if (ttk_hides_room(flags)) {
        TTK_MARKER_FREE = TTK_MARKER_STATE(TT_STATE_SUMS);
        TTK_MARKER_STATE(TT_STATE_SUMS) = 0;
    }
    ttk_zone_leave(end);
}

#ifndef TTK_FIRMWARE
// --- the kernel's zone -----------------------------------------------------------------
// Returns the header of the end, 0: there is no zone.
TTK_INLINE uint32_t ttk_kernel_enter(uint32_t start, uint32_t end)
{
    uint32_t flags = ttk_flags(), vector = TTK_OWN_VECTOR;
    if (!(flags & TT_FLAG_LEVEL))
        return 0;
    if (flags & TT_FLAG_ACCUMULATE)
        return ttk_accumulate_enter(flags, start, end);
    if (flags & TT_FLAG_TRACE_ONLY) {
        if (!ttk_trace_only_opens(TT_TRACE_IN_MAIN))
            return end;
        vector = TTK_VECTOR(0);
    }
    ttk_marker_write(TTK_SLOT_OF(vector, TTK_SLOT_CHILD), start, ttk_clock_read());
    return end;
}
TTK_INLINE void ttk_kernel_leave(uint32_t end)
{
    enum {
        NO_SUM_IS_LOST = TT_FLAG_STALL | TT_FLAG_SUM,
        SUMS_BYTES = 2 * TTK_EVENT_BYTES,
        COUNTERS = 0x1FF << TT_FLAG_COUNTER_SHIFT,
    };
    uint32_t flags = ttk_flags(), vector = TTK_OWN_VECTOR;
    if (!(flags & TT_FLAG_LEVEL))
        return;
    // The firmware appends the sums and has no code to wait for room.
    if ((flags & NO_SUM_IS_LOST) == NO_SUM_IS_LOST && (int32_t)TTK_MARKER_FREE < SUMS_BYTES)
        (void)ttk_room_made(0);
    if (flags & TT_FLAG_ACCUMULATE) {
        ttk_accumulate_leave(flags, end);
        ttk_unreserve_all();
        return;
    }
    if (flags & TT_FLAG_TRACE_ONLY) {
        if (!ttk_trace_only_closes())
            return;
        vector = TTK_VECTOR(0);
    }
    ttk_marker_write(TTK_SLOT_OF(vector, TTK_SLOT_CHILD_END), end, ttk_clock_read());
    if (flags & (TT_FLAG_SUM | COUNTERS))
        ttk_unreserve_all();
}
#endif

#endif // TTK_PROFILE
#endif
