// device_reduce.c - first and last markers of every op, core and device, and sums, in one
// pass over the tracks.
//
// Tracks are walked in the order of the series, so that among markers of the same time the
// first one seen is the first of the series, and the last one seen the last. Lanes take
// ranges of cores and are put together in their order.
#include "base/data/threads.h"

#include "analyse/device/device_analysis.h"

enum {
    WORTH_LANES = 1 << 17, // markers
    AT_ONCE = 64,          // analyses: a bit each
};

struct extremes {
    uint64_t first_time, last_time;
    uint32_t first, last; // markers, + 1; 0 = none
};

// The extremes of one op on the core that is being walked.
struct core_extremes {
    struct extremes x;
    uint64_t seen; // time of the first marker of any kind
    uint32_t core; // + 1; another core means: empty
};

struct core_result {
    uint32_t op, start, end;
    uint64_t seen;
};

struct plan {
    struct device_analysis *d;
    size_t n; // analyses of this pass
    struct analysed *a[AT_ONCE];
    uint64_t *start_site, *end_site;   // by site: a bit for each analysis it fits
    uint64_t *start_track, *end_track; // by track
    uint64_t per_core;                 // bits of op_core_first_last
    uint64_t sums;                     // bits of sums: a walk of their own
    uint64_t by_op, by_core;           // bits by what makes a group; else the device
    size_t n_groups[AT_ONCE];
    struct reduce_lane *lanes;
};

struct reduce_lane {
    struct extremes *x[AT_ONCE]; // by group
    uint64_t *sum[AT_ONCE];      // by group, for sums
    struct core_extremes *on_core[AT_ONCE];
    VEC(struct core_result) core_results[AT_ONCE];
    VEC(uint32_t) touched[AT_ONCE]; // ops of the present core
};

static inline void keep(struct extremes *x, uint64_t time, uint32_t marker, bool is_start,
                        bool is_end)
{
    if (is_start && (!x->first || time < x->first_time)) {
        x->first = marker + 1;
        x->first_time = time;
    }
    if (is_end && (!x->last || time >= x->last_time)) {
        x->last = marker + 1;
        x->last_time = time;
    }
}

static void keep_on_core(struct reduce_lane *l, size_t i, uint32_t op, uint32_t core,
                         uint64_t time, uint32_t marker, bool is_start, bool is_end)
{
    struct core_extremes *c = &l->on_core[i][op];
    if (c->core != core + 1) {
        *c = (struct core_extremes){.core = core + 1, .seen = time};
        vec_push(&l->touched[i], op);
    }
    if (time < c->seen)
        c->seen = time;
    keep(&c->x, time, marker, is_start, is_end);
}

static void reduce_track(const struct plan *p, struct reduce_lane *l, uint32_t track)
{
    const struct trace *t = p->d->trace;
    const struct trace_track *k = &t->tracks.v[track];
    uint32_t device = t->cores.v[k->core].device;
    uint64_t start_track = p->start_track[track], end_track = p->end_track[track];
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++) {
        uint32_t site = t->markers.site[m];
        uint64_t start = p->start_site[site] & start_track;
        uint64_t end = p->end_site[site] & end_track;
        uint64_t bits = ((start | end) & ~p->sums) | p->per_core;
        if (!bits)
            continue;
        uint32_t op = p->d->ops->of_run[t->markers.run[m]];
        // No marker with id 0 is part of an op.
        if (op == NO_OP || !p->d->op_is_used[op] || t->sites.v[site].timer_id == 0)
            bits &= ~p->by_op;
        uint64_t time = t->markers.time[m];
        for (; bits; bits &= bits - 1) {
            size_t i = (size_t)__builtin_ctzll(bits);
            uint64_t bit = bits & -bits;
            if (bit & p->per_core) {
                keep_on_core(l, i, op, k->core, time, m, start & bit, end & bit);
                continue;
            }
            uint32_t group = bit & p->by_op ? op : bit & p->by_core ? k->core : device;
            keep(&l->x[i][group], time, m, start & bit, end & bit);
        }
    }
}

static void sum_track(const struct plan *p, struct reduce_lane *l, uint32_t track)
{
    const struct trace *t = p->d->trace;
    const struct trace_track *k = &t->tracks.v[track];
    for (uint32_t i = k->datum; i < k->datum + k->n_data; i++) {
        const struct trace_datum *datum = &t->data.v[i];
        uint32_t site = t->markers.site[datum->marker];
        uint32_t op = p->d->ops->of_run[t->markers.run[datum->marker]];
        for (size_t a = 0; a < p->n; a++) {
            const struct analysis *what = p->a[a]->analysis;
            bool fits = p->start_site[site] & p->start_track[track] & UINT64_C(1) << a;
            bool is_of_op =
                op != NO_OP && p->d->op_is_used[op] && t->sites.v[site].timer_id;
            if (what->type != ANALYSE_SUM || !fits ||
                (what->across == ACROSS_OPS && !is_of_op))
                continue;
            uint32_t group = what->across == ACROSS_OPS    ? op
                             : what->across == ACROSS_CORE ? k->core
                                                           : t->cores.v[k->core].device;
            l->sum[a][group] += datum->data;
        }
    }
}

