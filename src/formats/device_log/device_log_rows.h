// device_log_rows.h - what one lane reads from its range of a device log.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_ROWS_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_ROWS_H

#include "formats/device_log/device_log.h"

// Identity of a track, a site or a run. Compared bytewise: zero a key before filling it.
struct track_key {
    int64_t chip, x, y;
    uint64_t risc; // string of the lane
};
struct site_key {
    int64_t line;
    uint32_t timer_id, name, file, type_text; // strings of the lane
    uint32_t type, is_legacy_of;
};
struct run_key {
    int64_t chip, id, trace_id, trace_counter;
};

// Adjacent rows of one track.
struct log_piece {
    uint32_t track; // in the lane
    uint32_t first; // row in the lane
};

struct log_odd {
    int kind;
    uint32_t track; // of the lane, or TRACE_NO_TRACK
    uint64_t count;
    uint32_t line; // of the first
    str what;
};

// One row each; a lane fills its own slice of the trace's columns. If the slice turns out
// too small, the lane allocates its own memory.
struct log_columns {
    uint64_t *time;
    uint32_t *site, *run;
    uint32_t *line; // from 0 at the start of the range
    size_t n, cap;
    bool is_own;
};

// A log of the trace: its head and what the head says about the chips.
struct log_source {
    struct log_part part;
    struct log_head head;
    str text;
    bool is_mapped;
    int64_t mhz, max_compute_cores;
};

struct log_lane {
    // in
    const struct log_source *source;
    const struct log_head *head; // the source's
    str text;                    // the whole log
    size_t from, to;             // this range: complete lines
    bool is_legacy;
    bool is_mapped;       // the text is a mapped file: what has been read may be released
    struct progress *bar; // of lane 0

    // out: columns, and the tables they refer to
    struct log_columns rows;
    VEC(struct log_piece) pieces;
    VEC(struct trace_datum) data; // .marker is the row in the lane
    struct map strings, tracks, sites, runs;
    VEC(uint32_t) site_lines; // where each site was first seen
    struct arena arena;       // keys of the maps
    uint32_t n_lines;
    uint64_t n_rows;         // of any kind
    VEC(struct log_odd) odd; // in order of appearance
    uint64_t n_odd;          // in total
    uint32_t track;          // of the current row, or TRACE_NO_TRACK

    struct log_short *shorts; // state of the fast path
};

// Estimated number of rows in the range, rounded up.
size_t log_lane_estimate(const struct log_lane *l);
void log_lane_read(struct log_lane *l);
void log_lane_free(struct log_lane *l);

#endif
