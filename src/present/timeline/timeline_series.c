// timeline_series.c - frames from their marks, plots from their points, and the memory use
// of each pool as a plot.
#include "present/timeline/timeline_series.h"

#include <stdlib.h>

#include "base/data/sort.h"

static double real_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

void timeline_series_take(struct timeline_series *s, const struct trace_event *ev)
{
    struct series_event e = {.time = timeline_least(ev->time, TIMELINE_TIME_MOST),
                             .name = (uint32_t)ev->a,
                             .kind = (uint32_t)ev->kind,
                             .order = s->frames.n + s->points.n + s->memory.n};
    switch (ev->kind) {
    case TT_FRAME_MARK:
    case TT_FRAME_START:
    case TT_FRAME_END: vec_push(&s->frames, e); break;
    case TT_PLOT_INT:
        e.value = (double)(int64_t)ev->b;
        vec_push(&s->points, e);
        break;
    case TT_PLOT_REAL:
        e.value = real_of(ev->b);
        vec_push(&s->points, e);
        break;
    case TT_ALLOC:
        e.name = (uint32_t)ev->c;
        e.at = ev->a;
        e.value = (double)ev->b;
        vec_push(&s->memory, e);
        break;
    case TT_FREE:
        e.name = (uint32_t)ev->b;
        e.at = ev->a;
        vec_push(&s->memory, e);
        break;
    default: break;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct series_event *x = a, *y = b;
    SORT_BY(x, y, name);
    SORT_BY(x, y, time);
    SORT_BY(x, y, order);
    return 0;
}

static void put_in_order(struct series_event *v, size_t n)
{
    if (n)
        qsort(v, n, sizeof *v, by_name);
}

// Events of one name from `at` on.
static size_t same_name(const struct series_event *v, size_t n, size_t at)
{
    size_t end = at;
    while (end < n && v[end].name == v[at].name)
        end++;
    return end;
}

static str name_of(struct timeline_plan *p, uint32_t string, const char *none)
{
    str name = trace_text(p->page->trace, string);
    return name.n ? timeline_clean(p, name, name.n) : str_of(none);
}

// --- frames ----------------------------------------------------------------------------

static void put_frame(struct timeline_rows *r, struct timeline_frame f)
{
    if (r->frames.n < TIMELINE_FRAMES_MOST)
        vec_push(&r->frames, f);
    else
        r->n_frames_over++;
}

// A frame lasts from mark to mark, or from start to end.
static void put_frames(struct timeline_plan *p, uint32_t group,
                       const struct series_event *v, size_t n)
{
    struct timeline_frame open = {.group = group, .name = name_of(p, v[0].name, "frame")};
    bool is_open = false;
    for (size_t i = 0; i < n; i++) {
        open.end = v[i].time;
        if (is_open)
            put_frame(p->of_run, open);
        open.start = v[i].time;
        is_open = v[i].kind != TT_FRAME_END;
    }
    // There is no frame after the last mark; a start without an end is a frame.
    if (is_open && v[n - 1].kind == TT_FRAME_START) {
        open.end = TIMELINE_NO_END;
        open.is_open = true;
        put_frame(p->of_run, open);
    }
}

// --- plots -----------------------------------------------------------------------------

static void put_point(struct timeline_plot *plot, uint64_t *times, double *values,
                      const struct series_event *e)
{
    times[plot->n] = e->time;
    values[plot->n++] = e->value;
}

// If there are too many points, each run of neighbours is reduced to its least and
// greatest.
static void put_plot(struct timeline_plan *p, uint32_t group, str name,
                     const struct series_event *v, size_t n)
{
    size_t step = n <= TIMELINE_POINTS_MOST
                      ? 1
                      : (2 * n + TIMELINE_POINTS_MOST - 1) / TIMELINE_POINTS_MOST;
    uint64_t *times =
        push_many(&p->arena, uint64_t, timeline_least(n, TIMELINE_POINTS_MOST + 2));
    double *values =
        push_many(&p->arena, double, timeline_least(n, TIMELINE_POINTS_MOST + 2));
    struct timeline_plot plot = {
        .group = group, .name = name, .times = times, .values = values};
    for (size_t at = 0; at < n; at += step) {
        size_t low = at, high = at;
        for (size_t i = at; i < at + step && i < n; i++) {
            low = v[i].value < v[low].value ? i : low;
            high = v[i].value > v[high].value ? i : high;
        }
        put_point(&plot, times, values, &v[low < high ? low : high]);
        if (low != high)
            put_point(&plot, times, values, &v[low < high ? high : low]);
    }
    vec_push(&p->of_run->plots, plot);
}

// Turns the events of a pool into points: the bytes in use from then on.
static void sum_pool(struct series_event *v, size_t n)
{
    struct map live = {0}; // address to block
    struct arena a = {0};
    double *bytes = mem_alloc(mem_bytes(sizeof *bytes, n)); // by block
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t block = map_put_copy(&live, &v[i].at, sizeof v[i].at, &a);
        sum += v[i].value - bytes[block];
        bytes[block] = v[i].value;
        v[i].value = sum;
    }
    mem_free(bytes);
    map_free(&live);
    arena_free(&a);
}

static void put_pool(struct timeline_plan *p, uint32_t group, struct series_event *v,
                     size_t n)
{
    str pool = trace_text(p->page->trace, v[0].name);
    str name = pool.n ? arena_printf(&p->arena, "%.*s bytes", STR(pool)) : S("heap bytes");
    sum_pool(v, n);
    put_plot(p, group, timeline_clean(p, name, name.n), v, n);
}

void timeline_series_put(struct timeline_series *s, struct timeline_plan *p, uint32_t group)
{
    put_in_order(s->frames.v, s->frames.n);
    for (size_t at = 0, end; at < s->frames.n; at = end) {
        end = same_name(s->frames.v, s->frames.n, at);
        put_frames(p, group, s->frames.v + at, end - at);
    }
    put_in_order(s->points.v, s->points.n);
    for (size_t at = 0, end; at < s->points.n; at = end) {
        end = same_name(s->points.v, s->points.n, at);
        put_plot(p, group, name_of(p, s->points.v[at].name, "CPU usage"), s->points.v + at,
                 end - at);
    }
    put_in_order(s->memory.v, s->memory.n);
    for (size_t at = 0, end; at < s->memory.n; at = end) {
        end = same_name(s->memory.v, s->memory.n, at);
        put_pool(p, group, s->memory.v + at, end - at);
    }
    vec_free(&s->frames);
    vec_free(&s->points);
    vec_free(&s->memory);
}
