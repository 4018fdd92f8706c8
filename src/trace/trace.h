// trace.h - what was recorded, as columns: readers fill a trace, reports consume it.
//
// A track is one processor of one core. Its markers stand together and in time order
// (equal times keep the order of the file), and so do its zones, which pairing makes from
// the markers. Everything that repeats is a number into a table: a marker is a time, a site
// (which place in which source left it, and of what type), a run (which execution of which
// program) and a line of the log; a zone has 25 bytes.
//
// Times are device cycles. Each device has its own clock.
#ifndef TTP_TRACE_TRACE_H
#define TTP_TRACE_TRACE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"

enum marker_type {
    MARKER_ZONE_START,
    MARKER_ZONE_END,
    MARKER_ZONE_TOTAL, // data = accumulated cycles
    MARKER_TS_DATA,
    MARKER_TS_EVENT,
    MARKER_OTHER, // a type this program does not know; the text is kept
    MARKER_TYPES,
};
extern const char *const marker_type_names[MARKER_TYPES]; // as logged; MARKER_OTHER: NULL

// A place in a source that leaves markers of one type.
struct trace_site {
    uint32_t name, file, type_text; // strings
    uint32_t timer_id;
    uint32_t first_line; // of the log: where it was first seen
    int64_t line;        // SITE_NO_LINE: the log has none
    enum marker_type type;
};
#define SITE_NO_LINE INT64_MIN

// One execution of one program on one device. Id 0 stands for "no program".
struct trace_run {
    uint32_t device;                 // index
    uint32_t execution;              // of the same ids, counted from 0
    int64_t id;                      // run host id: program << 10 | device id
    int64_t trace_id, trace_counter; // -1 = none
};

// What a few markers carry beside their time.
struct trace_datum {
    uint64_t data;
    const char *meta; // as logged
    uint32_t meta_n;
    uint32_t marker; // index; the data of a track are ordered by it
};

struct trace_track {
    uint32_t core;              // index
    uint32_t risc;              // string
    uint32_t marker, n_markers; // first one and how many
    uint32_t datum, n_data;
    uint32_t zone, n_zones;
};

struct trace_core {
    uint32_t device; // index
    int32_t x, y;
    bool is_dispatch;
    VEC(uint32_t) tracks; // in order of first appearance
};

struct trace_device {
    int64_t id;
    VEC(uint32_t) cores; // in order of first appearance
    uint64_t first_time, last_time;
};

#define ZONE_DEPTH_MOST 127
#define ZONE_REPAIRED   0x80 // in `depth`: its end was missing and was put at the edge

struct trace_zones {
    uint64_t *start, *end;
    uint32_t *site; // of the start
    uint32_t *run;
    uint8_t *depth; // 0 = outermost, up to ZONE_DEPTH_MOST; with ZONE_REPAIRED
    size_t n;
};

struct trace_markers {
    uint64_t *time;
    uint32_t *site, *run;
    uint32_t *line; // of the log, from 1
    size_t n;       // no index is above; some stand for nothing, tracks know theirs
};

struct trace {
    struct arena arena;
    struct file file; // views into it stand in strings and data
    const char *path;

    str arch;                  // empty = the log does not say
    int64_t mhz;               // 0 = unknown
    int64_t max_compute_cores; // 0 = unknown
    bool is_legacy;            // six columns of 2023: timer ids instead of zones
    bool has_trace_columns;    // a row without a trace id belongs to no trace
    bool has_t0;               // and each track starts with a marker that is not in the log

    struct map strings; // id 0 is the empty text
    VEC(struct trace_site) sites;
    VEC(struct trace_run) runs;
    VEC(struct trace_device) devices;
    VEC(struct trace_core) cores;
    VEC(struct trace_track) tracks;
    struct trace_markers markers;
    VEC(struct trace_datum) data;
    struct trace_zones zones;

    uint64_t n_rows; // of the log, whatever became of them
    struct diag diag;
    VEC(struct trace_oddity) oddities;
};

// Where odd data stands: counts by kind and track, for the health table.
struct trace_oddity {
    uint32_t track; // UINT32_MAX: of no track
    uint32_t kind;  // enum diag_kind
    uint64_t count;
    uint32_t first_line; // of the log; 0 = none
};
#define TRACE_NO_TRACK UINT32_MAX

void trace_free(struct trace *t);

static inline str trace_text(const struct trace *t, uint32_t string)
{
    return t->strings.keys.v[string];
}
static inline const struct trace_site *trace_site_of(const struct trace *t, size_t marker)
{
    return &t->sites.v[t->markers.site[marker]];
}
static inline str trace_name_of(const struct trace *t, size_t marker)
{
    return trace_text(t, trace_site_of(t, marker)->name);
}
// The datum of a marker, NULL when it carries nothing.
const struct trace_datum *trace_datum_of(const struct trace *t, const struct trace_track *k,
                                         size_t marker);
// The site like `like` but with another name; made when there is none yet.
uint32_t trace_site_named(struct trace *t, uint32_t like, uint32_t name);
// Counts odd data of a track; the first of its kind is noted with line and text.
void trace_odd(struct trace *t, uint32_t track, enum diag_kind kind, uint64_t count,
               uint32_t line, str what);

// A copy of the text among the strings; bytes that are not UTF-8 become U+FFFD and are
// counted once.
uint32_t trace_put_text(struct trace *t, str s);

// First and last time of every device, from its markers.
void trace_find_spans(struct trace *t);
// When all tracks are filled and in order: which cores dispatch, ids that several places
// share, spans, and whether the clock is known.
void trace_finish(struct trace *t);

// Place of a RISC in the order everybody prints them in; unknown ones come last.
unsigned risc_rank(str risc);

#endif
