// engine_work.c - the arithmetic operations of the math queue.
#include <stddef.h>
#include <string.h>

#include "sim/engine/engine_state.h"
#include "ttprof/engine_ops.h"

const char *math_check(struct tile *tile, const struct entry *entry)
{
    const uint32_t *argument = entry->argument;
    if (!tile->engine->math_holds)
        return "a math operation without an acquired half of Dst";
    if (argument[1] >= half_tiles(tile->engine->written_fp32))
        return "the Dst index is past the end of the half";
    if (entry_op(entry)->flags & OP_PHASES && (argument[2] < 1 || argument[2] > 4))
        return "fidelity must have 1 to 4 phases";
    return NULL;
}

const char *matmul_check(struct tile *tile, const struct entry *entry)
{
    return entry->argument[3] & ~(uint32_t)(TT_KEEP_A | TT_KEEP_B)
               ? "unknown sources to keep"
               : math_check(tile, entry);
}

const char *binary_check(struct tile *tile, const struct entry *entry)
{
    return entry->argument[3] > TT_BROADCAST_SCALAR ? "unknown broadcast"
                                                    : math_check(tile, entry);
}

const char *reduce_check(struct tile *tile, const struct entry *entry)
{
    return entry->argument[3] > 1 ? "unknown pooling" : math_check(tile, entry);
}

const char *sfpu_check(struct tile *tile, const struct entry *entry)
{
    return entry->argument[2] >= TT_SFPU_FUNCTIONS ? "unknown SFPU function"
                                                   : math_check(tile, entry);
}

bool math_take(struct tile *tile, const struct entry *entry, uint64_t *start)
{
    return sources_are(tile->engine, entry_op(entry)->flags, BANK_VALID, BUSY_VALID_A,
                       start);
}

uint32_t math_cost(const struct sim_costs *costs, const struct entry *entry)
{
    const struct engine_op *op = entry_op(entry);
    uint32_t cycles;
    memcpy(&cycles, (const char *)costs + op->cost_field, sizeof cycles);
    return op->flags & OP_PHASES ? cycles * entry->argument[2] : cycles;
}

static const uint16_t sfpu_cost_fields[TT_SFPU_FUNCTIONS] = {
    [TT_SFPU_RELU] = offsetof(struct sim_costs, engine_sfpu_simple),
    [TT_SFPU_ABS] = offsetof(struct sim_costs, engine_sfpu_simple),
    [TT_SFPU_NEG] = offsetof(struct sim_costs, engine_sfpu_simple),
    [TT_SFPU_SQUARE] = offsetof(struct sim_costs, engine_sfpu_simple),
    [TT_SFPU_SQRT] = offsetof(struct sim_costs, engine_sfpu_root),
    [TT_SFPU_RECIPROCAL] = offsetof(struct sim_costs, engine_sfpu_root),
    [TT_SFPU_EXP] = offsetof(struct sim_costs, engine_sfpu_exp),
    [TT_SFPU_GELU] = offsetof(struct sim_costs, engine_sfpu_table),
    [TT_SFPU_TANH] = offsetof(struct sim_costs, engine_sfpu_table),
    [TT_SFPU_SIGMOID] = offsetof(struct sim_costs, engine_sfpu_table),
    [TT_SFPU_GELU_EXACT] = offsetof(struct sim_costs, engine_sfpu_exact),
    [TT_SFPU_RSQRT] = offsetof(struct sim_costs, engine_sfpu_root),
    [TT_SFPU_SCALE] = offsetof(struct sim_costs, engine_sfpu_simple),
    [TT_SFPU_OFFSET] = offsetof(struct sim_costs, engine_sfpu_simple),
};

uint32_t sfpu_cost(const struct sim_costs *costs, const struct entry *entry)
{
    uint32_t cycles;
    memcpy(&cycles, (const char *)costs + sfpu_cost_fields[entry->argument[2]],
           sizeof cycles);
    return cycles;
}

float *dst_tile(struct tile *tile, unsigned which, uint32_t index)
{
    struct engine *engine = tile->engine;
    struct half *half = &engine->half[which];
    float *dst = engine->tiles->dst[which][index];
    if (half->fresh >> index & 1)
        memset(dst, 0, sizeof engine->tiles->dst[which][index]);
    half->fresh &= (uint8_t) ~(1u << index);
    return dst;
}

// A source operand; data unpacked from fp32 is rounded first.
static const float *operand(struct tile *tile, int s)
{
    struct source *source = &tile->engine->source[s];
    float *values = tile->engine->tiles->source[s][source->use];
    if (source->bank[source->use].is_wide)
        tile_round_bf16(values);
    source->bank[source->use].is_wide = false;
    return values;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Dst holds fp32 until it is packed; its format only decides how many tiles fit.
static void math_work(struct tile *tile, const struct entry *entry)
{
    const uint32_t *argument = entry->argument;
    struct engine *engine = tile->engine;
    const struct source *a = &engine->source[0];
    uint32_t opcode = argument[0];
    bool is_fresh = engine->half[engine->math_half].fresh >> argument[1] & 1;
    float *dst = dst_tile(tile, engine->math_half, argument[1]);
    switch (opcode) {
    case TT_MATH_MATMUL: math_matmul(dst, operand(tile, 0), operand(tile, 1)); break;
    case TT_MATH_ADD:
    case TT_MATH_SUB:
    case TT_MATH_MUL:
        math_binary(dst, operand(tile, 0), operand(tile, 1), (int)(opcode - TT_MATH_ADD),
                    argument[3]);
        break;
    case TT_MATH_COPY:
        memcpy(dst, engine->tiles->source[0][a->use], TILE_ELEMENTS * sizeof *dst);
        break;
    case TT_MATH_SFPU: math_sfpu(dst, argument[2], bits_float(argument[3])); break;
    default:
        math_reduce(dst, operand(tile, 0), operand(tile, 1)[0],
                    (int)(opcode - TT_MATH_REDUCE_ROW), argument[3], is_fresh);
    }
}

void math_finish(struct tile *tile, const struct entry *entry, uint64_t end)
{
    static const uint8_t keeps[] = {TT_KEEP_A, TT_KEEP_B};
    uint8_t flags = entry_op(entry)->flags;
    uint32_t kept = flags & OP_KEEPS ? entry->argument[3] : 0;
    if (engine_tiles(tile))
        math_work(tile, entry);
    for (int s = 0; s < 2; s++) {
        if (!(flags & source_flags[s]) || kept & keeps[s])
            continue;
        struct source *source = &tile->engine->source[s];
        source->bank[source->use].state = BANK_FREE;
        source->bank[source->use].since = end;
        source->use ^= 1;
    }
}
