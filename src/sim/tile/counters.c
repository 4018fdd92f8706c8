// counters.c - the performance counter registers of a Tensix tile.
//
// All counters of a group run together between start and stop; a select in the mode
// register picks the one shown by the output. Counts come from the engine's busy times,
// which are exact at any cycle, even within an operation, and from what went over the NoCs.
//
// A counter that is not modelled has no reference cycles, as if it had never run: its 0
// must not be taken for a count.
#include <string.h>

#include "sim/engine/engine_state.h"

enum { MODE_SELECT_MASK = 0x1FF, L1_MUX_MASK = 7 };
enum { CONTROL_START = 1, CONTROL_STOP = 2, CONTROL_BYTES = 12 };

// --- what there is -----------------------------------------------------------------------
// Offsets from TT_DEBUG, and the place of the multiplexer.
static const struct group {
    uint32_t control, out, mux;
} groups[TT_PERF_GROUP_COUNT] = {
#define GROUP(name, control, out, mux) {control, out, mux},
    TT_PERF_GROUPS(GROUP)
#undef GROUP
};

enum {
#define NUMBER(number, name, group, wormhole, blackhole) COUNTER_##name = (number),
    TT_PERF_COUNTERS(NUMBER)
#undef NUMBER
};
static const struct place {
    uint8_t group;
    int16_t select[TT_ARCHES];
} places[TT_PERF_IDS] = {
#define PLACE(number, name, group, wormhole, blackhole)                                    \
    [number] = {TT_PERF_##group, {wormhole, blackhole}},
    TT_PERF_COUNTERS(PLACE)
#undef PLACE
};

// All that are modelled. An operation of the engine works on a tile: it is what is started,
// and what stands first in a queue while it waits or is executed. The halves of Dst are
// handed over by a semaphore between math and pack.
// clang-format off
static const struct counter {
    uint8_t number, source;
} counters[] = {
    {COUNTER_FPU_COUNTER,                BUSY_FPU},
    {COUNTER_SFPU_COUNTER,               BUSY_SFPU},
    {COUNTER_MATH_COUNTER,               BUSY_MATH},
    {COUNTER_PACKER_DEST_READ_AVAILABLE, BUSY_MOVE_DST},
    {COUNTER_PACKER_BUSY,                BUSY_PACK},
    {COUNTER_MATH_INSTRN_STARTED,        SOURCE_STARTED},
    {COUNTER_SRCB_WRITE_AVAILABLE,       BUSY_MOVE_B},
    {COUNTER_SRCA_WRITE_AVAILABLE,       BUSY_MOVE_A},
    {COUNTER_UNPACK0_BUSY_THREAD0,       BUSY_UNPACK_A},
    {COUNTER_UNPACK1_BUSY_THREAD0,       BUSY_UNPACK_B},
    {COUNTER_L1_0_UNPACKER_0,            BUSY_MOVE_A},
    {COUNTER_L1_0_UNIFIED_PACKER,        BUSY_MOVE_DST},
    {COUNTER_L1_0_NOC_RING0_OUTGOING_0,  SOURCE_BEATS + BEAT_OUT_OWN},
    {COUNTER_L1_0_NOC_RING0_OUTGOING_1,  SOURCE_BEATS + BEAT_OUT_ASKED},
    {COUNTER_L1_0_NOC_RING0_INCOMING_0,  SOURCE_BEATS + BEAT_IN_WRITTEN},
    {COUNTER_L1_0_NOC_RING0_INCOMING_1,  SOURCE_BEATS + BEAT_IN_ASKED},
    {COUNTER_L1_1_NOC_RING1_OUTGOING_0,  SOURCE_BEATS + BEATS + BEAT_OUT_OWN},
    {COUNTER_L1_1_NOC_RING1_OUTGOING_1,  SOURCE_BEATS + BEATS + BEAT_OUT_ASKED},
    {COUNTER_L1_1_NOC_RING1_INCOMING_0,  SOURCE_BEATS + BEATS + BEAT_IN_WRITTEN},
    {COUNTER_L1_1_NOC_RING1_INCOMING_1,  SOURCE_BEATS + BEATS + BEAT_IN_ASKED},
    {COUNTER_FPU_INSTRN_AVAILABLE_1,     BUSY_OPERATION + ENGINE_MATH},
    {COUNTER_UNPACK_INSTRN_AVAILABLE_0,  BUSY_OPERATION + ENGINE_UNPACK},
    {COUNTER_PACK_INSTRN_AVAILABLE_2,    BUSY_OPERATION + ENGINE_PACK},
    {COUNTER_THREAD_STALLS_0,            BUSY_STALL + ENGINE_UNPACK},
    {COUNTER_THREAD_STALLS_1,            BUSY_STALL + ENGINE_MATH},
    {COUNTER_THREAD_STALLS_2,            BUSY_STALL + ENGINE_PACK},
    {COUNTER_WAITING_FOR_SRCA_CLEAR,     BUSY_FREE_A},
    {COUNTER_WAITING_FOR_SRCB_CLEAR,     BUSY_FREE_B},
    {COUNTER_WAITING_FOR_SRCA_VALID,     BUSY_VALID_A},
    {COUNTER_WAITING_FOR_SRCB_VALID,     BUSY_VALID_B},
    {COUNTER_WAITING_FOR_PACK_IDLE_2,    BUSY_PACKED},
    {COUNTER_WAITING_FOR_NONZERO_SEM_2,  BUSY_COMMITTED_HALF},
    {COUNTER_WAITING_FOR_NONFULL_SEM_1,  BUSY_FREE_HALF},
};
// clang-format on
enum { COUNTERS = sizeof counters / sizeof *counters };

bool ttdev_has_counter(int arch, int counter)
{
    for (size_t i = 0; i < COUNTERS; i++)
        if (counters[i].number == counter)
            return places[counter].select[arch] != TT_NO_COUNTER;
    return false;
}

uint32_t counters_groups(int arch)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < COUNTERS; i++)
        if (ttdev_has_counter(arch, counters[i].number))
            bits |= 1u << places[counters[i].number].group;
    return bits;
}

