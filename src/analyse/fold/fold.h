// fold.h - first and last marker of every group and kind: one pass over a device trace.
//
// A fold has lines, each a pair of conditions: which markers can be the first and which the
// last one. A marker may match several lines at once, but there are few different sets of
// matching lines: such a set is a kind, and a marker touches one cell, that of its group
// (op, run, core or device) and kind. The result of a line follows from the cells of its
// kinds.
//
// Markers of a group are ordered by time, then core, then track (the series). Lanes take
// ranges of cores and are merged in order, so results do not depend on their number.
#ifndef TTP_ANALYSE_FOLD_FOLD_H
#define TTP_ANALYSE_FOLD_FOLD_H

#include "analyse/fold/analysis.h"

enum { FOLD_LINES = 64 }; // maximum of a fold: a bit each
#define FOLD_NO_GROUP UINT32_MAX

// Set by `fold.flags`; other bits are the caller's.
enum {
    FOLD_TAKE = 1,  // used even if it matches no line
    FOLD_CORE = 2,  // counts the core it is on
    FOLD_WATCH = 4, // passed to the watch
    FOLD_OWN = 8,   // the first bit for the caller
};

struct fold_line {
    const struct condition *start, *end; // NULL: no marker
    const struct condition *sum;         // data to sum; names without patterns
    bool is_strict;   // the end of a zone is never the first, a start never the last
    bool is_per_core; // the watch gets every group on every core
};

struct fold_kind {
    uint64_t start, end; // a bit per line
    uint8_t flags;
    bool can_begin, can_end; // not the end of a zone, not the start of one (has_edges)
};

struct fold_cell {
    uint64_t first_time, last_time;
    uint32_t first, last; // markers, + 1; 0: none
};

struct fold_group {
    uint32_t n_markers; // that matter
    uint32_t n_cores;   // with a marker of FOLD_CORE
    uint32_t core;      // the last of them, + 1
};

// A line with is_per_core, in one group on one core.
struct fold_on_core {
    struct fold_cell x;
    uint64_t seen; // time of the first marker of any kind
    uint32_t core; // + 1
    uint32_t n;    // matching markers
};

struct fold_marker {
    uint32_t marker, track, core, group;
    uint64_t time;
    const struct fold_kind *kind;
};

// For what needs more than extremes. Each lane has a zeroed state; functions may be NULL.
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
    // input: conditions and flags need not outlive fold_run
    const struct trace *trace;
    size_t n_groups;
    const uint32_t *group_of_run; // FOLD_NO_GROUP: skipped; NULL: groups are not runs but
    bool by_core;                 // cores, or else devices
    bool skips_id_0;              // markers with id 0 belong to no op
    bool has_edges; // kinds distinguish starts and ends of zones: for is_strict
    struct fold_line lines[FOLD_LINES];
    unsigned n_lines;
    const uint8_t *track_flags; // by track; NULL: none
    // Flags of a site's markers that match these lines; NULL: those of the track.
    uint8_t (*flags)(const struct fold *f, uint32_t site, const struct fold_kind *kind);
    const void *context; // for `flags`
    struct fold_watch watch;

    // results
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
// Are both there, the first before the last?
bool fold_is_span(const struct trace *t, const struct fold_cell *x);
// Is a before b in the series?
bool series_before(const struct trace *t, uint32_t a, uint32_t b);
uint32_t track_of_marker(const struct trace *t, uint32_t marker);

static inline void *fold_state(const struct fold *f, unsigned lane)
{
    return f->states + lane * f->watch.bytes;
}

#endif
