// walk_track.h - a track one row at a time, zones and events in the order in which they
// came, for tests that follow what a program did.
#ifndef TTP_TESTS_WALK_TRACK_H
#define TTP_TESTS_WALK_TRACK_H

#include "trace/cursor.h"

struct walk_zone {
    uint64_t start, end, children;
    uint32_t site, depth, flags;
    struct zone_said said;
};

struct walk_visitor {
    void *context;
    void (*zone)(void *context, const struct walk_zone *z);
    void (*event)(void *context, const struct trace_event *ev);
};

static inline void walk_zones(const struct trace_batch *b, size_t from, size_t to,
                              const struct walk_visitor *v)
{
    for (size_t i = from; v->zone && i < to; i++) {
        struct walk_zone z = {.start = b->start[i],
                              .end = b->end[i],
                              .children = b->children[i],
                              .site = b->site[i],
                              .depth = b->depth[i],
                              .flags = b->flags[i],
                              .said = trace_said(b, i)};
        v->zone(v->context, &z);
    }
}

static inline void walk_track(const struct trace *r, uint32_t track,
                              const struct walk_visitor *v)
{
    struct trace_cursor *c = trace_cursor_new(r);
    trace_cursor_start(c, track);
    for (const struct trace_batch *b; (b = trace_cursor_next(c));) {
        size_t n = 0;
        for (size_t i = 0; i < b->n_events; i++) {
            walk_zones(b, n, b->events[i].n_zones, v);
            n = b->events[i].n_zones;
            if (v->event)
                v->event(v->context, &b->events[i]);
        }
        walk_zones(b, n, b->n_zones, v);
    }
    trace_cursor_free(c);
}

#endif
