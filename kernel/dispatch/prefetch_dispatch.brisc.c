// prefetch_dispatch.brisc.c - the prefetcher of fast dispatch: reads queue entries from the
// host's memory and relays their payload to the dispatcher and to its subordinate. Words
// and commands: include/ttprof/dispatch_words.h.
#include "dispatch.h"
#include "prefetch_queue.h"
#include "prefetch_relay.h"
#include "prefetch_text.h"
#include "prefetch_trace.h"

static struct relay to_dispatcher, to_subordinate;
static uint32_t done, syncs; // commands executed; syncs waited for

// --- where commands are ----------------------------------------------------------------
// Makes sure that so many bytes of the command are there.
static void need(uint32_t bytes, uint32_t w0)
{
    if (trace.is_on)
        trace_need(bytes, w0);
    else if (bytes > source.end - source.at)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
}

// Goes to the next command, and past the padding of an entry.
TTK_INLINE void step(uint32_t bytes)
{
    DISPATCH_WORD(dispatch_at(TT_PREFETCH_DONE)) = ++done;
    if (trace.is_on) {
        trace_step(bytes);
        return;
    }
    uint32_t at = source.at + bytes, left = source.end - at;
    if (left < TT_ENTRY_ALIGN && left && (DISPATCH_WORD(at) & 0xFF) == 0)
        at = source.end;
    source.at = at;
}

// --- commands --------------------------------------------------------------------------
static struct relay *target_of(uint32_t w0)
{
    switch (w0 >> 8 & 0xFF) {
    case TT_RELAY_TO_DISPATCHER: return &to_dispatcher;
    case TT_RELAY_TO_SUBORDINATE: return &to_subordinate;
    default: dispatch_fail(TT_DISPATCH_TARGET, w0);
    }
}

// The payload behind a header; `is_whole`: the command ends with it. Returns the stride.
__attribute__((noinline)) static uint32_t relay_part(const uint32_t *command, bool is_whole)
{
    uint32_t w0 = command[0], bytes = command[1], stride = command[2];
    struct relay *r = target_of(w0);
    relay_check(r, bytes, w0);
    if (stride < TT_COMMAND_BYTES + bytes || stride % TT_COMMAND_BYTES ||
        (!is_whole && bytes % TT_COMMAND_BYTES))
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    need(stride, w0);
    if (!is_whole && !text.is_begun && stride <= source.end - source.at)
        text_look(source.at + stride);
    uint32_t from = source.at + TT_COMMAND_BYTES, part = bytes;
    if (trace.is_on) {
        from = from == trace.ring_end ? trace.ring : from;
        part = dispatch_least(bytes, trace.ring_end - from);
    }
    if (part < bytes) {
        relay_put(r, from, part);
        bytes -= part;
        from = trace.ring;
    }
    relay_put(r, from, bytes);
    if (is_whole)
        relay_finish(r);
    return stride;
}

// A whole command that fits a page is relayed without detours.
TTK_INLINE void relay_inline(const uint32_t *command)
{
    uint32_t w0 = command[0], bytes = command[1], stride = command[2];
    struct relay *r = w0 >> 8 & 0xFF ? &to_subordinate : &to_dispatcher;
    bool is_plain = bytes - 1 < r->page && r->open == 0 &&
                    stride - TT_COMMAND_BYTES - bytes < TT_ENTRY_ALIGN &&
                    stride % TT_COMMAND_BYTES == 0 && stride <= source.end - source.at &&
                    w0 >> 8 <= 1;
    if (__builtin_expect(!is_plain, 0)) {
        step(relay_part(command, true));
        return;
    }
    relay_page(r, source.at + TT_COMMAND_BYTES, bytes);
    step(stride);
    relay_count_page(r);
}

static void wait_for_sync(void)
{
    dispatch_wait_word(dispatch_at(TT_PREFETCH_SYNC), ++syncs);
}

static void end_trace(const uint32_t *command)
{
    if (!trace.is_on)
        dispatch_fail(TT_DISPATCH_UNKNOWN, command[0]);
    relay_part(command, true);
    wait_for_sync();
    trace_end();
}

// Executes one command; returns whether there are more.
__attribute__((noinline)) static bool execute_other(const uint32_t *command)
{
    uint32_t w0 = command[0], stride = 0;
    switch (w0 & 0xFF) {
    case TT_CMD_RELAY_INLINE_NOFLUSH: stride = relay_part(command, false); break;
    case TT_CMD_RELAY_LINEAR:
    case TT_CMD_RELAY_PAGED:
        text_relay(&to_dispatcher, command);
        stride = TT_COMMAND_BYTES;
        break;
    case TT_CMD_STALL:
        wait_for_sync();
        stride = TT_COMMAND_BYTES;
        break;
    case TT_CMD_EXEC_BUF: trace_begin(command); break;
    case TT_CMD_EXEC_BUF_END: end_trace(command); break;
    case TT_CMD_TERMINATE: return false;
    default: dispatch_fail(TT_DISPATCH_UNKNOWN, w0);
    }
    step(stride);
    return true;
}
static bool execute(const uint32_t *command)
{
    if ((command[0] & 0xFF) != TT_CMD_RELAY_INLINE)
        return execute_other(command);
    relay_inline(command);
    return true;
}

static bool serve(void)
{
    DeviceZoneScopedN("CQ-PREFETCH");
    if (trace.is_on) {
        trace_read_ahead();
        if (source.at == source.end)
            trace_need(TT_COMMAND_BYTES, 0);
    } else if (source.at == source.end) {
        queue_next();
        text_look(source.at);
    } else {
        queue_fetch();
    }
    return execute(TTK_L1(const uint32_t, source.at));
}

void kernel_main(void)
{
    struct relay *d = &to_dispatcher, *g = &to_subordinate;
    relay_set(get_arg_val(TT_PREFETCH_DISPATCHER));
    d->ready = dispatch_at(TT_DISPATCH_READY);
    d->freed = dispatch_at(TT_PREFETCH_FREED);
    relay_start(d, TT_DISPATCH_BUFFER, get_arg_val(TT_PREFETCH_PAGES), TT_DISPATCH_PAGE);
    g->ready = dispatch_at(TT_DISPATCH_GO_READY);
    g->freed = dispatch_at(TT_PREFETCH_GO_FREED);
    relay_start(g, TT_DISPATCH_GO_BUFFER, get_arg_val(TT_PREFETCH_GO_PAGES),
                TT_DISPATCH_GO_PAGE);
    queue_start();
    while (serve())
        ;
    noc_async_full_barrier();
}
