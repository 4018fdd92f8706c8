// sample_tile.h - a Tensix tile alone on a chip, its RISCs held in reset: tests write the
// registers in their place and let time pass.
#ifndef TTP_TESTS_SAMPLE_TILE_H
#define TTP_TESTS_SAMPLE_TILE_H

#include "sim/cluster.h"
#include "sim/engine/engine.h"
#include "sim/tile/tile.h"
#include "ttprof/engine_ops.h"

struct sample_tile {
    struct ttdev cluster;
    struct chip chip;
    struct tile tile;
    uint64_t next;
};

struct sample_tile *sample_tile_new(int arch); // numerics and ground truth are on
void sample_tile_free(struct sample_tile *sample);

// A store by the RISC of a thread, and a load.
enum register_result sample_tile_write(struct sample_tile *sample, unsigned thread,
                                       uint32_t offset, uint32_t value, uint64_t cycle);
uint32_t sample_tile_read(struct sample_tile *sample, unsigned thread, uint32_t offset,
                          uint64_t cycle);
// Arguments, then the opcode, all at one cycle. The entry must fit.
void sample_tile_enqueue(struct sample_tile *sample, unsigned thread, uint64_t cycle,
                         uint32_t opcode, uint32_t a1, uint32_t a2, uint32_t a3,
                         uint32_t a4);
// How long the entry took that ended as number `n` (from 0) of a thread, by the ground
// truth; `end` may be NULL.
uint64_t sample_tile_start(const struct sample_tile *sample, unsigned thread, int n,
                           uint64_t *end);

// A tile in L1 whose element (row, column) is value(row, column).
void sample_tile_put(struct sample_tile *sample, uint32_t address, uint32_t format,
                     float (*value)(int row, int column));
// Element of a tile in L1.
float sample_tile_get(const struct sample_tile *sample, uint32_t address, uint32_t format,
                      int row, int column);

#endif
