// timeline_rows.c - groups, rows, zones and texts of a run's page.
#include "present/timeline/timeline_rows.h"

#include <stdlib.h>

#include "base/data/sort.h"

uint32_t timeline_add_group(struct timeline_plan *p, struct timeline_group group)
{
    vec_push(&p->groups, group);
    return (uint32_t)p->groups.n - 1;
}

uint32_t timeline_add_row(struct timeline_plan *p, uint32_t group, str label)
{
    size_t n = p->rows.n;
    bool is_first = n == 0 || p->rows.v[n - 1].group != group;
    vec_push(&p->rows, (struct timeline_row){.group = group,
                                             .core = TRACE_NONE,
                                             .y = is_first ? 0 : p->rows.v[n - 1].y + 1,
                                             .label = timeline_clean(p, label, label.n),
                                             .zone = p->of_run->starts.n});
    return (uint32_t)n;
}

void timeline_add_zone(struct timeline_plan *p, struct timeline_zone z)
{
    struct timeline_rows *r = p->of_run;
    struct timeline_row *row = &p->rows.v[p->rows.n - 1];
    // The page stores starts as unsigned differences, so they must not go back.
    if (row->n_zones && z.start < r->starts.v[r->starts.n - 1])
        z.start = r->starts.v[r->starts.n - 1];
    z.end = timeline_most(z.start, z.end);
    vec_push(&r->starts, z.start);
    vec_push(&r->ends, z.end);
    vec_push(&r->sites, z.site);
    vec_push(&r->runs, z.run);
    vec_push(&r->zone_texts, z.text);
    vec_push(&r->depths, z.depth);
    row->n_zones++;
    r->span = timeline_most(r->span, z.end == TIMELINE_NO_END ? z.start : z.end);
}

str timeline_clean(struct timeline_plan *p, str text, size_t most)
{
    struct map *strings = &p->of_run->strings;
    str cut = str_clip(text, most);
    uint32_t known = map_get(strings, cut);
    if (known == MAP_NONE) {
        struct buf b = {0};
        buf_utf8(&b, cut);
        known = map_put_copy(strings, b.n ? b.p : "", b.n, &p->arena);
        buf_free(&b);
    }
    return strings->keys.v[known];
}

uint32_t timeline_add_site(struct timeline_plan *p, struct timeline_site s)
{
    s.name = timeline_clean(p, s.name, s.name.n);
    s.file = timeline_clean(p, s.file, s.file.n);
    s.function = timeline_clean(p, s.function, s.function.n);
    vec_push(&p->all_sites, s);
    return (uint32_t)p->all_sites.n - 1;
}

uint32_t timeline_text(struct timeline_plan *p, str text)
{
    struct timeline_rows *r = p->of_run;
    if (!text.n)
        return 0;
    str cut = str_clip(text, TIMELINE_TEXT_MOST);
    uint32_t known = map_get(&r->texts, cut);
    if (known != MAP_NONE)
        return known + 1;
    if (r->texts.keys.n >= TIMELINE_TEXTS_MOST) {
        r->n_texts_over++;
        return 0;
    }
    return map_put(&r->texts, timeline_clean(p, cut, cut.n)) + 1;
}

bool timeline_has_process(const struct timeline_plan *p, uint32_t pid)
{
    const struct timeline_run *run = p->page->run;
    bool found = run->n_pids == 0;
    for (size_t i = 0; i < run->n_pids; i++)
        found |= run->pids[i] == pid;
    return found;
}

str timeline_process_name(const struct trace *t, const struct trace_process *p)
{
    str name = str_base_name(trace_text(t, p->program));
    if (name.n || p->log == TRACE_NONE)
        return name.n ? name : S("process");
    const struct process *known = &t->log.processes.v[p->log];
    if (!known->programs.n)
        return S("process");
    return str_base_name(known->programs.v[known->programs.n - 1].path);
}

// --- all of it ---------------------------------------------------------------------------

static int by_time(const void *a, const void *b)
{
    const struct timeline_mark *x = a, *y = b;
    SORT_BY(x, y, time);
    SORT_BY(x, y, row);
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct timeline_frame *x = a, *y = b;
    SORT_BY(x, y, group);
    SORT_BY(x, y, start);
    SORT_BY(x, y, end);
    return 0;
}

static void put_in_order(struct timeline_rows *r)
{
    if (r->marks.n)
        qsort(r->marks.v, r->marks.n, sizeof *r->marks.v, by_time);
    if (r->frames.n)
        qsort(r->frames.v, r->frames.n, sizeof *r->frames.v, by_start);
}

void timeline_rows_make(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    struct timeline_rows *r = p->of_run = push_one(&p->arena, struct timeline_rows);
    if (trace_has_host(t)) {
        timeline_add_programs(p);
        timeline_add_threads(p);
        r->processes = timeline_process_table(p);
        r->span = timeline_most(r->span, t->end_ns);
    }
    timeline_add_chips(p);
    timeline_add_notes(p);
    put_in_order(r);
    p->start = r->starts.v;
    p->end = r->ends.v;
    p->site = r->sites.v;
    p->run = r->runs.v;
    p->text = r->zone_texts.v;
    p->depth = r->depths.v;
    r->span = timeline_least(timeline_most(r->span, 1), TIMELINE_TIME_MOST);
    for (size_t i = 0; i < p->groups.n; i++) // all share one axis
        p->groups.v[i].span = r->span;
}

void timeline_rows_free(struct timeline_rows *r)
{
    vec_free(&r->starts);
    vec_free(&r->ends);
    vec_free(&r->sites);
    vec_free(&r->runs);
    vec_free(&r->zone_texts);
    vec_free(&r->depths);
    map_free(&r->strings);
    map_free(&r->texts);
    vec_free(&r->marks);
    vec_free(&r->frames);
    vec_free(&r->plots);
}