// The core is done: what its ops had on it are results.
static void finish_core(const struct plan *p, struct reduce_lane *l)
{
    const struct trace *t = p->d->trace;
    for (size_t i = 0; i < p->n; i++) {
        for (size_t k = 0; k < l->touched[i].n; k++) {
            uint32_t op = l->touched[i].v[k];
            const struct core_extremes *c = &l->on_core[i][op];
            if (c->x.first && c->x.last && series_before(t, c->x.first - 1, c->x.last - 1))
                vec_push(&l->core_results[i],
                         (struct core_result){op, c->x.first - 1, c->x.last - 1, c->seen});
        }
        l->touched[i].n = 0;
    }
}

static void reduce_lane(struct lane lane, void *context)
{
    const struct plan *p = context;
    const struct trace *t = p->d->trace;
    struct reduce_lane *l = &p->lanes[lane.index];
    for (size_t i = 0; i < p->n; i++) {
        size_t n = p->n_groups[i] + 1;
        if (p->sums & UINT64_C(1) << i)
            l->sum[i] = mem_alloc(mem_bytes(sizeof *l->sum[i], n));
        else if (p->per_core & UINT64_C(1) << i)
            l->on_core[i] = mem_alloc(mem_bytes(sizeof *l->on_core[i], n));
        else
            l->x[i] = mem_alloc(mem_bytes(sizeof *l->x[i], n));
    }
    struct range r = lane_range(lane, t->cores.n);
    for (size_t c = r.from; c < r.to; c++) {
        const struct trace_core *core = &t->cores.v[c];
        for (size_t k = 0; k < core->tracks.n; k++) {
            reduce_track(p, l, core->tracks.v[k]);
            if (p->sums)
                sum_track(p, l, core->tracks.v[k]);
        }
        finish_core(p, l);
    }
}

// --- putting lanes together ----------------------------------------------------------

static void add_extremes(struct extremes *to, const struct extremes *from)
{
    if (from->first && (!to->first || from->first_time < to->first_time)) {
        to->first = from->first;
        to->first_time = from->first_time;
    }
    if (from->last && (!to->last || from->last_time >= to->last_time)) {
        to->last = from->last;
        to->last_time = from->last_time;
    }
}

static void put_result(struct plan *p, size_t i, uint32_t group, uint32_t start,
                       uint32_t end)
{
    const uint64_t *time = p->d->trace->markers.time;
    vec_push(&p->a[i]->results, (struct result){.group = group,
                                                .start = start,
                                                .end = end,
                                                .start_iter = NO_MARKER,
                                                .end_iter = NO_MARKER,
                                                .cycles = time[end] - time[start]});
}

static void take_extremes(struct plan *p, size_t i, unsigned n_lanes)
{
    for (uint32_t g = 0; g < p->n_groups[i]; g++) {
        struct extremes x = {0};
        for (unsigned l = 0; l < n_lanes; l++)
            add_extremes(&x, &p->lanes[l].x[i][g]);
        if (x.first && x.last && series_before(p->d->trace, x.first - 1, x.last - 1))
            put_result(p, i, g, x.first - 1, x.last - 1);
    }
}

static void take_sums(struct plan *p, size_t i, unsigned n_lanes)
{
    for (uint32_t g = 0; g < p->n_groups[i]; g++) {
        uint64_t sum = 0;
        for (unsigned l = 0; l < n_lanes; l++)
            sum += p->lanes[l].sum[i][g];
        if (sum)
            vec_push(&p->a[i]->results, (struct result){.group = g,
                                                        .start = NO_MARKER,
                                                        .end = NO_MARKER,
                                                        .start_iter = NO_MARKER,
                                                        .end_iter = NO_MARKER,
                                                        .cycles = sum});
    }
}

