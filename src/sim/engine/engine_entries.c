// engine_entries.c - the operations of the three queues: checks at issue, what they wait
// for, what they cost and their effect at the end. Arithmetic is in engine_work.c.
//
// L1 is read and written when an entry ends; later pops and pushes of the same queue
// follow it, so a tile is never released too early.
#include <stddef.h>
#include <string.h>

#include "base/data/mem.h"

#include "sim/cluster.h"
#include "sim/engine/engine_state.h"
#include "ttprof/engine_ops.h"

const uint8_t source_flags[2] = {OP_A, OP_B};

void not_before(uint64_t *cycle, uint64_t least)
{
    if (*cycle < least)
        *cycle = least;
}

bool sources_are(struct engine *engine, uint8_t flags, enum bank_state state,
                 enum busy_kind wait, uint64_t *start)
{
    uint64_t turn = *start;
    bool are_all = true;
    for (int s = 0; s < 2; s++) {
        if (!(flags & source_flags[s]))
            continue;
        const struct source *source = &engine->source[s];
        uint8_t bank = state == BANK_FREE ? source->fill : source->use;
        bool is_ready = source->bank[bank].state == state;
        uint64_t since = source->bank[bank].since;
        busy_wait(&engine->busy[(int)wait + s], turn,
                  !is_ready      ? SIM_NEVER
                  : since > turn ? since
                                 : turn);
        if (is_ready)
            not_before(start, since);
        are_all = are_all && is_ready;
    }
    return are_all;
}

const struct engine_op *entry_op(const struct entry *entry)
{
    return engine_op(entry->argument[0]);
}

struct engine_tiles *engine_tiles(struct tile *tile)
{
    if (!cluster_numerics(tile->chip))
        return NULL;
    struct engine *engine = tile->engine;
    if (!engine->tiles)
        engine->tiles = mem_alloc(sizeof *engine->tiles);
    return engine->tiles;
}

uint32_t half_tiles(bool is_fp32)
{
    return is_fp32 ? ENGINE_HALF_TILES / 2 : ENGINE_HALF_TILES;
}

static uint32_t divide_up(uint32_t bytes, uint32_t rate)
{
    return rate ? (bytes + rate - 1) / rate : 0;
}

static bool take_now(struct tile *tile, const struct entry *entry, uint64_t *start)
{
    (void)tile, (void)entry, (void)start;
    return true;
}

// --- unpack ----------------------------------------------------------------------------
static const char *address_check(const struct tile *tile, uint32_t address, uint32_t format)
{
    uint32_t bytes = tile_format_bytes(format);
    if (!bytes)
        return "unknown tile format";
    if (address % 16)
        return "the address of a tile is not a multiple of 16";
    if (address > tile->l1_bytes || bytes > tile->l1_bytes - address)
        return "the tile is outside L1";
    return NULL;
}

static const char *unpack_check(struct tile *tile, const struct entry *entry)
{
    const uint32_t *argument = entry->argument;
    uint8_t flags = entry_op(entry)->flags;
    const char *wrong = NULL;
    if (flags & OP_A)
        wrong = address_check(tile, argument[1], argument[2]);
    if (!wrong && flags & OP_B)
        wrong = address_check(tile, argument[3], argument[4]);
    return wrong;
}

static bool unpack_take(struct tile *tile, const struct entry *entry, uint64_t *start)
{
    struct source *source = tile->engine->source;
    uint8_t flags = entry_op(entry)->flags;
    if (!sources_are(tile->engine, flags, BANK_FREE, BUSY_FREE_A, start))
        return false;
    for (int s = 0; s < 2; s++)
        if (flags & source_flags[s])
            source[s].bank[source[s].fill].state = BANK_FILLS;
    return true;
}

static uint32_t unpack_cost(const struct sim_costs *costs, const struct entry *entry)
{
    uint32_t bytes = 0;
    uint8_t flags = entry_op(entry)->flags, both = OP_A | OP_B;
    for (int s = 0; s < 2; s++)
        if (flags & source_flags[s])
            bytes += tile_format_bytes(entry->argument[2 + 2 * s]);
    return divide_up(bytes, (flags & both) == both ? costs->engine_unpack_both
                                                   : costs->engine_unpack_bytes);
}

static void unpack_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    struct engine_tiles *tiles = engine_tiles(tile);
    uint8_t flags = entry_op(entry)->flags;
    int last = flags & OP_B ? 1 : 0;
    for (int s = 0; s < 2; s++) {
        if (!(flags & source_flags[s]))
            continue;
        struct source *source = &tile->engine->source[s];
        uint32_t address = entry->argument[1 + 2 * s], format = entry->argument[2 + 2 * s];
        if (tiles) {
            float *out = tiles->source[s][source->fill];
            tile_unpack(out, tile->l1 + address, format);
            if (flags & OP_TRANSPOSE && s == last)
                tile_transpose(out);
        }
        source->bank[source->fill].is_wide = format == TT_FORMAT_FLOAT32;
        source->bank[source->fill].state = BANK_VALID;
        source->bank[source->fill].since = end + tile->chip->costs.engine_latency;
        source->fill ^= 1;
    }
}

