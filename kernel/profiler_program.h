// profiler_program.h - the profiler's work for a program on every RISC: read the options,
// clear the vector, record the main zone, publish the end index.
#ifndef TTK_PROFILER_PROGRAM_H
#define TTK_PROFILER_PROGRAM_H

#include "ttprof/kernel/profiler_modes.h"

enum { PROFILE_MODES = TT_FLAG_ACCUMULATE | TT_FLAG_TRACE_ONLY };

// Header of the main zone's end; 0 if it is not recorded.
static uint32_t profile_main_zone;

TTK_INLINE bool profile_is_on(void)
{
    return TTK_CONTROL(TT_CONTROL_FLAGS) & TT_FLAG_LEVEL;
}

// The host's flags as they apply to this RISC.
TTK_INLINE uint32_t profile_flags(void)
{
    enum {
        ONLY_WITHOUT_MODE =
            TT_FLAG_STALL | TT_FLAG_SUM | TT_FLAG_NOC_EVENTS | TT_FLAG_NOC_DEBUG
    };
    uint32_t flags = TTK_CONTROL(TT_CONTROL_FLAGS);
    uint32_t riscs = flags >> TT_FLAG_RISC_SHIFT & 0xFF;
    if (riscs && !(riscs >> TTK_PROFILER_RISC & 1))
        flags &= ~(uint32_t)TT_FLAG_LEVEL;
    if (!(flags & TT_LEVEL_ALL)) // a sum is an optional marker
        flags &= ~(uint32_t)TT_FLAG_SUM;
#ifdef TTK_ERISC
    flags &= ~(uint32_t)PROFILE_MODES;
#else
    if (TTK_CONTROL(TT_CONTROL_DISPATCH_CORE))
        flags &= ~(uint32_t)TT_FLAG_ACCUMULATE;
    if (flags & PROFILE_MODES)
        flags &= ~(uint32_t)ONLY_WITHOUT_MODE;
#endif
    return flags;
}

// Writes a marker now. Not inlined, because the firmwares have little room.
TTK_COLD void profile_mark(uint32_t at, uint32_t header)
{
    ttk_marker_write(at, header, ttk_clock_read());
}

// --- start -----------------------------------------------------------------------------
// Clears the vector. In accumulate mode it continues from program to program until it has
// been pushed; in trace-only mode there are no optional markers, and the slots are those of
// the whole replay.
TTK_INLINE void profile_vector_start(uint32_t flags, uint32_t had)
{
    bool goes_on = flags & had & TT_FLAG_ACCUMULATE;
    if (!(flags & TT_FLAG_LEVEL) || (flags & TT_FLAG_TRACE_ONLY)) {
        TTK_MARKER_FREE = TTK_MARKER_CLOSED;
        return;
    }
    if (!goes_on)
        ttk_slots_clear(TTK_OWN_VECTOR);
    if (goes_on && TTK_CONTROL(TT_CONTROL_DEVICE_END + TTK_PROFILER_RISC) != 0)
        return;
    uint32_t left = TTK_MARKER_CLOSED;
    if (flags & (TT_LEVEL_ALL | TT_FLAG_ACCUMULATE))
        left = 4u * (TT_CHUNK_WORDS - TT_CHUNK_CUSTOM);
    TTK_MARKER_NEXT = TTK_OWN_VECTOR + 4u * TT_CHUNK_CUSTOM;
    TTK_MARKER_FREE = left;
}

// The next place in the optional area; its room is already reserved or known to exist.
TTK_INLINE uint32_t profile_place(void)
{
    uint32_t next = TTK_MARKER_NEXT;
    TTK_MARKER_NEXT = next + 8;
    return next;
}

// Returns the header of the end, 0 if there is no zone. In accumulate mode the main zone is
// an ordinary one.
TTK_INLINE uint32_t profile_main_enter(uint32_t start, uint32_t end)
{
    uint32_t flags = ttk_flags(), at = TTK_SLOT_OF(TTK_OWN_VECTOR, TTK_SLOT_MAIN);
    if (!(flags & TT_FLAG_LEVEL))
        return 0;
    if (flags & TT_FLAG_TRACE_ONLY) {
        if (!TTK_IS_COMPUTE && ttk_trace_only_opens((uint32_t)TT_TRACE_ARMED))
            profile_mark(TTK_SLOT_OF(TTK_VECTOR(0), TTK_SLOT_MAIN), start);
        return end;
    }
    if (flags & TT_FLAG_ACCUMULATE) {
        if ((int32_t)TTK_MARKER_FREE < TTK_ZONE_BYTES) {
            ttk_count_lost(TT_CONTROL_L1_DROPPED, TTK_PROFILER_RISC, 2);
            return 0;
        }
        TTK_MARKER_FREE -= TTK_ZONE_BYTES;
        at = profile_place();
    }
    profile_mark(at, start);
    return end;
}

// --- end -------------------------------------------------------------------------------
TTK_INLINE void profile_main_leave(uint32_t end)
{
    uint32_t flags = ttk_flags(), at = TTK_SLOT_OF(TTK_OWN_VECTOR, TTK_SLOT_MAIN_END);
    if (flags & TT_FLAG_TRACE_ONLY) {
        if (!ttk_trace_only_closes())
            return;
        at = TTK_SLOT_OF(TTK_VECTOR(0), TTK_SLOT_MAIN_END);
    }
    if (flags & TT_FLAG_ACCUMULATE)
        at = profile_place();
    profile_mark(at, end);
}
TTK_COLD void profile_sum_append(uint32_t i)
{
    uint32_t sum = TTK_MARKER_STATE(TT_STATE_SUMS + i);
    if (sum == 0)
        return;
    if ((int32_t)TTK_MARKER_FREE < TTK_EVENT_BYTES) {
        ttk_count_lost(TT_CONTROL_L1_DROPPED, TTK_PROFILER_RISC, 1);
        return;
    }
    TTK_MARKER_FREE -= TTK_EVENT_BYTES;
    uint32_t at = profile_place();
    TTK_VECTOR_WORD(at, 0) = TTK_MARKER_STATE(TT_STATE_SUM_HEADERS + i);
    TTK_VECTOR_WORD(at, 1) = sum;
}
// In trace-only mode there is one vector, and it is empty before the first replay.
TTK_INLINE bool profile_publishes(uint32_t flags)
{
    if (!(flags & TT_FLAG_LEVEL))
        return false;
    return !(flags & TT_FLAG_TRACE_ONLY) ||
           (TTK_AGGREGATES && TTK_MARKER_STATE(TT_STATE_TRACE_COUNT) > 0);
}
TTK_INLINE void profile_publish(void)
{
    profile_sum_append(0);
    profile_sum_append(1);
    uint32_t words = ttk_vector_pad(), next = TTK_OWN_VECTOR + 4 * words;
    TTK_MARKER_FREE -= next - TTK_MARKER_NEXT; // where the next program continues
    TTK_MARKER_NEXT = next;
    TTK_CONTROL(TT_CONTROL_DEVICE_END + TTK_PROFILER_RISC) = words;
}

#endif
