// pair.h - zones from markers.
#ifndef TTP_ANALYSE_FOLD_PAIR_H
#define TTP_ANALYSE_FOLD_PAIR_H

#include "trace/trace.h"

// Fills trace.zones: one zone for each start, in the order of the starts. Never fails: what
// does not fit is counted in the trace's diag, and the stack of open zones starts afresh at
// the next op.
void pair_zones(struct trace *t);

#endif
