// run_rows_threads.c - the threads and fibers of the processes that recorded: their zones,
// with what was said of them, messages and signposts; frames and plots of the process.
#include <stdlib.h>

#include "base/data/sort.h"

#include "present/timeline/run_rows.h"
#include "present/timeline/run_rows_series.h"
#include "present/timeline/timeline_plan.h"

struct gathered {
    uint64_t end;
    uint32_t site, text;
};

struct walk {
    struct run_rows *rows;
    struct trace_cursor *cursor;
    uint32_t device, track;   // of the page
    uint32_t *site_of;        // by location: site + 1; 0 = none yet
    struct map variants;      // sites of zones that were given a name or a colour
    VEC(uint32_t) variant_of; // site, by id of the map
    VEC(struct keyed) order;  // a: index in zones, b: depth with its flag
    VEC(struct keyed) scratch;
    VEC(struct gathered) zones;
    struct run_series *series; // of the process
    struct buf text;
};

// --- sites -----------------------------------------------------------------------------

static struct rows_site place_of(const struct run_rows *r, uint32_t location)
{
    const struct trace_site *at = &r->in->host->sites.v[location];
    return (struct rows_site){.name = rows_host_text(r, at->name),
                              .file = rows_host_text(r, at->file),
                              .function = rows_host_text(r, at->function),
                              .line = at->line,
                              .colour = at->colour};
}

// A zone that got a name or a colour of its own looks like one of another place.
static uint32_t variant(struct walk *w, uint32_t location, const struct zone_said *said)
{
    struct rows_site s = place_of(w->rows, location);
    str name = str_clip(said->name, RUN_TEXT_MOST);
    if (name.n)
        s.name = rows_clean(w->rows, name, RUN_TEXT_MOST);
    s.colour = said->colour ? said->colour : s.colour;
    struct {
        const char *name; // texts that are equal are one: the pointer is enough
        uint32_t location, colour;
    } key = {name.n ? s.name.p : NULL, location, s.colour};
    uint32_t id = map_put_copy(&w->variants, &key, sizeof key, &w->rows->arena);
    if (id == w->variant_of.n)
        vec_push(&w->variant_of, rows_add_site(w->rows, s));
    return w->variant_of.v[id];
}

static uint32_t site_of(struct walk *w, uint32_t location, const struct zone_said *said)
{
    uint32_t own = w->rows->in->host->sites.v[location].colour;
    if (said->name.n || (said->colour && said->colour != own))
        return variant(w, location, said);
    if (!w->site_of[location])
        w->site_of[location] = rows_add_site(w->rows, place_of(w->rows, location)) + 1;
    return w->site_of[location] - 1;
}

static uint32_t text_of(struct walk *w, const struct zone_said *z)
{
    if (!z->has_value)
        return rows_text(w->rows, z->text);
    w->text.n = 0;
    buf_str(&w->text, str_clip(z->text, RUN_TEXT_MOST / 2));
    buf_printf(&w->text, "%svalue %llu", z->text.n ? "\n" : "",
               (unsigned long long)z->value);
    return rows_text(w->rows, buf_view(&w->text));
}

// --- zones -----------------------------------------------------------------------------

// Zones come as they end; the page has them as they start, outer ones before inner ones.
static void take_zone(struct walk *w, const struct trace_batch *b, size_t i)
{
    uint32_t depth = b->depth[i];
    if (depth > ZONE_DEPTH_MOST) {
        w->rows->n_too_deep++;
        return;
    }
    bool is_open = b->flags[i] & ZONE_OPEN;
    uint64_t start = timeline_least(b->start[i], TIMELINE_TIME_MOST);
    struct zone_said said = trace_said(b, i);
    vec_push(&w->order,
             (struct keyed){.key = start * (ZONE_DEPTH_MOST + 1) + depth,
                            .a = (uint32_t)w->zones.n,
                            .b = depth | (is_open ? (uint32_t)ZONE_REPAIRED : 0)});
    vec_push(&w->zones,
             (struct gathered){timeline_least(b->end[i], TIMELINE_TIME_MOST),
                               site_of(w, b->site[i], &said), text_of(w, &said)});
}

