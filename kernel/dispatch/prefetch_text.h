// prefetch_text.h - data from DRAM: one half of the scratch memory is read while the other
// goes to the dispatcher. Reading begins before its turn comes, if the command is in sight.
#ifndef TTK_PREFETCH_TEXT_H
#define TTK_PREFETCH_TEXT_H

#include "prefetch_queue.h"
#include "prefetch_relay.h"

enum {
    TEXT_TRANSACTION = 6, // and the next, by half
    TEXT_SIGHT = 6,       // commands
};

static struct {
    bool is_begun;
    uint64_t at;           // NoC address of the next bytes to read
    uint32_t unread, left; // bytes: to be read, to be relayed
    uint32_t piece;        // bytes per read
    uint32_t half;         // of the oldest read
} text;

TTK_INLINE uint32_t text_scratch(uint32_t half)
{
    return dispatch_at(TT_PREFETCH_SCRATCH) + half * TT_PREFETCH_HALF_BYTES;
}

static void text_read(uint32_t half)
{
    uint32_t part = dispatch_least(text.piece, text.unread);
    noc_async_read_set_trid(TEXT_TRANSACTION + half);
    ttk_noc_read(text.at, text_scratch(half), part);
    text.at += part;
    text.unread -= part;
}

// Starts to read for a RELAY_LINEAR.
static void text_begin(const uint32_t *command)
{
    uint32_t w0 = command[0], bank = command[1], address = command[2], bytes = command[3];
    if (bank >= ttk_noc.banks)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    if (bytes == 0 || bytes % TT_COMMAND_BYTES)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    text.is_begun = true;
    text.at = ttk_bank_address(bank, address);
    text.unread = text.left = bytes;
    text.piece = dispatch_least(dispatch_round_up(bytes / 4, NOC_MAX_BURST_SIZE),
                                TT_PREFETCH_HALF_BYTES);
    text_read(text.half);
    if (text.unread)
        text_read(text.half ^ 1);
}

// Looks for the next RELAY_LINEAR from the command at `at` on. What is found is the next to
// be executed: only relays are passed over.
__attribute__((noinline)) static void text_look(uint32_t at)
{
    for (uint32_t i = 0; i < TEXT_SIGHT && source.end - at >= TT_COMMAND_BYTES; i++) {
        const uint32_t *command = TTK_L1(const uint32_t, at);
        uint32_t id = command[0] & 0xFF, stride = command[2];
        if (id == TT_CMD_RELAY_LINEAR)
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
