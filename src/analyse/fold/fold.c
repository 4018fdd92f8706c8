// fold.c - the pass over the tracks, and the merging of lanes.
#include "analyse/fold/fold.h"

#include "base/data/threads.h"

#include "analyse/fold/kinds.h"

enum { WORTH_LANES = 1 << 17 }; // markers

struct fold_lane {
    struct fold_cell *cells;
    struct fold_group *groups;
    uint64_t *sums;
    struct fold_on_core *on_core[FOLD_LINES]; // by group
    VEC(uint32_t) touched;                    // groups of the current core
    void *state;
};

struct pass {
    struct fold *f;
    struct fold_kinds k;
    struct fold_lane *lanes;
};

// --- a track -------------------------------------------------------------------------

static inline void keep_first(struct fold_cell *x, uint64_t time, uint32_t marker)
{
    if (!x->first || time < x->first_time) {
        x->first = marker;
        x->first_time = time;
    }
}

static inline void keep_last(struct fold_cell *x, uint64_t time, uint32_t marker)
{
    if (!x->last || time >= x->last_time) {
        x->last = marker;
        x->last_time = time;
    }
}

static void keep_on_core(const struct pass *p, struct fold_lane *l,
                         const struct fold_marker *m)
{
    bool is_new = false;
    for (uint64_t bits = p->k.per_core; bits; bits &= bits - 1) {
        unsigned line = (unsigned)__builtin_ctzll(bits);
        struct fold_on_core *c = &l->on_core[line][m->group];
        if (c->core != m->core + 1) {
            *c = (struct fold_on_core){.core = m->core + 1, .seen = m->time};
            is_new = true;
        }
        bool is_start = m->kind->start >> line & 1, is_end = m->kind->end >> line & 1;
        c->seen = m->time < c->seen ? m->time : c->seen;
        c->n += is_start | is_end;
        if (is_start)
            keep_first(&c->x, m->time, m->marker + 1);
        if (is_end)
            keep_last(&c->x, m->time, m->marker + 1);
    }
    if (is_new)
        vec_push(&l->touched, m->group);
}

// Consecutive markers of one group on a track.
struct stretch {
    uint32_t group, n;
    unsigned what; // to be done with any of them
};

static void end_stretch(struct fold_lane *l, const struct stretch *s, uint32_t core)
{
    if (s->group == FOLD_NO_GROUP)
        return;
    struct fold_group *g = &l->groups[s->group];
    g->n_markers += s->n;
    if (s->what & KIND_CORE && g->core != core + 1) {
        g->core = core + 1;
        g->n_cores++;
    }
}

static uint32_t fixed_group(const struct fold *f, const struct trace_track *k)
{
    return f->by_core ? k->core : f->trace->cores.v[k->core].device;
}

// The hot loop of a fold. Times of a track grow: a marker that matches no line is news
// about its core only as the first of its group.
static void fold_track(const struct pass *p, struct fold_lane *l, uint32_t track)
{
    const struct fold *f = p->f;
    const struct trace_markers *markers = &f->trace->markers;
    const struct trace_track *k = &f->trace->tracks.v[track];
    const uint32_t *entries = fold_kinds_of(&p->k, f, track);
    const uint32_t *site = markers->site, *run = markers->run, *of_run = f->group_of_run;
    const uint32_t end = k->marker + k->n_markers;
    const unsigned at_first = p->k.per_core ? KIND_ON_CORE : 0;
    struct stretch now = {.group = FOLD_NO_GROUP};
    struct fold_cell *cells = NULL; // of the group
    for (uint32_t m = k->marker; m < end; m++) {
        uint32_t entry = entries[site[m]];
        if (!entry)
            continue;
        uint32_t group = of_run ? of_run[run[m]] : fixed_group(f, k);
        if (group == FOLD_NO_GROUP)
            continue;
        unsigned what = entry;
        if (group != now.group) {
            end_stretch(l, &now, k->core);
            now = (struct stretch){.group = group};
            cells = l->cells + group * f->kinds.n;
            what |= at_first;
        }
        now.n++;
        now.what |= what;
        uint32_t kind = (entry >> KIND_BITS) - 1;
        uint64_t time = markers->time[m];
        if (what & KIND_FITS) {
            keep_first(&cells[kind], time, m + 1);
            keep_last(&cells[kind], time, m + 1);
        }
        if (!(what & (KIND_ON_CORE | KIND_WATCH)))
            continue;
        struct fold_marker at = {m, track, k->core, group, time, &f->kinds.v[kind]};
        if (what & KIND_ON_CORE)
            keep_on_core(p, l, &at);
        if (what & KIND_WATCH)
            f->watch.marker(l->state, &at);
    }
    end_stretch(l, &now, k->core);
    if (f->watch.track_end)
        f->watch.track_end(l->state);
}

