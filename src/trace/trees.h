// trees.h - the second storage of host tracks: zones as records in memory, a parent before
// its children, as formats with nested zones have them (formats/tracy/). Everything else of
// a track is a list of events by time. A trace may have several, one for each file, with
// their tracks one after the other.
//
// The records and texts belong to whoever filled the storage, and are freed with the trace.
#ifndef TTP_TRACE_TREES_H
#define TTP_TRACE_TREES_H

#include "base/data/pile.h"

#include "trace/cursor.h"
#include "trace/host_findings.h"

// As stored. Times are ns since the start of the file, negative: not known.
struct tree_zone {
    int64_t start, end;
    uint32_t extra;    // for `said`; 0: nothing
    uint32_t children; // directly inside; they follow
    int32_t place;     // see `sites`
} __attribute__((packed, aligned(4)));

struct trace_tree {           // a track
    const struct pile *zones; // struct tree_zone, by start
    struct pile own_zones;    // or these, if they had to be made
    struct pile events;       // struct trace_event, by time, on the axis
    uint64_t last;            // on the axis: where open zones end
    struct host_findings found;
};

struct trace_trees {
    VEC(struct trace_tree) tracks;
    uint32_t first_track; // of the trace
    uint32_t first_site;  // for unknown places
    uint64_t begin_ns;    // on the axis: time 0 of the records
    // Sites by place, counted from -n_made.
    const uint32_t *sites;
    size_t n_sites;
    int64_t n_made;
    // What a zone said; the texts live as long as the trace.
    struct zone_said (*said)(const void *owner, uint32_t extra);
    void *owner;
    void (*free_owner)(void *owner);
    struct diag findings; // of the trace, including those of walks
};

static inline struct trace_trees *trace_trees_of(const struct trace *t, uint32_t track)
{
    return t->trees.v[t->tracks.v[track].trees - 1];
}
static inline struct trace_tree *trace_tree_of(const struct trace *t, uint32_t track)
{
    struct trace_trees *trees = trace_trees_of(t, track);
    return &trees->tracks.v[track - trees->first_track];
}
static inline const struct pile *tree_zones(const struct trace_tree *tree)
{
    return tree->zones ? tree->zones : &tree->own_zones;
}
// Copied, with times on the axis: the record may be of another type with the same layout.
static inline struct tree_zone tree_zone_at(const struct trace_trees *t,
                                            const struct pile *zones, size_t i)
{
    struct tree_zone z;
    memcpy(&z, pile_at(zones, i), sizeof z);
    // A damaged time may be of any size.
    if (z.start >= 0)
        z.start = (int64_t)((uint64_t)z.start + t->begin_ns);
    if (z.end >= 0)
        z.end = (int64_t)((uint64_t)z.end + t->begin_ns);
    return z;
}
static inline uint32_t tree_site(const struct trace_trees *t, int32_t place)
{
    uint64_t at = (uint64_t)(place + t->n_made);
    return at < t->n_sites ? t->sites[at] : t->first_site;
}

// Adds trees with the site for unknown places. Their tracks are added in the order of those
// of the trace, and before those of other trees.
struct trace_trees *trace_trees_start(struct trace *t);

#endif
