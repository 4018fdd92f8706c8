// prefetch_trace.h - commands that come from a trace in DRAM instead of the queue.
//
// Pages are read in chunks, up to four at a time, ahead of the commands until the ring is
// full. Here the ring is a stream: a command may continue at its start.
#ifndef TTK_PREFETCH_TRACE_H
#define TTK_PREFETCH_TRACE_H

#include "dispatch.h"
#include "prefetch_queue.h"

enum {
    TRACE_CHUNK = 16 << 10, // at most; the first read
    TRACE_AHEAD = 4,
    TRACE_TRANSACTION = 2, // the queue's: it is empty meanwhile
};

static struct {
    bool is_on, has_banks;
    uint32_t ring, ring_end, write; // where the next chunk goes
    uint32_t chunk, page;           // bytes
    uint32_t chunk_pages;
    uint32_t bank, address, pages;    // the next page; how many are to be read
    uint32_t bytes, at;               // of the trace; of the next command
    uint32_t asked, arrived;          // bytes of whole chunks
    uint32_t next_id, oldest_id;      // transactions of the next and the oldest chunk
    uint64_t banks[TTL_n_dram_views]; // NoC addresses
} trace;

static uint32_t trace_id_after(uint32_t id)
{
    return id + 1 == TRACE_TRANSACTION + TRACE_AHEAD ? TRACE_TRANSACTION : id + 1;
}

// A long trace is as fast as its pages can be asked for, hence the copies of fields, which
// would be loaded and stored again for every page.
static void trace_read_chunk(void)
{
    uint32_t to = trace.write, end = to + trace.chunk, page = trace.page;
    uint32_t bank = trace.bank, banks = ttk_noc.banks, address = trace.address;
    uint32_t n = dispatch_least(trace.chunk_pages, trace.pages);
    noc_async_writes_flushed(); // from where it goes
    noc_async_read_set_trid(trace.next_id);
    trace.pages -= n;
    for (; n; n--) {
        noc_async_read_one_packet(trace.banks[bank] + address, to, page);
        to += page;
        if (++bank == banks) {
            bank = 0;
            address += page;
        }
    }
    trace.bank = bank;
    trace.address = address;
    trace.write = end == trace.ring_end ? trace.ring : end;
    trace.asked += trace.chunk;
    trace.next_id = trace_id_after(trace.next_id);
}
static void trace_arrived(void)
{
    trace.arrived += trace.chunk;
    trace.oldest_id = trace_id_after(trace.oldest_id);
}

// Where what has arrived, or the ring, ends.
static void trace_look(void)
{
    uint32_t there = trace.arrived - trace.at;
    source.end = source.at + dispatch_least(there, trace.ring_end - source.at);
}

static bool trace_has_room(void)
{
    return trace.pages &&
           trace.asked - trace.at + trace.chunk <= trace.ring_end - trace.ring;
}

// One chunk, if there is room: the commands go on meanwhile.
static void trace_read_ahead(void)
{
    if (!trace_has_room())
        return;
    if (trace.asked - trace.arrived == TRACE_AHEAD * trace.chunk) {
        if (ttk_noc_counter(TT_NOC_OUTSTANDING + trace.oldest_id) != 0)
            return;
        trace_arrived();
    }
    trace_read_chunk();
}

// Waits for so many bytes of the next command. A long one needs more than was read ahead:
// all that fits is asked for before every wait.
static void trace_need(uint32_t bytes, uint32_t w0)
{
    if (bytes > trace.bytes - trace.at || bytes > trace.ring_end - trace.ring - trace.chunk)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    while (trace.arrived - trace.at < bytes) {
        while (trace_has_room() && trace.asked - trace.arrived < TRACE_AHEAD * trace.chunk)
            trace_read_chunk();
        noc_async_read_barrier_with_trid(trace.oldest_id);
        trace_arrived();
    }
    trace_look();
}

static void trace_step(uint32_t bytes)
{
    trace.at += bytes;
    source.at += bytes;
    if (source.at >= trace.ring_end) {
        source.at -= trace.ring_end - trace.ring;
        trace_look();
    }
}

// By the first trace, for all.
static void trace_find_banks(void)
{
    for (uint32_t bank = 0; !trace.has_banks && bank < ttk_noc.banks; bank++)
        trace.banks[bank] = ttk_bank_address(bank, 0);
    trace.has_banks = true;
}

// From here on commands come from the trace. The entry must have stopped fetching, so that
// the ring has no other.
static void trace_begin(const uint32_t *command)
{
    uint32_t ring = queue.ring, ring_end = queue.ring_end;
    uint32_t w0 = command[0], shift = command[2], pages = command[3];
    if (trace.is_on || !queue.is_stalled || queue.n != 1)
        dispatch_fail(TT_DISPATCH_UNKNOWN, w0);
    if (shift < TT_TRACE_PAGE_LEAST || shift > TT_TRACE_PAGE_MOST || pages == 0 ||
        pages > (1u << 30) >> shift)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    uint32_t chunk = TRACE_CHUNK, page = 1u << shift;
    while (chunk > page && TRACE_AHEAD * chunk > ring_end - ring)
        chunk /= 2;
    if (2 * chunk > ring_end - ring)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    trace.is_on = true;
    trace.ring = trace.write = source.at = source.end = ring;
    trace.ring_end = ring + ((ring_end - ring) & ~(chunk - 1));
    trace.chunk = chunk;
    trace.page = page;
    trace.chunk_pages = chunk >> shift;
    trace.bank = 0;
    trace.address = command[1];
    trace.pages = pages;
    trace.bytes = pages << shift;
    trace.at = trace.asked = trace.arrived = 0;
    trace.next_id = trace.oldest_id = TRACE_TRANSACTION;
    trace_find_banks();
    trace_read_chunk();
}

// The ring is the queue's again once nothing more arrives.
static void trace_end(void)
{
    while (trace.arrived != trace.asked) {
        noc_async_read_barrier_with_trid(trace.oldest_id);
        trace_arrived();
    }
    trace.is_on = false;
    source.at = source.end;
}

#endif
