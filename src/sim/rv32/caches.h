// caches.h - the two optional caches of a RISC: instructions (icache=on) and, on Blackhole,
// the L0 data cache (l0=on), which is not coherent with other writers of L1.
#ifndef TTP_SIM_RV32_CACHES_H
#define TTP_SIM_RV32_CACHES_H

#include "sim/machine.h"

struct caches *caches_new(const struct risc *risc, bool icache, bool l0);
void caches_flush(struct risc *risc); // L0
// Extra cycles to fetch the instruction at pc.
uint32_t caches_fetch(struct risc *risc, uint32_t pc);
// True on a hit: *value is what the cache holds. A miss fills the line.
bool caches_load(struct risc *risc, uint32_t address, uint32_t bytes, uint32_t *value);
// After a store: updates the L0 line if it is held.
void caches_store(struct risc *risc, uint32_t address);

#endif
