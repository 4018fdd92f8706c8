// timeline_survey.c - one pass over all zones: their depths, which sites occur, and how
// they are spread over the windows. Each lane has its own tables; merging them only sums
// and takes maxima, so the order of the lanes does not matter.
#include <assert.h>

#include "present/timeline/timeline_plan.h"

enum { WORTH_LANES = 1 << 17 }; // zones

struct surveys {
    struct timeline_plan *plan;
    struct timeline_survey *v; // by lane
};

unsigned timeline_lanes(const struct timeline_plan *p)
{
    return threads_for(p->n_zones, WORTH_LANES);
}

struct range timeline_lane(const struct timeline_plan *p, struct lane lane)
{
    struct range zones = lane_range(lane, p->n_zones), mine = {0, 0};
    bool is_last = lane.index + 1 == lane.n;
    size_t before = 0, before_core = 0;
    for (size_t i = 0; i < p->rows.n; i++) {
        if (timeline_is_new_core(p, i))
            before_core = before;
        mine.from += before_core < zones.from;
        mine.to += before_core < zones.to || is_last;
        before += p->rows.v[i].n_zones;
    }
    return mine;
}

// Zones that reach into a window are counted as differences to the previous window.
static void count_windows(struct timeline_cell *cells, const struct timeline_group *g,
                          uint64_t start, uint64_t end)
{
    size_t from = timeline_window_at(g, start);
    cells[from].n_start++;
    cells[from + 1].n_carried++;
    cells[timeline_last_window(g, start, end) + 1].n_carried--;
}

static void survey_row(const struct timeline_plan *p, struct timeline_row *row,
                       struct timeline_survey *s)
{
    const struct timeline_group *g = &p->groups.v[row->group];
    struct timeline_cell *cells =
        s->cells ? s->cells + (size_t)row->group * TIMELINE_CELLS : NULL;
    uint32_t deepest = 0;
    for (size_t i = row->zone; i < row->zone + row->n_zones; i++) {
        assert(p->end[i] >= p->start[i]);
        uint32_t depth = (p->depth[i] & ZONE_DEPTH_MOST) + 1u;
        deepest = depth > deepest ? depth : deepest;
        s->site_occurs[p->site[i]] = true;
        if (cells)
            count_windows(cells, g, p->start[i], p->end[i]);
    }
    row->n_depths = deepest;
}

static void survey_lane(struct lane lane, void *context)
{
    struct surveys *all = context;
    struct timeline_plan *p = all->plan;
    struct range r = timeline_lane(p, lane);
    for (size_t i = r.from; i < r.to; i++)
        survey_row(p, &p->rows.v[i], &all->v[lane.index]);
}

static struct timeline_survey survey_make(struct timeline_plan *p)
{
    struct timeline_survey s = {0};
    s.site_occurs = push_many(&p->arena, bool, p->all_sites.n + 1);
    if (p->n_zones > p->page->max_zones)
        s.cells = push_many(&p->arena, struct timeline_cell, p->groups.n * TIMELINE_CELLS);
    return s;
}

static void survey_add(const struct timeline_plan *p, struct timeline_survey *to,
                       const struct timeline_survey *more)
{
    for (size_t i = 0; i < p->all_sites.n; i++)
        to->site_occurs[i] |= more->site_occurs[i];
    for (size_t i = 0; to->cells && i < p->groups.n * TIMELINE_CELLS; i++) {
        to->cells[i].n_start += more->cells[i].n_start;
        to->cells[i].n_carried += more->cells[i].n_carried;
    }
}

struct timeline_survey timeline_survey(struct timeline_plan *p)
{
    unsigned n = timeline_lanes(p);
    struct surveys all = {p, push_many(&p->arena, struct timeline_survey, n)};
    for (unsigned i = 0; i < n; i++)
        all.v[i] = survey_make(p);
    threads_run(n, survey_lane, &all);
    for (unsigned i = 1; i < n; i++)
        survey_add(p, &all.v[0], &all.v[i]);
    struct timeline_cell *cells = all.v[0].cells;
    for (size_t i = 1; cells && i < p->groups.n * TIMELINE_CELLS; i++)
        cells[i].n_carried += i % TIMELINE_CELLS ? cells[i - 1].n_carried : 0;
    return all.v[0];
}
