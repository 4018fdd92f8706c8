// pair.h - pairs markers into zones.
#ifndef TTP_ANALYSE_FOLD_PAIR_H
#define TTP_ANALYSE_FOLD_PAIR_H

#include "trace/trace.h"

// Fills trace.zones: one zone for each start, in the order of the starts. Never fails:
// mismatches are counted in the trace's diag, and the stack of open zones restarts at the
// next op.
void pair_zones(struct trace *t);

#endif
