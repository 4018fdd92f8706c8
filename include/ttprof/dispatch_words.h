// dispatch_words.h - fast dispatch: addresses and commands shared by the host and the three
// dispatch kernels (kernel/dispatch).
//
// The host puts entries into a ring in its own memory and a word per entry into the
// prefetcher's queue. The prefetcher reads entries over PCIe and relays their payload to
// the dispatcher, which writes to the workers, and to the subordinate, which sends GO.
// Command numbers are tt-metal's, because logs print their names; the forms are our own.
// Valid in C11 and C++17, with no C library.
#ifndef TTPROF_DISPATCH_WORDS_H
#define TTPROF_DISPATCH_WORDS_H

#include <stdint.h>

// --- host memory -----------------------------------------------------------------------
// Byte a of queue q is local address q << TT_QUEUE_SHIFT | a of the PCIe tile.
enum {
    TT_QUEUES = 2,
    TT_QUEUE_SHIFT = 24,
    TT_ISSUE_BYTES = 12 << 20, // entries: [0, TT_ISSUE_BYTES)
    TT_COMPLETION = TT_ISSUE_BYTES,
    TT_COMPLETION_BYTES = 4 << 20,
    TT_COMPLETION_PAGE = 4096, // every write to the completion region takes whole pages
    TT_QUEUE_BYTES = TT_COMPLETION + TT_COMPLETION_BYTES,
};

// --- the completion region -------------------------------------------------------------
// Its first word counts the bytes of all records so far, modulo 2^32 and in whole pages:
// the host waits for it. Records follow from TT_COMPLETION_DATA on, each in whole pages;
// one that reaches the end of the region continues at TT_COMPLETION_DATA. A record is its
// WRITE_HOST command as it was in the queue: a header, whose a tells whether it is an event
// and whose w1 gives the bytes, then these. When the host has read records, it writes their
// cumulative bytes to TT_DISPATCH_READ.
enum { TT_COMPLETION_COUNT = 0, TT_COMPLETION_DATA = TT_COMPLETION_PAGE };

// --- queue entries ---------------------------------------------------------------------
// An entry is a sequence of prefetch commands, TT_ENTRY_ALIGN bytes aligned and padded;
// command 0 means that the rest is padding. An entry that does not fit the rest of the
// issue region starts at its beginning: both sides skip the rest, which counts as consumed.
// The queue word of an entry: its bytes in units of 16, and the stall flag: nothing behind
// this entry is fetched before all of it was executed.
#define TT_ENTRY_STALLS 0x80000000u
enum {
    TT_ENTRY_UNIT = 16,
    TT_ENTRY_ALIGN = 64,
    TT_ENTRY_MOST = 128 << 10,
    TT_QUEUE_ENTRIES = 1534, // most; argument TT_PREFETCH_ENTRIES says how many are used
};

// --- L1 of the prefetcher's core, offsets from `buffers` --------------------------------
// Credits are words that only ever grow and wrap at 32 bits. The host zeroes everything
// before the buffers, on both cores, before it starts the kernels.
enum {
    TT_PREFETCH_NEXT = 0x00,     // address of the next queue word (the host reads it)
    TT_PREFETCH_CONSUMED = 0x10, // issue bytes, cumulative (the host reads it)
    TT_PREFETCH_FREED = 0x20,    // dispatch pages, added by the dispatcher
    TT_PREFETCH_GO_FREED = 0x30, // subordinate's pages, added by the subordinate
    TT_PREFETCH_SYNC = 0x40,     // added by the dispatcher
    TT_PREFETCH_DONE = 0x50,     // commands
    TT_PREFETCH_QUEUE = 0x100,   // words; 0: free
    TT_PREFETCH_RING = 0x2000,   // commands
    TT_PREFETCH_RING_BYTES = 256 << 10,
    TT_PREFETCH_SCRATCH = 0x42000, // two halves, for reads of DRAM
    TT_PREFETCH_HALF_BYTES = 64 << 10,
};

// --- L1 of the dispatcher's core, offsets from `buffers` ---------------------------------
enum {
    TT_DISPATCH_READY = 0x00,    // pages, added by the prefetcher
    TT_DISPATCH_GO_READY = 0x10, // subordinate's pages, added by the prefetcher
    TT_DISPATCH_NOTIFIED = 0x20, // NOTIFY commands; written by the dispatcher
    TT_DISPATCH_WRITTEN = 0x30,  // completion bytes, cumulative
    TT_DISPATCH_READ = 0x40,     // the same, written by the host
    TT_DISPATCH_EVENTS = 0x50,   // last event of queue 0, at + 0x10 of queue 1
    TT_DISPATCH_DONE = 0x70,     // commands
    TT_DISPATCH_GO_WORD = 0x80,  // the go word that is being sent
    TT_DISPATCH_BUFFER = 0x1000,
    TT_DISPATCH_GO_BUFFER = 0x81000,
    TT_DISPATCH_PAGE = 4096,
    TT_DISPATCH_PAGES = 128,
    TT_DISPATCH_BLOCK = 32, // pages given back together
    TT_DISPATCH_GO_PAGE = 256,
    TT_DISPATCH_GO_PAGES = 128,
};

