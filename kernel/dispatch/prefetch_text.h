// prefetch_text.h - data from DRAM or L1: one half of the scratch memory is read while the
// other goes to the dispatcher. Reading begins before its turn comes, if the command is in
// sight.
#ifndef TTK_PREFETCH_TEXT_H
#define TTK_PREFETCH_TEXT_H

#include "prefetch_queue.h"
#include "prefetch_relay.h"

enum {
    TEXT_TRANSACTION = 6, // and the next, by half
    TEXT_SIGHT = 6,       // commands
    TEXT_PAGES = 128,     // read at a time, at most
};

static struct {
    bool is_begun;
    uint64_t at;   // NoC address of the next bytes to read, if they are in one place
    uint32_t page; // else: bytes of a page,
    uint32_t bank, address; // and where the next one is
    uint32_t unread, left;  // bytes: to be read, to be relayed
    uint32_t piece;         // bytes per read
    uint32_t half;          // of the oldest read
} text;

TTK_INLINE uint32_t text_scratch(uint32_t half)
{
    return dispatch_at(TT_PREFETCH_SCRATCH) + half * TT_PREFETCH_HALF_BYTES;
}

__attribute__((noinline)) static void text_read_pages(uint32_t to, uint32_t bytes)
{
    for (uint32_t end = to + bytes; to != end; to += text.page) {
        ttk_noc_read(ttk_bank_address(text.bank, text.address), to, text.page);
        if (++text.bank == ttk_noc.banks) {
            text.bank = 0;
            text.address += text.page;
        }
    }
}

static void text_read(uint32_t half)
{
    uint32_t part = dispatch_least(text.piece, text.unread);
    noc_async_read_set_trid(TEXT_TRANSACTION + half);
    text.unread -= part;
    if (text.page) {
        text_read_pages(text_scratch(half), part);
        return;
    }
    ttk_noc_read(text.at, text_scratch(half), part);
    text.at += part;
}

TTK_INLINE void text_find_bytes(uint64_t at, uint32_t bytes, uint32_t w0)
{
    if (bytes == 0 || bytes % TT_COMMAND_BYTES)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    text.at = at;
    text.page = 0;
    text.left = bytes;
    text.piece = dispatch_least(dispatch_round_up(bytes / 4, NOC_MAX_BURST_SIZE),
                                TT_PREFETCH_HALF_BYTES);
}

static void text_find_in_bank(const uint32_t *command)
{
    uint32_t w0 = command[0], bank = command[1], address = command[2], bytes = command[3];
    if (bank >= ttk_noc.banks)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    text_find_bytes(ttk_bank_address(bank, address), bytes, w0);
}

static void text_find_on_core(const uint32_t *command)
{
    uint64_t core = (uint64_t)command[1] << 32;
    text_find_bytes(core | command[2], command[3], command[0]);
}

static void text_find_pages(const uint32_t *command)
{
    uint32_t w0 = command[0], page = command[2], n = command[3];
    text.bank = w0 >> 16;
    text.address = command[1];
    if (text.bank >= ttk_noc.banks || n == 0 || n > TT_PAGED_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    if (page == 0 || page % TT_COMMAND_BYTES || page > TT_PAGED_BYTES_MOST)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    uint32_t pages = dispatch_least((n + 3) / 4, TT_PREFETCH_HALF_BYTES / page);
    text.page = page;
    text.left = n * page;
    text.piece = dispatch_least(pages, TEXT_PAGES) * page;
}

__attribute__((noinline)) static void text_find_other(const uint32_t *command)
{
    if ((command[0] & 0xFF) == TT_CMD_RELAY_PAGED)
        text_find_pages(command);
    else
        text_find_on_core(command);
}

// Starts to read for a RELAY_LINEAR or a RELAY_PAGED.
static void text_begin(const uint32_t *command)
{
    if ((command[0] & 0xFFFF) == TT_CMD_RELAY_LINEAR) // kernels, before all else
        text_find_in_bank(command);
    else
        text_find_other(command);
    text.is_begun = true;
    text.unread = text.left;
    text_read(text.half);
    if (text.unread)
        text_read(text.half ^ 1);
}

// Looks for the next such command from the one at `at` on. What is found is the next to
// be executed: only relays are passed over.
__attribute__((noinline)) static void text_look(uint32_t at)
{
    for (uint32_t i = 0; i < TEXT_SIGHT && source.end - at >= TT_COMMAND_BYTES; i++) {
        const uint32_t *command = TTK_L1(const uint32_t, at);
        uint32_t id = command[0] & 0xFF, stride = command[2];
        if (id == TT_CMD_RELAY_LINEAR || id == TT_CMD_RELAY_PAGED)
            text_begin(command);
        if (id != TT_CMD_RELAY_INLINE && id != TT_CMD_RELAY_INLINE_NOFLUSH)
            return;
        if (stride < TT_COMMAND_BYTES || stride > source.end - at)
            return;
        at += stride;
    }
}

__attribute__((noinline)) static void text_relay(struct relay *r, const uint32_t *command)
{
    if (!text.is_begun)
        text_begin(command);
    relay_check(r, text.left, command[0]);
    for (;;) {
        uint32_t part = dispatch_least(text.piece, text.left), half = text.half;
        noc_async_read_barrier_with_trid(TEXT_TRANSACTION + half);
        relay_put(r, text_scratch(half), part);
        text.half = half ^ 1;
        text.left -= part;
        if (text.left == 0)
            break;
        relay_count(r);
        if (text.unread) {
            noc_async_writes_flushed();
            text_read(half);
        }
    }
    text.is_begun = false;
    relay_finish(r);
    // Text of the next group; that of the next program is not worth a search.
    uint32_t next = source.at + TT_COMMAND_BYTES;
    if (source.end - source.at > TT_COMMAND_BYTES &&
        (*TTK_L1(const uint32_t, next) & 0xFF) == TT_CMD_RELAY_INLINE_NOFLUSH)
        text_look(next);
}

#endif
