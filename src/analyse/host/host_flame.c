// host_flame.c - from the zones of tracks, inner before outer ones, to frames.
#include "analyse/host/host_flame.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/data/threads.h"

#include "analyse/host/flame_tree.h"
#include "trace/cursor.h"

enum { WORTH_LANES = 200000 }; // events

// --- one track -------------------------------------------------------------------------

// Zones come in order of end. What is inside a zone that has not ended yet waits with its
// depth, as the children of a node without a key, which then becomes the zone's.
struct walk {
    struct flame_tree tree;
    VEC(uint32_t) waiting; // by depth; FLAME_NONE: nothing
    uint64_t n_zones;
};

static uint32_t waiting_at(struct walk *w, size_t depth)
{
    while (w->waiting.n <= depth)
        vec_push(&w->waiting, FLAME_NONE);
    if (!w->waiting.v[depth])
        w->waiting.v[depth] = flame_node_new(&w->tree, 0);
    return w->waiting.v[depth];
}

// What waits below this depth goes up to it. Depths may be skipped where zones were lost.
static void raise_to(struct walk *w, size_t depth)
{
    while (w->waiting.n > depth + 1) {
        uint32_t inner = w->waiting.v[w->waiting.n - 1];
        if (inner)
            flame_merge(&w->tree, waiting_at(w, w->waiting.n - 2), inner);
        w->waiting.n--;
    }
}

static void count_zone(struct flame_node *node, const struct trace_batch *b, size_t i)
{
    uint64_t length = b->end[i] - b->start[i];
    node->count++;
    node->n_open += (b->flags[i] & ZONE_OPEN) != 0;
    node->self += length > b->children[i] ? length - b->children[i] : 0;
}

static void take_zone(struct walk *w, const struct trace_batch *b, size_t i)
{
    size_t depth = b->depth[i];
    raise_to(w, depth + 1);
    uint32_t inner = w->waiting.n > depth + 1 ? w->waiting.v[depth + 1] : FLAME_NONE;
    uint32_t outer = waiting_at(w, depth);
    w->n_zones++;
    if (!inner) {
        uint32_t same = flame_child_at(&w->tree, outer, b->site[i]);
        count_zone(flame_node_at(&w->tree, same), b, i);
        return;
    }
    w->waiting.v[depth + 1] = FLAME_NONE;
    flame_node_at(&w->tree, inner)->key = b->site[i];
    count_zone(flame_node_at(&w->tree, inner), b, i);
    (void)flame_child_put(&w->tree, outer, inner);
}

// Returns the node with the outermost zones of the track as children.
static uint32_t walk_track(struct walk *w, struct trace_cursor *c, uint32_t track)
{
    w->waiting.n = 0;
    trace_cursor_start(c, track);
    for (const struct trace_batch *b; (b = trace_cursor_next(c));)
        for (size_t i = 0; i < b->n_zones; i++)
            take_zone(w, b, i);
    raise_to(w, 0);
    return waiting_at(w, 0);
}

// --- all tracks ------------------------------------------------------------------------
struct job {
    const struct trace *r;
    struct keyed *tracks; // longest first; b: by whom it was walked
    uint32_t *roots;      // of the tracks, in that lane's tree
    size_t n_tracks;
    atomic_size_t next;
    struct walk *lanes;
};

static void walk_lane(struct lane lane, void *context)
{
    struct job *j = context;
    struct walk *w = &j->lanes[lane.index];
    struct trace_cursor *c = trace_cursor_new(j->r);
    flame_tree_start(&w->tree);
    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n_tracks;) {
        j->roots[i] = walk_track(w, c, j->tracks[i].a);
        j->tracks[i].b = lane.index;
    }
    trace_cursor_free(c);
    vec_free(&w->waiting);
}

static uint64_t choose_tracks(struct job *j, const struct zone_choice *choice)
{
    uint64_t n_events = 0;
    j->tracks = mem_alloc(mem_bytes(2 * sizeof *j->tracks, j->r->tracks.n));
    for (uint32_t i = 0; i < j->r->tracks.n; i++) {
        if (!zone_choice_has_track(j->r, choice, i))
            continue;
        uint64_t n = j->r->tracks.v[i].n_events;
        j->tracks[j->n_tracks++] = (struct keyed){.key = UINT64_MAX - n, .a = i};
        n_events += n;
    }
    sort_keyed(j->tracks, j->tracks + j->r->tracks.n, j->n_tracks);
    return n_events;
}

