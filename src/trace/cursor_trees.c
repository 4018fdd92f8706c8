// cursor_trees.c - the zones of a tree in order of end: a stack holds those whose children
// are still to come.
#include "trace/cursor_parts.h"

static void set_event_time(struct trace_cursor *c, const struct trace_tree *tree)
{
    const struct trace_event *ev =
        c->next_event < tree->events.n ? pile_at(&tree->events, c->next_event) : NULL;
    c->event_time = ev ? ev->time : UINT64_MAX;
}

void cursor_trees_start(struct trace_cursor *c)
{
    c->open.n = 0;
    c->next_zone = c->next_event = 0;
    c->trees = trace_trees_of(c->t, c->track);
    set_event_time(c, trace_tree_of(c->t, c->track));
}

// Adds events up to this time. False: the batch is full.
static bool take_events(struct trace_cursor *c, const struct trace_tree *tree, uint64_t to)
{
    while (c->event_time <= to && c->next_event < tree->events.n) {
        if (c->events.n == BATCH)
            return false;
        struct trace_event ev =
            *(struct trace_event *)pile_at(&tree->events, c->next_event);
        ev.n_zones = (uint32_t)c->zones.n;
        vec_push(&c->events, ev);
        c->next_event++;
        set_event_time(c, tree);
    }
    return true;
}

static uint32_t add_said(struct trace_cursor *c, uint32_t extra)
{
    vec_push(&c->saids, c->trees->said(c->trees->owner, extra));
    return (uint32_t)c->saids.n;
}

// Adds a zone whose children are in the batch or before it. False: the batch is full.
static inline bool close_zone(struct trace_cursor *c, const struct trace_tree *tree,
                              const struct tree_zone *zone, uint64_t children)
{
    struct zone_columns *z = &c->zones;
    uint64_t start = zone->start > 0 ? (uint64_t)zone->start : 0;
    uint64_t end = zone->end < 0 ? tree->last : (uint64_t)zone->end;
    if (z->n == BATCH || (c->event_time < end && !take_events(c, tree, end - 1)))
        return false;
    bool is_back = end < start;
    c->found.open += zone->end < 0;
    c->found.back += is_back && zone->end >= 0;
    end = is_back ? start : end;
    if (c->open.n)
        c->open.v[c->open.n - 1].children += end - start;
    z->start[z->n] = start;
    z->end[z->n] = end;
    z->children[z->n] = children;
    z->site[z->n] = tree_site(c->trees, zone->place);
    z->said[z->n] = zone->extra ? add_said(c, zone->extra) : 0;
    z->depth[z->n] = (uint16_t)c->open.n;
    z->flags[z->n] = zone->end < 0 ? ZONE_OPEN : 0;
    z->n++;
    return true;
}

// False: the batch is full.
static bool close_last(struct trace_cursor *c, const struct trace_tree *tree)
{
    struct open_tree o = c->open.v[--c->open.n];
    if (close_zone(c, tree, &o.zone, o.children))
        return true;
    c->open.n++;
    return false;
}

// Takes the next record. False: the batch is full.
static bool take_zone(struct trace_cursor *c, const struct trace_tree *tree,
                      const struct pile *zones)
{
    struct tree_zone z = tree_zone_at(c->trees, zones, c->next_zone);
    struct open_tree *parent = c->open.n ? &c->open.v[c->open.n - 1] : NULL;
    if (c->open.n == DEPTH_MOST) { // its children count as those of its parent
        c->found.deep++;
        parent->left += z.children;
    } else if (z.children) {
        vec_push(&c->open, (struct open_tree){.zone = z, .left = z.children});
        parent = c->open.n > 1 ? &c->open.v[c->open.n - 2] : NULL;
    } else if (!close_zone(c, tree, &z, 0)) {
        return false;
    }
    if (parent)
        parent->left--;
    c->next_zone++;
    return true;
}

void cursor_trees_fill(struct trace_cursor *c)
{
    struct trace_tree *tree = trace_tree_of(c->t, c->track);
    const struct pile *zones = tree_zones(tree);
    cursor_reserve_zones(&c->zones, BATCH);
    while (!c->is_over) {
        bool is_ended = c->next_zone == zones->n;
        if (c->open.n && (is_ended || !c->open.v[c->open.n - 1].left)) {
            if (!close_last(c, tree))
                return;
        } else if (!is_ended) {
            if (!take_zone(c, tree, zones))
                return;
        } else {
            if (!take_events(c, tree, UINT64_MAX))
                return;
            tree->found = c->found;
            c->is_over = true;
        }
    }
}
