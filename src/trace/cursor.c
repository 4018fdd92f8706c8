// cursor.c - the zones of a device track as slices of its columns; those of a host track
// from its storage, a batch at a time.
#include "trace/cursor_parts.h"

void cursor_reserve_zones(struct zone_columns *z, size_t more)
{
    if (z->n + more <= z->cap)
        return;
    z->cap = z->n + more;
    z->start = mem_resize(z->start, mem_bytes(sizeof *z->start, z->cap));
    z->end = mem_resize(z->end, mem_bytes(sizeof *z->end, z->cap));
    z->children = mem_resize(z->children, mem_bytes(sizeof *z->children, z->cap));
    z->site = mem_resize(z->site, mem_bytes(sizeof *z->site, z->cap));
    z->said = mem_resize(z->said, mem_bytes(sizeof *z->said, z->cap));
    z->depth = mem_resize(z->depth, mem_bytes(sizeof *z->depth, z->cap));
    z->flags = mem_resize(z->flags, mem_bytes(sizeof *z->flags, z->cap));
}

// --- the cursor ------------------------------------------------------------------------

struct trace_cursor *trace_cursor_new(const struct trace *t)
{
    struct trace_cursor *c = mem_alloc(sizeof *c);
    c->t = t;
    return c;
}

void trace_cursor_start(struct trace_cursor *c, uint32_t track)
{
    c->track = track;
    c->at = c->to = 0;
    if (!track_is_host(&c->t->tracks.v[track]))
        return;
    c->is_over = false;
    c->found = (struct host_findings){0};
    if (c->t->tracks.v[track].trees)
        cursor_trees_start(c);
    else
        cursor_blocks_start(c);
}

// Columns of the trace unchanged, except for depths, which contain a flag there.
static const struct trace_batch *next_slice(struct trace_cursor *c)
{
    const struct trace_track *k = &c->t->tracks.v[c->track];
    const struct trace_zones *z = &c->t->zones;
    size_t left = k->n_zones - c->at, from = k->zone + c->at;
    size_t n = left < BATCH ? left : BATCH;
    if (!n)
        return NULL;
    cursor_reserve_zones(&c->zones, BATCH - c->zones.n);
    for (size_t i = 0; i < n; i++) {
        c->zones.depth[i] = z->depth[from + i] & ZONE_DEPTH_MOST;
        c->zones.flags[i] = z->depth[from + i] & ZONE_REPAIRED ? ZONE_OPEN : 0;
    }
    c->at += n;
    c->batch = (struct trace_batch){.n_zones = n,
                                    .start = z->start + from,
                                    .end = z->end + from,
                                    .site = z->site + from,
                                    .run = z->run + from,
                                    .depth = c->zones.depth,
                                    .flags = c->zones.flags};
    return &c->batch;
}

const struct trace_batch *trace_cursor_next(struct trace_cursor *c)
{
    if (!track_is_host(&c->t->tracks.v[c->track]))
        return next_slice(c);
    c->zones.n = c->saids.n = c->events.n = 0;
    arena_rewind(&c->arena, (struct arena_mark){0});
    if (c->t->tracks.v[c->track].trees)
        cursor_trees_fill(c);
    else
        cursor_blocks_fill(c);
    if (!c->zones.n && !c->events.n)
        return NULL;
    const struct zone_columns *z = &c->zones;
    c->batch = (struct trace_batch){.n_zones = z->n,
                                    .start = z->start,
                                    .end = z->end,
                                    .children = z->children,
                                    .site = z->site,
                                    .said = z->said,
                                    .depth = z->depth,
                                    .flags = z->flags,
                                    .saids = c->saids.v,
                                    .n_events = c->events.n,
                                    .events = c->events.v};
    return &c->batch;
}

void trace_cursor_free(struct trace_cursor *c)
{
    cursor_blocks_free(c);
    vec_free(&c->open);
    mem_free(c->zones.start);
    mem_free(c->zones.end);
    mem_free(c->zones.children);
    mem_free(c->zones.site);
    mem_free(c->zones.said);
    mem_free(c->zones.depth);
    mem_free(c->zones.flags);
    vec_free(&c->saids);
    vec_free(&c->events);
    arena_free(&c->arena);
    mem_free(c);
}
