// report_words.c - the words a RISC polls, by meaning.
//
// Semaphores and circular buffers are where the core's own launch message says: in fast
// dispatch every program has its place.
#include <stdio.h>

#include "base/text/buf.h"

#include "sim/dispatch/cores.h"
#include "sim/report/report_parts.h"
#include "ttprof/dispatch_words.h"

// --- the launch message ----------------------------------------------------------------
static uint32_t word_at(const struct tile *tile, uint32_t address)
{
    uint32_t word = 0;
    if (address <= tile->l1_bytes - sizeof word)
        memcpy(&word, tile->l1 + address, sizeof word);
    return word;
}

static uint32_t half_at(const struct tile *tile, uint32_t address)
{
    return word_at(tile, address & ~3u) >> (address & 2) * 8 & 0xFFFF;
}

// Of the program that the core runs or ran last.
struct config {
    uint32_t semaphores, cbs; // addresses
};

static struct config config_of(const struct tile *tile)
{
    const struct tt_layout *l = tile->chip->layout;
    bool is_eth = tile->kind == TILE_ETH;
    uint32_t slot = word_at(tile, is_eth ? l->eth_mailbox + 0xC : l->launch_rd_ptr);
    uint32_t ring = is_eth ? l->eth_launch_ring : l->launch_ring;
    uint32_t message = ring + TT_LAUNCH_BYTES * (slot % TT_LAUNCH_SLOTS);
    uint32_t base = word_at(tile, message + TT_LAUNCH_CONFIG_BASE + 4 * is_eth);
    if (!base) // nothing was launched
        return (struct config){UINT32_MAX, UINT32_MAX};
    return (struct config){base +
                               half_at(tile, message + TT_LAUNCH_SEM_OFFSET + 2 * is_eth),
                           base + half_at(tile, message + TT_LAUNCH_CB_OFFSET)};
}

// The number of the semaphore at an address, or -1.
static int semaphore_of(const struct tile *tile, uint32_t address)
{
    uint32_t offset = address - config_of(tile).semaphores;
    return offset < 16 * TT_SEMAPHORES && offset % 16 == 0 ? (int)(offset / 16) : -1;
}

// --- names of words --------------------------------------------------------------------
struct word_name {
    uint32_t first, count;
    const char *name;
    bool is_numbered; // append the distance from `first`
};

// The last row of each table matches every offset.
static const struct word_name niu_names[] = {
    {TT_NOC_ATOMIC_RESPONSES, 1, "atomic responses received", false},
    {TT_NOC_WRITE_ACKS, 1, "write acks received", false},
    {TT_NOC_READ_RESPONSES, 1, "read responses received", false},
    {TT_NOC_READS_SENT, 1, "reads sent", false},
    {TT_NOC_WRITES_SENT, 1, "writes sent", false},
    {TT_NOC_POSTED_SENT, 1, "posted writes sent", false},
    {TT_NOC_OUTSTANDING, 16, "requests outstanding of transaction", true},
    {TT_NOC_LEAVING, 16, "writes leaving of transaction", true},
    {0, UINT32_MAX, "counter", true},
};
static const struct word_name eth_names[] = {
    {TT_ETH_CREDITS, 1, "Ethernet credits", false},
    {TT_ETH_SENT, 1, "Ethernet messages sent", false},
    {TT_ETH_RECEIVED, 1, "Ethernet messages received", false},
    {0, UINT32_MAX, "Ethernet register", true},
};
// Words of dispatch cores, counted from the first byte for buffers.
static const struct word_name prefetcher_names[] = {
    {TT_PREFETCH_FREED / 4, 1, "dispatch pages freed", false},
    {TT_PREFETCH_GO_FREED / 4, 1, "subordinate's pages freed", false},
    {TT_PREFETCH_SYNC / 4, 1, "syncs", false},
    {TT_PREFETCH_QUEUE / 4, TT_QUEUE_ENTRIES, "queue entry", true},
    {0, UINT32_MAX, NULL, false},
};
static const struct word_name dispatcher_names[] = {
    {TT_DISPATCH_READY / 4, 1, "pages ready", false},
    {TT_DISPATCH_GO_READY / 4, 1, "subordinate's pages ready", false},
    {TT_DISPATCH_NOTIFIED / 4, 1, "notifications", false},
    {TT_DISPATCH_READ / 4, 1, "completion bytes read by the host", false},
    {TT_DISPATCH_EVENTS / 4, 1, "last event of queue 0", false},
    {TT_DISPATCH_EVENTS / 4 + 4, 1, "last event of queue 1", false},
    {0, UINT32_MAX, NULL, false},
};
static const struct word_name engine_names[] = {
    {TT_ENGINE_FREE, 1, "compute engine free slots", false},
    {TT_ENGINE_IDLE, 1, "compute engine idle", false},
    {0, UINT32_MAX, "compute engine register", true},
};

