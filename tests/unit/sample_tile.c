// sample_tile.c - see sample_tile.h.
#include "sample_tile.h"

#include "base/data/mem.h"

#include "sim/chips.h"
#include "sim/engine/engine_math.h"
#include "test.h"

#define COST_WORMHOLE(name, wormhole, blackhole, what)  .name = (wormhole),
#define COST_BLACKHOLE(name, wormhole, blackhole, what) .name = (blackhole),
static const struct sim_costs costs[TT_ARCHES] = {
    [TT_WORMHOLE] = {SIM_COSTS(COST_WORMHOLE)},
    [TT_BLACKHOLE] = {SIM_COSTS(COST_BLACKHOLE)},
};

struct sample_tile *sample_tile_new(int arch)
{
    struct sample_tile *sample = mem_alloc(sizeof *sample);
    sample->cluster.cfg.numerics = true;
    sample->chip.cluster = &sample->cluster;
    sample->chip.arch = arch;
    sample->chip.layout = &tt_layouts[arch];
    sample->chip.costs = costs[arch];
    sample->chip.period_fs = 1000000;
    sample->chip.has_truth = true;
    sample->chip.tiles = &sample->tile;
    sample->chip.n_tiles = 1;
    sample->chip.next = &sample->next;
    struct tile *tile = &sample->tile;
    tile->chip = &sample->chip;
    tile->kind = TILE_TENSIX;
    tile->n_riscs = TT_RISCS;
    tile->l1_bytes = sample->chip.layout->l1_bytes;
    tile->guard_top = sample->chip.layout->buffers;
    tile->l1 = mem_alloc(tile->l1_bytes);
    tile->actor = -1;
    tile->engine = engine_new(tile);
    for (unsigned i = 0; i < TT_RISCS; i++) {
        tile->risc[i].tile = tile;
        tile->risc[i].index = (uint8_t)i;
    }
    return sample;
}

void sample_tile_free(struct sample_tile *sample)
{
    engine_free(sample->tile.engine);
    mem_free(sample->tile.l1);
    vec_free(&sample->tile.events);
    vec_free(&sample->tile.truth);
    mem_free(sample);
}

enum register_result sample_tile_write(struct sample_tile *sample, unsigned thread,
                                       uint32_t offset, uint32_t value, uint64_t cycle)
{
    tile_run(&sample->tile, cycle);
    return engine_write(&sample->tile, thread, offset, value, cycle);
}

uint32_t sample_tile_read(struct sample_tile *sample, unsigned thread, uint32_t offset,
                          uint64_t cycle)
{
    tile_run(&sample->tile, cycle);
    return engine_read(&sample->tile, thread, offset, cycle);
}

void sample_tile_enqueue(struct sample_tile *sample, unsigned thread, uint64_t cycle,
                         uint32_t opcode, uint32_t a1, uint32_t a2, uint32_t a3,
                         uint32_t a4)
{
    const uint32_t words[] = {opcode, a1, a2, a3, a4};
    for (uint32_t i = 4; i > 0; i--)
        assert_int_equal(sample_tile_write(sample, thread, 4 * i, words[i], cycle),
                         REGISTER_OK);
    assert_int_equal(sample_tile_write(sample, thread, 0, opcode, cycle), REGISTER_OK);
}

uint64_t sample_tile_start(const struct sample_tile *sample, unsigned thread, int n,
                           uint64_t *end)
{
    const struct tile *tile = &sample->tile;
    for (size_t i = 0; i < tile->truth.n; i++) {
        const ttdev_truth_event *event = &tile->truth.v[i];
        if (event->risc != TT_TRISC0 + thread || event->kind != TTDEV_TRUTH_ENGINE_START)
            continue;
        if (n-- > 0)
            continue;
        if (end)
            *end = event[1].cycle;
        return event->cycle;
    }
    fail_msg("the entry has not ended");
    return 0;
}

void sample_tile_put(struct sample_tile *sample, uint32_t address, uint32_t format,
                     float (*value)(int row, int column))
{
    float values[TILE_ELEMENTS];
    for (int i = 0; i < TILE_ELEMENTS; i++)
        values[i] = value(i / TILE_SIDE, i % TILE_SIDE);
    tile_pack(sample->tile.l1 + address, values, format);
}

float sample_tile_get(const struct sample_tile *sample, uint32_t address, uint32_t format,
                      int row, int column)
{
    float values[TILE_ELEMENTS];
    tile_unpack(values, sample->tile.l1 + address, format);
    return values[row * TILE_SIDE + column];
}
