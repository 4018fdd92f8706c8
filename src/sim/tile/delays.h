// delays.h - debug delays: a RISC waits before it issues a NoC command.
//
// The time is charged at the store to CMD_CTRL, as if the RISC had spent it on instructions
// of its own; so it is exact, and the same for every window length and number of threads.
#ifndef TTP_SIM_TILE_DELAYS_H
#define TTP_SIM_TILE_DELAYS_H

#include "sim/machine.h"

// Before a store of the RISC to a register, at r->clock. True: it is to be made later, at
// the new r->clock.
bool delays_hold(struct risc *risc, uint32_t address, uint32_t value);
// Kinds: enum ttdev_delay_kind; a RISC of an Ethernet tile is number 0.
void delays_set(struct tile *tile, unsigned riscs, unsigned kinds, uint32_t cycles);

#endif
