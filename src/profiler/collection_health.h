// collection_health.h - what was lost or odd in what a read-out brought home, as lines for
// the person; health.h has the file for programs.
#ifndef TTP_PROFILER_COLLECTION_HEALTH_H
#define TTP_PROFILER_COLLECTION_HEALTH_H

#include "profiler/health.h"

// Puts what cores and clocks have to tell among the odd data, as often as it is there now.
void collection_count_odd(struct collection *c);

// The table of RISCs and cores with findings, nothing when there are none; then plain
// sentences: how many markers, how many lost (none is said too), clocks.
void collection_health_text(const struct collection *c, struct buf *b);

#endif
