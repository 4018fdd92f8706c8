// access.h - what a cluster keeps for the profiler's function table.
#ifndef TTP_SIM_ACCESS_H
#define TTP_SIM_ACCESS_H

#include "sim/cluster.h"

void access_open(struct ttdev *t); // core tables of all chips
void access_close(struct ttdev *t);

#endif
