// timeline_plan.c - devices, tracks, sites and runs of the page.
#include "present/timeline/timeline_plan.h"

#include <stdlib.h>

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

// A filter may have taken all markers of a track; devices without a track are left out. The
// tracks of a run have zones only.
static void find_tracks(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    VEC(struct track_key) keys = {0};
    for (uint32_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        const struct trace_core *core = &t->cores.v[track->core];
        str risc = trace_text(t, track->risc);
        if (track->n_markers > 0 || p->page->run)
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

// The axis goes from the first to the last marker of a device.
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
        first[device] = timeline_least(first[device], time[0]);
        last[device] = timeline_most(last[device], time[track->n_markers - 1]);
    }
    for (size_t i = 0; i < p->devices.n; i++) {
        struct timeline_device *d = &p->devices.v[i];
        d->t0 = timeline_least(first[d->device], last[d->device]);
        d->span = timeline_least(last[d->device] - d->t0, TIMELINE_TIME_MOST);
    }
    mem_free(first);
}

// Groups of a run share one axis.
static void share_times(struct timeline_plan *p)
{
    for (size_t i = 0; i < p->devices.n; i++)
        p->devices.v[i].span = timeline_least(p->page->run->span, TIMELINE_TIME_MOST);
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

// Ops of shown devices.
static void number_runs(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    const struct device_ops *ops = p->page->ops;
    p->run_of = push_many(&p->arena, uint32_t, ops->n + 1);
    for (uint32_t i = 0; i < ops->n; i++) {
        const struct device_op *op = &ops->v[i];
        if (p->device_of[t->runs.v[op->run].device] == TIMELINE_NOT_SHOWN)
            continue;
        vec_push(&p->runs, i);
        p->run_of[i] = (uint32_t)p->runs.n;
    }
}

void timeline_plan_make(struct timeline_plan *p, const struct timeline_page *page)
{
    *p = (struct timeline_plan){.page = page};
    find_tracks(p);
    if (page->run)
        share_times(p);
    else
        find_times(p);
    struct timeline_survey s = timeline_survey(p);
    p->n_kept = p->n_zones;
    number_sites(p, s.site_occurs);
    number_runs(p);
    if (p->n_zones > page->max_zones)
        timeline_keep(p, s.cells);
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
