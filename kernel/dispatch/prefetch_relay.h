// prefetch_relay.h - from the prefetcher's L1 to a buffer of the dispatcher's core.
//
// A command is put into new pages, in one or several parts. Pages are acquired before they
// are written and counted ready once the writes have left; of a long command some are
// counted while the rest is still to come, so that it never waits for pages of its own.
#ifndef TTK_PREFETCH_RELAY_H
#define TTK_PREFETCH_RELAY_H

#include "dispatch.h"

struct relay {
    uint32_t start, end;     // the buffer
    uint32_t pages, page;    // its size, and that of a page
    uint32_t longest, piece; // bytes of a command, and written between two counts
    uint32_t ready, freed;   // addresses: a word of the other core, and one of this
    uint32_t at;             // where the next byte goes
    uint32_t before;         // pages of the commands before
    uint32_t may_acquire;    // pages in all, as far as known
    uint32_t open, counted;  // of this command: bytes so far; pages that were counted ready
};

// --- packets ---------------------------------------------------------------------------
// All writes go to one core: the command buffer keeps what is the same for all.
static void relay_set(uint32_t xy)
{
    noc_async_write_one_packet_set_state((uint64_t)xy << 32, 0);
    dispatch_add_set(xy);
}
TTK_INLINE void relay_packet(uint32_t from, uint32_t to, uint32_t bytes)
{
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_WRITE);
    if (ttk_events_are_on())
        ttk_event_write(from, (uint64_t)TTK_REGISTER(at + TT_NOC_RET_MID) << 32 | to,
                        bytes);
    TTK_REGISTER(at + TT_NOC_TARG_LO) = from;
    TTK_REGISTER(at + TT_NOC_RET_LO) = to;
    TTK_REGISTER(at + TT_NOC_AT_LEN) = bytes;
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
    ttk_noc.writes++;
    ttk_noc.acks++;
}

// --- a command of one page, which most are ---------------------------------------------
TTK_INLINE void relay_acquire(struct relay *r, uint32_t pages)
{
    if (__builtin_expect((int32_t)(r->may_acquire - pages) < 0, 0))
        r->may_acquire = dispatch_wait_word(r->freed, pages - r->pages) + r->pages;
}
TTK_INLINE void relay_page(struct relay *r, uint32_t from, uint32_t bytes)
{
    uint32_t at = r->at, next = at + r->page, pages = r->before + 1;
    relay_acquire(r, pages);
    relay_packet(from, at, bytes);
    r->at = next == r->end ? r->start : next;
    r->before = pages;
}
TTK_INLINE void relay_count_page(const struct relay *r)
{
    noc_async_writes_flushed();
    dispatch_add(r->ready, 1);
}

// --- a command in parts ----------------------------------------------------------------
TTK_INLINE uint32_t relay_pages(const struct relay *r, uint32_t bytes)
{
    uint32_t sum = bytes + r->page - 1;
    return r->page == TT_DISPATCH_GO_PAGE ? sum / TT_DISPATCH_GO_PAGE
                                          : sum / TT_DISPATCH_PAGE;
}

// Refuses a command that would become longer than the buffer.
TTK_INLINE void relay_check(const struct relay *r, uint32_t bytes, uint32_t w0)
{
    if (bytes == 0 || bytes > r->longest - r->open)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
}

static void relay_count_to(struct relay *r, uint32_t pages)
{
    if (pages == r->counted)
        return;
    noc_async_writes_flushed();
    dispatch_add(r->ready, pages - r->counted);
    r->counted = pages;
}
// Counts the pages that are full.
static void relay_count(struct relay *r)
{
    relay_count_to(r, relay_pages(r, r->open + 1) - 1);
}

static void relay_put_piece(struct relay *r, uint32_t from, uint32_t bytes)
{
    r->open += bytes;
    relay_acquire(r, r->before + relay_pages(r, r->open));
    while (bytes) {
        uint32_t part = dispatch_least(bytes, r->end - r->at);
        part = dispatch_least(part, NOC_MAX_BURST_SIZE);
        relay_packet(from, r->at, part);
        from += part;
        bytes -= part;
        r->at += part;
        if (r->at == r->end)
            r->at = r->start;
    }
}
__attribute__((noinline)) static void relay_put_pieces(struct relay *r, uint32_t from,
                                                       uint32_t bytes)
{
    for (; bytes > r->piece; bytes -= r->piece) {
        relay_put_piece(r, from, r->piece);
        relay_count(r);
        from += r->piece;
    }
    relay_put_piece(r, from, bytes);
}
TTK_INLINE void relay_put(struct relay *r, uint32_t from, uint32_t bytes)
{
    uint32_t at = r->at, open = r->open + bytes;
    if (bytes > r->piece || bytes > NOC_MAX_BURST_SIZE || bytes >= r->end - at) {
        relay_put_pieces(r, from, bytes);
        return;
    }
    relay_acquire(r, r->before + relay_pages(r, open));
    relay_packet(from, at, bytes);
    r->open = open;
    r->at = at + bytes;
}

// The command is complete: the next one starts on a new page.
__attribute__((noinline)) static void relay_finish(struct relay *r)
{
    uint32_t pages = relay_pages(r, r->open);
    relay_count_to(r, pages);
    r->before += pages;
    r->open = r->counted = 0;
    r->at = dispatch_round_up(r->at, r->page);
    if (r->at == r->end)
        r->at = r->start;
}

static void relay_start(struct relay *r, uint32_t buffer, uint32_t pages, uint32_t page)
{
    r->start = r->at = dispatch_at(buffer);
    r->end = r->start + pages * page;
    r->pages = r->may_acquire = pages;
    r->page = page;
    r->longest = page == TT_DISPATCH_GO_PAGE ? page : pages * page;
    r->piece = page * (pages < 4 ? 1 : pages / 4);
}

#endif
