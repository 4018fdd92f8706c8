// timeline.h - device_perf.html: the interactive timeline of a device log, or of a run with
// the host's threads above the devices.
//
// The page holds one JSON document (devices, tracks, names, ops, heat) and, behind it,
// blocks of bytes: the zones, and levels of detail that merge them, from coarse to fine. A
// block is base64 of a zlib stream of columns of unsigned LEB128 numbers. A viewer shows
// the coarsest level that is fine enough for its zoom, and the zones themselves where no
// level is.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_H
#define TTP_PRESENT_TIMELINE_TIMELINE_H

#include "analyse/fold/device_ops.h"
#include "analyse/notes.h"
#include "table/table.h"

#define TIMELINE_MAX_ZONES 1000000

// --- what the page of a run has beside its trace ---
// Its times are ns on one axis from 0 on, and its devices are groups of rows: first what
// the host has, then chips.
enum timeline_kind {
    TIMELINE_CHIP,
    TIMELINE_PROCESS,   // its threads
    TIMELINE_PROCESSES, // a row for each process: which programs it ran
    TIMELINE_KINDS
};
struct timeline_group {
    enum timeline_kind kind;
    str label, about; // about: beside its rows; empty: nothing
    bool is_loose;    // its clock is not aligned with the axis
    double error_ns;  // of its times; 0: they are what the axis is made of
};
struct timeline_place { // of a site
    uint32_t function;  // string
    uint32_t colour;    // 0xRRGGBB; 0: none
};
enum timeline_mark_kind { TIMELINE_MESSAGE, TIMELINE_SIGNPOST };
struct timeline_mark {
    uint64_t time;
    uint32_t track; // of the trace
    uint32_t kind, level, colour;
    str text;
};
struct timeline_frame {
    uint64_t start, end;
    uint32_t device; // of the trace
    uint32_t name;   // string
    bool is_open;    // its end was not recorded
};
struct timeline_plot {
    uint32_t device;       // of the trace
    uint32_t name;         // string
    const uint64_t *times; // in order
    const double *values;
    size_t n;
};
struct timeline_run {
    uint64_t span;                       // of the axis
    const struct timeline_group *groups; // by device of the trace
    const struct timeline_place *places; // by site of the trace
    // What was said of a zone: of a group that is no chip, the run of a zone is the number
    // of its text + 1; 0 = none.
    const str *texts;
    size_t n_texts;
    const struct timeline_mark *marks; // in order of time
    size_t n_marks;
    const struct timeline_frame *frames; // device by device, in order of time
    size_t n_frames;
    const struct timeline_plot *plots; // device by device
    size_t n_plots;
};

struct timeline_page {
    const struct trace *trace; // with zones
    const struct device_ops *ops;
    const struct table *const *tables;
    size_t n_tables;
    const struct notes *notes;      // NULL: none
    uint64_t max_zones;             // in full detail; 0: TIMELINE_MAX_ZONES
    const struct timeline_run *run; // NULL: the page of a device log
};

bool timeline_write(const struct timeline_page *p, const char *path, struct err *e);

#endif
