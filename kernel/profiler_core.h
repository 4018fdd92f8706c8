// profiler_core.h - the profiler's work that one RISC does for its core: BRISC of a worker,
// ERISC of an Ethernet tile. It prepares the control vector before the other RISCs start
// and pushes all vectors to DRAM after they have ended.
#ifndef TTK_PROFILER_CORE_H
#define TTK_PROFILER_CORE_H

#include "profiler_program.h"

#if TTK_AGGREGATES

// --- start -----------------------------------------------------------------------------
// A RISC that this program does not run has nothing to push: clear its end index.
TTK_INLINE void core_start(void)
{
    TTK_CONTROL(TT_CONTROL_PROFILER_DONE) = 0;
    if (ttk_has_mode(TT_FLAG_STALL))
        TTK_CONTROL(TT_CONTROL_DROPPED) = 0;
    if (TTK_CONTROL(TT_CONTROL_RUN_COUNTER) == 0) { // the first since the host reset it
        TTK_CONTROL(TT_CONTROL_NOC_X) = ttk_core_info(TT_CORE_VIRTUAL_X);
        TTK_CONTROL(TT_CONTROL_NOC_Y) = ttk_core_info(TT_CORE_VIRTUAL_Y);
        if (!ttk_has_mode(TT_FLAG_TRACE_ONLY)) {
            ttk_vectors_set(TT_CHUNK_ID_HH, 0, 0);
            ttk_vectors_set(TT_CHUNK_ID_HL, 0, 0);
            ttk_vectors_set(TT_CHUNK_ID_LL, 0, 0);
            ttk_stamp_identities();
        }
        if (ttk_has_mode(TT_FLAG_ACCUMULATE)) // the push in them has been read
            ttk_slots_clear(TTK_OWN_VECTOR);
    }
    if (!ttk_has_mode(PROFILE_MODES))
        for (uint32_t risc = 0; risc < TTK_PROFILER_RISCS; risc++)
            TTK_CONTROL(TT_CONTROL_DEVICE_END + risc) = 0;
}

// --- pushes as zones -------------------------------------------------------------------
static bool core_has_flush; // a flush not yet shown by a zone

// Writes markers with saved timestamps: words low, high.
TTK_INLINE void core_marker(uint32_t at, uint32_t header, uint32_t low, uint32_t high)
{
    TTK_VECTOR_WORD(at, 0) = ttk_stamped(header, high);
    TTK_VECTOR_WORD(at, 1) = low;
}
static __attribute__((noinline)) void core_push_zone(uint32_t start_at, uint32_t end_at)
{
#define CORE_PUSH(start, end)                                                              \
    core_marker(start_at, start, TTK_CONTROL(TT_CONTROL_LAST_FLUSH),                       \
                TTK_CONTROL(TT_CONTROL_LAST_FLUSH + 1)),                                   \
        core_marker(end_at, end, TTK_CONTROL(TT_CONTROL_LAST_FLUSH + 2),                   \
                    TTK_CONTROL(TT_CONTROL_LAST_FLUSH + 3))
    TTK_ENTER(CORE_PUSH, "PROFILER-DRAM-PUSH");
#undef CORE_PUSH
}
// It ended after its vector was pushed, so the next program's vector shows it.
TTK_INLINE void core_show_flush(void)
{
    uint32_t next = TTK_MARKER_NEXT;
    if (!core_has_flush || !ttk_has_mode(TT_FLAG_FLUSH_ZONES) ||
        ttk_has_mode(PROFILE_MODES))
        return;
    core_has_flush = false;
    if ((int32_t)TTK_MARKER_FREE < TTK_ZONE_BYTES ||
        (TTK_CONTROL(TT_CONTROL_LAST_FLUSH) | TTK_CONTROL(TT_CONTROL_LAST_FLUSH + 1)) == 0)
        return;
    core_push_zone(next, next + 8);
    TTK_MARKER_NEXT = next + TTK_ZONE_BYTES;
    TTK_MARKER_FREE -= TTK_ZONE_BYTES;
}

