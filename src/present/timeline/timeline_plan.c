// timeline_plan.c - groups, rows, sites and runs of the page.
#include "present/timeline/timeline_plan.h"

#include <stdlib.h>

#include "base/data/sort.h"

#include "present/timeline/timeline_rows.h"

// --- rows ---

static int by_grid(const void *a, const void *b)
{
    const struct timeline_row *k = a, *l = b;
    SORT_BY(k, l, group);
    SORT_BY(k, l, y);
    SORT_BY(k, l, x);
    unsigned rank = risc_rank(k->label), other = risc_rank(l->label);
    if (rank != other)
        return rank < other ? -1 : 1;
    int order = str_cmp(k->label, l->label);
    return order ? order : (k->track > l->track) - (k->track < l->track);
}

static void find_rows(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    p->group_of = push_many(&p->arena, uint32_t, t->devices.n + 1);
    memset(p->group_of, 0xFF, t->devices.n * sizeof *p->group_of);
    if (p->page->run)
        timeline_rows_make(p);
    else
        timeline_add_devices(p);
    if (p->rows.n)
        qsort(p->rows.v, p->rows.n, sizeof *p->rows.v, by_grid);
    for (size_t i = 0; i < p->rows.n; i++)
        p->n_zones += p->rows.v[i].n_zones;
}

// --- numbers of the page ---

static void number_sites(struct timeline_plan *p, const bool *occurs)
{
    p->site_of = push_many(&p->arena, uint32_t, p->all_sites.n + 1);
    for (uint32_t i = 0; i < p->all_sites.n; i++) {
        if (!occurs[i])
            continue;
        p->site_of[i] = (uint32_t)p->sites.n;
        vec_push(&p->sites, i);
        vec_push(&p->name_of, map_put(&p->names, p->all_sites.v[i].name));
    }
}

// Ops of shown devices.
static void number_runs(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    const struct device_ops *ops = p->page->ops;
    if (!ops)
        return;
    p->run_of = push_many(&p->arena, uint32_t, ops->n + 1);
    for (uint32_t i = 0; i < ops->n; i++) {
        const struct device_op *op = &ops->v[i];
        if (p->group_of[t->runs.v[op->run].device] == TIMELINE_NOT_SHOWN)
            continue;
        vec_push(&p->runs, i);
        p->run_of[i] = (uint32_t)p->runs.n;
    }
}

void timeline_plan_make(struct timeline_plan *p, const struct timeline_page *page)
{
    *p = (struct timeline_plan){.page = page};
    find_rows(p);
    struct timeline_survey s = timeline_survey(p);
    p->n_kept = p->n_zones;
    number_sites(p, s.site_occurs);
    number_runs(p);
    if (p->n_zones > page->max_zones)
        timeline_keep(p, s.cells);
}

void timeline_plan_free(struct timeline_plan *p)
{
    if (p->of_run)
        timeline_rows_free(p->of_run);
    vec_free(&p->groups);
    vec_free(&p->rows);
    vec_free(&p->all_sites);
    vec_free(&p->windows);
    vec_free(&p->sites);
    map_free(&p->names);
    vec_free(&p->name_of);
    vec_free(&p->runs);
    arena_free(&p->arena);
}
