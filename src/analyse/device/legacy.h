// legacy.h - only needed for the six-column logs of 2023.
#ifndef TTP_ANALYSE_DEVICE_LEGACY_H
#define TTP_ANALYSE_DEVICE_LEGACY_H

#include "trace/trace.h"

// Inserts a marker T0 (timer id 0, line 0) at the front of every track: the first time of
// its chip, from which those logs count.
void legacy_add_t0(struct trace *t);

#endif
