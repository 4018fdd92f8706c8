// dispatch.h - shared by the three dispatch kernels: waits, credits, faults.
//
// Every wait reads one word and nothing else, so that the software device can park the RISC
// however long it takes.
#ifndef TTK_DISPATCH_H
#define TTK_DISPATCH_H

#include "ttprof/dispatch_words.h"

#define DISPATCH_WORD(address) (*TTK_L1(volatile uint32_t, address))

// The address of one of the words at `buffers`.
TTK_INLINE uint32_t dispatch_at(uint32_t offset)
{
    return (uint32_t)TTL_buffers + offset;
}

// The software device stops at the store.
__attribute__((noinline, cold, unused)) static _Noreturn void dispatch_fail(uint32_t reason,
                                                                            uint32_t w0)
{
    TTK_REGISTER(TT_DEBUG_DISPATCH) = reason << 24 | (w0 & 0xFF);
    for (;;)
        ;
}

// Waits for a word that only grows, and wraps, to reach `count`; returns the word.
TTK_INLINE uint32_t dispatch_wait_word(uint32_t address, uint32_t count)
{
    uint32_t value;
    do {
        ttk_fence();
        value = DISPATCH_WORD(address);
    } while ((int32_t)(value - count) < 0);
    return value;
}

// --- completion counters ---------------------------------------------------------------
TTK_INLINE uint32_t dispatch_stream(uint32_t stream, uint32_t word)
{
    return TT_STREAMS + TT_STREAM_STRIDE * stream + 4 * word;
}
TTK_INLINE void dispatch_wait_counter(uint32_t stream, uint32_t count)
{
    uint32_t address = dispatch_stream(stream, TTL_stream_count_word);
    while (!tt_completed(TTK_REGISTER(address), count))
        ;
}

// --- over the network ------------------------------------------------------------------
// Adds to words of one other core; which one is set once. No answer: it arrives behind
// everything this RISC has sent there. Words are the first of their 16 bytes.
TTK_INLINE void dispatch_add_set(uint32_t xy)
{
    uint32_t buffer = ttk_noc_ready(TT_NOC_BUFFER_ATOMIC);
    TTK_REGISTER(buffer + TT_NOC_CTRL) = TT_NOC_ATOMIC;
    TTK_REGISTER(buffer + TT_NOC_TARG_MID) = xy;
    TTK_REGISTER(buffer + TT_NOC_AT_LEN) = 1u << 12 | 31u << 2; // increment, 32 bits
}
TTK_INLINE void dispatch_add(uint32_t address, uint32_t n)
{
    uint32_t buffer = ttk_noc_ready(TT_NOC_BUFFER_ATOMIC);
    if (ttk_events_are_on())
        ttk_debug_event(TT_NOC_EVENT_SEMAPHORE_INC | TTK_EVENT_WRITE_VC | TTK_EVENT_POSTED,
                        (uint64_t)TTK_REGISTER(buffer + TT_NOC_TARG_MID) << 32 | address, 0,
                        0);
    TTK_REGISTER(buffer + TT_NOC_TARG_LO) = address;
    TTK_REGISTER(buffer + TTL_noc_at_data) = n;
    TTK_REGISTER(buffer + TTL_noc_cmd_ctrl) = 1;
}

TTK_INLINE uint32_t dispatch_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
TTK_INLINE uint32_t dispatch_round_up(uint32_t n, uint32_t align)
{
    return (n + align - 1) & ~(align - 1);
}

#endif
