// eth.h - the Ethernet port of an Ethernet tile: bytes from the own L1 to the L1 of the
// tile at the other end of the link.
#ifndef TTPROF_KERNEL_ETH_H
#define TTPROF_KERNEL_ETH_H

#include "ttprof/kernel/base.h"

// The port's counters are never reset: a kernel counts from where they were at its start.
struct ttk_eth {
    uint32_t sent, received; // values when the kernel started
    uint32_t issued;         // messages since
};
static struct ttk_eth ttk_eth __attribute__((unused));

TTK_INLINE void ttk_eth_start(void)
{
    ttk_eth.sent = TTK_REGISTER(TT_ETH + TT_ETH_SENT);
    ttk_eth.received = TTK_REGISTER(TT_ETH + TT_ETH_RECEIVED);
    ttk_eth.issued = 0;
}
TTK_INLINE bool eth_is_linked(void)
{
    return TTK_REGISTER(TT_ETH + TT_ETH_LINKED) != 0;
}
// Device number of the chip at the other end.
TTK_INLINE uint32_t eth_peer(void)
{
    return TTK_REGISTER(TT_ETH + TT_ETH_PEER);
}
// Waits while no further message may be outstanding.
TTK_INLINE void eth_send(uint32_t from, uint32_t to, uint32_t bytes)
{
    TTK_REGISTER(TT_ETH + TT_ETH_SOURCE) = from;
    TTK_REGISTER(TT_ETH + TT_ETH_DESTINATION) = to;
    TTK_REGISTER(TT_ETH + TT_ETH_BYTES) = bytes;
    TTK_REGISTER(TT_ETH + TT_ETH_SEND) = 1;
    ttk_eth.issued++;
}
TTK_INLINE void eth_send_bytes(uint32_t from, uint32_t to, uint32_t bytes)
{
    eth_send(from, to, bytes);
}
// Messages that arrived here since the kernel started.
TTK_INLINE uint32_t eth_received(void)
{
    return TTK_REGISTER(TT_ETH + TT_ETH_RECEIVED) - ttk_eth.received;
}
// Waits until `messages` have arrived here since the kernel started.
TTK_INLINE void eth_wait(uint32_t messages)
{
    uint32_t before = ttk_eth.received;
    while (TTK_REGISTER(TT_ETH + TT_ETH_RECEIVED) - before < messages)
        ;
    ttk_fence();
}
// Waits until everything this kernel sent has arrived at the other end.
TTK_INLINE void eth_send_barrier(void)
{
    uint32_t before = ttk_eth.sent, issued = ttk_eth.issued;
    while (TTK_REGISTER(TT_ETH + TT_ETH_SENT) - before < issued)
        ;
}

#endif
