// timeline_levels.c - levels of detail: zones merged into spans.
//
// The zones of one depth of a row do not overlap. In order, a zone joins the open span if
// the gap between them, the zone and the span so far are all shorter than the width of the
// level. So a zone at least as long as the width is always its own span and stays exact,
// and a span of several zones is shorter than three widths: nothing is off by more than
// about a pixel where the level is shown. A span begins at a gap, at or after a long zone,
// or after a full span; each depth has at most
//
//     2 * (span of the device / width) + 2 * (zones as long as the width) + 1
//
// spans. A span takes the site with the most time in it.
#include "present/timeline/timeline_block.h"

enum {
    FEW_ZONES = 20000,  // a viewer draws these without levels
    COARSE_BARS = 2048, // on the axis of the first level: about the pixels of a screen
    FINER = 8,          // ratio of one level to the next
    DEPTHS = ZONE_DEPTH_MOST + 1,
};

struct span {
    uint64_t start, end;
    uint32_t site, depth, n;
};
typedef VEC(struct span) spans;

struct walk {
    const struct timeline_plan *plan;
    const struct timeline_group *group;
    uint64_t width;
    uint64_t *time_of; // by site of the page, within one span; otherwise 0
    VEC(size_t) zones; // of a row, depth by depth
    spans spans;       // of a row, by start, then depth
    spans fresh;       // of the current depth
};

static uint64_t start_of(const struct walk *w, size_t zone)
{
    return timeline_at(w->group, w->plan->start[zone]);
}

static uint64_t end_of(const struct walk *w, size_t zone)
{
    return timeline_at(w->group, w->plan->end[zone]);
}

static uint32_t site_of(const struct walk *w, size_t zone)
{
    return w->plan->site_of[w->plan->site[zone]];
}

// The site with the most time; the first of equals.
static uint32_t main_site(struct walk *w, const size_t *zones, size_t n)
{
    if (n > 1)
        for (size_t i = 0; i < n; i++)
            w->time_of[site_of(w, zones[i])] += end_of(w, zones[i]) - start_of(w, zones[i]);
    uint32_t best = site_of(w, zones[0]);
    for (size_t i = 1; i < n; i++) {
        uint32_t site = site_of(w, zones[i]);
        best = w->time_of[site] > w->time_of[best] ? site : best;
    }
    if (n > 1)
        for (size_t i = 0; i < n; i++)
            w->time_of[site_of(w, zones[i])] = 0;
    return best;
}

static bool joins_span(const struct span *open, uint64_t start, uint64_t end,
                       uint64_t width)
{
    uint64_t gap = start > open->end ? start - open->end : 0;
    return gap < width && end - start < width && open->end - open->start < width;
}

static void walk_depth(struct walk *w, const size_t *zones, size_t n, uint32_t depth)
{
    w->fresh.n = 0;
    struct span open = {.depth = depth};
    for (size_t i = 0; i < n; i++) {
        uint64_t start = start_of(w, zones[i]), end = end_of(w, zones[i]);
        if (open.n && joins_span(&open, start, end, w->width)) {
            open.end = end > open.end ? end : open.end;
            open.n++;
            continue;
        }
        if (open.n) {
            open.site = main_site(w, zones + i - open.n, open.n);
            vec_push(&w->fresh, open);
        }
        open = (struct span){.start = start, .end = end, .depth = depth, .n = 1};
    }
    if (open.n) {
        open.site = main_site(w, zones + n - open.n, open.n);
        vec_push(&w->fresh, open);
    }
}

// Merges the spans of a depth into those of the depths above it, from the back.
static void merge_fresh(struct walk *w)
{
    size_t old = w->spans.n, fresh = w->fresh.n;
    vec_reserve(&w->spans, fresh);
    w->spans.n += fresh;
    for (size_t to = w->spans.n; fresh > 0;) {
        bool is_old = old > 0 && w->spans.v[old - 1].start > w->fresh.v[fresh - 1].start;
        w->spans.v[--to] = is_old ? w->spans.v[--old] : w->fresh.v[--fresh];
    }
}