// --- end -------------------------------------------------------------------------------
// Pushes one vector. If its region lacks room, the guaranteed markers may still fit, and
// the markers left behind are counted.
TTK_INLINE void core_push_vector(uint32_t risc)
{
    uint32_t filled = TTK_CONTROL(TT_CONTROL_DEVICE_END + risc), words = filled;
    if (!ttk_region_fits(risc, words, 0)) {
        bool is_part =
            !ttk_has_mode(TT_FLAG_ACCUMULATE) && ttk_region_fits(risc, TT_CHUNK_CUSTOM, 0);
        words = is_part ? TT_CHUNK_CUSTOM : 0;
        uint32_t from = is_part ? TT_CHUNK_CUSTOM : TT_CHUNK_GUARANTEED;
        ttk_count_lost(TT_CONTROL_DRAM_DROPPED, risc,
                       ttk_count_markers(TTK_VECTOR(risc), from, filled));
    }
    if (TTK_CONTROL(TT_CONTROL_DRAM_DROPPED + risc))
        TTK_CONTROL(TT_CONTROL_DROPPED) |= 1u << risc;
    if (words == 0)
        return;
    uint32_t at = TTK_CONTROL(TT_CONTROL_HOST_END + risc);
    ttk_chunk_send(risc, at, words);
    TTK_CONTROL(TT_CONTROL_HOST_END + risc) = at + words;
}

TTK_INLINE void core_keep_time(uint32_t word, uint64_t time)
{
    TTK_CONTROL(word) = (uint32_t)time;
    TTK_CONTROL(word + 1) = (uint32_t)(time >> 32);
}
TTK_INLINE void core_account(uint64_t start, uint64_t end)
{
    uint32_t cycles = (uint32_t)(end - start);
    uint32_t low = TTK_CONTROL(TT_CONTROL_FLUSH_CYCLES_L) + cycles;
    TTK_CONTROL(TT_CONTROL_FLUSH_COUNT) += 1;
    TTK_CONTROL(TT_CONTROL_FLUSH_CYCLES_L) = low;
    TTK_CONTROL(TT_CONTROL_FLUSH_CYCLES_H) += low < cycles;
    if (TTK_CONTROL(TT_CONTROL_FLUSH_MAX) < cycles)
        TTK_CONTROL(TT_CONTROL_FLUSH_MAX) = cycles;
    core_keep_time(TT_CONTROL_LAST_FLUSH, start);
    core_keep_time(TT_CONTROL_LAST_FLUSH + 2, end);
    core_has_flush = true;
}

// In accumulate mode this RISC's slots hold the push and the wait within it. They are
// pushed with the next vector.
TTK_INLINE void core_show_push(uint64_t wait, uint64_t left)
{
    const uint32_t vector = TTK_OWN_VECTOR;
    core_push_zone(TTK_SLOT_OF(vector, TTK_SLOT_MAIN),
                   TTK_SLOT_OF(vector, TTK_SLOT_MAIN_END));
#define CORE_FLUSH(start, end)                                                             \
    core_marker(TTK_SLOT_OF(vector, TTK_SLOT_CHILD), start, (uint32_t)wait,                \
                (uint32_t)(wait >> 32)),                                                   \
        core_marker(TTK_SLOT_OF(vector, TTK_SLOT_CHILD_END), end, (uint32_t)left,          \
                    (uint32_t)(left >> 32))
    TTK_ENTER(CORE_FLUSH, "PROFILER-NOC-FLUSH");
#undef CORE_FLUSH
}

static __attribute__((noinline)) void core_push(void)
{
    bool is_accumulating = ttk_has_mode(TT_FLAG_ACCUMULATE);
    uint64_t start = ttk_cycles();
    uint32_t pushed = 0;
    for (uint32_t risc = 0; risc < TTK_PROFILER_RISCS; risc++) {
        uint32_t filled = TTK_CONTROL(TT_CONTROL_DEVICE_END + risc);
        pushed |= filled;
        if (filled)
            core_push_vector(risc);
        if (is_accumulating)
            TTK_CONTROL(TT_CONTROL_DEVICE_END + risc) = 0;
    }
    uint64_t wait = is_accumulating ? ttk_cycles() : 0;
    ttk_chunks_wait();
    uint64_t left = is_accumulating ? ttk_cycles() : 0;
    if (pushed)
        core_account(start, ttk_cycles());
    if (is_accumulating)
        core_show_push(wait, left);
    TTK_CONTROL(TT_CONTROL_RUN_COUNTER) += 1;
}

// Several programs share a vector: it is pushed when the next may no longer fit.
TTK_INLINE bool core_is_full(void)
{
    for (uint32_t risc = 0; risc < TTK_PROFILER_RISCS; risc++)
        if (TTK_CONTROL(TT_CONTROL_DEVICE_END + risc) >= TT_CHUNK_WORDS - 8)
            return true;
    return false;
}
TTK_INLINE void core_end(void)
{
    if (ttk_has_mode(TT_FLAG_ACCUMULATE) ? core_is_full()
                                         : !ttk_has_mode(TT_FLAG_TRACE_ONLY))
        core_push();
    TTK_CONTROL(TT_CONTROL_PROFILER_DONE) = 1;
}

#endif
#endif
