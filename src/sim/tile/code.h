// code.h - what a RISC executes is what lies in its L1.
//
// Code is decoded once per image, or per copy of it for another address (dispatch/move.h),
// and shared by all cores that hold its bytes. Kernels come from the host (code_load) or by
// NoC writes; those are found when firmware jumps to them. A write over a kernel makes it
// unknown again.
#ifndef TTP_SIM_TILE_CODE_H
#define TTP_SIM_TILE_CODE_H

#include "sim/machine.h"

// Copies the image into the tile's L1 and lets the RISC execute it as `which` (CODE_*).
void code_load(struct tile *tile, unsigned risc, int which,
               const struct ttdev_image *image);
// Whether the RISC's kernel is the image at its own address, as it was loaded.
bool code_holds(const struct risc *risc, const struct ttdev_image *image);
// The kernel that firmware enters at `pc`, which from now on is the RISC's: the shared copy
// with these bytes, else as many words as the launch message says. NULL if there is none.
const struct code *code_find(struct risc *risc, uint32_t pc);
// After a write to L1: forgets kernels it hit, and decodes again what a RISC is inside of.
void code_changed(struct tile *tile, uint32_t address, uint32_t bytes);
// The function that contains an address, "" if none or not known; *offset: from its start.
const char *code_symbol(const struct code *code, uint32_t pc, uint32_t *offset);

#endif