// Sorts the zones of a row by depth into w->zones; `ends` is the end of each depth.
static void order_by_depth(struct walk *w, const struct timeline_row *k, size_t *ends)
{
    const uint8_t *depth = w->plan->depth;
    size_t first[DEPTHS] = {0};
    for (size_t i = k->zone; i < k->zone + k->n_zones; i++)
        first[depth[i] & ZONE_DEPTH_MOST]++;
    for (size_t d = 0, n = 0; d < DEPTHS; d++) {
        size_t here = first[d];
        first[d] = ends[d] = n;
        n += here;
    }
    w->zones.n = 0;
    vec_reserve(&w->zones, k->n_zones);
    for (size_t i = k->zone; i < k->zone + k->n_zones; i++)
        w->zones.v[ends[depth[i] & ZONE_DEPTH_MOST]++] = i;
}

static uint32_t put_spans(struct walk *w, size_t row, struct timeline_columns *to)
{
    const struct timeline_row *k = &w->plan->rows.v[row];
    size_t ends[DEPTHS];
    w->group = &w->plan->groups.v[k->group];
    order_by_depth(w, k, ends);
    w->spans.n = 0;
    size_t from = 0;
    for (uint32_t d = 0; d < k->n_depths; from = ends[d++]) {
        walk_depth(w, w->zones.v + from, ends[d] - from, d);
        merge_fresh(w);
    }
    struct timeline_cursor at = timeline_begin(to, w->spans.n);
    for (size_t i = 0; i < w->spans.n; i++) {
        const struct span *s = &w->spans.v[i];
        timeline_put(&at, &(struct timeline_bar){s->start, s->end, s->site,
                                                 (uint64_t)s->depth * 2, s->n});
    }
    timeline_end(to, &at);
    return (uint32_t)w->spans.n;
}

static void level_lane(struct lane lane, void *context)
{
    const struct timeline_work *work = context;
    struct walk w = {.plan = work->plan, .width = work->block->width};
    w.time_of = mem_alloc(mem_bytes(sizeof *w.time_of, work->plan->sites.n + 1));
    struct range r = timeline_lane(work->plan, lane);
    for (size_t i = r.from; i < r.to; i++)
        work->block->counts[i] = put_spans(&w, i, &work->block->lanes[lane.index]);
    mem_free(w.time_of);
    vec_free(&w.zones);
    vec_free(&w.spans);
    vec_free(&w.fresh);
}

static bool push_level(const struct timeline_plan *p, timeline_blocks *blocks,
                       uint64_t width, uint64_t most)
{
    struct timeline_block b = timeline_block_make(p, width, level_lane);
    if (b.n > most) {
        timeline_block_free(&b);
        return false;
    }
    vec_push(blocks, b);
    return true;
}

void timeline_levels(const struct timeline_plan *p, timeline_blocks *blocks)
{
    bool is_partial = p->n_kept < p->n_zones;
    if (!is_partial && p->n_zones < FEW_ZONES)
        return;
    uint64_t longest = 1;
    for (size_t i = 0; i < p->groups.n; i++)
        longest = p->groups.v[i].span > longest ? p->groups.v[i].span : longest;
    uint64_t width = (longest + COARSE_BARS - 1) / COARSE_BARS;
    // A level is useless if it is not much smaller than the zones themselves.
    uint64_t most = (is_partial ? p->page->max_zones : p->n_kept) / 2;
    size_t none = blocks->n;
    for (uint64_t w = width; w >= 1 && push_level(p, blocks, w, most); w /= FINER)
        ;
    // If zones are left out, some level must represent them, however coarse.
    while (is_partial && blocks->n == none) {
        width = width < longest / 2 ? width * 2 : longest;
        (void)push_level(p, blocks, width, width < longest ? most : UINT64_MAX);
    }
}
