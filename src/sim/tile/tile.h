// tile.h - running a tile: slices, events, and the current moment (rules 1, 3 and 4 of
// machine.h).
#ifndef TTP_SIM_TILE_TILE_H
#define TTP_SIM_TILE_TILE_H

#include "sim/machine.h"

bool tile_start(struct tile *tile); // memory; all RISCs in reset. False if out of memory.
void tile_stop(struct tile *tile);
void tile_run(struct tile *tile, uint64_t end); // performs every access before `end`
// Called from outside the tile's run (host): sets its current cycle; changes now wake
// RISCs.
void tile_stand(struct tile *tile, uint64_t cycle);
void tile_refresh(struct tile *tile); // updates its due cycle after an outside change
// A store into L1 by RISC `by`, or from outside (by = -1).
void tile_store(struct tile *tile, int by, uint32_t address, uint32_t value, uint32_t bytes,
                uint64_t cycle);
// The launch message at the core's read pointer; NULL if that points nowhere.
const uint8_t *tile_launch_message(const struct tile *tile);
// Ends the current RISC's turn at the end of the slice that contains `cycle`, because
// another RISC has something to do.
void tile_end_turn(struct tile *tile, uint64_t cycle);
void tile_settle(struct tile *tile, uint64_t cycle); // brings all parked RISCs to `cycle`
// Stops a RISC; a parked one is first brought to this moment.
void tile_stop_risc(struct tile *tile, unsigned risc, enum risc_state state);
void tile_reset_riscs(struct tile *tile, uint32_t held, uint64_t cycle); // soft reset
uint64_t tile_hash(const struct tile *tile, uint64_t hash);

#endif
