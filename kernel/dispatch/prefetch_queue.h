// prefetch_queue.h - entries on their way from the host's memory through the command ring.
//
// A few entries are under way or in the ring at a time, each in one piece, with the
// transaction of its place in the list.
#ifndef TTK_PREFETCH_QUEUE_H
#define TTK_PREFETCH_QUEUE_H

#include "dispatch.h"

enum { QUEUE_AHEAD = 4, QUEUE_TRANSACTION = 2 }; // transactions 2 to 5

struct entry {
    uint32_t from, end; // in the ring
    uint32_t consumed;  // issue bytes, with those skipped in front of it
};

// The next command, and the end of what is there of the commands in one piece: the end of
// the entry, unless they come from a trace.
static struct {
    uint32_t at, end;
} source;

static struct {
    uint32_t next, start, end;      // queue words
    uint32_t pcie, issue;           // coordinates and address of the issue region
    uint32_t issue_at, issue_bytes; // offset of the next entry; size
    uint32_t consumed;              // as published
    uint32_t ring, ring_end, write; // the command ring; where the next entry goes
    uint32_t first, n;              // entries in the list
    bool is_stalled;                // the last one stops fetching
    bool is_full;                   // no more are fetched now
    struct entry entries[QUEUE_AHEAD];
} queue;

// A place for an entry in one piece; 0: none. What lies between the oldest entry and
// `write` is in use.
static uint32_t queue_room(uint32_t bytes)
{
    if (queue.n == 0)
        return queue.ring;
    uint32_t oldest = queue.entries[queue.first].from;
    if (queue.write <= oldest)
        return queue.write + bytes <= oldest ? queue.write : 0;
    if (queue.write + bytes <= queue.ring_end)
        return queue.write;
    return queue.ring + bytes <= oldest ? queue.ring : 0;
}

// Starts to read an entry, whose queue word becomes free.
static void queue_read(uint32_t to, uint32_t bytes)
{
    uint32_t number = (queue.first + queue.n++) % QUEUE_AHEAD, consumed = bytes;
    if (queue.issue_at + bytes > queue.issue_bytes) {
        consumed += queue.issue_bytes - queue.issue_at;
        queue.issue_at = 0;
    }
    noc_async_read_set_trid(QUEUE_TRANSACTION + number);
    ttk_noc_read((uint64_t)queue.pcie << 32 | (queue.issue + queue.issue_at), to, bytes);
    queue.entries[number] = (struct entry){to, to + bytes, consumed};
    queue.write = to + bytes;
    queue.issue_at += bytes;
    DISPATCH_WORD(queue.next) = 0;
    queue.next += 4;
    if (queue.next == queue.end)
        queue.next = queue.start;
    DISPATCH_WORD(dispatch_at(TT_PREFETCH_NEXT)) = queue.next;
}

// The word of an entry that may be fetched; 0: there is none.
TTK_INLINE uint32_t queue_word(void)
{
    if (queue.is_full)
        return 0;
    ttk_fence();
    return DISPATCH_WORD(queue.next);
}

__attribute__((noinline)) static void queue_fetch_from(uint32_t word)
{
    for (; word; word = queue_word()) {
        uint32_t units = word & ~TT_ENTRY_STALLS, bytes = units * TT_ENTRY_UNIT;
        if (units == 0 || units > TT_ENTRY_MOST / TT_ENTRY_UNIT || bytes % TT_ENTRY_ALIGN ||
            bytes > queue.ring_end - queue.ring)
            dispatch_fail(TT_DISPATCH_SIZE, 0);
        uint32_t to = queue_room(bytes);
        if (to == 0) {
            queue.is_full = true;
            return;
        }
        queue_read(to, bytes);
        queue.is_stalled = word & TT_ENTRY_STALLS;
        queue.is_full = queue.is_stalled || queue.n == QUEUE_AHEAD;
    }
}

TTK_INLINE void queue_fetch(void)
{
    uint32_t word = queue_word();
    if (word)
        queue_fetch_from(word);
}

TTK_INLINE void queue_wait_for_host(void)
{
    do {
        ttk_fence();
    } while (DISPATCH_WORD(queue.next) == 0);
}

// The entry has been executed: its place in the ring is free.
static void queue_drop(void)
{
    noc_async_writes_flushed();
    queue.first = (queue.first + 1) % QUEUE_AHEAD;
    queue.n--;
    if (queue.n == 0)
        queue.is_stalled = false;
    queue.is_full = queue.is_stalled;
}

// Goes to the next entry, waiting for it if necessary.
__attribute__((noinline)) static void queue_next(void)
{
    if (queue.n && source.at)
        queue_drop();
    queue_fetch();
    if (queue.n == 0) {
        queue_wait_for_host();
        queue_fetch();
    }
    const struct entry *e = &queue.entries[queue.first];
    noc_async_read_barrier_with_trid(QUEUE_TRANSACTION + queue.first);
    source.at = e->from;
    source.end = e->end;
    queue.consumed += e->consumed;
    DISPATCH_WORD(dispatch_at(TT_PREFETCH_CONSUMED)) = queue.consumed;
}

static void queue_start(void)
{
    queue.start = queue.next = dispatch_at(TT_PREFETCH_QUEUE);
    queue.end = queue.start + 4 * get_arg_val(TT_PREFETCH_ENTRIES);
    queue.pcie = get_arg_val(TT_PREFETCH_PCIE);
    queue.issue = get_arg_val(TT_PREFETCH_ISSUE);
    queue.issue_bytes = get_arg_val(TT_PREFETCH_ISSUE_BYTES);
    queue.ring = dispatch_at(TT_PREFETCH_RING);
    queue.ring_end = queue.ring + get_arg_val(TT_PREFETCH_RING_USED);
    DISPATCH_WORD(dispatch_at(TT_PREFETCH_NEXT)) = queue.next;
}

#endif