// --- arguments of the kernels ------------------------------------------------------------
// Coordinates are the upper half of a NoC address: x << 4 | y << 10, a rectangle
// additionally has its other corner in x << 16 | y << 22.
enum {
    TT_PREFETCH_PCIE,  // coordinates of the PCIe tile
    TT_PREFETCH_ISSUE, // local address of the issue region
    TT_PREFETCH_ISSUE_BYTES,
    TT_PREFETCH_ENTRIES,    // of the queue
    TT_PREFETCH_RING_USED,  // bytes of the command ring
    TT_PREFETCH_DISPATCHER, // coordinates
    TT_PREFETCH_PAGES,      // of the dispatch buffer
    TT_PREFETCH_GO_PAGES,   // of the subordinate's buffer
    TT_PREFETCH_ARGS,
};
enum {
    TT_DISPATCH_PREFETCHER, // coordinates
    TT_DISPATCH_PCIE,
    TT_DISPATCH_COMPLETION, // local address of the completion region
    TT_DISPATCH_COMPLETION_BYTES,
    TT_DISPATCH_USED_PAGES, // of the dispatch buffer
    TT_DISPATCH_USED_BLOCK, // pages given back together; at most a quarter of all
    TT_DISPATCH_ARGS,
};
enum {
    TT_GO_PREFETCHER, // coordinates
    TT_GO_WORKERS,    // rectangle of all workers
    TT_GO_USED_PAGES, // of the subordinate's buffer
    TT_GO_ARGS,
};

// --- commands ----------------------------------------------------------------------------
// A header of four words: w0 = id | a << 8 | c << 16, and w1 to w3.
//
// A dispatch command starts on a page of the dispatch buffer. It may be as long as the
// buffer and cross its end: the dispatcher uses pages as they come, and sends what lies on
// both sides of the end in two packets. A command for the subordinate takes one page of its
// buffer.
enum { TT_COMMAND_BYTES = 16 };
static inline uint32_t tt_command(uint32_t id, uint32_t a, uint32_t c)
{
    return id | a << 8 | c << 16;
}
// A program as logs print it: dispatch zones and rows of workers show the same number.
static inline uint32_t tt_logged_program(uint32_t run_id, int chip)
{
    return run_id << 10 | ((uint32_t)chip & 0x3FF);
}
enum tt_prefetch_command {
    TT_CMD_RELAY_LINEAR = 1, // w1 bank or, with a = 1, xy of a core; w2 address, w3 bytes
    TT_CMD_RELAY_PAGED = 3,  // c: first bank; w1 address, w2 page bytes, w3 pages
    TT_CMD_RELAY_INLINE = 5, // a: target; w1 bytes, w2 stride with header and padding
    TT_CMD_RELAY_INLINE_NOFLUSH =
        6, // same; the rest of the command follows by RELAY_LINEAR or RELAY_PAGED
    TT_CMD_EXEC_BUF = 7,     // w1 address, w2 log2 of the page size, w3 pages
    TT_CMD_EXEC_BUF_END = 8, // as RELAY_INLINE
    TT_CMD_STALL = 9,
    TT_CMD_TERMINATE = 11,
};
enum { TT_RELAY_TO_DISPATCHER, TT_RELAY_TO_SUBORDINATE }; // a of a relay
// A trace: page i is in bank i % banks, at address w1 + i / banks * page size. Its commands
// follow each other as in an entry and end with EXEC_BUF_END; EXEC_BUF is the last command
// of an entry that stalls. A command in a trace is at most half a command ring long.
enum { TT_TRACE_PAGE_LEAST = 10, TT_TRACE_PAGE_MOST = 13 }; // log2

