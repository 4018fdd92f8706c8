// timeline.h - device_perf.html: the interactive timeline of a device log.
//
// The page holds one JSON document (devices, tracks, names, ops, heat) and, behind it,
// blocks of bytes: the zones, and levels of detail that merge them, from coarse to fine. A
// block is base64 of a zlib stream of columns of unsigned LEB128 numbers. A viewer shows
// the coarsest level that is fine enough for its zoom, and the zones themselves where no
// level is.
#ifndef TTP_PRESENT_TIMELINE_H
#define TTP_PRESENT_TIMELINE_H

#include "analyse/device_ops.h"
#include "analyse/notes.h"
#include "present/table.h"

#define TIMELINE_MAX_ZONES 1000000

struct timeline_page {
    const struct trace *trace; // with zones
    const struct device_ops *ops;
    const struct table *const *tables;
    size_t n_tables;
    const struct notes *notes; // NULL: none
    uint64_t max_zones;        // in full detail; 0: TIMELINE_MAX_ZONES
};

bool timeline_write(const struct timeline_page *p, const char *path, struct err *e);

#endif