// False if the word has none.
static bool put_name(struct buf *out, const struct word_name *names, uint32_t number)
{
    while (number - names->first >= names->count)
        names++;
    if (!names->name)
        return false;
    buf_z(out, names->name);
    if (names->is_numbered)
        buf_printf(out, " %u", number - names->first);
    return true;
}

static void put_niu_name(struct buf *out, const struct tt_layout *layout, uint32_t offset)
{
    uint32_t noc = offset / TT_NIU_STRIDE;
    offset %= TT_NIU_STRIDE;
    buf_printf(out, "NoC %u ", noc);
    if (offset - TT_NIU_STATUS < 4 * TT_NOC_COUNTERS) {
        (void)put_name(out, niu_names, (offset - TT_NIU_STATUS) / 4);
        return;
    }
    uint32_t buffer = offset / layout->noc_buffer_stride;
    if (offset % layout->noc_buffer_stride == layout->noc_cmd_ctrl)
        buf_printf(out, "command buffer %u", buffer);
    else
        buf_printf(out, "register 0x%X", offset);
}

// The circular buffer whose counter this is, or -1.
static int cb_of(const struct tile *tile, uint32_t address, bool *is_received)
{
    const struct tt_layout *layout = tile->chip->layout;
    uint32_t cb = (address - TT_STREAMS) / TT_STREAM_STRIDE;
    uint32_t word = (address - TT_STREAMS) % TT_STREAM_STRIDE / 4;
    *is_received = word == layout->cb_received_word;
    bool is_counter = *is_received || word == layout->cb_acked_word;
    return cb < layout->n_circular_buffers && is_counter ? (int)cb : -1;
}

// The words of dispatch cores are numbers that only ever grow.
static bool put_dispatch_name(struct buf *out, const struct tile *tile, uint32_t address)
{
    uint32_t word = (address - tile->chip->layout->buffers) / 4;
    switch (dispatch_core_role(tile)) {
    case DISPATCH_PREFETCHER: return put_name(out, prefetcher_names, word);
    case DISPATCH_DISPATCHER: return put_name(out, dispatcher_names, word);
    default: return false;
    }
}

static void put_l1_name(struct buf *out, const struct tile *tile, uint32_t address)
{
    const struct tt_layout *layout = tile->chip->layout;
    bool is_eth = tile->kind == TILE_ETH;
    int semaphore = semaphore_of(tile, address);
    uint32_t control = is_eth ? layout->eth_profiler_control : layout->profiler_control;
    if (address - report_go_address(tile) < 4)
        buf_z(out, "go signal");
    else if (!is_eth && address - layout->sync_bytes < 4)
        buf_z(out, "sync bytes");
    else if (semaphore >= 0)
        buf_printf(out, "semaphore %d", semaphore);
    else if (address - control < 4 * TT_CONTROL_WORDS)
        buf_printf(out, "profiler control word %u", (address - control) / 4);
    else if (!put_dispatch_name(out, tile, address))
        buf_printf(out, "L1 0x%X", address);
}