static void join_tracks(const struct job *j, struct flame_tree *all, uint32_t root,
                        enum zones_by by)
{
    for (size_t i = 0; i < j->n_tracks; i++) {
        const struct flame_tree *from = &j->lanes[j->tracks[i].b].tree;
        uint32_t track = j->tracks[i].a, to = root;
        if (!flame_node_at(from, j->roots[i])->first)
            continue;
        if (by != ZONES_BY_PLACE)
            to = flame_child_at(all, to, j->r->tracks.v[track].process);
        if (by == ZONES_BY_THREAD)
            to = flame_child_at(all, to, track);
        flame_copy(all, to, from, j->roots[i]);
    }
}

// --- frames ----------------------------------------------------------------------------
static enum flame_kind kind_of(enum zones_by by, uint32_t depth)
{
    if (depth == 0)
        return FLAME_ALL;
    if (depth == 1 && by != ZONES_BY_PLACE)
        return FLAME_PROCESS;
    if (depth == 2 && by == ZONES_BY_THREAD)
        return FLAME_THREAD;
    return FLAME_ZONE;
}

// Any order in which parents come before children, to add up totals backwards.
static uint64_t *totals_of(const struct flame_tree *t, uint32_t root)
{
    uint64_t *totals = mem_alloc(mem_bytes(sizeof *totals, t->nodes.n));
    VEC(struct flame_pair) order = {0}; // node, its parent
    vec_push(&order, (struct flame_pair){root, FLAME_NONE});
    for (size_t i = 0; i < order.n; i++)
        for (uint32_t c = t->nodes.v[order.v[i].to].first; c; c = t->nodes.v[c].next)
            vec_push(&order, (struct flame_pair){c, order.v[i].to});
    for (size_t i = order.n; i-- > 0;) {
        totals[order.v[i].to] += t->nodes.v[order.v[i].to].self;
        if (order.v[i].from)
            totals[order.v[i].from] += totals[order.v[i].to];
    }
    vec_free(&order);
    return totals;
}

struct sibling {
    uint64_t total;
    uint32_t key, node;
};

static int by_total(const void *a, const void *b)
{
    const struct sibling *x = a, *y = b;
    SORT_BY(y, x, total);
    SORT_BY(x, y, key);
    return 0;
}

struct pending {
    uint32_t node, depth;
    uint64_t before;
};

static void put_frames(struct host_flame *f, const struct flame_tree *t, uint32_t root,
                       enum zones_by by)
{
    uint64_t *totals = totals_of(t, root);
    VEC(struct pending) stack = {0};
    VEC(struct sibling) row = {0};
    vec_push(&stack, (struct pending){.node = root});
    while (stack.n) {
        struct pending p = stack.v[--stack.n];
        const struct flame_node *node = flame_node_at(t, p.node);
        vec_push(&f->frames, (struct flame_frame){.kind = kind_of(by, p.depth),
                                                  .id = node->key,
                                                  .depth = p.depth,
                                                  .before = p.before,
                                                  .count = node->count,
                                                  .n_open = node->n_open,
                                                  .total = totals[p.node],
                                                  .self = node->self});
        row.n = 0;
        uint64_t end = p.before;
        for (uint32_t c = node->first; c; c = flame_node_at(t, c)->next) {
            vec_push(&row, (struct sibling){totals[c], flame_node_at(t, c)->key, c});
            end += totals[c];
        }
        if (row.n)
            qsort(row.v, row.n, sizeof *row.v, by_total);
        // The last one is taken off the stack first.
        for (size_t i = row.n; i-- > 0;) {
            end -= row.v[i].total;
            vec_push(&stack, (struct pending){row.v[i].node, p.depth + 1, end});
        }
    }
    vec_free(&row);
    vec_free(&stack);
    mem_free(totals);
}

void host_flame_make(struct host_flame *f, const struct trace *r,
                     const struct zone_choice *choice)
{
    *f = (struct host_flame){0};
    struct job j = {.r = r};
    struct flame_tree all;
    unsigned lanes = threads_for((size_t)choose_tracks(&j, choice), WORTH_LANES);
    j.roots = mem_alloc(mem_bytes(sizeof *j.roots, j.n_tracks));
    j.lanes = mem_alloc(mem_bytes(sizeof *j.lanes, lanes));
    threads_run(lanes, walk_lane, &j);
    flame_tree_start(&all);
    uint32_t root = flame_node_new(&all, 0);
    join_tracks(&j, &all, root, choice->by);
    put_frames(f, &all, root, choice->by);
    flame_tree_free(&all);
    for (unsigned i = 0; i < lanes; i++) {
        f->n_zones += j.lanes[i].n_zones;
        flame_tree_free(&j.lanes[i].tree);
    }
    mem_free(j.lanes);
    mem_free(j.roots);
    mem_free(j.tracks);
}

void host_flame_free(struct host_flame *f)
{
    vec_free(&f->frames);
}