// --- circular buffers ------------------------------------------------------------------
static const char *buffer_check(struct tile *tile, const struct entry *entry)
{
    return entry->argument[1] < tile->chip->layout->n_circular_buffers
               ? NULL
               : "unknown circular buffer";
}

static void counter_step(struct tile *tile, const struct entry *entry, uint32_t *counters,
                         uint32_t word)
{
    uint32_t buffer = entry->argument[1];
    tile_touch(tile, TT_STREAMS + buffer * TT_STREAM_STRIDE + 4 * word, 4);
    counters[buffer] += entry->argument[2];
}

static void pop_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    (void)end;
    counter_step(tile, entry, tile->acked, tile->chip->layout->cb_acked_word);
}

static bool push_take(struct tile *tile, const struct entry *entry, uint64_t *start)
{
    (void)entry;
    not_before(start, tile->engine->queue[ENGINE_PACK].result_at);
    return true;
}

static void push_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    (void)end;
    counter_step(tile, entry, tile->received, tile->chip->layout->cb_received_word);
}

// --- the halves of Dst, from math's side -----------------------------------------------
static const char *acquire_check(struct tile *tile, const struct entry *entry)
{
    (void)entry;
    if (tile->engine->math_holds)
        return "acquire, but math already has a half of Dst";
    tile->engine->math_holds = true;
    return NULL;
}

static bool acquire_take(struct tile *tile, const struct entry *entry, uint64_t *start)
{
    (void)entry;
    const struct half *half = &tile->engine->half[tile->engine->math_half];
    if (half->state != HALF_FREE)
        return false;
    not_before(start, half->since);
    return true;
}

static void acquire_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    (void)entry;
    tile->engine->half[tile->engine->math_half] =
        (struct half){.state = HALF_MATH, .fresh = 0xFF, .since = end};
}

static const char *commit_check(struct tile *tile, const struct entry *entry)
{
    (void)entry;
    if (!tile->engine->math_holds)
        return "commit without acquire";
    tile->engine->math_holds = false;
    return NULL;
}

// Pack sees the half once the last result is there; math continues immediately.
static void commit_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    (void)entry;
    struct engine *engine = tile->engine;
    struct half *half = &engine->half[engine->math_half];
    half->state = HALF_COMMITTED;
    half->since = end;
    not_before(&half->since, engine->queue[ENGINE_MATH].result_at);
    engine->math_half ^= 1;
}

static const char *format_check(struct tile *tile, const struct entry *entry)
{
    if (entry->argument[1] > 1)
        return "unknown Dst format";
    if (tile->engine->math_holds)
        return "the Dst format changes while math has a half of it";
    tile->engine->written_fp32 = entry->argument[1];
    return NULL;
}

static bool format_take(struct tile *tile, const struct entry *entry, uint64_t *start)
{
    const struct engine *engine = tile->engine;
    if (engine->is_fp32 == entry->argument[1])
        return true;
    for (int i = 0; i < ENGINE_BANKS; i++) {
        if (engine->half[i].state != HALF_FREE)
            return false;
        not_before(start, engine->half[i].since);
    }
    return true;
}

static void format_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    (void)end;
    tile->engine->is_fp32 = entry->argument[1];
}

// --- pack ------------------------------------------------------------------------------
static const char *wait_check(struct tile *tile, const struct entry *entry)
{
    (void)entry;
    if (tile->engine->pack_holds)
        return "wait, but pack already has a half of Dst";
    tile->engine->pack_holds = true;
    return NULL;
}

static bool wait_take(struct tile *tile, const struct entry *entry, uint64_t *start)
{
    (void)entry;
    const struct half *half = &tile->engine->half[tile->engine->pack_half];
    if (half->state != HALF_COMMITTED)
        return false;
    not_before(start, half->since);
    return true;
}

static void wait_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    (void)entry;
    struct half *half = &tile->engine->half[tile->engine->pack_half];
    half->state = HALF_PACK;
    half->since = end;
}

static const char *release_check(struct tile *tile, const struct entry *entry)
{
    (void)entry;
    if (!tile->engine->pack_holds)
        return "release without wait";
    tile->engine->pack_holds = false;
    return NULL;
}

static void release_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    (void)entry;
    struct engine *engine = tile->engine;
    engine->half[engine->pack_half].state = HALF_FREE;
    engine->half[engine->pack_half].since = end;
    engine->pack_half ^= 1;
}

static const char *pack_check(struct tile *tile, const struct entry *entry)
{
    if (!tile->engine->pack_holds)
        return "pack without waiting for a half of Dst";
    if (entry->argument[4] > 2)
        return "unknown accumulation mode";
    return address_check(tile, entry->argument[2], entry->argument[3]);
}

static uint32_t pack_cost(const struct sim_costs *costs, const struct entry *entry)
{
    static const uint32_t factor[] = {1, 2, 5}; // accumulating, atomic
    uint32_t bytes = tile_format_bytes(entry->argument[3]);
    return divide_up(bytes, costs->engine_pack_bytes) * factor[entry->argument[4]];
}

