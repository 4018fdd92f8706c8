// noc.h - reads and writes over the network, and waiting for them.
//
// A RISC uses one of the two networks (the launch message says which), so a command buffer
// and its counters belong to one RISC at a time: the two data-movement kernels of a core
// run on different networks. The network interface counts what has been answered and never
// starts again from zero; a kernel counts from where the counters stood when it started.
#ifndef TTPROF_KERNEL_NOC_H
#define TTPROF_KERNEL_NOC_H

#include "ttprof/kernel/core.h"
#include "ttprof/kernel/noc_events.h"
#include "ttprof/kernel/noc_state.h"

#define NOC_MAX_BURST_SIZE TTL_noc_max_packet

// --- registers -------------------------------------------------------------------------
#define TTK_NOC_BUFFER(buffer) (ttk_noc.niu + (uint32_t)TTL_noc_buffer_stride * (buffer))

TTK_INLINE uint32_t ttk_noc_counter(uint32_t counter)
{
    return TTK_REGISTER(ttk_noc.niu + TT_NIU_STATUS + 4 * counter);
}
TTK_INLINE void ttk_noc_wait_counter(uint32_t counter, uint32_t value)
{
    uint32_t address = ttk_noc.niu + TT_NIU_STATUS + 4 * counter;
    while (TTK_REGISTER(address) != value)
        ;
}
// The fields of a command may be changed once the previous one was accepted.
TTK_INLINE uint32_t ttk_noc_ready(uint32_t buffer)
{
    uint32_t at = TTK_NOC_BUFFER(buffer);
    // Far from the base, the compiler would add up an address for every register.
    if (TTL_noc_buffer_stride * buffer + TTL_noc_cmd_ctrl > 2047)
        __asm__("" : "+r"(at));
    while (TTK_REGISTER(at + TTL_noc_cmd_ctrl) & 1)
        ;
    return at;
}

// The upper half of a NoC address at which this core is reached.
TTK_INLINE uint32_t ttk_own_coordinates(void)
{
    return ttk_virtual_x() << 4 | ttk_virtual_y() << 10;
}

// Before kernel_main: where the counters stand, and the fields that never change.
TTK_INLINE void ttk_noc_start(void)
{
    ttk_noc.niu = TT_NIU + TT_NIU_STRIDE * ttk_noc_index();
    ttk_noc.reads = ttk_noc_counter(TT_NOC_READ_RESPONSES);
    ttk_noc.writes = ttk_noc_counter(TT_NOC_WRITES_SENT);
    ttk_noc.acks = ttk_noc_counter(TT_NOC_WRITE_ACKS);
    ttk_noc.atomics = ttk_noc_counter(TT_NOC_ATOMIC_RESPONSES);
    ttk_noc.posted = ttk_noc_counter(TT_NOC_POSTED_SENT);
    ttk_noc.banks = ttk_n_banks();
    uint32_t own = ttk_own_coordinates();
    uint32_t read = ttk_noc_ready(TT_NOC_BUFFER_READ);
    TTK_REGISTER(read + TT_NOC_RET_MID) = own;
    TTK_REGISTER(read + TT_NOC_PACKET_TAG) = 0;
    TTK_REGISTER(read + TT_NOC_CTRL) = TT_NOC_READ | TT_NOC_RESPONSE;
    uint32_t write = ttk_noc_ready(TT_NOC_BUFFER_WRITE);
    TTK_REGISTER(write + TT_NOC_TARG_MID) = own;
    TTK_REGISTER(write + TT_NOC_PACKET_TAG) = 0;
    uint32_t small = ttk_noc_ready(TT_NOC_BUFFER_SMALL);
    TTK_REGISTER(small + TT_NOC_TARG_MID) = own;
    TTK_REGISTER(small + TT_NOC_PACKET_TAG) = 0;
    uint32_t atomic = ttk_noc_ready(TT_NOC_BUFFER_ATOMIC);
    TTK_REGISTER(atomic + TT_NOC_RET_LO) = TT_NOC_ATOMIC_RESULT;
    TTK_REGISTER(atomic + TT_NOC_RET_MID) = own;
    TTK_REGISTER(atomic + TT_NOC_PACKET_TAG) = 0;
}

