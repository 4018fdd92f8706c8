// tile_registers.c - dispatches a tile's register accesses by address.
#include "sim/engine/engine.h"
#include "sim/noc/noc.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"
#include "sim/tile/tile.h"
#include "ttprof/dispatch_words.h"

static bool nothing_read(struct tile *tile, unsigned risc, uint32_t offset, uint64_t cycle,
                         uint32_t *value)
{
    (void)tile, (void)risc, (void)offset, (void)cycle;
    *value = 0;
    return true;
}
static enum register_result nothing_write(struct tile *tile, unsigned risc, uint32_t offset,
                                          uint32_t value, uint64_t cycle)
{
    (void)tile, (void)risc, (void)offset, (void)value, (void)cycle;
    return REGISTER_OK;
}

// --- debug: wall clock, soft reset, performance counters -------------------------------
static uint64_t wall_clock(const struct tile *tile, uint64_t cycle)
{
    const struct chip *chip = tile->chip;
    return chip->boot_cycles + tile->skew + cycle + chip->costs.clock_sample;
}

static bool debug_read(struct tile *tile, unsigned risc, uint32_t offset, uint64_t cycle,
                       uint32_t *value)
{
    uint64_t clock = wall_clock(tile, cycle);
    switch (offset + TT_DEBUG) {
    case TT_WALL_CLOCK_L:
        tile->clock_latch = (uint32_t)(clock >> 32);
        *value = (uint32_t)clock;
        if (tile->chip->has_truth && risc < tile->n_riscs)
            tile_truth(tile, risc, TTDEV_TRUTH_CLOCK_READ, cycle, clock,
                       tile->risc[risc].pc);
        return true;
    case TT_WALL_CLOCK_HIGH: *value = (uint32_t)(clock >> 32); return true;
    case TT_WALL_CLOCK_AT: *value = tile->clock_latch; return true;
    case TT_SOFT_RESET: *value = tile->soft_reset; return true;
    }
    if (!counters_read(tile, offset, cycle, value))
        *value = tile->debug[offset / 4];
    return true;
}

// A kernel reports a fault by itself.
static void kernel_fault(struct tile *tile, unsigned risc, enum fault_kind kind,
                         uint32_t address, const char *what, uint64_t cycle)
{
    tile_fault(tile, (struct fault){.kind = (uint8_t)kind,
                                    .address = address,
                                    .cycle = cycle,
                                    .pc = risc < tile->n_riscs ? tile->risc[risc].pc : 0,
                                    .risc = (uint8_t)risc,
                                    .what = what});
}

static const char *dispatch_reason(uint32_t reason)
{
    static const char *const texts[] = {
        [TT_DISPATCH_UNKNOWN] = "no such command",
        [TT_DISPATCH_COUNT] = "a count over its limit",
        [TT_DISPATCH_SIZE] = "a size of 0 or over its limit",
        [TT_DISPATCH_TARGET] = "no such target of a relay",
    };
    bool is_known = reason && reason < sizeof texts / sizeof *texts;
    return is_known ? texts[reason] : "for an unknown reason";
}

static enum register_result debug_write(struct tile *tile, unsigned risc, uint32_t offset,
                                        uint32_t value, uint64_t cycle)
{
    switch (offset + TT_DEBUG) {
    case TT_WALL_CLOCK_L:
        tile->clock_latch = (uint32_t)(wall_clock(tile, cycle) >> 32);
        return REGISTER_OK;
    case TT_WALL_CLOCK_HIGH:
    case TT_WALL_CLOCK_AT: return REGISTER_OK;
    case TT_SOFT_RESET: tile_reset_riscs(tile, value, cycle); return REGISTER_OK;
    case TT_DEBUG_CB_WRAP:
        kernel_fault(tile, risc, FAULT_CB_WRAP, value, NULL, cycle);
        return REGISTER_OK;
    case TT_DEBUG_DISPATCH:
        kernel_fault(tile, risc, FAULT_DISPATCH, value & 0xFFFFFF,
                     dispatch_reason(value >> 24), cycle);
        return REGISTER_OK;
    }
    if (!counters_write(tile, offset, value, cycle))
        tile->debug[offset / 4] = value;
    return REGISTER_OK;
}

static uint32_t reset_bit(const struct tile *tile, unsigned risc)
{
    if (risc == TT_BRISC || tile->kind == TILE_ETH)
        return TT_RESET_BRISC;
    return risc == TT_NCRISC ? TT_RESET_NCRISC
                             : (uint32_t)TT_RESET_TRISC0 << (risc - TT_TRISC0);
}

// A RISC released from reset starts at its firmware's entry one cycle later.
void tile_reset_riscs(struct tile *tile, uint32_t held, uint64_t cycle)
{
    for (unsigned i = 0; i < tile->n_riscs; i++) {
        struct risc *r = &tile->risc[i];
        uint32_t bit = reset_bit(tile, i);
        const struct ttdev_image *firmware = r->code[CODE_FIRMWARE].image;
        if (held & bit) {
            tile_stop_risc(tile, i, RISC_RESET);
        } else if (tile->soft_reset & bit && firmware) {
            rv_reset(r, firmware->entry, cycle + 1);
            tile_end_turn(tile, cycle);
        }
    }
    if (tile->engine && (held & TT_RESET_TRISCS) == TT_RESET_TRISCS)
        engine_reset(tile->engine);
    tile->soft_reset = held;
    if (!tile->is_running)
        tile_refresh(tile);
}