static void fold_data(const struct pass *p, struct fold_lane *l, uint32_t track)
{
    const struct fold *f = p->f;
    const struct trace *t = f->trace;
    const struct trace_track *k = &t->tracks.v[track];
    for (uint32_t i = k->datum; i < k->datum + k->n_data; i++) {
        const struct trace_datum *d = &t->data.v[i];
        uint32_t group = f->group_of_run ? f->group_of_run[t->markers.run[d->marker]]
                                         : fixed_group(f, k);
        if (group == FOLD_NO_GROUP)
            continue;
        uint64_t sums = fold_kinds_sums(&p->k, f, t->markers.site[d->marker], track);
        for (; sums; sums &= sums - 1)
            l->sums[(size_t)group * f->n_lines + (size_t)__builtin_ctzll(sums)] += d->data;
        if (f->watch.datum)
            f->watch.datum(l->state, group, d);
    }
}

// --- a lane --------------------------------------------------------------------------

static void start_fold_lane(const struct pass *p, struct fold_lane *l)
{
    const struct fold *f = p->f;
    size_t n = f->n_groups;
    l->cells = mem_alloc(mem_bytes(sizeof *l->cells, n * f->kinds.n + 1));
    l->groups = mem_alloc(mem_bytes(sizeof *l->groups, n + 1));
    if (p->k.sums)
        l->sums = mem_alloc(mem_bytes(sizeof *l->sums, n * f->n_lines + 1));
    for (uint64_t bits = p->k.per_core; bits; bits &= bits - 1)
        l->on_core[__builtin_ctzll(bits)] =
            mem_alloc(mem_bytes(sizeof **l->on_core, n + 1));
    if (f->watch.start)
        f->watch.start(l->state, f);
}

// The core is done: its groups are complete on it.
static void finish_core(const struct pass *p, struct fold_lane *l)
{
    for (size_t i = 0; i < l->touched.n; i++)
        for (uint64_t bits = p->k.per_core; bits; bits &= bits - 1) {
            unsigned line = (unsigned)__builtin_ctzll(bits);
            uint32_t group = l->touched.v[i];
            p->f->watch.core_end(l->state, line, group, &l->on_core[line][group]);
        }
    l->touched.n = 0;
}

static void fold_lane(struct lane lane, void *context)
{
    const struct pass *p = context;
    const struct trace *t = p->f->trace;
    struct fold_lane *l = &p->lanes[lane.index];
    start_fold_lane(p, l);
    struct range r = lane_range(lane, t->cores.n);
    for (size_t c = r.from; c < r.to; c++) {
        for (size_t k = 0; k < t->cores.v[c].tracks.n; k++) {
            fold_track(p, l, t->cores.v[c].tracks.v[k]);
            if (p->k.sums || p->f->watch.datum)
                fold_data(p, l, t->cores.v[c].tracks.v[k]);
        }
        finish_core(p, l);
    }
    for (unsigned i = 0; i < FOLD_LINES; i++)
        mem_free(l->on_core[i]);
    vec_free(&l->touched);
}

