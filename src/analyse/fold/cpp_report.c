// cpp_report.c - one pass over the tracks for the first and last time of each kind of
// marker in each op, from which all analyses follow.
//
// A marker touches one cell, that of its op and kind. Lanes take ranges of cores, and first
// and last times do not depend on who comes first.
#include "analyse/fold/cpp_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/data/threads.h"

enum {
    WORTH_LANES = 1 << 17, // markers
    QUASAR_MHZ = 1400,     // whatever the log says: its processors share one fixed clock
};

// Both grow, so that zeroed memory is empty: the first time is kept as ~first.
struct cpp_extremes {
    uint64_t not_first, last;
};

// Cores of an op with a firmware marker, as a lane sees them one after the other.
struct cpp_cores {
    uint32_t n;
    uint32_t seen; // the last one, + 1
};

// --- the pass ------------------------------------------------------------------------

struct pass {
    const struct cpp_report *r;
    const uint16_t *numbers;
    unsigned n_lanes;
    struct pass_lane {
        struct cpp_extremes *extremes;
        struct cpp_cores *cores;
    } * lanes;
};

static void walk_track(const struct pass *p, const struct pass_lane *l, uint32_t track)
{
    const struct cpp_report *r = p->r;
    const struct trace *t = r->trace;
    const struct trace_track *k = &t->tracks.v[track];
    const uint16_t *numbers =
        p->numbers + cpp_risc_class(trace_text(t, k->risc)) * t->sites.n;
    for (size_t m = k->marker; m < (size_t)k->marker + k->n_markers; m++) {
        unsigned kind = numbers[t->markers.site[m]];
        if (!kind)
            continue;
        uint32_t op = r->ops->of_run[t->markers.run[m]];
        if (op == NO_OP)
            continue;
        struct cpp_extremes *x = &l->extremes[op * r->kinds.n + kind - 1];
        uint64_t time = t->markers.time[m];
        x->not_first = ~time > x->not_first ? ~time : x->not_first;
        x->last = time > x->last ? time : x->last;
        struct cpp_cores *c = &l->cores[op];
        if (c->seen != k->core + 1 && r->kinds.v[kind - 1].is_firmware) {
            c->seen = k->core + 1;
            c->n++;
        }
    }
}

static void walk_lane(struct lane lane, void *context)
{
    struct pass *p = context;
    const struct trace *t = p->r->trace;
    struct pass_lane *l = &p->lanes[lane.index];
    struct range range = lane_range(lane, t->cores.n);
    if (range.from == range.to && lane.index)
        return;
    size_t n = p->r->ops->n;
    l->extremes = mem_alloc(mem_bytes(sizeof *l->extremes, n * p->r->kinds.n + 1));
    l->cores = mem_alloc(mem_bytes(sizeof *l->cores, n + 1));
    for (size_t c = range.from; c < range.to; c++)
        for (size_t k = 0; k < t->cores.v[c].tracks.n; k++)
            walk_track(p, l, t->cores.v[c].tracks.v[k]);
}

// What the other lanes found goes to the first one.
static void merge_lane(struct lane lane, void *context)
{
    const struct pass *p = context;
    struct range range = lane_range(lane, p->r->ops->n);
    size_t n = p->r->kinds.n;
    for (unsigned i = 1; i < p->n_lanes; i++) {
        const struct pass_lane *from = &p->lanes[i], *to = &p->lanes[0];
        if (!from->extremes)
            continue;
        for (size_t op = range.from; op < range.to; op++)
            to->cores[op].n += from->cores[op].n;
        for (size_t x = range.from * n; x < range.to * n; x++) {
            const struct cpp_extremes *other = &from->extremes[x];
            struct cpp_extremes *mine = &to->extremes[x];
            if (other->not_first > mine->not_first)
                mine->not_first = other->not_first;
            if (other->last > mine->last)
                mine->last = other->last;
        }
    }
}

static void walk_tracks(struct cpp_report *r, const uint16_t *numbers)
{
    struct pass p = {.r = r, .numbers = numbers};
    p.n_lanes = threads_for(r->trace->markers.n, WORTH_LANES);
    p.lanes = mem_alloc(mem_bytes(sizeof *p.lanes, p.n_lanes));
    threads_run(p.n_lanes, walk_lane, &p);
    threads_run(p.n_lanes, merge_lane, &p);
    for (unsigned i = 1; i < p.n_lanes; i++) {
        mem_free(p.lanes[i].extremes);
        mem_free(p.lanes[i].cores);
    }
    r->extremes = p.lanes[0].extremes;
    r->cores = p.lanes[0].cores;
    mem_free(p.lanes);
}