// --- streams: the counters of circular buffers and of completions ----------------------
static uint32_t *stream_word(struct tile *tile, uint32_t offset)
{
    const struct tt_layout *l = tile->chip->layout;
    uint32_t stream = offset / TT_STREAM_STRIDE, word = offset % TT_STREAM_STRIDE / 4;
    if (word == l->cb_received_word)
        return &tile->received[stream];
    return word == l->cb_acked_word ? &tile->acked[stream] : NULL;
}

// What is polled is the register that reads the counter, so that is the one touched.
static void stream_add(struct tile *tile, uint32_t stream, uint32_t value)
{
    uint32_t reads = stream * TT_STREAM_STRIDE + 4 * tile->chip->layout->stream_count_word;
    tile_touch(tile, TT_STREAMS + reads, 4);
    tile->completed[stream] += value >> TT_COMPLETION_SHIFT;
    tile->completed[stream] &= TT_COMPLETION_MASK;
}

static bool stream_read(struct tile *tile, unsigned risc, uint32_t offset, uint64_t cycle,
                        uint32_t *value)
{
    (void)risc, (void)cycle;
    const uint32_t *word = stream_word(tile, offset);
    uint32_t stream = offset / TT_STREAM_STRIDE, number = offset % TT_STREAM_STRIDE / 4;
    if (number == tile->chip->layout->stream_count_word)
        word = &tile->completed[stream];
    *value = word ? *word : 0;
    return true;
}

static enum register_result stream_write(struct tile *tile, unsigned risc, uint32_t offset,
                                         uint32_t value, uint64_t cycle)
{
    (void)risc, (void)cycle;
    uint32_t *word = stream_word(tile, offset);
    if (word) {
        tile_touch(tile, TT_STREAMS + offset, 4);
        *word = value;
    } else if (offset % TT_STREAM_STRIDE / 4 == tile->chip->layout->stream_update_word) {
        stream_add(tile, offset / TT_STREAM_STRIDE, value);
    }
    return REGISTER_OK;
}

// --- network, Ethernet, engine ---------------------------------------------------------
static bool network_read(struct tile *tile, unsigned risc, uint32_t offset, uint64_t cycle,
                         uint32_t *value)
{
    (void)risc;
    return niu_read(tile, offset / TT_NIU_STRIDE, offset % TT_NIU_STRIDE, cycle, value);
}
static enum register_result network_write(struct tile *tile, unsigned risc, uint32_t offset,
                                          uint32_t value, uint64_t cycle)
{
    bool is_there =
        niu_write(tile, offset / TT_NIU_STRIDE, risc, offset % TT_NIU_STRIDE, value, cycle);
    return is_there ? REGISTER_OK : REGISTER_MISSING;
}
static bool ethernet_read(struct tile *tile, unsigned risc, uint32_t offset, uint64_t cycle,
                          uint32_t *value)
{
    (void)risc;
    return tile->kind == TILE_ETH && eth_read(tile, offset, cycle, value);
}
static enum register_result ethernet_write(struct tile *tile, unsigned risc,
                                           uint32_t offset, uint32_t value, uint64_t cycle)
{
    (void)risc;
    return tile->kind == TILE_ETH ? eth_write(tile, offset, value, cycle)
                                  : REGISTER_MISSING;
}
static bool window_read(struct tile *tile, unsigned risc, uint32_t offset, uint64_t cycle,
                        uint32_t *value)
{
    if (!tile->engine || risc < TT_TRISC0 || risc > TT_TRISC2)
        return false;
    *value = engine_read(tile, risc - TT_TRISC0, offset, cycle);
    return true;
}
static enum register_result window_write(struct tile *tile, unsigned risc, uint32_t offset,
                                         uint32_t value, uint64_t cycle)
{
    if (!tile->engine || risc < TT_TRISC0 || risc > TT_TRISC2)
        return REGISTER_MISSING;
    return engine_write(tile, risc - TT_TRISC0, offset, value, cycle);
}

// clang-format off
static const struct block {
    uint32_t from, bytes;
    bool (*read)(struct tile *, unsigned risc, uint32_t offset, uint64_t cycle, uint32_t *);
    enum register_result (*write)(struct tile *, unsigned risc, uint32_t offset, uint32_t,
                                  uint64_t cycle);
} blocks[] = {
    {TT_NIU,     2 * TT_NIU_STRIDE,     network_read,  network_write},
    {TT_STREAMS, 64 * TT_STREAM_STRIDE, stream_read,   stream_write},
    {TT_DEBUG,   0x1000,                debug_read,    debug_write},
    {TT_ENGINE,  0x1000,                window_read,   window_write},
    {TT_ETH,     0x1000,                ethernet_read, ethernet_write},
    {TT_TDMA,    0x1000,                nothing_read,  nothing_write},
};
// clang-format on

static const struct block *block_at(uint32_t address)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (address - blocks[i].from < blocks[i].bytes)
            return &blocks[i];
    return NULL;
}

bool tile_register_read(struct tile *tile, unsigned risc, uint32_t address, uint64_t cycle,
                        uint32_t *value)
{
    const struct block *b = block_at(address);
    return b && b->read(tile, risc, address - b->from, cycle, value);
}

enum register_result tile_register_write(struct tile *tile, unsigned risc, uint32_t address,
                                         uint32_t value, uint64_t cycle)
{
    const struct block *b = block_at(address);
    return b ? b->write(tile, risc, address - b->from, value, cycle) : REGISTER_MISSING;
}
