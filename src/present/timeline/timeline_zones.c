// timeline_zones.c - the individual zones, and their sums by core and name.
#include <assert.h>
#include <stdlib.h>

#include "present/timeline/timeline_block.h"

// --- zones ---

// 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ...
static uint64_t zigzag(int64_t v)
{
    return v < 0 ? (uint64_t)-v * 2 - 1 : (uint64_t)v * 2;
}

// A chip's zone belongs to an op; a host zone has a text.
static uint32_t op_or_text(const struct timeline_plan *p, size_t zone, bool is_chip)
{
    if (!is_chip)
        return p->text[zone];
    uint32_t op = p->page->ops->of_run[p->run[zone]];
    return op == NO_OP ? 0 : p->run_of[op];
}

static uint32_t put_zones(const struct timeline_plan *p, size_t row,
                          struct timeline_columns *to)
{
    const struct timeline_row *k = &p->rows.v[row];
    const struct timeline_group *g = &p->groups.v[k->group];
    struct timeline_cursor at = timeline_begin(to, k->n_zones);
    uint32_t n = 0;
    int64_t before = 0;
    bool is_chip = timeline_is_chip(p, k->group);
    for (size_t i = k->zone; i < k->zone + k->n_zones; i++) {
        if (!timeline_keeps(g, p->start[i], p->end[i]))
            continue;
        int64_t more = op_or_text(p, i, is_chip);
        uint64_t depth = p->depth[i] & ZONE_DEPTH_MOST;
        timeline_put(&at, &(struct timeline_bar){
                              .start = timeline_at(g, p->start[i]),
                              .end = timeline_at(g, p->end[i]),
                              .site = p->site_of[p->site[i]],
                              .depth = depth * 2 + (p->depth[i] & ZONE_REPAIRED ? 1 : 0),
                              .more = zigzag(more - before),
                          });
        before = more;
        n++;
    }
    timeline_end(to, &at);
    return n;
}

static void zones_lane(struct lane lane, void *context)
{
    const struct timeline_work *w = context;
    struct range r = timeline_lane(w->plan, lane);
    for (size_t i = r.from; i < r.to; i++)
        w->block->counts[i] = put_zones(w->plan, i, &w->block->lanes[lane.index]);
}

struct timeline_block timeline_zones(struct timeline_plan *p)
{
    struct timeline_block b = timeline_block_make(p, 0, zones_lane);
    for (size_t i = 0; i < p->rows.n; i++)
        p->rows.v[i].n_kept = b.counts[i];
    p->n_kept = b.n;
    assert(p->n_kept <= p->page->max_zones);
    return b;
}

// --- heat ---

struct heat_work {
    const struct timeline_plan *plan;
    timeline_heats *lanes;
};

// The cells of one core, and the cell of each name.
struct core_heat {
    timeline_heats *all;
    size_t first;    // cell of this core
    uint32_t *cells; // by name: cell of this core + 1; 0 = none
};

static uint64_t capped_sum(uint64_t a, uint64_t b)
{
    return a + b < TIMELINE_TIME_MOST ? a + b : TIMELINE_TIME_MOST;
}

static void heat_row(const struct timeline_plan *p, const struct timeline_row *row,
                     struct core_heat *h)
{
    const struct timeline_group *g = &p->groups.v[row->group];
    for (size_t i = row->zone; i < row->zone + row->n_zones; i++) {
        uint32_t name = p->name_of.v[p->site_of[p->site[i]]];
        if (!h->cells[name]) {
            vec_push(h->all, (struct timeline_heat){.core = row->core, .name = name});
            h->cells[name] = (uint32_t)(h->all->n - h->first);
        }
        struct timeline_heat *cell = &h->all->v[h->first + h->cells[name] - 1];
        uint64_t duration = timeline_at(g, p->end[i]) - timeline_at(g, p->start[i]);
        cell->count++;
        cell->sum = capped_sum(cell->sum, duration);
        cell->longest = duration > cell->longest ? duration : cell->longest;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct timeline_heat *k = a, *l = b;
    return (k->name > l->name) - (k->name < l->name);
}

static void end_core(struct core_heat *h)
{
    for (size_t i = h->first; i < h->all->n; i++)
        h->cells[h->all->v[i].name] = 0;
    if (h->all->n > h->first)
        qsort(h->all->v + h->first, h->all->n - h->first, sizeof *h->all->v, by_name);
    h->first = h->all->n;
}

static void heat_lane(struct lane lane, void *context)
{
    const struct heat_work *w = context;
    const struct timeline_plan *p = w->plan;
    struct core_heat h = {.all = &w->lanes[lane.index]};
    h.cells = mem_alloc(mem_bytes(sizeof *h.cells, p->names.keys.n + 1));
    struct range r = timeline_lane(p, lane);
    for (size_t i = r.from; i < r.to; i++) {
        if (i > r.from && timeline_is_new_core(p, i))
            end_core(&h);
        if (timeline_is_chip(p, p->rows.v[i].group))
            heat_row(p, &p->rows.v[i], &h);
    }
    end_core(&h);
    mem_free(h.cells);
}

void timeline_heat(const struct timeline_plan *p, timeline_heats *heats)
{
    unsigned n = timeline_lanes(p);
    struct heat_work w = {p, mem_alloc(mem_bytes(sizeof *w.lanes, n))};
    threads_run(n, heat_lane, &w);
    for (unsigned lane = 0; lane < n; lane++) {
        for (size_t i = 0; i < w.lanes[lane].n; i++)
            vec_push(heats, w.lanes[lane].v[i]);
        vec_free(&w.lanes[lane]);
    }
    mem_free(w.lanes);
}
