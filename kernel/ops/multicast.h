// multicast.h - an operand that the cores of a row or column of the grid share: each step
// of it is read by one of them, in turn, and sent to the others.
//
// The NCRISC of a core reads its steps and counts them; the BRISC, on the other network,
// sends them and receives those of the other cores. All have the same circular buffers and
// push the same pages in the same order, so a page has the same address on every core. In
// each turn the receivers tell the sender that they have room; when all have, it sends the
// pages and then the number of turns so far.
#ifndef MULTICAST_H
#define MULTICAST_H

#include "operand.h"

enum { MULTICAST_SEMAPHORES = 3 };

struct core {
    uint32_t x, y;
};
struct multicast {
    uint32_t corner; // of the grid
    struct core core;
    bool is_column;
    uint32_t cores, own, sender;  // how many share it; positions
    uint32_t turn, own_turns;     // so far
    uint32_t filled, ready, sent; // semaphores
};

// Row `core.y` or column `core.x`. Rows and columns begin with
// different cores, so that all parts of the network are used.
static inline void multicast_start(struct multicast *m, uint32_t corner, struct core core,
                                   bool is_column, uint32_t cores, uint32_t semaphore)
{
    m->corner = corner;
    m->core = core;
    m->is_column = is_column;
    m->cores = cores;
    m->own = is_column ? core.y : core.x;
    m->turn = m->own_turns = 0;
    m->sender = is_column ? (core.x + cores / 2) % cores : core.y % cores;
    m->filled = get_semaphore(semaphore);
    m->ready = get_semaphore(semaphore + 1);
    m->sent = get_semaphore(semaphore + 2);
}

static inline bool multicast_sends(const struct multicast *m)
{
    return m->sender == m->own;
}

static inline void multicast_next(struct multicast *m)
{
    m->turn++;
    m->own_turns += m->sender == m->own;
    m->sender = m->sender + 1 == m->cores ? 0 : m->sender + 1;
}

// The reader has the pages of its turn.
static inline void multicast_filled(const struct multicast *m)
{
    noc_semaphore_set(TTK_L1(ttk_semaphore, m->filled), m->own_turns + 1);
}

// The others have reserved room for the pages of the turn.
static inline void multicast_ready(const struct multicast *m)
{
    if (multicast_sends(m))
        return;
    struct core to = m->is_column ? (struct core){m->core.x, m->sender}
                                  : (struct core){m->sender, m->core.y};
    noc_semaphore_inc(grid_address(m->corner, to.x, to.y, m->ready), 1);
}

// NoC 1 runs towards smaller coordinates: its rectangles start at the far corner.
static inline uint64_t multicast_rectangle(const struct multicast *m)
{
    struct core first =
        m->is_column ? (struct core){m->core.x, 0} : (struct core){0, m->core.y};
    struct core last = m->is_column ? (struct core){m->core.x, m->cores - 1}
                                    : (struct core){m->cores - 1, m->core.y};
    struct core from = noc_index ? last : first, to = noc_index ? first : last;
    return get_noc_multicast_addr(grid_x(m->corner, from.x), grid_y(m->corner, from.y),
                                  grid_x(m->corner, to.x), grid_y(m->corner, to.y), 0);
}

// Once the data has left, the pages may be used up.
static inline void multicast_send(const struct multicast *m, uint32_t from, uint32_t bytes)
{
    uint32_t receivers = m->cores - 1, turns = m->own_turns + 1;
    uint64_t all = multicast_rectangle(m);
    if (!multicast_sends(m))
        return;
    noc_semaphore_wait_min(TTK_L1(ttk_semaphore, m->filled), turns);
    if (!receivers)
        return;
    noc_semaphore_wait_min(TTK_L1(ttk_semaphore, m->ready), receivers * turns);
    noc_async_write_multicast(from, all | from, bytes, receivers);
    noc_semaphore_set(TTK_L1(ttk_semaphore, m->sent), m->turn + 1);
    noc_semaphore_set_multicast(m->sent, all | m->sent, receivers);
    noc_async_writes_flushed();
}

static inline void multicast_receive(const struct multicast *m)
{
    if (!multicast_sends(m))
        noc_semaphore_wait_min(TTK_L1(ttk_semaphore, m->sent), m->turn + 1);
}

#endif