// --- addresses -------------------------------------------------------------------------
TTK_INLINE uint64_t ttk_noc_address(uint32_t x, uint32_t y, uint32_t address)
{
    return (uint64_t)(x << 4 | y << 10) << 32 | address;
}
TTK_INLINE uint64_t ttk_noc_address_here(uint32_t address)
{
    return (uint64_t)ttk_own_coordinates() << 32 | address;
}
// The rectangle between two corners, inclusive.
TTK_INLINE uint64_t get_noc_multicast_addr(uint32_t x_start, uint32_t y_start,
                                           uint32_t x_end, uint32_t y_end, uint32_t address)
{
    uint32_t high = x_end << 4 | y_end << 10 | x_start << 16 | y_start << 22;
    return (uint64_t)high << 32 | address;
}

// --- one packet ------------------------------------------------------------------------
TTK_INLINE void ttk_noc_read_packet(uint64_t from, uint32_t to, uint32_t bytes)
{
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_READ);
    TTK_REGISTER(at + TT_NOC_RET_LO) = to;
    TTK_REGISTER(at + TT_NOC_TARG_LO) = (uint32_t)from;
    TTK_REGISTER(at + TT_NOC_TARG_MID) = (uint32_t)(from >> 32);
    TTK_REGISTER(at + TT_NOC_AT_LEN) = bytes;
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
    ttk_noc.reads++;
}
TTK_INLINE void ttk_noc_write_packet(uint32_t buffer, uint32_t from, uint64_t to,
                                     uint32_t bytes, uint32_t control)
{
    uint32_t at = ttk_noc_ready(buffer);
    TTK_REGISTER(at + TT_NOC_CTRL) = control;
    TTK_REGISTER(at + TT_NOC_TARG_LO) = from;
    TTK_REGISTER(at + TT_NOC_RET_LO) = (uint32_t)to;
    TTK_REGISTER(at + TT_NOC_RET_MID) = (uint32_t)(to >> 32);
    TTK_REGISTER(at + TT_NOC_AT_LEN) = bytes;
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
}

// --- any length ------------------------------------------------------------------------
TTK_INLINE void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t bytes)
{
    ttk_event_read(from, to, bytes);
    ttk_noc_read_packet(from, to, bytes);
}
TTK_INLINE void ttk_noc_read(uint64_t from, uint32_t to, uint32_t bytes)
{
    ttk_event_read(from, to, bytes);
    if (!(__builtin_constant_p(bytes) && bytes <= NOC_MAX_BURST_SIZE)) {
        for (; bytes > NOC_MAX_BURST_SIZE; bytes -= NOC_MAX_BURST_SIZE) {
            ttk_noc_read_packet(from, to, NOC_MAX_BURST_SIZE);
            from += NOC_MAX_BURST_SIZE;
            to += NOC_MAX_BURST_SIZE;
        }
    }
    ttk_noc_read_packet(from, to, bytes);
}

// `dests` is the number of cores that respond.
TTK_INLINE void ttk_noc_write(uint32_t from, uint64_t to, uint32_t bytes, uint32_t control,
                              uint32_t dests)
{
    if (!(__builtin_constant_p(bytes) && bytes <= NOC_MAX_BURST_SIZE)) {
        for (; bytes > NOC_MAX_BURST_SIZE; bytes -= NOC_MAX_BURST_SIZE) {
            ttk_noc_write_packet(TT_NOC_BUFFER_WRITE, from, to, NOC_MAX_BURST_SIZE,
                                 control);
            ttk_noc.writes++;
            ttk_noc.acks += dests;
            from += NOC_MAX_BURST_SIZE;
            to += NOC_MAX_BURST_SIZE;
        }
    }
    ttk_noc_write_packet(TT_NOC_BUFFER_WRITE, from, to, bytes, control);
    ttk_noc.writes++;
    ttk_noc.acks += dests;
}

enum {
    TTK_NOC_UNICAST = TT_NOC_WRITE | TT_NOC_RESPONSE,
    TTK_NOC_MULTICAST = TTK_NOC_UNICAST | TT_NOC_MULTICAST | TT_NOC_PATH_RESERVE,
};