enum tt_dispatch_command {
    TT_CMD_WRITE_LINEAR = 1, // w1 xy, w2 address, w3 bytes; data
    TT_CMD_WRITE_HOST = 3,   // a: is an event; w1 bytes; data
    TT_CMD_WRITE_PAGED = 4,  // c: first bank; w1 address, w2 page bytes, w3 pages; data
    TT_CMD_WRITE_PACKED = 5, // a: TT_PACKED_*; c count; w1 bytes, w2 address, w3 offset
    TT_CMD_WRITE_PACKED_LARGE = 6,  // a: type; c count; w1 offset index
    TT_CMD_WAIT = 7,                // a: TT_WAIT_*; c stream; w1 address, w2 count
    TT_CMD_DISPATCH_END_BUF = 11,   // sync + 1
    TT_CMD_SET_WRITE_OFFSET = 12,   // a: n; w1 tt_logged_program(); then n words
    TT_CMD_DISPATCH_TERMINATE = 13, // also for the subordinate
    TT_CMD_SEND_GO = 14,     // subordinate; a: unicasts; c: first; w1 word, w2 count, w3
    TT_CMD_NOTIFY = 15,      // a: barrier first
    TT_CMD_GO_NOC_DATA = 17, // subordinate; w1 n; then n coordinates
};
// RELAY_PAGED and WRITE_PAGED: pages of a buffer that is interleaved over the DRAM banks.
// The first one is at address w1 of bank c, the next one at the same address of the next
// bank; behind the last bank comes bank 0, at w1 + page bytes. Pages are multiples of 16
// bytes and follow each other in the data.
// WRITE_PACKED: the header, c entries of {xy} or, multicast, {xy, dests}, padding to 16,
// then c data of w1 bytes, each padded to 16, or one for all.
enum { // a of WRITE_PACKED
    TT_PACKED_MULTICAST = 1,
    TT_PACKED_ONE_DATUM = 2,
    TT_PACKED_TYPE_SHIFT = 4,
    TT_PACKED_ARGUMENTS = 1,
    TT_PACKED_LAUNCH,
    TT_PACKED_SEMAPHORES,
    TT_PACKED_EVENT,
};
// WRITE_PACKED_LARGE: the header, c entries of {xy, address, bytes, dests | unlink}, then
// the data of each, padded to 16.
enum {
    TT_LARGE_CONFIG = 1,
    TT_LARGE_TEXT = 2,
    TT_LARGE_UNLINK = 1 << 16,
    TT_LARGE_ENTRY_BYTES = 16
};
enum { // limits
    TT_PACKED_MOST = 1020,
    TT_PACKED_MULTICAST_MOST = 510,
    TT_LARGE_MOST = 35,
    TT_PACKED_BYTES_MOST = 4096,
    TT_PAGED_MOST = 4096,           // pages
    TT_PAGED_BYTES_MOST = 64 << 10, // of a page
    TT_OFFSETS_MOST = 8,            // write offsets; one that was never set is 0
    TT_UNICASTS_MOST = 32,
};
enum { // a of WAIT
    TT_WAIT_BARRIER = 1,
    TT_WAIT_SYNC = 2,
    TT_WAIT_MEMORY = 4,
    TT_WAIT_COUNTER = 0x10,
    TT_WAIT_CLEAR = 0x20,
};
#define TT_GO_NO_MULTICAST 0x10000u // w3 of SEND_GO: stream, and this flag

// --- completion counters -----------------------------------------------------------------
// Counter i is stream TT_COMPLETION_STREAM + i of the dispatcher's core. A worker adds 1 by
// writing 1 << TT_COMPLETION_SHIFT to the update register. 17 bits: compare by difference.
enum {
    TT_STREAMS_MOST = 64,
    TT_COMPLETION_STREAM = 48,
    TT_COMPLETION_SHIFT = 6,
    TT_COMPLETION_BITS = 17,
    TT_COMPLETION_MASK = (1 << TT_COMPLETION_BITS) - 1,
};
static inline int tt_completed(uint32_t value, uint32_t count)
{
    return (int32_t)((value - count) << (32 - TT_COMPLETION_BITS)) >= 0;
}
// The go word: signal << 24 | dispatcher's virtual y << 16 | x << 8 | counter. The lower
// three bytes are 0 when the host launches.
static inline uint32_t tt_go_word(uint32_t signal, uint32_t x, uint32_t y, uint32_t counter)
{
    return signal << 24 | y << 16 | x << 8 | counter;
}

// --- faults --------------------------------------------------------------------------
// A kernel
// that meets a command it cannot execute stores reason << 24 | id here.
#define TT_DEBUG_DISPATCH 0xFFB12804u
enum tt_dispatch_fault {
    TT_DISPATCH_UNKNOWN = 1, // no such command
    TT_DISPATCH_COUNT,       // a count over its limit
    TT_DISPATCH_SIZE,        // a size over its limit, or 0
    TT_DISPATCH_TARGET,      // no such target of a relay
};

#endif
