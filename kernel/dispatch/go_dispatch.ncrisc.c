// go_dispatch.ncrisc.c - the subordinate of fast dispatch: sends GO to the workers, once
// the dispatcher has written a program to them and the program before has completed. Words
// and commands: include/ttprof/dispatch_words.h.
#include "dispatch.h"

static struct {
    uint32_t workers; // rectangle
    uint32_t at, end; // page being read; end of the buffer
    uint32_t taken;   // pages so far
    uint32_t sent;    // go signals
    uint32_t unicasts[TT_UNICASTS_MOST];
} go;

static uint32_t take_page(void)
{
    go.taken++;
    dispatch_wait_word(dispatch_at(TT_DISPATCH_GO_READY), go.taken);
    return go.at;
}

static void give_page_back(void)
{
    go.at += TT_DISPATCH_GO_PAGE;
    if (go.at == go.end)
        go.at = dispatch_at(TT_DISPATCH_GO_BUFFER);
    dispatch_add(dispatch_at(TT_PREFETCH_GO_FREED), 1);
}

static void keep_unicasts(const uint32_t *command)
{
    uint32_t n = command[1];
    if (n > TT_UNICASTS_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, command[0]);
    for (uint32_t i = 0; i < n; i++)
        go.unicasts[i] = command[4 + i];
}

// --- the go signal ---------------------------------------------------------------------
// Posted: that a program completed says that its GO arrived everywhere.
static uint32_t prepare(uint64_t to, uint32_t control)
{
    uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_WRITE);
    TTK_REGISTER(at + TT_NOC_CTRL) = TT_NOC_WRITE | control;
    TTK_REGISTER(at + TT_NOC_TARG_LO) = dispatch_at(TT_DISPATCH_GO_WORD);
    TTK_REGISTER(at + TT_NOC_RET_LO) = (uint32_t)to;
    TTK_REGISTER(at + TT_NOC_RET_MID) = (uint32_t)(to >> 32);
    TTK_REGISTER(at + TT_NOC_AT_LEN) = 4;
    return at;
}
static void issue(uint32_t at)
{
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
    ttk_noc.posted++;
}
static void send_to_eth(uint32_t xy)
{
    uint64_t to = (uint64_t)xy << 32 | TTL_eth_go_messages;
    ttk_event(TT_NOC_EVENT_WRITE_ | TTK_EVENT_WRITE_VC | TTK_EVENT_POSTED, to,
              dispatch_at(TT_DISPATCH_GO_WORD), 4);
    issue(prepare(to, 0));
}

// All that can be done before is done before the wait for the counter.
static void send_go(const uint32_t *command)
{
    uint32_t w0 = command[0], word = command[1], count = command[2], stream = command[3];
    uint32_t n = w0 >> 8 & 0xFF, first = w0 >> 16;
    bool is_multicast = !(stream & TT_GO_NO_MULTICAST);
    uint64_t to = (uint64_t)go.workers << 32 | TTL_go_messages;
    if (n + first > TT_UNICASTS_MOST || (stream & 0xFFFF) >= TT_STREAMS_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    go.sent++;
    dispatch_wait_word(dispatch_at(TT_DISPATCH_NOTIFIED), go.sent);
    noc_async_posted_writes_flushed(); // of the word before
    DISPATCH_WORD(dispatch_at(TT_DISPATCH_GO_WORD)) = word;
    uint32_t buffer =
        prepare(to, is_multicast ? TT_NOC_MULTICAST | TT_NOC_PATH_RESERVE : 0);
    dispatch_wait_counter(stream & 0xFFFF, count);
    if (is_multicast) {
        ttk_event(TT_NOC_EVENT_WRITE_MULTICAST | TTK_EVENT_MULTICAST_VC |
                      TTK_EVENT_MULTICAST | TTK_EVENT_POSTED,
                  to, dispatch_at(TT_DISPATCH_GO_WORD), 4);
        issue(buffer);
    }
    for (uint32_t i = 0; i < n; i++)
        send_to_eth(go.unicasts[first + i]);
}

// Returns whether there is more to do.
static bool execute(const uint32_t *command)
{
    uint32_t w0 = command[0], id = w0 & 0xFF;
    DeviceTimestampedData("process_cmd_d_dispatch_subordinate", id);
    switch (id) {
    case TT_CMD_SEND_GO: send_go(command); return true;
    case TT_CMD_GO_NOC_DATA: keep_unicasts(command); return true;
    case TT_CMD_DISPATCH_TERMINATE: return false;
    default: dispatch_fail(TT_DISPATCH_UNKNOWN, w0);
    }
}

static bool serve(void)
{
    DeviceZoneScopedN("CQ-DISPATCH-SUBORDINATE");
    bool goes_on = execute(TTK_L1(const uint32_t, take_page()));
    give_page_back();
    return goes_on;
}

void kernel_main(void)
{
    dispatch_add_set(get_arg_val(TT_GO_PREFETCHER));
    go.workers = get_arg_val(TT_GO_WORKERS);
    go.at = dispatch_at(TT_DISPATCH_GO_BUFFER);
    go.end = go.at + get_arg_val(TT_GO_USED_PAGES) * TT_DISPATCH_GO_PAGE;
    while (serve())
        ;
    noc_async_full_barrier();
}
