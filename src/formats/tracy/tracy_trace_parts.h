// tracy_trace_parts.h - a trace that is being made from the contents of a Tracy trace.
#ifndef TTP_FORMATS_TRACY_TRACY_TRACE_PARTS_H
#define TTP_FORMATS_TRACY_TRACY_TRACE_PARTS_H

#include "formats/tracy/tracy_trace.h"
#include "trace/trees.h"

struct tracy_events {
    VEC(struct trace_event) v;
};
// Thread ids to numbers. An id that appears twice is damage: the first counts.
struct tracy_ids {
    struct map ids;
    VEC(uint32_t) numbers;
};
void tracy_ids_put(struct tracy_ids *v, const uint64_t *id, uint32_t number);
uint32_t tracy_ids_get(const struct tracy_ids *v, uint64_t id); // MAP_NONE: not there
void tracy_ids_free(struct tracy_ids *v);

struct tracy_making {
    struct trace *t;
    struct tracy *from;
    struct trace_trees *trees;
    const struct tracy_in_run *in_run; // NULL: it is alone
    uint32_t process;                  // number
    uint64_t end_ns;                   // on the axis
    struct tracy_ids threads;          // to tracks, counted from the first one
    struct tracy_events *events;       // by track
};

// Adds a track of the process; zones NULL: its own, to be filled.
struct trace_tree *tracy_trace_track(struct tracy_making *m, struct trace_track track,
                                     const struct pile *zones);

// The string of the trace for a key of the client; key 0, the nameless one, is empty.
uint32_t tracy_key_string(struct tracy_making *m, uint64_t key);

// tracy_trace_events.c: everything that is not a zone.
void tracy_trace_events(struct tracy_making *m);
// tracy_trace_lanes.c: device zones.
void tracy_trace_lanes(struct tracy_making *m);

#endif
