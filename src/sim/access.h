// access.h - the profiler's table of functions over a cluster: what it keeps.
#ifndef TTP_SIM_ACCESS_H
#define TTP_SIM_ACCESS_H

#include "sim/cluster.h"

void access_open(struct ttdev *t); // the tables of cores of all chips
void access_close(struct ttdev *t);

#endif