TTK_INLINE void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t bytes)
{
    ttk_event_write(from, to, bytes);
    ttk_noc_write_packet(TT_NOC_BUFFER_WRITE, from, to, bytes, TTK_NOC_UNICAST);
    ttk_noc.writes++;
    ttk_noc.acks++;
}
// No response: only noc_async_posted_writes_flushed waits for it.
TTK_INLINE void noc_async_write_posted(uint32_t from, uint64_t to, uint32_t bytes)
{
    ttk_event(TT_NOC_EVENT_WRITE_ | TTK_EVENT_WRITE_VC | TTK_EVENT_POSTED, to, from, bytes);
    for (; bytes > NOC_MAX_BURST_SIZE; bytes -= NOC_MAX_BURST_SIZE) {
        ttk_noc_write_packet(TT_NOC_BUFFER_WRITE, from, to, NOC_MAX_BURST_SIZE,
                             TT_NOC_WRITE);
        ttk_noc.posted++;
        from += NOC_MAX_BURST_SIZE;
        to += NOC_MAX_BURST_SIZE;
    }
    ttk_noc_write_packet(TT_NOC_BUFFER_WRITE, from, to, bytes, TT_NOC_WRITE);
    ttk_noc.posted++;
}

TTK_INLINE void ttk_noc_write_any(uint32_t from, uint64_t to, uint32_t bytes)
{
    ttk_event_write(from, to, bytes);
    ttk_noc_write(from, to, bytes, TTK_NOC_UNICAST, 1);
}
// `control`: bits besides those of every multicast.
TTK_INLINE void ttk_noc_multicast(uint32_t from, uint64_t to, uint32_t bytes,
                                  uint32_t control, uint32_t dests)
{
    ttk_event_multicast(TT_NOC_EVENT_WRITE_MULTICAST, from, to, bytes,
                        control & TT_NOC_LINKED);
    ttk_noc_write(from, to, bytes, TTK_NOC_MULTICAST | control, dests);
}

#ifdef __cplusplus
// The template argument is the largest size that will occur.
template <uint32_t most = 0>
TTK_INLINE void noc_async_read(uint64_t from, uint32_t to, uint32_t bytes)
{
    if (most && most <= NOC_MAX_BURST_SIZE)
        noc_async_read_one_packet(from, to, bytes);
    else
        ttk_noc_read(from, to, bytes);
}
template <uint32_t most = 0>
TTK_INLINE void noc_async_write(uint32_t from, uint64_t to, uint32_t bytes)
{
    if (most && most <= NOC_MAX_BURST_SIZE)
        noc_async_write_one_packet(from, to, bytes);
    else
        ttk_noc_write_any(from, to, bytes);
}
TTK_INLINE void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t bytes,
                                          uint32_t dests, bool linked = false)
{
    ttk_noc_multicast(from, to, bytes, linked ? TT_NOC_LINKED : 0, dests);
}
TTK_INLINE void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to,
                                                       uint32_t bytes, uint32_t dests,
                                                       bool linked = false)
{
    ttk_noc_multicast(from, to, bytes, TT_NOC_INCLUDE_SOURCE | (linked ? TT_NOC_LINKED : 0),
                      dests);
}
#else
TTK_INLINE void noc_async_read(uint64_t from, uint32_t to, uint32_t bytes)
{
    ttk_noc_read(from, to, bytes);
}
TTK_INLINE void noc_async_write(uint32_t from, uint64_t to, uint32_t bytes)
{
    ttk_noc_write_any(from, to, bytes);
}
TTK_INLINE void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t bytes,
                                          uint32_t dests)
{
    ttk_noc_multicast(from, to, bytes, 0, dests);
}
TTK_INLINE void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to,
                                                       uint32_t bytes, uint32_t dests)
{
    ttk_noc_multicast(from, to, bytes, TT_NOC_INCLUDE_SOURCE, dests);
}
#endif

