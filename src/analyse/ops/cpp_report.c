// cpp_report.c - rows and latencies of the runtime's report.
#include "analyse/ops/cpp_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/data/sort.h"

enum {
    QUASAR_MHZ = 1400, // whatever the log says: its processors share one fixed clock
    ON_QUASAR = FOLD_OWN,
};

const enum duration cpp_columns[CPP_ANALYSES] = {
    DURATION_TRACE_FW,  DURATION_TRACE_KERNEL, DURATION_FIRST_TO_LAST, DURATION_FW,
    DURATION_KERNEL,    DURATION_DM,           DURATION_BRISC,         DURATION_NCRISC,
    DURATION_TRISC0,    DURATION_TRISC1,       DURATION_TRISC2,        DURATION_ERISC,
    DURATION_QUASAR_DM, DURATION_QUASAR_NEO,   DURATION_DM_FW,         DURATION_TRISC_FW,
};

static uint8_t flags_of(const struct fold *f, uint32_t site, const struct fold_kind *kind)
{
    bool is_firmware =
        str_has(trace_text(f->trace, f->trace->sites.v[site].name), S("-FW"));
    return (uint8_t)(kind->flags | (is_firmware ? FOLD_TAKE | FOLD_CORE : 0));
}

static void measure_ops(struct cpp_report *r)
{
    const struct trace *t = r->trace;
    struct arena scratch = {0};
    struct analysis v[DURATIONS];
    durations_of_report(v, &scratch);
    r->fold = (struct fold){.trace = t,
                            .n_groups = r->ops->n,
                            .group_of_run = r->ops->of_run,
                            .n_lines = DURATIONS,
                            .flags = flags_of};
    for (int i = 0; i < CPP_ANALYSES; i++) {
        const struct analysis *a = &v[cpp_columns[i]];
        r->fold.lines[cpp_columns[i]] =
            (struct fold_line){.start = &a->start, .end = &a->end};
    }
    uint8_t *flags = push_many(&scratch, uint8_t, t->tracks.n + 1);
    for (size_t k = 0; k < t->tracks.n; k++) {
        str risc = trace_text(t, t->tracks.v[k].risc);
        bool is_quasar =
            str_starts(risc, S("QUASAR_DM")) || str_starts(risc, S("QUASAR_NEO"));
        flags[k] = is_quasar ? ON_QUASAR : 0;
    }
    r->fold.track_flags = flags;
    fold_run(&r->fold);
    arena_free(&scratch);
}

// --- rows ----------------------------------------------------------------------------

static struct cpp_span span_of(const struct cpp_report *r, uint32_t op, enum duration d)
{
    uint8_t flags = 0;
    struct fold_cell x = fold_extent(&r->fold, op, d, false, &flags);
    return (struct cpp_span){.start = {x.first_time},
                             .end = {x.last_time},
                             .has_start = x.first,
                             .has_end = x.first && x.last && x.first_time <= x.last_time,
                             .is_quasar = flags & ON_QUASAR,
                             .device = r->trace->runs.v[r->ops->v[op].run].device};
}

void cpp_report_row(const struct cpp_report *r, uint32_t op, struct cpp_row *row)
{
    *row = (struct cpp_row){.n_cores = r->fold.groups[op].n_cores};
    for (unsigned i = 0; i < CPP_ANALYSES; i++)
        row->span[i] = span_of(r, op, cpp_columns[i]);
}

bool cpp_report_duration(const struct cpp_report *r, const struct cpp_span *s, nanos *ns)
{
    int64_t mhz = s->is_quasar ? QUASAR_MHZ : trace_mhz(r->trace, s->device);
    if (!s->has_end || mhz <= 0)
        return false;
    *ns = cycles_to_ns((cycles){s->end.v - s->start.v}, (uint32_t)mhz);
    return true;
}

struct place {
    uint64_t id, trace_id, trace_counter; // a missing one is the largest number
    uint64_t first_time;
    uint32_t execution, op;
};

static int by_row_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    SORT_BY(x, y, id);
    SORT_BY(x, y, trace_id);
    SORT_BY(x, y, trace_counter);
    SORT_BY(x, y, first_time);
    SORT_BY(x, y, execution);
    SORT_BY(x, y, op);
    return 0;
}