// By op, and in each op by when a core was first seen.
static void take_core_results(struct plan *p, size_t i, unsigned n_lanes)
{
    size_t n_ops = p->n_groups[i], total = 0;
    size_t *at = mem_alloc(mem_bytes(sizeof *at, n_ops + 2));
    for (unsigned l = 0; l < n_lanes; l++) {
        total += p->lanes[l].core_results[i].n;
        for (size_t k = 0; k < p->lanes[l].core_results[i].n; k++)
            at[p->lanes[l].core_results[i].v[k].op + 1]++;
    }
    for (size_t op = 0; op < n_ops; op++)
        at[op + 1] += at[op];
    struct core_result *sorted = mem_alloc(mem_bytes(sizeof *sorted, total + 1));
    for (unsigned l = 0; l < n_lanes; l++)
        for (size_t k = 0; k < p->lanes[l].core_results[i].n; k++) {
            const struct core_result *r = &p->lanes[l].core_results[i].v[k];
            sorted[at[r->op]++] = *r;
        }
    vec_reserve(&p->a[i]->results, total);
    for (size_t k = 0; k < total;) {
        size_t end = k;
        while (end < total && sorted[end].op == sorted[k].op)
            end++;
        // Cores seen at the same time stay in their order.
        for (size_t j = k + 1; j < end; j++) {
            struct core_result r = sorted[j];
            size_t hole = j;
            for (; hole > k && sorted[hole - 1].seen > r.seen; hole--)
                sorted[hole] = sorted[hole - 1];
            sorted[hole] = r;
        }
        for (; k < end; k++)
            put_result(p, i, sorted[k].op, sorted[k].start, sorted[k].end);
    }
    mem_free(sorted);
    mem_free(at);
}

static void free_lanes(struct plan *p, unsigned n_lanes)
{
    for (unsigned l = 0; l < n_lanes; l++)
        for (size_t i = 0; i < p->n; i++) {
            mem_free(p->lanes[l].x[i]);
            mem_free(p->lanes[l].sum[i]);
            mem_free(p->lanes[l].on_core[i]);
            vec_free(&p->lanes[l].core_results[i]);
            vec_free(&p->lanes[l].touched[i]);
        }
    mem_free(p->lanes);
}

// --- the pass ------------------------------------------------------------------------

static bool is_reduced(const struct device_analysis *d, const struct analysis *a)
{
    if (a->across == ACROSS_DISPATCH_OPS || (a->across == ACROSS_OPS && !d->has_ops))
        return false;
    return a->type == ANALYSE_SESSION_FIRST_LAST || a->type == ANALYSE_OP_FIRST_LAST ||
           a->type == ANALYSE_OP_CORE_FIRST_LAST || a->type == ANALYSE_SUM;
}

static void compile(struct plan *p, size_t i)
{
    const struct trace *t = p->d->trace;
    const struct analysis *a = p->a[i]->analysis;
    uint64_t bit = UINT64_C(1) << i;
    bool is_sum = a->type == ANALYSE_SUM;
    p->n_groups[i] = a->across == ACROSS_OPS    ? p->d->ops->n
                     : a->across == ACROSS_CORE ? t->cores.n
                                                : t->devices.n;
    p->by_op |= a->across == ACROSS_OPS ? bit : 0;
    p->by_core |= a->across == ACROSS_CORE ? bit : 0;
    p->per_core |= a->type == ANALYSE_OP_CORE_FIRST_LAST ? bit : 0;
    p->sums |= is_sum ? bit : 0;
    for (uint32_t s = 0; s < t->sites.n; s++) {
        p->start_site[s] |= condition_fits_site(&a->start, t, s, !is_sum) ? bit : 0;
        p->end_site[s] |= condition_fits_site(&a->end, t, s, true) ? bit : 0;
    }
    bool by_core = a->across != ACROSS_CORE;
    for (uint32_t k = 0; k < t->tracks.n; k++) {
        p->start_track[k] |= condition_fits_track(&a->start, t, k, by_core) ? bit : 0;
        p->end_track[k] |= condition_fits_track(&a->end, t, k, by_core) ? bit : 0;
    }
}

static void run_pass(struct plan *p)
{
    const struct trace *t = p->d->trace;
    struct arena scratch = {0};
    p->start_site = push_many(&scratch, uint64_t, t->sites.n + 1);
    p->end_site = push_many(&scratch, uint64_t, t->sites.n + 1);
    p->start_track = push_many(&scratch, uint64_t, t->tracks.n + 1);
    p->end_track = push_many(&scratch, uint64_t, t->tracks.n + 1);
    for (size_t i = 0; i < p->n; i++)
        compile(p, i);
    unsigned n_lanes = threads_for(t->markers.n, WORTH_LANES);
    p->lanes = mem_alloc(mem_bytes(sizeof *p->lanes, n_lanes));
    threads_run(n_lanes, reduce_lane, p);
    for (size_t i = 0; i < p->n; i++) {
        enum analysis_type type = p->a[i]->analysis->type;
        if (type == ANALYSE_SUM)
            take_sums(p, i, n_lanes);
        else if (type == ANALYSE_OP_CORE_FIRST_LAST)
            take_core_results(p, i, n_lanes);
        else
            take_extremes(p, i, n_lanes);
    }
    free_lanes(p, n_lanes);
    arena_free(&scratch);
}

void reduce_run(struct device_analysis *d)
{
    for (size_t at = 0; at < d->setup->analyses.n;) {
        struct plan p = {.d = d};
        for (; at < d->setup->analyses.n && p.n < AT_ONCE; at++)
            if (is_reduced(d, d->v[at].analysis))
                p.a[p.n++] = &d->v[at];
        if (p.n)
            run_pass(&p);
    }
}