// --- barriers --------------------------------------------------------------------------
TTK_INLINE void noc_async_read_barrier(void)
{
    ttk_debug_moment(TT_NOC_EVENT_READ_BARRIER_START);
    ttk_noc_wait_counter(TT_NOC_READ_RESPONSES, ttk_noc.reads);
    ttk_fence();
    ttk_debug_moment(TT_NOC_EVENT_READ_BARRIER_END);
}
TTK_INLINE void noc_async_write_barrier(void)
{
    ttk_debug_moment(TT_NOC_EVENT_WRITE_BARRIER_START);
    ttk_noc_wait_counter(TT_NOC_WRITE_ACKS, ttk_noc.acks);
    ttk_debug_moment(TT_NOC_EVENT_WRITE_BARRIER_END);
}
// The data has left L1 and may be overwritten; it need not have arrived.
TTK_INLINE void noc_async_writes_flushed(void)
{
    ttk_debug_moment(TT_NOC_EVENT_WRITE_FLUSH);
    ttk_noc_wait_counter(TT_NOC_WRITES_SENT, ttk_noc.writes);
}
TTK_INLINE void noc_async_posted_writes_flushed(void)
{
    ttk_debug_moment(TT_NOC_EVENT_WRITE_FLUSH | TTK_EVENT_POSTED);
    ttk_noc_wait_counter(TT_NOC_POSTED_SENT, ttk_noc.posted);
}
TTK_INLINE void noc_async_atomic_barrier(void)
{
    ttk_debug_moment(TT_NOC_EVENT_ATOMIC_BARRIER);
    ttk_noc_wait_counter(TT_NOC_ATOMIC_RESPONSES, ttk_noc.atomics);
}
TTK_INLINE void noc_async_full_barrier(void)
{
    ttk_debug_moment(TT_NOC_EVENT_FULL_BARRIER);
    ttk_noc_wait_counter(TT_NOC_READ_RESPONSES, ttk_noc.reads);
    ttk_noc_wait_counter(TT_NOC_WRITES_SENT, ttk_noc.writes);
    ttk_noc_wait_counter(TT_NOC_WRITE_ACKS, ttk_noc.acks);
    ttk_noc_wait_counter(TT_NOC_ATOMIC_RESPONSES, ttk_noc.atomics);
    ttk_noc_wait_counter(TT_NOC_POSTED_SENT, ttk_noc.posted);
    ttk_fence();
}

// --- a word ----------------------------------------------------------------------------
// Wormhole sends it with the command. On Blackhole such writes into L1 are unsafe: the word
// goes through a slot of the own L1, one per network and RISC.
TTK_INLINE void ttk_noc_write_word(uint64_t to, uint32_t value)
{
#ifdef TTK_BLACKHOLE
    uint32_t slot = 0x20u + 32u * ttk_noc_index() + 16u * (TTK_RISC == 1) + (to & 12);
    ttk_noc_wait_counter(TT_NOC_WRITES_SENT, ttk_noc.writes); // sent from the slot before
    *TTK_L1(volatile uint32_t, slot) = value;
    ttk_noc_write_packet(TT_NOC_BUFFER_SMALL, slot, to, 4, TTK_NOC_UNICAST);
#else
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_SMALL);
    TTK_REGISTER(at + TT_NOC_CTRL) = TTK_NOC_UNICAST | TT_NOC_INLINE;
    TTK_REGISTER(at + TT_NOC_TARG_LO) = (uint32_t)to;
    TTK_REGISTER(at + TT_NOC_TARG_MID) = (uint32_t)(to >> 32);
    TTK_REGISTER(at + TT_NOC_AT_LEN) = 0xFu << (to & (TTL_noc_flit_bytes - 1));
    TTK_REGISTER(at + TTL_noc_at_data) = value;
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
#endif
    ttk_noc.writes++;
    ttk_noc.acks++;
}
#ifdef __cplusplus
TTK_INLINE void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t = 0xF)
{
    ttk_debug_event(TT_NOC_EVENT_WRITE_INLINE | TTK_EVENT_WRITE_VC, to, 0, 4);
    ttk_noc_write_word(to, value);
}
#else
TTK_INLINE void noc_inline_dw_write(uint64_t to, uint32_t value)
{
    ttk_debug_event(TT_NOC_EVENT_WRITE_INLINE | TTK_EVENT_WRITE_VC, to, 0, 4);
    ttk_noc_write_word(to, value);
}
#endif

#endif
