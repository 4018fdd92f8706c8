// cb.h - circular buffers: pages that one RISC of a core puts in and another takes out.
//
// The fill level of a buffer is in two counters of the tile, pages received and pages
// acknowledged, compared as 16 bits. Each RISC has a descriptor in its local RAM with its
// write and read positions. TRISCs count addresses in units of 16 bytes and pass pushes and
// pops to the engine, which performs them in queue order; so they keep their own tally of
// what they have passed on.
//
// Pages must divide the buffer so that a push or pop lands on its end exactly; one across
// the end is reported to the device.
#ifndef TTPROF_KERNEL_CB_H
#define TTPROF_KERNEL_CB_H

#include "ttprof/kernel/base.h"

struct ttk_cb {
#if TTK_IS_COMPUTE
    uint16_t tally;  // TRISC0: pops, TRISC2: pushes, so far
    uint16_t packed; // tiles packed since the last push
#else
    uint32_t start;
#endif
    uint32_t size, limit;
#if TTK_IS_COMPUTE
    uint16_t page, format; // format: TT_FORMAT_*, by the size of a tile
#else
    uint32_t page;
#endif
    uint32_t pages;
    uint32_t write, read;
};

#define TTK_CB(cb)                                                                         \
    ((struct ttk_cb *)(uintptr_t)(TT_LOCAL_RAM + 4u * TT_STATE_WORDS +                     \
                                  (uint32_t)TT_CB_DESCRIPTOR_BYTES * (uint32_t)(cb)))
#define TTK_STREAM(cb)      (TT_STREAMS + TT_STREAM_STRIDE * (uint32_t)(cb))
#define TTK_CB_RECEIVED(cb) (TTK_STREAM(cb) + 4u * TTL_cb_received_word)
#define TTK_CB_ACKED(cb)    (TTK_STREAM(cb) + 4u * TTL_cb_acked_word)

#ifdef __cplusplus
static_assert(sizeof(struct ttk_cb) == TT_CB_DESCRIPTOR_BYTES, "agreed size");
#else
_Static_assert(sizeof(struct ttk_cb) == TT_CB_DESCRIPTOR_BYTES, "agreed size");
#endif

#if TTK_IS_COMPUTE
enum { TTK_CB_SHIFT = 4 };
#else
enum { TTK_CB_SHIFT = 0 };
#endif

TTK_INLINE uint32_t get_write_ptr(uint32_t cb)
{
    return TTK_CB(cb)->write << TTK_CB_SHIFT;
}
TTK_INLINE uint32_t get_read_ptr(uint32_t cb)
{
    return TTK_CB(cb)->read << TTK_CB_SHIFT;
}
TTK_INLINE uint32_t get_tile_size(uint32_t cb)
{
    return (uint32_t)TTK_CB(cb)->page << TTK_CB_SHIFT;
}
TTK_INLINE uint32_t ttk_cb_pages(uint32_t cb)
{
    return TTK_CB(cb)->pages;
}

// A pointer advanced by `pages`; it wraps only if it lands exactly on the end.
TTK_INLINE uint32_t ttk_cb_next(uint32_t cb, uint32_t at, uint32_t pages)
{
    const struct ttk_cb *c = TTK_CB(cb);
    at += pages * c->page;
    if (at >= c->limit) {
        if (at != c->limit)
            TTK_REGISTER(TT_DEBUG_CB_WRAP) = cb;
        at -= c->size;
    }
    return at;
}

// --- waiting ---------------------------------------------------------------------------
// The loops read one register and change nothing, so the device can park the RISC.
TTK_INLINE uint32_t ttk_cb_received(uint32_t cb)
{
    return TTK_REGISTER(TTK_CB_RECEIVED(cb));
}
TTK_INLINE uint32_t ttk_cb_acked(uint32_t cb)
{
    return TTK_REGISTER(TTK_CB_ACKED(cb));
}

TTK_INLINE void ttk_cb_wait_filled(uint32_t cb, uint32_t acked, uint32_t pages)
{
    while (((ttk_cb_received(cb) - acked) & 0xFFFF) < pages)
        ;
}
TTK_INLINE void ttk_cb_wait_free(uint32_t cb, uint32_t received, uint32_t pages)
{
    uint32_t most = TTK_CB(cb)->pages - pages;
    // More pages than the buffer has: waits forever, which the device reports.
    while ((int32_t)most < (int32_t)((received - ttk_cb_acked(cb)) & 0xFFFF))
        ;
}

#if TTK_IS_DATA_MOVEMENT
TTK_INLINE void cb_wait_front(uint32_t cb, uint32_t pages)
{
    ttk_cb_wait_filled(cb, ttk_cb_acked(cb), pages);
    ttk_fence();
}
TTK_INLINE void cb_reserve_back(uint32_t cb, uint32_t pages)
{
    ttk_cb_wait_free(cb, ttk_cb_received(cb), pages);
}
TTK_INLINE void cb_push_back(uint32_t cb, uint32_t pages)
{
    TTK_REGISTER(TTK_CB_RECEIVED(cb)) = ttk_cb_received(cb) + pages;
    TTK_CB(cb)->write = ttk_cb_next(cb, TTK_CB(cb)->write, pages);
}
TTK_INLINE void cb_pop_front(uint32_t cb, uint32_t pages)
{
    TTK_REGISTER(TTK_CB_ACKED(cb)) = ttk_cb_acked(cb) + pages;
    TTK_CB(cb)->read = ttk_cb_next(cb, TTK_CB(cb)->read, pages);
}
TTK_INLINE bool cb_pages_available_at_front(uint32_t cb, uint32_t pages)
{
    return ((ttk_cb_received(cb) - ttk_cb_acked(cb)) & 0xFFFF) >= pages;
}
TTK_INLINE bool cb_pages_reservable_at_back(uint32_t cb, uint32_t pages)
{
    return TTK_CB(cb)->pages - ((ttk_cb_received(cb) - ttk_cb_acked(cb)) & 0xFFFF) >= pages;
}
#endif

#endif