// --- counting ----------------------------------------------------------------------------
static uint64_t source_value(const struct tile *tile, unsigned source, uint64_t cycle)
{
    const struct engine *engine = tile->engine;
    if (source < BUSY_KINDS)
        return busy_until(&engine->busy[source], cycle);
    if (source == SOURCE_STARTED)
        return engine->n_started - (engine->n_started && engine->last_started > cycle);
    unsigned beat = source - SOURCE_BEATS;
    return tile->noc_beats[beat / BEATS][beat % BEATS];
}

static void take_all(const struct tile *tile, uint64_t cycle, uint64_t values[SOURCES])
{
    for (unsigned i = 0; i < SOURCES; i++)
        values[i] = source_value(tile, i, cycle);
}

static void group_control(struct tile *tile, int group, uint32_t old, uint32_t value,
                          uint64_t cycle)
{
    struct counters *state = &tile->engine->counters[group];
    if (value & CONTROL_START & ~old) {
        state->is_running = true;
        state->from = cycle;
        take_all(tile, cycle, state->base);
    } else if (value & CONTROL_STOP & ~old && state->is_running) {
        state->is_running = false;
        state->to = cycle;
        take_all(tile, cycle, state->held);
    }
}

// The counter of a group that its mode register selects; NULL: it is not modelled.
static const struct counter *selected(const struct tile *tile, int group)
{
    uint32_t mode = tile->debug[(groups[group].control + TT_PERF_MODE) / 4], bank = 0;
    int select = mode >> TT_PERF_SELECT_SHIFT & MODE_SELECT_MASK;
    if (group == TT_PERF_L1_0)
        bank = tile->debug[TT_PERF_MUX / 4] >> TT_PERF_MUX_SHIFT & L1_MUX_MASK;
    for (const struct counter *c = counters; c < counters + COUNTERS; c++) {
        const struct place *place = &places[c->number];
        if (groups[place->group].control == groups[group].control &&
            groups[place->group].mux == bank && place->select[tile->chip->arch] == select)
            return c;
    }
    return NULL;
}

static uint64_t group_output(const struct tile *tile, int group, uint32_t which,
                             uint64_t cycle)
{
    const struct counters *state = &tile->engine->counters[group];
    const struct counter *c = selected(tile, group);
    if (!c)
        return 0;
    if (which == TT_PERF_CYCLES)
        return (state->is_running ? cycle : state->to) - state->from;
    return (state->is_running ? source_value(tile, c->source, cycle)
                              : state->held[c->source]) -
           state->base[c->source];
}

// --- registers ---------------------------------------------------------------------------
// Groups with a place of the multiplexer other than the first have no registers of their
// own.
static int group_at(uint32_t offset, bool *is_output)
{
    for (int group = 0; group < COUNTER_GROUPS; group++) {
        *is_output = offset - groups[group].out < 8;
        if (!groups[group].mux &&
            (*is_output || offset - groups[group].control < CONTROL_BYTES))
            return group;
    }
    *is_output = false;
    return -1;
}

bool counters_read(struct tile *tile, uint32_t offset, uint64_t cycle, uint32_t *value)
{
    if (!tile->engine)
        return false;
    bool is_output;
    int group = group_at(offset, &is_output);
    if (group < 0 && offset != TT_PERF_MUX)
        return false;
    *value = is_output
                 ? (uint32_t)group_output(tile, group, offset - groups[group].out, cycle)
                 : tile->debug[offset / 4];
    return true;
}

bool counters_write(struct tile *tile, uint32_t offset, uint32_t value, uint64_t cycle)
{
    if (!tile->engine)
        return false;
    bool is_output;
    int group = group_at(offset, &is_output);
    if (group < 0 && offset != TT_PERF_MUX)
        return false;
    if (is_output)
        return true; // read-only
    uint32_t old = tile->debug[offset / 4];
    tile->debug[offset / 4] = value;
    if (group >= 0 && offset - groups[group].control == TT_PERF_START)
        group_control(tile, group, old, value, cycle);
    return true;
}
