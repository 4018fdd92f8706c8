// timeline.h - an interactive page of a device log (device_perf.html), or of a run with the
// host's threads above the devices, all on one axis.
//
// The page holds one JSON document (devices, tracks, names, ops, heat) followed by blocks
// of bytes: the zones, and levels of detail that merge them, from coarse to fine. A block
// is base64 of a zlib stream of columns of unsigned LEB128 numbers. A viewer shows the
// coarsest level that is fine enough for its zoom, or the zones themselves if none is.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_H
#define TTP_PRESENT_TIMELINE_TIMELINE_H

#include "analyse/fold/device_ops.h"
#include "analyse/notes.h"
#include "table/table.h"

#define TIMELINE_MAX_ZONES 1000000

// How a run is shown.
struct timeline_run {
    const char *path;     // shown in the page's head
    const uint32_t *pids; // only these processes; n_pids 0: all
    size_t n_pids;
};

struct timeline_page {
    const struct trace *trace;    // devices with zones
    const struct device_ops *ops; // NULL: there are no devices
    const struct table *const *tables;
    size_t n_tables;
    struct notes *notes;            // NULL: none. For a run, notes for the reader are added
    uint64_t max_zones;             // in full detail; 0: TIMELINE_MAX_ZONES
    const struct timeline_run *run; // NULL: the page of a device log
};

bool timeline_write(const struct timeline_page *p, const char *path, struct err *e);

#endif
