// report_wait.c - cores that do not finish: where each RISC is and what it waits for, with
// polled words by meaning.
#include <stdio.h>

#include "base/text/buf.h"

#include "sim/engine/engine.h"
#include "sim/program/image.h"
#include "sim/report/report_parts.h"

enum { REPORT_CORES = 16 }; // the others are only counted

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
static const struct word_name engine_names[] = {
    {TT_ENGINE_FREE, 1, "compute engine free slots", false},
    {TT_ENGINE_IDLE, 1, "compute engine idle", false},
    {0, UINT32_MAX, "compute engine register", true},
};

static void put_name(struct buf *out, const struct word_name *names, uint32_t number)
{
    while (number - names->first >= names->count)
        names++;
    buf_z(out, names->name);
    if (names->is_numbered)
        buf_printf(out, " %u", number - names->first);
}

static void put_niu_name(struct buf *out, const struct tt_layout *layout, uint32_t offset)
{
    uint32_t noc = offset / TT_NIU_STRIDE;
    offset %= TT_NIU_STRIDE;
    buf_printf(out, "NoC %u ", noc);
    if (offset - TT_NIU_STATUS < 4 * TT_NOC_COUNTERS) {
        put_name(out, niu_names, (offset - TT_NIU_STATUS) / 4);
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

static uint32_t go_address(const struct tile *tile)
{
    const struct tt_layout *layout = tile->chip->layout;
    return tile->kind == TILE_ETH ? layout->eth_go_messages : layout->go_messages;
}

static void put_l1_name(struct buf *out, const struct tile *tile, uint32_t address)
{
    const struct tt_layout *layout = tile->chip->layout;
    bool is_eth = tile->kind == TILE_ETH;
    uint32_t semaphores = layout->kernel_config + TT_CONFIG_SEMAPHORES;
    uint32_t control = is_eth ? layout->eth_profiler_control : layout->profiler_control;
    if (address - go_address(tile) < 4)
        buf_z(out, "go signal");
    else if (!is_eth && address - layout->sync_bytes < 4)
        buf_z(out, "sync bytes");
    else if (!is_eth && address - semaphores < 16 * TT_SEMAPHORES && address % 16 == 0)
        buf_printf(out, "semaphore %u", (address - semaphores) / 16);
    else if (address - control < 4 * TT_CONTROL_WORDS)
        buf_printf(out, "profiler control word %u", (address - control) / 4);
    else
        buf_printf(out, "L1 0x%X", address);
}

static void put_address(struct buf *out, const struct tile *tile, uint32_t address)
{
    bool is_received;
    int cb = cb_of(tile, address, &is_received);
    if (address < tile->l1_bytes)
        put_l1_name(out, tile, address);
    else if (cb >= 0)
        buf_printf(out, "CB %d %s", cb, is_received ? "received" : "acked");
    else if (address - TT_NIU < 2 * TT_NIU_STRIDE)
        put_niu_name(out, tile->chip->layout, address - TT_NIU);
    else if (tile->kind == TILE_ETH && address - TT_ETH < TT_STREAM_STRIDE)
        put_name(out, eth_names, address - TT_ETH);
    else if (address - TT_ENGINE < TT_STREAM_STRIDE)
        put_name(out, engine_names, address - TT_ENGINE);
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
    const struct tt_layout *layout = tile->chip->layout;
    uint32_t semaphores = layout->kernel_config + TT_CONFIG_SEMAPHORES;
    bool is_local = address - TT_LOCAL_RAM < layout->local_dm_bytes;
    return (address >= tile->l1_bytes && !is_local) ||
           (tile->kind == TILE_TENSIX && address - semaphores < 16 * TT_SEMAPHORES);
}

static uint32_t cb_pages(const struct tile *tile, uint32_t cb)
{
    uint32_t pages, config = tile->chip->layout->kernel_config + TT_CONFIG_CBS + 16 * cb;
    memcpy(&pages, tile->l1 + config + 8, sizeof pages);
    return pages;
}

// Both counters of a circular buffer: "CB 3 received = 2, acked = 2 (4 pages)".
static void put_cb(struct buf *out, const struct tile *tile, uint32_t cb)
{
    buf_printf(out, "CB %u received = %u, acked = %u (%u pages)", cb, tile->received[cb],
               tile->acked[cb], cb_pages(tile, cb));
}

static void put_words(struct buf *out, struct tile *tile, const struct risc *risc)
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

// --- RISCs and cores -------------------------------------------------------------------
static bool is_waited_for(const struct tile *tile)
{
    return tile->is_launched && tile->l1[go_address(tile) + 3] != TT_GO_DONE;
}

// An idle RISC, or a BRISC waiting for the others, is not the culprit.
static bool waits_for_others(const struct tile *tile, const struct risc *risc)
{
    uint8_t sync[4];
    memcpy(sync, tile->l1 + tile->chip->layout->sync_bytes, sizeof sync);
    if (tile->kind == TILE_ETH || risc->state == RISC_HALTED ||
        report_code(risc, risc->pc) != &risc->code[CODE_FIRMWARE])
        return false;
    if (risc->index != TT_BRISC)
        return sync[risc->index - TT_NCRISC] == TT_SYNC_DONE;
    return sync[0] | sync[1] | sync[2] | sync[3];
}

static void put_risc(struct buf *out, struct tile *tile, const struct risc *risc)
{
    static const char *const verbs[] = {[RISC_RESET] = "is held in reset at",
                                        [RISC_RUNS] = "runs at",
                                        [RISC_PARKED] = "waits at",
                                        [RISC_STALLED] = "stalls at",
                                        [RISC_HALTED] = "has halted at"};
    buf_z(out, "  ");
    report_core(out, tile);
    buf_printf(out, " %s %s", risc_name(tile, risc->index), verbs[risc->state]);
    report_place(out, risc, risc->pc, false);
    if (risc->state == RISC_PARKED)
        put_words(out, tile, risc);
    else if (risc->state == RISC_STALLED)
        buf_z(out, tile->kind == TILE_ETH ? ": no Ethernet credit"
                                          : ": the compute engine's queue is full");
    const char *engine = NULL;
    if (tile->engine && risc->index >= TT_TRISC0)
        engine = engine_waits_for(tile->engine, risc->index - (unsigned)TT_TRISC0);
    if (engine)
        buf_printf(out, "; its queue waits for %s", engine);
    buf_char(out, '\n');
}

// Returns whether a kernel of the tile is to blame.
static bool put_tile(struct buf *out, struct tile *tile)
{
    bool has_culprit = false;
    for (unsigned r = 0; r < tile->n_riscs; r++) {
        struct risc *risc = &tile->risc[r];
        if (waits_for_others(tile, risc) || risc->state == RISC_RESET)
            continue;
        has_culprit = true;
        put_risc(out, tile, risc);
    }
    // No RISC runs a kernel, so the firmware is stuck.
    for (unsigned r = 0; r < tile->n_riscs && !has_culprit; r++)
        put_risc(out, tile, &tile->risc[r]);
    return has_culprit;
}

static void put_tiles(struct buf *out, struct chip *chip)
{
    int shown = 0, more = 0, waits = 0;
    for (int i = 0; i < chip->n_tiles; i++) {
        struct tile *tile = &chip->tiles[i];
        if (!is_waited_for(tile))
            continue;
        if (shown == REPORT_CORES) {
            more++;
            continue;
        }
        shown++;
        waits += put_tile(out, tile) && waits_for_others(tile, &tile->risc[TT_BRISC]);
    }
    if (more)
        buf_printf(out, "  and %d more\n", more);
    if (waits)
        buf_printf(out, "  on %d of these cores BRISC waits for the others\n", waits);
}

static int count_left(const struct chip *chip)
{
    int left = 0;
    for (int i = 0; i < chip->n_tiles; i++)
        left += is_waited_for(&chip->tiles[i]);
    return left;
}

static unsigned long long cycle_now(const struct chip *chip)
{
    return chip->boot_cycles + chip->now;
}

void report_deadlock(struct chip *chip)
{
    struct buf text = {0};
    buf_printf(&text, "device %d: deadlock at cycle %llu: %d of %d cores cannot continue\n",
               chip->number, cycle_now(chip), count_left(chip), chip->n_started);
    put_tiles(&text, chip);
    report_text(chip, &text);
}

void report_timeout(struct chip *chip, uint64_t timeout_ns)
{
    struct buf text = {0};
    buf_printf(
        &text,
        "device %d: timeout after %llu ns, at cycle %llu: %d of %d cores are running\n",
        chip->number, (unsigned long long)timeout_ns, cycle_now(chip), count_left(chip),
        chip->n_started);
    put_tiles(&text, chip);
    report_text(chip, &text);
}
