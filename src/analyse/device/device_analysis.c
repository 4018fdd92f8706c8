// device_analysis.c - runs a setup.
#include "analyse/device/device_analysis.h"

struct result result_of_span(const struct trace *t, uint32_t group, uint32_t start,
                             uint32_t end)
{
    return (struct result){.group = group,
                           .start = start,
                           .end = end,
                           .start_iter = NO_MARKER,
                           .end_iter = NO_MARKER,
                           .cycles = t->markers.time[end] - t->markers.time[start]};
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

// Of a traced program the first execution counts, as in tt-metal's statistics. The ops
// report has all of them.
static void run_dispatch_ops(struct device_analysis *d)
{
    for (size_t i = 0; i < d->setup->analyses.n; i++) {
        struct analysed *a = &d->v[i];
        if (a->analysis->across != ACROSS_DISPATCH_OPS)
            continue;
        for (size_t g = 0; g < d->dispatch->v.n; g++) {
            uint32_t first, last;
            if (d->dispatch->v.v[g].nth == 0 &&
                dispatch_op_span(d->dispatch, d->trace, g, a->analysis, &first, &last))
                vec_push(&a->results, result_of_span(d->trace, (uint32_t)g, first, last));
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
    first_last_run(d);
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
