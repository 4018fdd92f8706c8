// timeline_chips.c - the chips of a page, each a group with a row per RISC; for the page of
// a run their cycles are converted to ns of its axis.
#include <math.h>
#include <stdlib.h>

#include "base/data/sort.h"

#include "present/timeline/timeline_rows.h"
#include "trace/cursor.h"

// --- clocks ------------------------------------------------------------------------------

uint64_t timeline_on_axis(const struct device_axis *a, uint64_t cycle)
{
    int64_t at = device_axis_ns(a, cycle);
    return at > 0 ? timeline_least((uint64_t)at, TIMELINE_TIME_MOST) : 0;
}

// --- groups ------------------------------------------------------------------------------

static str label_of(struct timeline_plan *p, const struct trace_device *d)
{
    const struct trace *t = p->page->trace;
    str name = trace_device_name(t, (uint32_t)(d - t->devices.v), &p->arena);
    return arena_printf(&p->arena, "Device %.*s", STR(name));
}

static struct timeline_group aligned_group(struct timeline_plan *p,
                                           const struct trace_device *d)
{
    const struct trace *t = p->page->trace;
    struct notes *notes = p->page->notes;
    const struct clock_model *m = d->clock;
    const char *host = trace_has_host(t) ? "the host" : "the host's clock";
    struct timeline_group g = {.kind = TIMELINE_CHIP, .id = d->id, .label = label_of(p, d)};
    g.clock = device_axis_of(t, d, &g.is_loose);
    if (g.is_loose) {
        g.error_ns = INFINITY;
        g.about = S("its clock is not aligned with the host");
        note(
            notes, NOTE_WARNING,
            "%.*s is not aligned with %s: do not compare its zone starts with other rows; run again with --sync-host-device",
            STR(g.label), host);
        return g;
    }
    g.error_ns = clock_model_worst_ns(m);
    g.about = arena_printf(&p->arena, "within %.0f ns of the host, %.6f GHz",
                           ceil(g.error_ns), clock_model_ghz(m));
    note(notes, NOTE_INFO,
         "%.*s is aligned with %s: its times are within %.0f ns (%.6f GHz, %zu sync%s)",
         STR(g.label), host, ceil(g.error_ns), clock_model_ghz(m), m->epochs.n,
         m->epochs.n == 1 ? "" : "s");
    return g;
}

static struct timeline_row row_of(const struct timeline_plan *p, uint32_t track)
{
    const struct trace *t = p->page->trace;
    const struct trace_track *k = &t->tracks.v[track];
    const struct trace_core *core = &t->cores.v[k->core];
    return (struct timeline_row){.group = p->group_of[core->device],
                                 .core = k->core,
                                 .track = track,
                                 .x = core->x,
                                 .y = core->y,
                                 .label = trace_text(t, k->risc),
                                 .is_dispatch = core->is_dispatch,
                                 .zone = k->zone,
                                 .n_zones = k->n_zones};
}

static void add_sites(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    for (size_t i = 0; i < t->sites.n; i++) {
        const struct trace_site *s = &t->sites.v[i];
        vec_push(&p->all_sites, (struct timeline_site){.name = trace_text(t, s->name),
                                                       .file = trace_text(t, s->file),
                                                       .line = s->line});
    }
}

// --- the page of a run -------------------------------------------------------------------

static void add_zones(struct timeline_plan *p, struct trace_cursor *c, uint32_t first_site)
{
    const struct timeline_row *row = &p->rows.v[p->rows.n - 1];
    const struct device_axis *clock = &p->groups.v[row->group].clock;
    trace_cursor_start(c, row->track);
    for (const struct trace_batch *b; (b = trace_cursor_next(c));)
        for (size_t i = 0; i < b->n_zones; i++)
            timeline_add_zone(
                p, (struct timeline_zone){
                       .start = timeline_on_axis(clock, b->start[i]),
                       .end = timeline_on_axis(clock, b->end[i]),
                       .site = first_site + b->site[i],
                       .run = b->run[i],
                       .depth = (uint8_t)(b->depth[i] |
                                          (b->flags[i] & ZONE_OPEN ? ZONE_REPAIRED : 0))});
}

