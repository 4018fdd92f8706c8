// fabric.h - writes to cores of other chips: fabric_write, and what the forwarding kernel
// (kernel/fabric.erisc.c) shares with it.
//
// An Ethernet tile that forwards has two rings in its L1: one written by cores of its chip,
// one by the tile at the other end of its link. A core takes a ticket (an atomic on the
// tile), waits until its slot is free, and writes data, then header. Messages in the first
// ring go over the link; messages from the link are for this chip, or go to the next tile
// on the route. All counts continue from program to program.
#ifndef TTPROF_KERNEL_FABRIC_H
#define TTPROF_KERNEL_FABRIC_H

#include "ttprof/kernel/semaphore.h"

enum {
    FABRIC_SLOTS = 8,
    FABRIC_DATA = 4096, // bytes a message carries at most
    FABRIC_HEAD = 64,
    FABRIC_SLOT = FABRIC_HEAD + FABRIC_DATA,
    FABRIC_TICKETS = TTL_eth_buffers,       // tickets taken by cores
    FABRIC_TAKEN = TTL_eth_buffers + 0x10,  // of the first ring
    FABRIC_SENT = TTL_eth_buffers + 0x20,   // over the link
    FABRIC_CREDIT = TTL_eth_buffers + 0x30, // taken at the other end; it writes this
    FABRIC_CAME = TTL_eth_buffers + 0x40,   // taken here, of the second ring
    FABRIC_RING = TTL_eth_buffers + 0x100,
    FABRIC_LINK_RING = FABRIC_RING + FABRIC_SLOTS * FABRIC_SLOT,
};

// Precedes the data. `serial` is the ticket plus 1: only then the message is complete.
struct fabric_head {
    uint32_t serial, device, address_low, address_high, bytes, fill[11];
};

TTK_INLINE uint32_t fabric_slot(uint32_t ring, uint32_t ticket)
{
    return ring + ticket % FABRIC_SLOTS * FABRIC_SLOT;
}

// The way out: an Ethernet tile that runs the forwarding kernel, and 128 bytes of local L1
// (16-byte aligned) for tickets and headers.
typedef struct fabric {
    uint32_t x, y; // virtual coordinates
    uint32_t scratch;
} fabric;
static fabric ttk_fabric __attribute__((unused));

TTK_INLINE void fabric_open(uint32_t x, uint32_t y, uint32_t scratch)
{
    ttk_fabric.x = x;
    ttk_fabric.y = y;
    ttk_fabric.scratch = scratch;
}

// Takes a ticket and waits until its slot is free.
static inline uint32_t ttk_fabric_ticket(void)
{
    uint32_t result = ttk_fabric.scratch + FABRIC_HEAD, taken = result + 16;
    uint32_t buffer = ttk_noc_ready(TT_NOC_BUFFER_ATOMIC);
    TTK_REGISTER(buffer + TT_NOC_RET_LO) = result;
    noc_semaphore_inc(ttk_noc_address(ttk_fabric.x, ttk_fabric.y, FABRIC_TICKETS), 1);
    noc_async_atomic_barrier();
    TTK_REGISTER(ttk_noc_ready(TT_NOC_BUFFER_ATOMIC) + TT_NOC_RET_LO) =
        TT_NOC_ATOMIC_RESULT;
    ttk_fence();
    uint32_t ticket = *TTK_L1(volatile uint32_t, result);
    do {
        noc_async_read(ttk_noc_address(ttk_fabric.x, ttk_fabric.y, FABRIC_TAKEN), taken,
                       16);
        noc_async_read_barrier();
    } while (ticket - *TTK_L1(volatile uint32_t, taken) >= FABRIC_SLOTS);
    return ticket;
}

static inline void ttk_fabric_send(uint32_t device, uint64_t to, uint32_t from,
                                   uint32_t bytes)
{
    uint32_t ticket = ttk_fabric_ticket();
    uint64_t slot =
        ttk_noc_address(ttk_fabric.x, ttk_fabric.y, fabric_slot(FABRIC_RING, ticket));
    volatile struct fabric_head *head =
        TTK_L1(volatile struct fabric_head, ttk_fabric.scratch);
    head->serial = ticket + 1;
    head->device = device;
    head->address_low = (uint32_t)to;
    head->address_high = (uint32_t)(to >> 32);
    head->bytes = bytes;
    noc_async_write(from, slot + FABRIC_HEAD, bytes);
    noc_async_write(ttk_fabric.scratch, slot, FABRIC_HEAD);
    noc_async_writes_flushed();
}

// Writes bytes of the own L1 (16-byte aligned) to a NoC address of another chip. When it
// returns, the source may be overwritten; the data need not have arrived.
static inline void fabric_write(uint32_t device, uint64_t to, uint32_t from, uint32_t bytes)
{
    for (; bytes > FABRIC_DATA; bytes -= FABRIC_DATA) {
        ttk_fabric_send(device, to, from, FABRIC_DATA);
        to += FABRIC_DATA;
        from += FABRIC_DATA;
    }
    ttk_fabric_send(device, to, from, bytes);
}

#endif