static void sort_rows(struct cpp_report *r)
{
    const struct trace *t = r->trace;
    const struct device_ops *ops = r->ops;
    struct place *places = mem_alloc(mem_bytes(sizeof *places, ops->n + 1));
    r->order = mem_alloc(mem_bytes(sizeof *r->order, ops->n + 1));
    for (size_t i = 0; i < ops->n; i++) {
        const struct trace_run *run = &t->runs.v[ops->v[i].run];
        places[i] = (struct place){
            (uint64_t)run->id,    (uint64_t)run->trace_id, (uint64_t)run->trace_counter,
            ops->v[i].first_time, run->execution,          (uint32_t)i};
    }
    for (size_t d = 0; d < t->devices.n; d++)
        qsort(places + ops->first[d], ops->first[d + 1] - ops->first[d], sizeof *places,
              by_row_key);
    for (size_t i = 0; i < ops->n; i++)
        r->order[i] = places[i].op;
    mem_free(places);
}

// --- latencies -----------------------------------------------------------------------

struct latency_spans {
    struct cpp_span v[GAPS];
};

static nanos latency_of(const struct cpp_report *r, const struct cpp_span *s,
                        struct cpp_span *before)
{
    nanos none = {CPP_NO_LATENCY}, duration;
    if (!cpp_report_duration(r, s, &duration))
        return none;
    cycles end = before->end;
    bool is_first = !before->has_end;
    *before = *s;
    if (is_first)
        return (nanos){0};
    if (s->start.v < end.v || s->start.v == s->end.v)
        return none;
    // The runtime derives the clock from the op's rounded duration.
    double ns_per_cycle = (double)duration.v / (double)(s->end.v - s->start.v);
    double ns = round((double)(s->start.v - end.v) * ns_per_cycle);
    if (ns < 0x1p63)
        return (nanos){(int64_t)ns};
    return none;
}

// Ordered by kernel start; kernels that start in the same cycle in row order. `before`:
// spans of the previous op, updated to those of the last one.
static void find_latencies(struct cpp_report *r, size_t from, size_t to,
                           struct cpp_span before[GAPS])
{
    size_t n = 0;
    struct keyed *starts = mem_alloc(mem_bytes(sizeof *starts, 2 * (to - from) + 1));
    struct latency_spans *spans = mem_alloc(mem_bytes(sizeof *spans, to - from + 1));
    for (size_t i = from; i < to; i++) {
        struct cpp_span *v = spans[i - from].v;
        for (int l = 0; l < GAPS; l++) {
            v[l] = span_of(r, r->order[i], gaps[l].of);
            r->latency[r->order[i]][l] = (nanos){CPP_NO_LATENCY};
        }
        if (v[GAP_KERNEL].has_start)
            starts[n++] = (struct keyed){v[GAP_KERNEL].start.v, (uint32_t)i, 0};
    }
    sort_keyed(starts, starts + n, n);
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < GAPS; l++)
            r->latency[r->order[starts[i].a]][l] =
                latency_of(r, &spans[starts[i].a - from].v[l], &before[l]);
    mem_free(starts);
    mem_free(spans);
}

void cpp_report_make_next(struct cpp_report *r, const struct trace *t,
                          const struct device_ops *ops, struct cpp_last *last,
                          size_t n_last)
{
    *r = (struct cpp_report){.trace = t, .ops = ops};
    measure_ops(r);
    sort_rows(r);
    r->latency = mem_alloc(mem_bytes(sizeof *r->latency, ops->n + 1));
    for (size_t d = 0; d < t->devices.n; d++) {
        struct cpp_span none[GAPS] = {0}, *before = none;
        for (size_t i = 0; i < n_last; i++)
            if (last[i].device == t->devices.v[d].id)
                before = last[i].span;
        find_latencies(r, ops->first[d], ops->first[d + 1], before);
    }
}

void cpp_report_make(struct cpp_report *r, const struct trace *t,
                     const struct device_ops *ops)
{
    cpp_report_make_next(r, t, ops, NULL, 0);
}

void cpp_report_free(struct cpp_report *r)
{
    fold_free(&r->fold);
    mem_free(r->order);
    mem_free(r->latency);
    *r = (struct cpp_report){0};
}
