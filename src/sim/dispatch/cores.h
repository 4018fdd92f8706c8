// cores.h - the cores that fast dispatch keeps for itself: the last row of workers on
// Wormhole, the last column on Blackhole.
#ifndef TTP_SIM_DISPATCH_CORES_H
#define TTP_SIM_DISPATCH_CORES_H

#include "sim/machine.h"

// Of a queue. The subordinate is on the dispatcher's core.
enum dispatch_role { DISPATCH_PREFETCHER, DISPATCH_DISPATCHER, DISPATCH_ROLES };

bool dispatch_is_core(const struct tile *tile);
// NULL if the chip offers all its cores to programs.
struct tile *dispatch_core(const struct chip *chip, unsigned queue,
                           enum dispatch_role role);
// The queue that a dispatch core is for; -1 for all other cores.
int dispatch_core_queue(const struct tile *tile);
// An enum dispatch_role, or -1.
int dispatch_core_role(const struct tile *tile);

#endif