static void add_cores(struct timeline_plan *p, const struct trace_device *d,
                      struct trace_cursor *c, uint32_t first_site)
{
    const struct trace *t = p->page->trace;
    for (size_t i = 0; i < d->cores.n; i++) {
        const struct trace_core *core = &t->cores.v[d->cores.v[i]];
        for (size_t k = 0; k < core->tracks.n; k++) {
            struct timeline_row row = row_of(p, core->tracks.v[k]);
            row.zone = p->of_run->starts.n;
            row.n_zones = 0;
            vec_push(&p->rows, row);
            add_zones(p, c, first_site);
        }
    }
}

// The log has chips in order of appearance; the page of a run sorts them by id.
struct chip_order {
    int64_t id;
    uint32_t device; // of the trace: in order of attachment
};

static int by_id(const void *a, const void *b)
{
    const struct chip_order *x = a, *y = b;
    SORT_BY(x, y, id);
    SORT_BY(x, y, device);
    return 0;
}

static void span_ops(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    const struct device_ops *ops = p->page->ops;
    for (size_t i = 0; ops && i < ops->n; i++) {
        const struct device_op *op = &ops->v[i];
        uint32_t group = p->group_of[t->runs.v[op->run].device];
        uint64_t last = timeline_on_axis(&p->groups.v[group].clock, op->last_time);
        p->of_run->span = timeline_most(p->of_run->span, last);
    }
}

void timeline_add_chips(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    uint32_t n = (uint32_t)t->devices.n, first_site = (uint32_t)p->all_sites.n;
    struct trace_cursor *c = trace_cursor_new(t);
    struct chip_order *order = push_many(&p->arena, struct chip_order, n + 1);
    add_sites(p);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct chip_order){t->devices.v[i].id, i};
    qsort(order, n, sizeof *order, by_id);
    for (uint32_t i = 0; i < n; i++) {
        const struct trace_device *d = &t->devices.v[order[i].device];
        p->group_of[order[i].device] = timeline_add_group(p, aligned_group(p, d));
        add_cores(p, d, c, first_site);
    }
    span_ops(p);
    trace_cursor_free(c);
}

// --- the page of a log -------------------------------------------------------------------

// The axis runs from the first to the last marker of a device. A filter may have removed
// all markers of a track; devices without a track are left out.
void timeline_add_devices(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    uint64_t *last = push_many(&p->arena, uint64_t, t->devices.n + 1);
    uint64_t *first = push_many(&p->arena, uint64_t, t->devices.n + 1);
    memset(first, 0xFF, t->devices.n * sizeof *first);
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        if (!track->n_markers)
            continue;
        uint32_t device = t->cores.v[track->core].device;
        const uint64_t *time = t->markers.time + track->marker;
        first[device] = timeline_least(first[device], time[0]);
        last[device] = timeline_most(last[device], time[track->n_markers - 1]);
        p->group_of[device] = 0; // it is shown
    }
    for (uint32_t i = 0; i < t->devices.n; i++) {
        if (p->group_of[i] == TIMELINE_NOT_SHOWN)
            continue;
        struct timeline_group g = {.kind = TIMELINE_CHIP,
                                   .id = t->devices.v[i].id,
                                   .label = label_of(p, &t->devices.v[i]),
                                   .mhz = trace_mhz(t, i)};
        g.t0 = timeline_least(first[i], last[i]);
        g.span = timeline_least(last[i] - g.t0, TIMELINE_TIME_MOST);
        p->group_of[i] = timeline_add_group(p, g);
    }
    for (uint32_t k = 0; k < t->tracks.n; k++)
        if (t->tracks.v[k].n_markers)
            vec_push(&p->rows, row_of(p, k));
    add_sites(p);
    p->start = t->zones.start;
    p->end = t->zones.end;
    p->site = t->zones.site;
    p->run = t->zones.run;
    p->depth = t->zones.depth;
}
