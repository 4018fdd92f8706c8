// collection_health.h - what was lost or odd in what a read-out brought home: lines for
// the person, profiler_health.json for programs.
#ifndef TTP_PROFILER_COLLECTION_HEALTH_H
#define TTP_PROFILER_COLLECTION_HEALTH_H

#include "base/text/err.h"

#include "analyse/fold/device_ops.h"
#include "collect/readout/collection.h"

struct health_totals {
    uint64_t markers;
    uint64_t l1_dropped, dram_dropped;
    bool
        is_counted; // false: some core does not count its losses, so that there may be more
    bool is_lossy;  // the device says that it lost something
    uint64_t n_findings; // RISCs and cores with something to tell
    uint64_t flushes, flush_cycles, flush_max, n_flushing; // the profiler's own work
};
struct health_totals collection_totals(const struct collection *c);
// Puts what cores and clocks have to tell among the odd data, as often as it is there now.
void collection_count_odd(struct collection *c);

// Everything so far: totals, findings by kind, RISCs with findings, cores with what the
// profiler itself cost there.
bool collection_health_write(const struct collection *c, const char *log, uint64_t n_ops,
                             uint64_t n_incomplete, const char *path, struct err *e);
// The table of RISCs and cores with findings, nothing when there are none; then plain
// sentences: how many markers, how many lost (none is said too), clocks.
void collection_health_text(const struct collection *c, struct buf *b);

#endif
