// timeline_plan.c - devices, tracks, sites and runs of the page.
//
// The zones are looked at once, on several lanes, each with tables of its own: how many are
// wanted, how deep they are, which sites occur, and how they spread over the windows.
#include "present/timeline_plan.h"

#include <assert.h>
#include <stdlib.h>

enum {
    WORTH_LANES = 1 << 17, // zones
    CELLS = TIMELINE_WINDOWS + 1,
};

// What one lane finds. Sums and the earliest and latest of all: the order does not matter.
struct survey {
    bool *site_occurs;
    uint64_t *starts,
        *carried;           // by device and window; carried: differences; NULL: not needed
    uint64_t *first, *last; // by device: of the zones
    uint64_t n_wanted;
};

struct surveys {
    struct timeline_plan *plan;
    struct survey *v;
};

// --- tracks and devices ---

struct track_key {
    uint32_t device;
    int32_t y, x;
    unsigned rank;
    str risc;
    uint32_t track;
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_grid(const void *a, const void *b)
{
    const struct track_key *k = a, *l = b;
    int order = compare(k->device, l->device);
    order = order ? order : compare(k->y, l->y);
    order = order ? order : compare(k->x, l->x);
    order = order ? order : compare(k->rank, l->rank);
    order = order ? order : str_cmp(k->risc, l->risc);
    return order ? order : compare(k->track, l->track);
}

// A filter may have taken all markers of a track.
static bool is_wanted(const struct timeline_page *page, size_t track)
{
    return page->trace->tracks.v[track].n_markers > 0 &&
           (!page->track_is_wanted || page->track_is_wanted[track]);
}

// Devices without a wanted track are left out.
static void find_tracks(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    VEC(struct track_key) keys = {0};
    for (uint32_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        const struct trace_core *core = &t->cores.v[track->core];
        str risc = trace_text(t, track->risc);
        if (is_wanted(p->page, k))
            vec_push(&keys, (struct track_key){core->device, core->y, core->x,
                                               risc_rank(risc), risc, k});
    }
    if (keys.n)
        qsort(keys.v, keys.n, sizeof *keys.v, by_grid);
    for (size_t i = 0; i < keys.n; i++) {
        const struct trace_track *track = &t->tracks.v[keys.v[i].track];
        if (i == 0 || keys.v[i].device != keys.v[i - 1].device)
            vec_push(&p->devices, (struct timeline_device){.device = keys.v[i].device});
        vec_push(&p->tracks, (struct timeline_track){.track = keys.v[i].track,
                                                     .core = track->core,
                                                     .device = (uint32_t)p->devices.n - 1});
        p->n_zones += track->n_zones;
    }
    vec_free(&keys);
    p->device_of = push_many(&p->arena, uint32_t, t->devices.n + 1);
    memset(p->device_of, 0xFF, t->devices.n * sizeof *p->device_of);
    for (uint32_t i = 0; i < p->devices.n; i++)
        p->device_of[p->devices.v[i].device] = i;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void set_axis(struct timeline_device *d, uint64_t first, uint64_t last)
{
    d->t0 = first;
    d->span = last > first ? least(last - first, TIMELINE_TIME_MOST) : 0;
}

// The axis goes from the first to the last marker of a device, shown or not; what is cut
// into windows is the part of it that is asked for.
static void find_times(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    uint64_t *first = mem_alloc(mem_bytes(2 * sizeof *first, t->devices.n + 1));
    uint64_t *last = first + t->devices.n;
    memset(first, 0xFF, t->devices.n * sizeof *first);
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        uint32_t device = t->cores.v[track->core].device;
        if (!track->n_markers)
            continue;
        const uint64_t *time = t->markers.time + track->marker;
        first[device] = least(first[device], time[0]);
        last[device] = most(last[device], time[track->n_markers - 1]);
    }
    for (size_t i = 0; i < p->devices.n; i++) {
        struct timeline_device *d = &p->devices.v[i];
        set_axis(d, least(first[d->device], last[d->device]), last[d->device]);
        uint64_t end = least(d->t0 + d->span, p->page->to);
        d->cut_from = most(d->t0, p->page->from);
        d->cut_span = end > d->cut_from ? end - d->cut_from : 0;
    }
    mem_free(first);
}

// --- zones ---

unsigned timeline_lanes(const struct timeline_plan *p)
{
    return threads_for(p->n_zones, WORTH_LANES);
}

struct range timeline_lane(const struct timeline_plan *p, struct lane lane)
{
    struct range zones = lane_range(lane, p->n_zones), mine = {0, 0};
    bool is_last = lane.index + 1 == lane.n;
    size_t before = 0, before_core = 0;
    for (size_t i = 0; i < p->tracks.n; i++) {
        if (i == 0 || p->tracks.v[i].core != p->tracks.v[i - 1].core)
            before_core = before;
        mine.from += before_core < zones.from;
        mine.to += before_core < zones.to || is_last;
        before += timeline_track_of(p, i)->n_zones;
    }
    return mine;
}

static void survey_track(const struct timeline_plan *p, struct timeline_track *track,
                         const struct trace_track *k, struct survey *s)
{
    const struct trace_zones *z = &p->page->trace->zones;
    const struct timeline_device *d = &p->devices.v[track->device];
    uint64_t *starts = s->starts ? s->starts + (size_t)track->device * CELLS : NULL;
    uint64_t *carried = s->carried ? s->carried + (size_t)track->device * CELLS : NULL;
    uint32_t deepest = 0;
    for (size_t i = k->zone; i < (size_t)k->zone + k->n_zones; i++) {
        if (!timeline_wants(p->page, i))
            continue;
        assert(z->end[i] >= z->start[i]);
        uint32_t depth = (z->depth[i] & ZONE_DEPTH_MOST) + 1;
        deepest = depth > deepest ? depth : deepest;
        s->site_occurs[z->site[i]] = true;
        s->first[track->device] = least(s->first[track->device], z->start[i]);
        s->last[track->device] = most(s->last[track->device], z->end[i]);
        s->n_wanted++;
        if (!starts)
            continue;
        size_t from = timeline_window_at(d, z->start[i]);
        starts[from]++;
        carried[from + 1]++;
        carried[timeline_last_window(d, z->start[i], z->end[i]) + 1]--;
    }
    track->n_depths = deepest;
}

static void survey_lane(struct lane lane, void *context)
{
    struct surveys *all = context;
    struct timeline_plan *p = all->plan;
    struct range r = timeline_lane(p, lane);
    for (size_t i = r.from; i < r.to; i++)
        survey_track(p, &p->tracks.v[i], timeline_track_of(p, i), &all->v[lane.index]);
}

static struct survey survey_make(struct timeline_plan *p)
{
    struct survey s = {0};
    size_t n = p->devices.n;
    s.site_occurs = push_many(&p->arena, bool, p->page->trace->sites.n + 1);
    s.first = push_many(&p->arena, uint64_t, n + 1);
    s.last = push_many(&p->arena, uint64_t, n + 1);
    memset(s.first, 0xFF, n * sizeof *s.first);
    if (p->n_zones > p->page->max_zones) {
        s.starts = push_many(&p->arena, uint64_t, n * CELLS);
        s.carried = push_many(&p->arena, uint64_t, n * CELLS);
    }
    return s;
}

static void survey_add(const struct timeline_plan *p, struct survey *to,
                       const struct survey *more)
{
    for (size_t i = 0; i < p->page->trace->sites.n; i++)
        to->site_occurs[i] |= more->site_occurs[i];
    for (size_t i = 0; i < p->devices.n; i++) {
        to->first[i] = least(to->first[i], more->first[i]);
        to->last[i] = most(to->last[i], more->last[i]);
    }
    for (size_t i = 0; to->starts && i < p->devices.n * CELLS; i++) {
        to->starts[i] += more->starts[i];
        to->carried[i] += more->carried[i];
    }
    to->n_wanted += more->n_wanted;
}

static struct survey survey_zones(struct timeline_plan *p)
{
    unsigned n = timeline_lanes(p);
    struct surveys all = {p, push_many(&p->arena, struct survey, n)};
    for (unsigned i = 0; i < n; i++)
        all.v[i] = survey_make(p);
    threads_run(n, survey_lane, &all);
    for (unsigned i = 1; i < n; i++)
        survey_add(p, &all.v[0], &all.v[i]);
    return all.v[0];
}

// --- numbers of the page ---

static void number_sites(struct timeline_plan *p, const bool *occurs)
{
    const struct trace *t = p->page->trace;
    uint32_t *name_of = mem_alloc(mem_bytes(sizeof *name_of, t->strings.keys.n + 1)); // + 1
    p->site_of = push_many(&p->arena, uint32_t, t->sites.n + 1);
    for (uint32_t i = 0; i < t->sites.n; i++) {
        if (!occurs[i])
            continue;
        uint32_t *name = &name_of[t->sites.v[i].name];
        if (!*name) {
            vec_push(&p->names, t->sites.v[i].name);
            *name = (uint32_t)p->names.n;
        }
        p->site_of[i] = (uint32_t)p->sites.n;
        vec_push(&p->sites, i);
        vec_push(&p->name_of, *name - 1);
    }
    mem_free(name_of);
}

// Ops of shown devices that touch the time asked for. They may begin before it and end
// after it, as zones may: the axis of a part of the time is what is shown in it.
static void number_runs(struct timeline_plan *p, struct survey *s)
{
    const struct trace *t = p->page->trace;
    const struct device_ops *ops = p->page->ops;
    p->run_of = push_many(&p->arena, uint32_t, ops->n + 1);
    for (uint32_t i = 0; i < ops->n; i++) {
        const struct device_op *op = &ops->v[i];
        uint32_t device = p->device_of[t->runs.v[op->run].device];
        if (device == TIMELINE_NOT_SHOWN || op->last_time < p->page->from ||
            op->first_time > p->page->to)
            continue;
        vec_push(&p->runs, i);
        p->run_of[i] = (uint32_t)p->runs.n;
        s->first[device] = least(s->first[device], op->first_time);
        s->last[device] = most(s->last[device], op->last_time);
    }
}

static void narrow_axes(struct timeline_plan *p, const struct survey *s)
{
    for (size_t i = 0; i < p->devices.n; i++) {
        struct timeline_device *d = &p->devices.v[i];
        uint64_t end = d->cut_from + d->cut_span;
        set_axis(d, least(d->cut_from, s->first[i]), most(end, s->last[i]));
    }
}

void timeline_plan_make(struct timeline_plan *p, const struct timeline_page *page)
{
    *p = (struct timeline_plan){.page = page};
    find_tracks(p);
    find_times(p);
    struct survey s = survey_zones(p);
    p->n_wanted = p->n_kept = s.n_wanted;
    number_sites(p, s.site_occurs);
    number_runs(p, &s);
    if (page->from > 0 || page->to < UINT64_MAX)
        narrow_axes(p, &s);
    if (p->n_wanted <= page->max_zones)
        return;
    for (size_t i = 0; i < p->devices.n * CELLS; i++)
        s.carried[i] += i % CELLS ? s.carried[i - 1] : 0;
    timeline_keep(p, s.starts, s.carried, page->max_zones);
}

void timeline_plan_free(struct timeline_plan *p)
{
    vec_free(&p->devices);
    vec_free(&p->tracks);
    vec_free(&p->windows);
    vec_free(&p->sites);
    vec_free(&p->names);
    vec_free(&p->name_of);
    vec_free(&p->runs);
    arena_free(&p->arena);
}
