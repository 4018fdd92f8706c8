// fold.h - first and last marker of every group and kind: one pass over a device trace.
//
// A fold is asked for lines, each a pair of conditions: which markers can be the first and
// which the last one. A marker fits several lines at once, but there are few different sets
// of lines to fit: such a set is a kind, and a marker touches one cell, that of its group
// (op, run, core or device) and kind. What a line found follows from the cells of its
// kinds.
//
// Markers of a group stand in the order of time, then of cores, then of tracks (the
// series). Lanes take ranges of cores and are merged in their order, so that results do not
// depend on how many there are.
#ifndef TTP_ANALYSE_FOLD_FOLD_H
#define TTP_ANALYSE_FOLD_FOLD_H

#include "analyse/fold/analysis.h"

enum { FOLD_LINES = 64 }; // of a fold at most: a bit each
#define FOLD_NO_GROUP UINT32_MAX

// Set by `fold.flags`; other bits are the caller's.
enum {
    FOLD_TAKE = 1,  // matters although it may fit no line
    FOLD_CORE = 2,  // counts the core it is on
    FOLD_WATCH = 4, // is shown to the watch
    FOLD_OWN = 8,   // the first bit for the caller
};

struct fold_line {
    const struct condition *start, *end; // NULL: no marker
    const struct condition *sum;         // data to sum up; names exactly as written
    bool is_strict;   // the end of a zone is never the first, the start never the last
    bool is_per_core; // the watch is told of every group on every core
};

struct fold_kind {
    uint64_t start, end; // a bit for each line
    uint8_t flags;
    bool can_begin, can_end; // not the end of a zone, not the start of one (has_edges)
};

struct fold_cell {
    uint64_t first_time, last_time;
    uint32_t first, last; // markers, + 1; 0 = none
};

struct fold_group {
    uint32_t n_markers; // that matter
    uint32_t n_cores;   // with a marker of FOLD_CORE
    uint32_t core;      // the last of them, + 1
};

// A line that is_per_core, in one group on one core.
struct fold_on_core {
    struct fold_cell x;
    uint64_t seen; // time of the first marker of any kind
    uint32_t core; // + 1
    uint32_t n;    // markers that fit
};

struct fold_marker {
    uint32_t marker, track, core, group;
    uint64_t time;
    const struct fold_kind *kind;
};

// What needs more than extremes. Each lane has a state of its own, zeroed at first; any
// function may be missing.
struct fold;
struct fold_watch {
    size_t bytes; // of a state
    void (*start)(void *state, const struct fold *f);
    void (*marker)(void *state, const struct fold_marker *m); // FOLD_WATCH, track by track
    void (*track_end)(void *state);
    void (*core_end)(void *state, unsigned line, uint32_t group,
                     const struct fold_on_core *c);
    void (*datum)(void *state, uint32_t group, const struct trace_datum *d);
};

struct fold {
    // what is asked: conditions and flags need not outlive fold_run
    const struct trace *trace;
    size_t n_groups;
    const uint32_t *group_of_run; // FOLD_NO_GROUP: left out; NULL: groups are not runs but
    bool by_core;                 // cores, or else devices
    bool skips_id_0;              // markers with id 0 are part of no op
    bool has_edges; // kinds tell starts and ends of zones apart: for what is strict
    struct fold_line lines[FOLD_LINES];
    unsigned n_lines;
    const uint8_t *track_flags; // by track; NULL: none
    // Flags of the markers of a site that fit these lines; NULL: those of the track.
    uint8_t (*flags)(const struct fold *f, uint32_t site, const struct fold_kind *kind);
    const void *context; // for `flags`
    struct fold_watch watch;

    // what was found
    VEC(struct fold_kind) kinds;
    struct fold_cell *cells;   // by group and kind
    struct fold_group *groups; // by group
    uint64_t *sums;            // by group and line
    unsigned n_lanes;
    char *states; // of the watch, by lane
};

void fold_run(struct fold *f);
void fold_free(struct fold *f);

// The first and last marker of a line. With `is_strict`, ends of zones are not the first
// and starts not the last. `flags`, if not NULL: those of the first one.
struct fold_cell fold_extent(const struct fold *f, uint32_t group, unsigned line,
                             bool is_strict, uint8_t *flags);
// Both are there, the first before the last.
bool fold_is_span(const struct trace *t, const struct fold_cell *x);
// Does one marker stand before the other in the series?
bool series_before(const struct trace *t, uint32_t a, uint32_t b);
uint32_t track_of_marker(const struct trace *t, uint32_t marker);

static inline void *fold_state(const struct fold *f, unsigned lane)
{
    return f->states + lane * f->watch.bytes;
}

#endif