static bool is_completion_counter(const struct tile *tile, uint32_t address)
{
    uint32_t offset = address - TT_STREAMS;
    return offset < 64 * TT_STREAM_STRIDE &&
           offset % TT_STREAM_STRIDE == 4 * tile->chip->layout->stream_count_word;
}

static void put_address(struct buf *out, const struct tile *tile, uint32_t address)
{
    bool is_received;
    int cb = cb_of(tile, address, &is_received);
    if (address < tile->l1_bytes)
        put_l1_name(out, tile, address);
    else if (cb >= 0)
        buf_printf(out, "CB %d %s", cb, is_received ? "received" : "acked");
    else if (is_completion_counter(tile, address))
        buf_printf(out, "completion counter %u", (address - TT_STREAMS) / TT_STREAM_STRIDE);
    else if (address - TT_NIU < 2 * TT_NIU_STRIDE)
        put_niu_name(out, tile->chip->layout, address - TT_NIU);
    else if (tile->kind == TILE_ETH && address - TT_ETH < TT_STREAM_STRIDE)
        (void)put_name(out, eth_names, address - TT_ETH);
    else if (address - TT_ENGINE < TT_STREAM_STRIDE)
        (void)put_name(out, engine_names, address - TT_ENGINE);
    else if (address - TT_LOCAL_RAM < tile->chip->layout->local_dm_bytes)
        buf_printf(out, "local RAM 0x%X", address);
    else
        buf_printf(out, "register 0x%X", address);
}

void report_address(const struct tile *tile, uint32_t address, char *out, size_t bytes)
{
    struct buf text = {0};
    put_address(&text, tile, address);
    (void)snprintf(out, bytes, "%.*s", (int)text.n, text.p);
    buf_free(&text);
}

// --- values of words -------------------------------------------------------------------
static uint32_t word_value(struct tile *tile, const struct risc *risc, uint32_t address)
{
    uint32_t value = 0, at = address & ~3u;
    if (at < tile->l1_bytes)
        memcpy(&value, tile->l1 + at, sizeof value);
    else if (at - TT_LOCAL_RAM < risc->local_bytes)
        memcpy(&value, risc->local + (at - TT_LOCAL_RAM), sizeof value);
    else
        (void)tile_register_read(tile, risc->index, at, tile->now, &value);
    return value;
}

static bool is_plain_number(const struct tile *tile, uint32_t address)
{
    bool is_local = address - TT_LOCAL_RAM < tile->chip->layout->local_dm_bytes;
    return (address >= tile->l1_bytes && !is_local) || semaphore_of(tile, address) >= 0 ||
           dispatch_core_role(tile) >= 0;
}

static uint32_t cb_pages(const struct tile *tile, uint32_t cb)
{
    return word_at(tile, config_of(tile).cbs + 16 * cb + 8);
}

// Both counters of a circular buffer: "CB 3 received = 2, acked = 2 (4 pages)".
static void put_cb(struct buf *out, const struct tile *tile, uint32_t cb)
{
    buf_printf(out, "CB %u received = %u, acked = %u (%u pages)", cb, tile->received[cb],
               tile->acked[cb], cb_pages(tile, cb));
}

void report_words(struct buf *out, struct tile *tile, const struct risc *risc)
{
    const struct park *park = &risc->park;
    uint64_t cbs = 0; // already printed
    const char *separator = ": ";
    if (!park->n_words)
        buf_z(out, ": an endless loop");
    for (uint32_t i = 0; i < park->n_words; i++) {
        bool is_received;
        int cb = cb_of(tile, park->word[i], &is_received);
        if (cb >= 0 && (cbs >> cb & 1))
            continue;
        buf_z(out, separator);
        separator = ", ";
        if (cb >= 0) {
            cbs |= (uint64_t)1 << cb;
            put_cb(out, tile, (uint32_t)cb);
            continue;
        }
        put_address(out, tile, park->word[i]);
        uint32_t value = word_value(tile, risc, park->word[i]);
        if (is_plain_number(tile, park->word[i]))
            buf_printf(out, " = %u", value);
        else
            buf_printf(out, " = 0x%08X", value);
    }
}
