// device_analysis.c - running a setup; which markers a condition means.
#include "analyse/device/device_analysis.h"

#include <assert.h>

uint32_t track_of_marker(const struct trace *t, uint32_t marker)
{
    size_t low = 0, high = t->tracks.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (t->tracks.v[middle].marker <= marker)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

bool series_before(const struct trace *t, uint32_t a, uint32_t b)
{
    if (t->markers.time[a] != t->markers.time[b])
        return t->markers.time[a] < t->markers.time[b];
    uint32_t track_a = track_of_marker(t, a), track_b = track_of_marker(t, b);
    uint32_t core_a = t->tracks.v[track_a].core, core_b = t->tracks.v[track_b].core;
    if (core_a != core_b)
        return core_a < core_b;
    return a < b; // tracks of a core, and markers of a track, are in order
}

static bool name_fits(str want, str name, bool has_star)
{
    if (str_eq(want, name))
        return true;
    return has_star && want.n && want.p[want.n - 1] == '*' &&
           str_has(name, (str){want.p, want.n - 1});
}

bool condition_fits_site(const struct condition *c, const struct trace *t, uint32_t site,
                         bool has_star)
{
    const struct trace_site *s = &t->sites.v[site];
    if (c->timer_id >= 0 && (uint64_t)c->timer_id != s->timer_id)
        return false;
    if (c->phase.n && !str_eq(c->phase, trace_text(t, s->type_text)))
        return false;
    for (size_t i = 0; i < c->n_names; i++)
        if (name_fits(c->names[i], trace_text(t, s->name), has_star))
            return true;
    return c->n_names == 0;
}

bool condition_fits_track(const struct condition *c, const struct trace *t, uint32_t track,
                          bool by_core)
{
    const struct trace_track *k = &t->tracks.v[track];
    const struct trace_core *core = &t->cores.v[k->core];
    if (!str_is(c->risc, "ANY") && !str_eq(c->risc, trace_text(t, k->risc)))
        return false;
    return !by_core || !c->has_core || (core->x == c->x && core->y == c->y);
}

uint32_t analysed_device(const struct device_analysis *d, const struct analysed *a,
                         uint32_t group)
{
    const struct trace *t = d->trace;
    switch (a->analysis->across) {
    case ACROSS_CORE: return t->cores.v[group].device;
    case ACROSS_OPS: return t->runs.v[d->ops->v[group].run].device;
    case ACROSS_DISPATCH_OPS: return t->cores.v[d->dispatch->v.v[group].core].device;
    default: return group;
    }
}

// Dispatch ops are few: each is looked through from both ends.
static void run_dispatch_ops(struct device_analysis *d)
{
    const struct trace *t = d->trace;
    for (size_t i = 0; i < d->setup->analyses.n; i++) {
        struct analysed *a = &d->v[i];
        const struct analysis *what = a->analysis;
        if (what->across != ACROSS_DISPATCH_OPS)
            continue;
        for (size_t g = 0; g < d->dispatch->v.n; g++) {
            const struct dispatch_op *op = &d->dispatch->v.v[g];
            const uint32_t *m = d->dispatch->elements.v + op->first;
            size_t first = 0, last = op->n;
#define FITS(c, at)                                                                        \
    (condition_fits_site(&what->c, t, t->markers.site[m[at]], true) &&                     \
     condition_fits_track(&what->c, t, track_of_marker(t, m[at]), false))
            while (first < op->n && !FITS(start, first))
                first++;
            while (last > first + 1 && !FITS(end, last - 1))
                last--;
#undef FITS
            if (last > first + 1)
                vec_push(&a->results,
                         (struct result){.group = (uint32_t)g,
                                         .start = m[first],
                                         .end = m[last - 1],
                                         .start_iter = NO_MARKER,
                                         .end_iter = NO_MARKER,
                                         .cycles = t->markers.time[m[last - 1]] -
                                                   t->markers.time[m[first]]});
        }
    }
}

void device_analyse(struct device_analysis *d, const struct trace *t,
                    const struct device_ops *ops, const struct dispatch_ops *dispatch,
                    const struct setup *setup, struct analysis_choice choice)
{
    *d = (struct device_analysis){.trace = t,
                                  .ops = ops,
                                  .dispatch = dispatch,
                                  .setup = setup,
                                  .has_ops = choice.detect_ops};
    d->v = mem_alloc(mem_bytes(sizeof *d->v, setup->analyses.n + 1));
    d->op_is_used = mem_alloc(ops->n + 1);
    for (size_t i = 0; i < ops->n; i++)
        d->op_is_used[i] =
            choice.detect_ops && (ops->v[i].is_complete || choice.with_incomplete_ops);
    for (size_t i = 0; i < setup->analyses.n; i++) {
        d->v[i].analysis = &setup->analyses.v[i];
        d->v[i].device = mem_alloc(mem_bytes(sizeof *d->v[i].device, t->devices.n + 1));
    }
    reduce_run(d);
    series_run(d);
    if (choice.detect_ops)
        run_dispatch_ops(d);
    blocks_make(d);
}

void device_analysis_free(struct device_analysis *d)
{
    for (size_t i = 0; d->v && i < d->setup->analyses.n; i++) {
        vec_free(&d->v[i].results);
        vec_free(&d->v[i].blocks);
        vec_free(&d->v[i].events);
        mem_free(d->v[i].device);
        mem_free(d->v[i].by_device);
        mem_free(d->v[i].first);
    }
    mem_free(d->v);
    mem_free(d->op_is_used);
    *d = (struct device_analysis){0};
}

const struct analysed *device_analysis_find(const struct device_analysis *d, str name)
{
    for (size_t i = 0; i < d->setup->analyses.n; i++)
        if (str_eq(d->v[i].analysis->name, name))
            return &d->v[i];
    return NULL;
}
