// sync_link.h - shared by both ends of a link whose clocks are compared: rounds of
// messages, timestamps in the tile's vector. Words: include/ttprof/sync_words.h.
#ifndef TTK_SYNC_LINK_H
#define TTK_SYNC_LINK_H

#include "ttprof/sync_words.h"

struct sync_link {
    volatile uint32_t *vector;
    uint32_t rounds, serial;
    uint32_t high, low; // the clock at the latest timestamp
};

TTK_INLINE struct sync_link sync_link_start(void)
{
    volatile uint32_t *control = TTK_L1(volatile uint32_t, TTL_eth_profiler_control);
    struct sync_link link = {TTK_L1(volatile uint32_t, TTL_eth_profiler_buffers),
                             get_arg_val(0), get_arg_val(1) << 16, 0, 0};
    uint64_t now = ttk_cycles();
    if (link.rounds > TT_SYNC_MOST_ROUNDS)
        link.rounds = TT_SYNC_MOST_ROUNDS;
    control[TT_CONTROL_PROFILER_DONE] = 1; // nothing of this run is pushed
    link.vector[TT_SYNC_ROUNDS] = 0;
    link.high = (uint32_t)(now >> 32);
    link.low = (uint32_t)now;
    return link;
}

// Sends into the other tile's inbox.
TTK_INLINE void sync_link_send(const struct sync_link *link, uint32_t round)
{
    uint32_t vector = TTL_eth_profiler_buffers;
    link->vector[TT_SYNC_OUTBOX] = link->serial | round;
    eth_send(vector + 4 * TT_SYNC_OUTBOX, vector + 4 * TT_SYNC_INBOX,
             TT_SYNC_MESSAGE_BYTES);
}

// A pure poll of this tile's inbox.
TTK_INLINE void sync_link_wait(const struct sync_link *link, uint32_t round)
{
    const volatile uint32_t *inbox = &link->vector[TT_SYNC_INBOX];
    uint32_t awaited = link->serial | round;
    do {
        ttk_fence();
    } while (*inbox != awaited);
}

// Round 0 only starts both ends and is not kept.
TTK_INLINE void sync_link_keep(struct sync_link *link, uint32_t round, uint32_t low,
                               uint32_t cycles)
{
    link->high += low < link->low;
    link->low = low;
    if (round == 0)
        return;
    if (round == 1)
        link->vector[TT_SYNC_HIGH] = link->high;
    volatile uint32_t *row = &link->vector[TT_SYNC_ROUND(round - 1)];
    row[0] = low;
    row[1] = cycles;
    link->vector[TT_SYNC_ROUNDS] = round;
}

#endif
