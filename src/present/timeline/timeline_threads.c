// timeline_threads.c - the threads and fibers of the recording processes: zones with their
// attributes, messages and signposts; frames and plots of the process.
#include <stdlib.h>

#include "base/data/sort.h"

#include "present/timeline/timeline_rows.h"
#include "present/timeline/timeline_series.h"

struct gathered {
    uint64_t end;
    uint32_t site, text;
};

struct walk {
    struct timeline_plan *plan;
    struct trace_cursor *cursor;
    uint32_t group, row;
    uint32_t *site_of;        // by site of the trace: that of the page + 1; 0 = none yet
    struct map variants;      // sites of zones with a name or colour of their own
    VEC(uint32_t) variant_of; // site, by id of the map
    VEC(struct keyed) order;  // a: index in zones, b: depth with its flag
    VEC(struct keyed) scratch;
    VEC(struct gathered) zones;
    struct timeline_series *series; // of the process
    struct buf text;
};

// --- sites -----------------------------------------------------------------------------

static struct timeline_site place_of(const struct timeline_plan *p, uint32_t site)
{
    const struct trace *t = p->page->trace;
    const struct trace_site *at = &t->sites.v[site];
    return (struct timeline_site){.name = trace_text(t, at->name),
                                  .file = trace_text(t, at->file),
                                  .function = trace_text(t, at->function),
                                  .line = at->line,
                                  .colour = at->colour};
}

// A zone with its own name or colour is shown as if it had its own site.
static uint32_t variant_site(struct walk *w, uint32_t site, const struct zone_said *said)
{
    struct timeline_site s = place_of(w->plan, site);
    str name = str_clip(said->name, TIMELINE_TEXT_MOST);
    if (name.n)
        s.name = timeline_clean(w->plan, name, TIMELINE_TEXT_MOST);
    s.colour = said->colour ? said->colour : s.colour;
    struct {
        const char *name; // equal texts share a pointer
        uint32_t site, colour;
    } key = {name.n ? s.name.p : NULL, site, s.colour};
    uint32_t id = map_put_copy(&w->variants, &key, sizeof key, &w->plan->arena);
    if (id == w->variant_of.n)
        vec_push(&w->variant_of, timeline_add_site(w->plan, s));
    return w->variant_of.v[id];
}

static uint32_t site_of(struct walk *w, uint32_t site, const struct zone_said *said)
{
    uint32_t own = w->plan->page->trace->sites.v[site].colour;
    if (said->name.n || (said->colour && said->colour != own))
        return variant_site(w, site, said);
    if (!w->site_of[site])
        w->site_of[site] = timeline_add_site(w->plan, place_of(w->plan, site)) + 1;
    return w->site_of[site] - 1;
}

static uint32_t zone_text(struct walk *w, const struct zone_said *z)
{
    if (!z->has_value)
        return timeline_text(w->plan, z->text);
    w->text.n = 0;
    buf_str(&w->text, str_clip(z->text, TIMELINE_TEXT_MOST / 2));
    buf_printf(&w->text, "%svalue %llu", z->text.n ? "\n" : "",
               (unsigned long long)z->value);
    return timeline_text(w->plan, buf_view(&w->text));
}

// --- zones -----------------------------------------------------------------------------

// Zones arrive in order of end; the page has them by start, outer before inner ones.
static void add_zone(struct walk *w, const struct trace_batch *b, size_t i)
{
    uint32_t depth = b->depth[i];
    if (depth > ZONE_DEPTH_MOST) {
        w->plan->of_run->n_too_deep++;
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
                               site_of(w, b->site[i], &said), zone_text(w, &said)});
}

static void put_zones(struct walk *w)
{
    vec_reserve(&w->scratch, w->order.n);
    sort_keyed(w->order.v, w->scratch.v, w->order.n);
    for (size_t i = 0; i < w->order.n; i++) {
        const struct keyed *k = &w->order.v[i];
        const struct gathered *z = &w->zones.v[k->a];
        timeline_add_zone(w->plan,
                          (struct timeline_zone){.start = k->key / (ZONE_DEPTH_MOST + 1),
                                                 .end = z->end,
                                                 .site = z->site,
                                                 .text = z->text,
                                                 .depth = (uint8_t)k->b});
    }
    w->order.n = w->zones.n = 0;
}