// --- rows ----------------------------------------------------------------------------

void cpp_report_row(const struct cpp_report *r, uint32_t op, struct cpp_row *row)
{
    *row = (struct cpp_row){.n_cores = r->cores[op].n};
    for (size_t k = 0; k < r->kinds.n; k++) {
        const struct cpp_extremes *x = &r->extremes[op * r->kinds.n + k];
        uint64_t first = ~x->not_first, last = x->last;
        if (first > last)
            continue; // no such marker
        for (uint32_t bits = r->kinds.v[k].start; bits; bits &= bits - 1) {
            struct cpp_span *s = &row->span[__builtin_ctz(bits)];
            if (!s->has_start || first < s->start.v) {
                s->has_start = true;
                s->start.v = first;
                s->is_quasar = r->kinds.v[k].is_quasar;
            }
        }
        for (uint32_t bits = r->kinds.v[k].end; bits; bits &= bits - 1) {
            struct cpp_span *s = &row->span[__builtin_ctz(bits)];
            s->end.v = s->has_end && s->end.v > last ? s->end.v : last;
            s->has_end = true;
        }
    }
    for (int i = 0; i < CPP_ANALYSES; i++) {
        struct cpp_span *s = &row->span[i];
        s->has_end &= s->has_start && s->start.v <= s->end.v;
    }
}

bool cpp_report_duration(const struct cpp_report *r, const struct cpp_span *s, nanos *ns)
{
    int64_t mhz = s->is_quasar ? QUASAR_MHZ : r->trace->mhz;
    if (!s->has_end || mhz <= 0 || mhz > UINT32_MAX)
        return false;
    *ns = cycles_to_ns((cycles){s->end.v - s->start.v}, (uint32_t)mhz);
    return true;
}

struct place {
    uint64_t id, trace_id, trace_counter; // "none" is the largest number
    uint64_t first_time;
    uint32_t execution, op;
};

static int by_place(const void *a, const void *b)
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

static void put_in_order(struct cpp_report *r)
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
              by_place);
    for (size_t i = 0; i < ops->n; i++)
        r->order[i] = places[i].op;
    mem_free(places);
}

// --- latencies -----------------------------------------------------------------------

static const int latency_analysis[CPP_LATENCIES] = {CPP_KERNEL, CPP_DATA_MOVER};

struct latency_spans {
    struct cpp_span v[CPP_LATENCIES];
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
    // The runtime takes the clock from the op's rounded duration.
    double ns_per_cycle = (double)duration.v / (double)(s->end.v - s->start.v);
    double ns = round((double)(s->start.v - end.v) * ns_per_cycle);
    if (ns < 0x1p63)
        return (nanos){(int64_t)ns};
    return none;
}

// By the start of the kernels; those that start in the same cycle in the order of the rows.
// `before`: spans of the op that ran before these, and then of the last of them.
static void find_latencies(struct cpp_report *r, size_t from, size_t to,
                           struct cpp_span before[CPP_LATENCIES])
{
    size_t n = 0;
    struct keyed *starts = mem_alloc(mem_bytes(sizeof *starts, 2 * (to - from) + 1));
    struct latency_spans *spans = mem_alloc(mem_bytes(sizeof *spans, to - from + 1));
    for (size_t i = from; i < to; i++) {
        struct cpp_row row;
        cpp_report_row(r, r->order[i], &row);
        for (int l = 0; l < CPP_LATENCIES; l++)
            spans[i - from].v[l] = row.span[latency_analysis[l]];
        if (row.span[CPP_KERNEL].has_start)
            starts[n++] = (struct keyed){row.span[CPP_KERNEL].start.v, (uint32_t)i, 0};
        for (int l = 0; l < CPP_LATENCIES; l++)
            r->latency[r->order[i]][l] = (nanos){CPP_NO_LATENCY};
    }
    sort_keyed(starts, starts + n, n);
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < CPP_LATENCIES; l++)
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
    uint16_t *numbers = cpp_kinds_find(t, &r->kinds);
    walk_tracks(r, numbers);
    mem_free(numbers);
    put_in_order(r);
    r->latency = mem_alloc(mem_bytes(sizeof *r->latency, ops->n + 1));
    for (size_t d = 0; d < t->devices.n; d++) {
        struct cpp_span none[CPP_LATENCIES] = {0}, *before = none;
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
    vec_free(&r->kinds);
    mem_free(r->extremes);
    mem_free(r->cores);
    mem_free(r->order);
    mem_free(r->latency);
    *r = (struct cpp_report){0};
}
