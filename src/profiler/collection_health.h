// collection_health.h - losses and findings of a read-out as text for people; health.h
// writes the file for programs.
#ifndef TTP_PROFILER_COLLECTION_HEALTH_H
#define TTP_PROFILER_COLLECTION_HEALTH_H

#include "profiler/health.h"

// Sets the counts of the findings of cores and clocks in the diag to their current values.
void collection_count_odd(struct collection *c);

// The table of RISCs and cores with findings, if any; then sentences on the number of
// markers, the number lost (also if 0), and clocks.
void collection_health_text(const struct collection *c, struct buf *b);

#endif