// --- everything else ---------------------------------------------------------------------

static void add_mark(struct walk *w, const struct trace_event *ev)
{
    struct timeline_rows *r = w->plan->of_run;
    bool is_signpost = ev->kind == TT_SIGNPOST;
    size_t *n = is_signpost ? &r->n_signposts : &r->n_messages;
    if (*n >= TIMELINE_MARKS_MOST) {
        r->n_marks_over++;
        return;
    }
    ++*n;
    uint64_t time = timeline_least(ev->time, TIMELINE_TIME_MOST);
    vec_push(&r->marks, (struct timeline_mark){
                            .time = time,
                            .row = w->row,
                            .kind = is_signpost ? TIMELINE_SIGNPOST : TIMELINE_MESSAGE,
                            .level = ev->attribute >> 24,
                            .colour = ev->attribute & 0xFFFFFF,
                            .text = timeline_clean(w->plan, ev->text, TIMELINE_TEXT_MOST),
                        });
    r->span = timeline_most(r->span, time);
}

static void add_event(struct walk *w, const struct trace_event *ev)
{
    if (ev->kind == TT_MESSAGE || ev->kind == TT_SIGNPOST)
        add_mark(w, ev);
    else
        timeline_series_take(w->series, ev);
}

// --- processes ---------------------------------------------------------------------------

static str label_of(struct timeline_plan *p, const struct trace_track *t)
{
    str name = trace_text(p->page->trace, t->name);
    if (t->kind == TRACK_FIBER)
        return arena_printf(&p->arena, "fiber %.*s", STR(name));
    return name.n ? name : arena_printf(&p->arena, "thread %u", t->tid);
}

static void add_thread(struct walk *w, uint32_t track)
{
    const struct trace *t = w->plan->page->trace;
    w->row = timeline_add_row(w->plan, w->group, label_of(w->plan, &t->tracks.v[track]));
    trace_cursor_start(w->cursor, track);
    for (const struct trace_batch *b; (b = trace_cursor_next(w->cursor));) {
        for (size_t i = 0; i < b->n_zones; i++)
            add_zone(w, b, i);
        for (size_t i = 0; i < b->n_events; i++)
            add_event(w, &b->events[i]);
    }
    put_zones(w);
}

static struct timeline_group group_of(struct timeline_plan *p,
                                      const struct trace_process *process)
{
    const struct trace *t = p->page->trace;
    const struct process *known =
        process->log == TRACE_NONE ? NULL : &t->log.processes.v[process->log];
    str name = timeline_clean(p, timeline_process_name(t, process), 200);
    str rank = known && known->rank >= 0
                   ? arena_printf(&p->arena, " rank %lld", (long long)known->rank)
                   : S("");
    return (struct timeline_group){
        .kind = TIMELINE_PROCESS,
        .id = process->pid,
        .label = arena_printf(&p->arena, "%.*s %u%.*s", STR(name), process->pid, STR(rank)),
        .about = arena_printf(&p->arena, "%zu thread%s", process->tracks.n,
                              process->tracks.n == 1 ? "" : "s"),
    };
}

void timeline_add_threads(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    struct walk w = {.plan = p, .cursor = trace_cursor_new(t)};
    w.site_of = mem_alloc(mem_bytes(sizeof *w.site_of, t->sites.n + 1));
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct trace_process *process = &t->processes.v[i];
        if (!process->tracks.n || !timeline_has_process(p, process->pid))
            continue;
        struct timeline_series series = {0};
        w.series = &series;
        w.group = timeline_add_group(p, group_of(p, process));
        for (size_t k = 0; k < process->tracks.n; k++)
            add_thread(&w, process->tracks.v[k]);
        timeline_series_put(&series, p, w.group);
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
