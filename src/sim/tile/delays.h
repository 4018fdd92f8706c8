// delays.h - debug delays: a RISC waits before it issues a NoC command.
//
// The time is charged at the store to CMD_CTRL, as if the RISC had spent it executing
// instructions; so it is exact, and the same for every window length and thread count.
#ifndef TTP_SIM_TILE_DELAYS_H
#define TTP_SIM_TILE_DELAYS_H

#include "sim/machine.h"

// Called before a RISC's store to a register, at r->clock. True if the store must be
// retried at the new r->clock.
bool delays_hold(struct risc *risc, uint32_t address, uint32_t value);
// Kinds: enum ttdev_delay_kind. The RISC of an Ethernet tile is number 0.
void delays_set(struct tile *tile, unsigned riscs, unsigned kinds, uint32_t cycles);

#endif
