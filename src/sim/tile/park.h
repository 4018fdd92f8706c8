// park.h - makes poll loops free: a RISC in a loop that reads the same words and changes
// nothing is parked until one of the words is about to change.
//
// The result is cycle-exact, the same as running the loop. A loop is parked only if two
// passes of its head find the same registers, the same distance to every pending result and
// the same queues; the RISC is then periodic. Whoever changes a word calls tile_touch()
// first: the RISC is advanced by whole periods and run up to that moment, still seeing the
// old value.
#ifndef TTP_SIM_TILE_PARK_H
#define TTP_SIM_TILE_PARK_H

#include "sim/machine.h"

// Called by the cores when a loop has been taken often; its head is at risc->pc.
void park_look(struct risc *risc);
// Called in the careful core at every backward transfer. True: leave that core (parked, or
// nothing left to watch).
bool park_at_loop(struct risc *risc);
void park_note_load(struct risc *risc, uint32_t address);
void park_note_store(struct risc *risc);
void park_step(struct risc *risc, uint64_t clock, uint32_t pc); // instruction traces
void park_forget(struct risc *risc);
// Whether the parked or probed loop reads one of these bytes.
bool park_polls(const struct risc *risc, uint32_t address, uint32_t bytes);
// Runs a parked RISC up to (not including) accesses at `moment`.
void park_wake(struct risc *risc, uint64_t moment);
void park_close(struct risc *risc);

#endif
