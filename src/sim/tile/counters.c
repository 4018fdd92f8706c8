// counters.c - the performance counter registers of a Tensix tile.
//
// All counters of a group run together between start and stop; a select in the mode
// register picks the one shown by the output. Counts come from the engine's busy times,
// which are exact at any cycle, even within an operation. Unimplemented counters read 0.
#include <string.h>

#include "sim/engine/engine_state.h"

enum { SELECT_GRANTS = 256, MODE_SELECT_SHIFT = 8, MODE_SELECT_MASK = 0x1FF };
enum { CONTROL_START = 1, CONTROL_STOP = 2 };
enum { L1_MUX = 0x218, L1_MUX_SHIFT = 4, L1_MUX_MASK = 7 };

// Offsets from TT_DEBUG. `control`: period, mode and start/stop words; `out`: reference
// cycles and count.
struct group {
    uint32_t control, out;
};
static const struct group groups[COUNTER_GROUPS] = {
    [GROUP_THREADS] = {0x000, 0x100}, //
    [GROUP_UNPACK] = {0x00C, 0x108},  //
    [GROUP_FPU] = {0x018, 0x120},     //
    [GROUP_L1] = {0x030, 0x118},      //
    [GROUP_PACK] = {0x0F0, 0x110},
};

// What a counter counts: kinds of struct busy, or one of these.
enum {
    COUNT_MATH = BUSY_KINDS, // FPU or SFPU busy
    COUNT_STARTED,           // math operations
    COUNT_BEATS,             // + place in tile->noc_beats
};
struct counter {
    uint16_t select[TT_ARCHES]; // Wormhole, Blackhole
    uint16_t source;
};
// clang-format off
static const struct counter counters[COUNTER_GROUPS][COUNTERS_MOST] = {
    [GROUP_FPU] = {
        {{0, 0}, BUSY_FPU},
        {{1, 1}, BUSY_SFPU},
        {{SELECT_GRANTS + 1, SELECT_GRANTS + 1}, COUNT_MATH},
    },
    [GROUP_UNPACK] = {
        {{3, 3}, COUNT_STARTED},
        {{5, 5}, BUSY_WRITE_B},
        {{6, 6}, BUSY_WRITE_A},
        {{7, 7}, BUSY_UNPACK_A},
        {{8, 8}, BUSY_UNPACK_B},
    },
    [GROUP_PACK] = {
        {{11, 11}, BUSY_READ_DST},
        {{18, 18}, BUSY_PACK},
    },
    [GROUP_THREADS] = {
        {{24, 24}, BUSY_STALL + ENGINE_UNPACK},
        {{25, 25}, BUSY_STALL + ENGINE_MATH},
        {{26, 26}, BUSY_STALL + ENGINE_PACK},
        {{33, 29}, BUSY_WAIT_A},
        {{36, 30}, BUSY_WAIT_B},
    },
    [GROUP_L1] = { // bank 0 of the multiplexer
        {{4, 4}, COUNT_BEATS},
        {{5, 5}, COUNT_BEATS + 1},
        {{6, 6}, COUNT_BEATS + 2},
        {{7, 7}, COUNT_BEATS + 3},
    },
};
static const uint8_t n_counters[COUNTER_GROUPS] = {
    [GROUP_FPU] = 3, [GROUP_UNPACK] = 5, [GROUP_PACK] = 2, [GROUP_THREADS] = 5, [GROUP_L1] = 4,
};
// clang-format on

static uint64_t source_value(const struct tile *tile, uint32_t source, uint64_t cycle)
{
    const struct engine *engine = tile->engine;
    const struct busy *busy = engine->busy;
    if (source < BUSY_KINDS)
        return busy_until(&busy[source], cycle);
    if (source == COUNT_MATH)
        return busy_until(&busy[BUSY_FPU], cycle) + busy_until(&busy[BUSY_SFPU], cycle);
    if (source == COUNT_STARTED)
        return engine->n_started - (engine->n_started && engine->last_started > cycle);
    return tile->noc_beats[source - COUNT_BEATS];
}

static void group_take(const struct tile *tile, int group, uint64_t cycle, uint64_t *values)
{
    for (int i = 0; i < n_counters[group]; i++)
        values[i] = source_value(tile, counters[group][i].source, cycle);
}

static void group_control(struct tile *tile, int group, uint32_t old, uint32_t value,
                          uint64_t cycle)
{
    struct counters *state = &tile->engine->counters[group];
    if (value & CONTROL_START & ~old) {
        state->is_running = true;
        state->from = cycle;
        group_take(tile, group, cycle, state->base);
    } else if (value & CONTROL_STOP & ~old && state->is_running) {
        state->is_running = false;
        state->to = cycle;
        group_take(tile, group, cycle, state->held);
    }
}

static uint64_t group_count(const struct tile *tile, int group, uint64_t cycle)
{
    const struct counters *state = &tile->engine->counters[group];
    uint32_t mode = tile->debug[groups[group].control / 4 + 1];
    uint32_t select = mode >> MODE_SELECT_SHIFT & MODE_SELECT_MASK;
    if (group == GROUP_L1 && tile->debug[L1_MUX / 4] >> L1_MUX_SHIFT & L1_MUX_MASK)
        return 0;
    for (int i = 0; i < n_counters[group]; i++)
        if (counters[group][i].select[tile->chip->arch] == select)
            return (state->is_running ? source_value(tile, counters[group][i].source, cycle)
                                      : state->held[i]) -
                   state->base[i];
    return 0;
}

bool counters_read(struct tile *tile, uint32_t offset, uint64_t cycle, uint32_t *value)
{
    if (!tile->engine)
        return false;
    for (int group = 0; group < COUNTER_GROUPS; group++) {
        const struct counters *state = &tile->engine->counters[group];
        uint32_t control = offset - groups[group].control, out = offset - groups[group].out;
        if (control < 12)
            *value = tile->debug[offset / 4];
        else if (out == 0)
            *value = (uint32_t)((state->is_running ? cycle : state->to) - state->from);
        else if (out == 4)
            *value = (uint32_t)group_count(tile, group, cycle);
        else
            continue;
        return true;
    }
    *value = tile->debug[L1_MUX / 4];
    return offset == L1_MUX;
}

bool counters_write(struct tile *tile, uint32_t offset, uint32_t value, uint64_t cycle)
{
    if (!tile->engine)
        return false;
    for (int group = 0; group < COUNTER_GROUPS; group++) {
        uint32_t control = offset - groups[group].control, out = offset - groups[group].out;
        if (out == 0 || out == 4)
            return true; // outputs are read-only
        if (control >= 12)
            continue;
        uint32_t old = tile->debug[offset / 4];
        tile->debug[offset / 4] = value;
        if (control == 8)
            group_control(tile, group, old, value, cycle);
        return true;
    }
    if (offset != L1_MUX)
        return false;
    tile->debug[L1_MUX / 4] = value;
    return true;
}
