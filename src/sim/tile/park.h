// park.h - poll loops cost nothing: a RISC that goes round a loop which reads the same
// words and changes nothing is parked until one of the words is about to change.
//
// The result is the same to the cycle as running the loop. A loop is parked only when two
// passes of its head find the same registers, the same distance to every result under way
// and the same queues; the way of the RISC is then periodic. Whoever changes a word calls
// tile_touch() first: the RISC is moved on by whole periods and run up to that very moment,
// still seeing the old value.
#ifndef TTP_SIM_TILE_PARK_H
#define TTP_SIM_TILE_PARK_H

#include "sim/machine.h"

// From the cores: a loop has been taken often, its head is at risc->pc.
void park_look(struct risc *risc);
// In the careful core, at every backward transfer. True: leave the core (parked, or nothing
// is left to be careful about).
bool park_at_loop(struct risc *risc);
void park_note_load(struct risc *risc, uint32_t address);
void park_note_store(struct risc *risc);
void park_step(struct risc *risc, uint64_t clock, uint32_t pc); // instruction traces
void park_forget(struct risc *risc);
// Is one of these bytes read in the loop that is parked, or looked at?
bool park_polls(const struct risc *risc, uint32_t address, uint32_t bytes);
// Runs a parked RISC up to (not including) accesses at `moment`.
void park_wake(struct risc *risc, uint64_t moment);
void park_close(struct risc *risc);

#endif