// Merges the other lanes' results into the first one, in lane order.
static void merge_lanes(struct lane lane, void *context)
{
    const struct pass *p = context;
    struct range r = lane_range(lane, p->f->n_groups);
    size_t n_kinds = p->f->kinds.n, n_lines = p->f->n_lines;
    const struct fold_lane *to = &p->lanes[0];
    for (unsigned i = 1; i < p->f->n_lanes; i++) {
        const struct fold_lane *from = &p->lanes[i];
        for (size_t g = r.from; g < r.to; g++) {
            to->groups[g].n_markers += from->groups[g].n_markers;
            to->groups[g].n_cores += from->groups[g].n_cores;
        }
        for (size_t x = r.from * n_kinds; x < r.to * n_kinds; x++) {
            const struct fold_cell *other = &from->cells[x];
            if (!other->first)
                continue;
            keep_first(&to->cells[x], other->first_time, other->first);
            keep_last(&to->cells[x], other->last_time, other->last);
        }
        for (size_t x = r.from * n_lines; to->sums && x < r.to * n_lines; x++)
            to->sums[x] += from->sums[x];
    }
}

void fold_run(struct fold *f)
{
    struct pass p = {.f = f};
    fold_kinds_make(&p.k, f);
    f->n_lanes = threads_for(f->trace->markers.n, WORTH_LANES);
    p.lanes = mem_alloc(mem_bytes(sizeof *p.lanes, f->n_lanes));
    f->states = mem_alloc(mem_bytes(f->watch.bytes, f->n_lanes) + 1);
    for (unsigned i = 0; i < f->n_lanes; i++)
        p.lanes[i].state = fold_state(f, i);
    threads_run(f->n_lanes, fold_lane, &p);
    threads_run(f->n_lanes, merge_lanes, &p);
    for (unsigned i = 1; i < f->n_lanes; i++) {
        mem_free(p.lanes[i].cells);
        mem_free(p.lanes[i].groups);
        mem_free(p.lanes[i].sums);
    }
    f->cells = p.lanes[0].cells;
    f->groups = p.lanes[0].groups;
    f->sums = p.lanes[0].sums;
    mem_free(p.lanes);
    fold_kinds_free(&p.k);
}

void fold_free(struct fold *f)
{
    vec_free(&f->kinds);
    mem_free(f->cells);
    mem_free(f->groups);
    mem_free(f->sums);
    mem_free(f->states);
    *f = (struct fold){0};
}

// --- results -------------------------------------------------------------------------

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
    return a < b; // tracks of a core and markers of a track are sorted
}

// At equal times the order of the series decides.
static bool is_earlier(const struct trace *t, uint64_t time, uint32_t marker,
                       uint64_t other_time, uint32_t other)
{
    return time != other_time ? time < other_time : series_before(t, marker - 1, other - 1);
}

struct fold_cell fold_extent(const struct fold *f, uint32_t group, unsigned line,
                             bool is_strict, uint8_t *flags)
{
    const uint64_t bit = UINT64_C(1) << line;
    struct fold_cell all = {0};
    for (size_t i = 0; i < f->kinds.n; i++) {
        const struct fold_kind *k = &f->kinds.v[i];
        const struct fold_cell *x = &f->cells[group * f->kinds.n + i];
        if (!x->first)
            continue;
        if (k->start & bit && (k->can_begin || !is_strict) &&
            (!all.first ||
             is_earlier(f->trace, x->first_time, x->first, all.first_time, all.first))) {
            all.first = x->first;
            all.first_time = x->first_time;
            if (flags)
                *flags = k->flags;
        }
        if (k->end & bit && (k->can_end || !is_strict) &&
            (!all.last ||
             is_earlier(f->trace, all.last_time, all.last, x->last_time, x->last))) {
            all.last = x->last;
            all.last_time = x->last_time;
        }
    }
    return all;
}

bool fold_is_span(const struct trace *t, const struct fold_cell *x)
{
    return x->first && x->last &&
           is_earlier(t, x->first_time, x->first, x->last_time, x->last);
}