static void pack_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    const uint32_t *argument = entry->argument;
    struct engine *engine = tile->engine;
    if (argument[1] >= half_tiles(engine->is_fp32)) {
        engine_fault(tile, ENGINE_PACK, entry, "the Dst index is past the end of the half",
                     end);
        return;
    }
    if (!engine_tiles(tile))
        return;
    const float *values = dst_tile(tile, engine->pack_half, argument[1]);
    float sums[TILE_ELEMENTS];
    uint8_t bytes[TILE_ELEMENTS * sizeof(float)];
    if (argument[4]) {
        tile_unpack(sums, tile->l1 + argument[2], argument[3]);
        for (int i = 0; i < TILE_ELEMENTS; i++)
            sums[i] += values[i];
        values = sums;
    }
    tile_pack(bytes, values, argument[3]);
    tile_write(tile, argument[2], bytes, tile_format_bytes(argument[3]));
}

// --- the table -------------------------------------------------------------------------
static const struct engine_wait bank_free = {"a free bank of SrcA or SrcB", -1};
static const struct engine_wait bank_valid = {"data in SrcA or SrcB", -1};
static const struct engine_wait half_free = {"a free half of Dst", BUSY_FREE_HALF};
static const struct engine_wait half_committed = {"a committed half of Dst",
                                                  BUSY_COMMITTED_HALF};
static const struct engine_wait packed = {"the tiles packed before", BUSY_PACKED};

// clang-format off
#define UNPACK_OP(flags)                                                                   \
    {&bank_free, ENGINE_UNPACK, flags, 0, unpack_check, unpack_take, unpack_cost, unpack_finish}
#define MATH_OP(flags, cost, check)                                                        \
    {&bank_valid, ENGINE_MATH, flags, offsetof(struct sim_costs, engine_##cost),            \
     check, math_take, math_cost, math_finish}
#define STEP(thread, waits_for, check, take, finish)                                       \
    {waits_for, thread, 0, 0, check, take, NULL, finish}

static const struct engine_op ops[] = {
    [TT_UNPACK_A]             = UNPACK_OP(OP_A),
    [TT_UNPACK_AB]            = UNPACK_OP(OP_A | OP_B),
    [TT_UNPACK_A_TRANSPOSED]  = UNPACK_OP(OP_A | OP_TRANSPOSE),
    [TT_UNPACK_AB_TRANSPOSED] = UNPACK_OP(OP_A | OP_B | OP_TRANSPOSE),
    [TT_UNPACK_B]             = UNPACK_OP(OP_B),
    [TT_UNPACK_B_TRANSPOSED]  = UNPACK_OP(OP_B | OP_TRANSPOSE),
    [TT_UNPACK_POP]   = STEP(ENGINE_UNPACK, NULL, buffer_check, take_now, pop_finish),

    [TT_MATH_ACQUIRE] = STEP(ENGINE_MATH, &half_free, acquire_check, acquire_take, acquire_finish),
    [TT_MATH_COMMIT]  = STEP(ENGINE_MATH, NULL, commit_check, take_now, commit_finish),
    [TT_MATH_FORMAT]  = STEP(ENGINE_MATH, &half_free, format_check, format_take, format_finish),
    [TT_MATH_MATMUL]  = MATH_OP(OP_A | OP_B | OP_PHASES | OP_KEEPS, matmul, matmul_check),
    [TT_MATH_ADD]     = MATH_OP(OP_A | OP_B, add, binary_check),
    [TT_MATH_SUB]     = MATH_OP(OP_A | OP_B, add, binary_check),
    [TT_MATH_MUL]     = MATH_OP(OP_A | OP_B | OP_PHASES, mul, binary_check),
    [TT_MATH_COPY]    = MATH_OP(OP_A, copy, math_check),
    [TT_MATH_REDUCE_ROW]    = MATH_OP(OP_A | OP_B | OP_PHASES, reduce_row, reduce_check),
    [TT_MATH_REDUCE_COLUMN] = MATH_OP(OP_A | OP_B | OP_PHASES, reduce_column, reduce_check),
    [TT_MATH_REDUCE_SCALAR] = MATH_OP(OP_A | OP_B | OP_PHASES, reduce_scalar, reduce_check),
    [TT_MATH_SFPU] = {NULL, ENGINE_MATH, OP_SFPU, 0, sfpu_check, math_take, sfpu_cost, math_finish},

    [TT_PACK_WAIT]    = STEP(ENGINE_PACK, &half_committed, wait_check, wait_take, wait_finish),
    [TT_PACK_RELEASE] = STEP(ENGINE_PACK, NULL, release_check, take_now, release_finish),
    [TT_PACK_TILE] = {NULL, ENGINE_PACK, 0, 0, pack_check, take_now, pack_cost, pack_finish},
    [TT_PACK_PUSH]    = STEP(ENGINE_PACK, &packed, buffer_check, push_take, push_finish),
};
// clang-format on

const struct engine_op *engine_op(uint32_t opcode)
{
    return opcode < sizeof ops / sizeof *ops && ops[opcode].check ? &ops[opcode] : NULL;
}