static void put_zones(struct walk *w)
{
    vec_reserve(&w->scratch, w->order.n);
    sort_keyed(w->order.v, w->scratch.v, w->order.n);
    for (size_t i = 0; i < w->order.n; i++) {
        const struct keyed *k = &w->order.v[i];
        const struct gathered *z = &w->zones.v[k->a];
        rows_add_zone(w->rows, (struct rows_zone){.start = k->key / (ZONE_DEPTH_MOST + 1),
                                                  .end = z->end,
                                                  .site = z->site,
                                                  .run = z->text,
                                                  .depth = (uint8_t)k->b});
    }
    w->order.n = w->zones.n = 0;
}

// --- everything else ---------------------------------------------------------------------

static void take_mark(struct walk *w, const struct trace_event *ev)
{
    struct run_rows *r = w->rows;
    bool is_signpost = ev->kind == TT_SIGNPOST;
    size_t *n = is_signpost ? &r->n_signposts : &r->n_messages;
    if (*n >= RUN_MARKS_MOST) {
        r->n_marks_over++;
        return;
    }
    ++*n;
    vec_push(&r->marks, (struct timeline_mark){
                            .time = timeline_least(ev->time, TIMELINE_TIME_MOST),
                            .track = w->track,
                            .kind = is_signpost ? TIMELINE_SIGNPOST : TIMELINE_MESSAGE,
                            .level = ev->attribute >> 24,
                            .colour = ev->attribute & 0xFFFFFF,
                            .text = rows_clean(r, ev->text, RUN_TEXT_MOST),
                        });
    r->span = timeline_most(r->span, r->marks.v[r->marks.n - 1].time);
}

static void take_event(struct walk *w, const struct trace_event *ev)
{
    if (ev->kind == TT_MESSAGE || ev->kind == TT_SIGNPOST)
        take_mark(w, ev);
    else
        series_take(w->series, ev);
}

// --- processes ---------------------------------------------------------------------------

static str label_of(struct run_rows *r, const struct trace_track *t)
{
    str name = rows_host_text(r, t->name);
    if (t->kind == TRACK_FIBER)
        return arena_printf(&r->arena, "fiber %.*s", STR(name));
    return name.n ? name : arena_printf(&r->arena, "thread %u", t->tid);
}

static void put_track(struct walk *w, uint32_t track)
{
    const struct trace *h = w->rows->in->host;
    w->track = rows_add_row(w->rows, w->device, label_of(w->rows, &h->tracks.v[track]));
    trace_cursor_start(w->cursor, track);
    for (const struct trace_batch *b; (b = trace_cursor_next(w->cursor));) {
        for (size_t i = 0; i < b->n_zones; i++)
            take_zone(w, b, i);
        for (size_t i = 0; i < b->n_events; i++)
            take_event(w, &b->events[i]);
    }
    put_zones(w);
}

static struct timeline_group group_of(struct run_rows *r, const struct trace_process *p)
{
    const struct process *known =
        p->log == TRACE_NONE ? NULL : &r->in->host->log.processes.v[p->log];
    str name = rows_clean(r, rows_process_name(r, p), 200);
    str rank = known && known->rank >= 0
                   ? arena_printf(&r->arena, " rank %lld", (long long)known->rank)
                   : S("");
    return (struct timeline_group){
        .kind = TIMELINE_PROCESS,
        .label = arena_printf(&r->arena, "%.*s %u%.*s", STR(name), p->pid, STR(rank)),
        .about = arena_printf(&r->arena, "%zu thread%s", p->tracks.n,
                              p->tracks.n == 1 ? "" : "s"),
    };
}

void rows_add_threads(struct run_rows *r)
{
    const struct trace *h = r->in->host;
    struct walk w = {.rows = r, .cursor = trace_cursor_new(h)};
    w.site_of = mem_alloc(mem_bytes(sizeof *w.site_of, h->sites.n + 1));
    for (size_t i = 0; i < h->processes.n; i++) {
        const struct trace_process *p = &h->processes.v[i];
        if (!p->tracks.n || !rows_has_process(r, p->pid))
            continue;
        struct run_series series = {0};
        w.series = &series;
        w.device = rows_add_group(r, p->pid, group_of(r, p));
        for (size_t k = 0; k < p->tracks.n; k++)
            put_track(&w, p->tracks.v[k]);
        series_put(&series, r, w.device);
    }
    trace_cursor_free(w.cursor);
    mem_free(w.site_of);
    map_free(&w.variants);
    vec_free(&w.variant_of);
    vec_free(&w.order);
    vec_free(&w.scratch);
    vec_free(&w.zones);
    buf_free(&w.text);
}
