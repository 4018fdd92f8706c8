// remote_cb.h - a circular buffer between two cores: the sender writes pages into the L1 of
// the receiver, credits go both ways through semaphores.
//
// `filled` is a semaphore of the receiver: pages written so far. `freed` is one of the
// sender: pages taken so far. Both have the same number and start value 0 on both cores.
// Data and the credit behind it take the same way through the network, in order.
#ifndef TTPROF_KERNEL_REMOTE_CB_H
#define TTPROF_KERNEL_REMOTE_CB_H

#include "ttprof/kernel/semaphore.h"

typedef struct remote_cb {
    uint32_t peer_x, peer_y;       // virtual coordinates of the other end
    uint32_t address, pages, page; // of the buffer, in the receiver's L1
    uint32_t filled, freed;        // L1 addresses of the semaphores
    uint32_t count;                // pages sent (sender) or taken (receiver)
    uint32_t at;                   // page that comes next, 0 .. pages - 1
} remote_cb;

TTK_INLINE remote_cb remote_cb_open(uint32_t peer_x, uint32_t peer_y, uint32_t address,
                                    uint32_t pages, uint32_t page_bytes,
                                    uint32_t filled_semaphore, uint32_t freed_semaphore)
{
    remote_cb r = {peer_x,
                   peer_y,
                   address,
                   pages,
                   page_bytes,
                   ttk_semaphore_address(filled_semaphore),
                   ttk_semaphore_address(freed_semaphore),
                   0,
                   0};
    return r;
}

TTK_INLINE void ttk_remote_cb_wait(uint32_t semaphore, uint32_t count, uint32_t least)
{
    do {
        ttk_fence();
    } while ((int32_t)(*TTK_L1(volatile uint32_t, semaphore) - count) < (int32_t)least);
}
TTK_INLINE void ttk_remote_cb_step(remote_cb *r, uint32_t pages)
{
    r->count += pages;
    r->at += pages;
    if (r->at >= r->pages)
        r->at -= r->pages;
}

// --- the sender ------------------------------------------------------------------------
TTK_INLINE void remote_cb_reserve_back(remote_cb *r, uint32_t pages)
{
    ttk_remote_cb_wait(r->freed, r->count - r->pages, pages);
}
// Writes the pages from the own L1 and tells the receiver. The source may be overwritten
// after noc_async_writes_flushed. Pages must not cross the end of the buffer.
TTK_INLINE void remote_cb_push_back(remote_cb *r, uint32_t from, uint32_t pages)
{
    noc_async_write(from,
                    ttk_noc_address(r->peer_x, r->peer_y, r->address + r->at * r->page),
                    pages * r->page);
    noc_semaphore_inc(ttk_noc_address(r->peer_x, r->peer_y, r->filled), pages);
    ttk_remote_cb_step(r, pages);
}

// --- the receiver ----------------------------------------------------------------------
TTK_INLINE void remote_cb_wait_front(remote_cb *r, uint32_t pages)
{
    ttk_remote_cb_wait(r->filled, r->count, pages);
}
TTK_INLINE uint32_t remote_cb_read_ptr(const remote_cb *r)
{
    return r->address + r->at * r->page;
}
TTK_INLINE void remote_cb_pop_front(remote_cb *r, uint32_t pages)
{
    noc_semaphore_inc(ttk_noc_address(r->peer_x, r->peer_y, r->freed), pages);
    ttk_remote_cb_step(r, pages);
}

#endif
