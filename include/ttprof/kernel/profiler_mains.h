// profiler_mains.h - a kernel's own main zone and main child zone: one of each is recorded
// however full the vector is.
//
// The guaranteed slots of a vector belong to the firmware and the start-up code. A kernel
// that has a main zone sets its room in the optional area aside before it starts. The zone
// gets that room the first time it is entered; later on it is a zone like others. Kernels
// without such zones keep all the room there is.
#ifndef TTPROF_KERNEL_PROFILER_MAINS_H
#define TTPROF_KERNEL_PROFILER_MAINS_H

#include "ttprof/kernel/profiler.h"

#if TTK_PROFILE && !defined(TTK_FIRMWARE)

enum { TTK_MAIN, TTK_MAIN_CHILD, TTK_MAINS };
// Bytes set aside and not used yet.
__attribute__((weak)) volatile struct ttk_state_word ttk_reserved[TTK_MAINS];

TTK_INLINE void ttk_reserve(uint32_t which)
{
    bool is_recording = (ttk_flags() & TT_FLAG_LEVEL) == TT_LEVEL_ALL;
    // In accumulate mode the kernel's zone needs room as well.
    if (!is_recording || (int32_t)TTK_MARKER_FREE < 2 * TTK_ZONE_BYTES ||
        ttk_reserved[which].value)
        return;
    ttk_reserved[which].value = TTK_ZONE_BYTES;
    TTK_MARKER_FREE -= TTK_ZONE_BYTES;
}
TTK_INLINE void ttk_unreserve(uint32_t which)
{
    TTK_MARKER_FREE += ttk_reserved[which].value;
    ttk_reserved[which].value = 0;
}
// For what the firmware appends to the vector.
TTK_INLINE void ttk_unreserve_all(void)
{
    for (uint32_t which = 0; which < TTK_MAINS; which++)
        ttk_unreserve(which);
}

// --- at the start ----------------------------------------------------------------------
// They run like constructors, in images where a use puts them on the list.
TTK_C_LINKAGE __attribute__((noinline, cold, used, weak)) void ttk_reserve_main(void)
{
    ttk_reserve(TTK_MAIN);
}
TTK_C_LINKAGE __attribute__((noinline, cold, used, weak)) void ttk_reserve_child(void)
{
    ttk_reserve(TTK_MAIN_CHILD);
}
#ifdef __clang__
#define TTK_ASM_INLINE __asm__ volatile
#else
#define TTK_ASM_INLINE __asm__ inline volatile
#endif
// As with zone_header.h, the assembler may see a use several times.
#define TTK_AT_START(function)                                                             \
    TTK_ASM_INLINE(".ifndef .L" #function                                                  \
                   "_at_start\n"                                                           \
                   ".pushsection .init_array,\"aw\",@init_array\n.balign 4\n"              \
                   ".L" #function "_at_start: .4byte " #function                           \
                   "\n"                                                                    \
                   ".popsection\n"                                                         \
                   ".endif" ::)

// --- zones -----------------------------------------------------------------------------
TTK_INLINE uint32_t ttk_main_enter(uint32_t start, uint32_t end)
{
    TTK_AT_START(ttk_reserve_main);
    ttk_unreserve(TTK_MAIN);
    return ttk_zone_enter(start, end);
}
TTK_INLINE uint32_t ttk_child_enter(uint32_t start, uint32_t end)
{
    TTK_AT_START(ttk_reserve_child);
    ttk_unreserve(TTK_MAIN_CHILD);
    return ttk_zone_enter(start, end);
}

#endif
#endif
