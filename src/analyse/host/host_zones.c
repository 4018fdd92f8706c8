// host_zones.c - collects zone durations by lane, then sorts them site by site.
#include "analyse/host/host_zones.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/data/threads.h"

#include "trace/cursor.h"

enum { WORTH_LANES = 200000 }; // events

// --- gathering -------------------------------------------------------------------------

// Zones of one site in one group, as seen by one lane.
struct sum {
    uint32_t group, site;
    bool is_used;
    bool is_virtual; // by the clock of the process
    uint64_t count, n_open, total, self, min, max;
    __uint128_t value, squares; // of the measured quantity: durations or self times
    __uint128_t length_squares; // of durations, if those are not measured
    VEC(uint32_t) small;
    VEC(uint64_t) large; // too large for 32 bits
};

struct lane_work {
    const struct zone_choice *choice;
    const bool *wanted; // by site
    bool is_kept;       // single durations are needed
    struct sum *sums;   // by site, of the current group
    VEC(uint32_t) used;
    uint32_t group;
    bool is_virtual; // the clock of the current track
    VEC(struct sum) done;
};

struct job {
    const struct trace *r;
    const struct zone_choice *choice;
    bool *wanted;
    struct keyed *tracks; // longest first
    size_t n_tracks;
    atomic_size_t next;
    struct lane_work *lanes;
};

static inline void add_length(struct sum *s, uint64_t length, bool is_kept)
{
    s->value += length;
    s->squares += (__uint128_t)length * length;
    if (length < s->min)
        s->min = length;
    if (length > s->max)
        s->max = length;
    if (!is_kept)
        return;
    if (length <= UINT32_MAX)
        vec_push(&s->small, (uint32_t)length);
    else
        vec_push(&s->large, length);
}

static inline void add_zone(struct lane_work *w, const struct trace_batch *b, size_t i)
{
    const struct zone_choice *choice = w->choice;
    uint32_t site = b->site[i];
    uint64_t length = b->end[i] - b->start[i];
    if (!w->wanted[site] || length < choice->least_ns)
        return;
    struct sum *s = &w->sums[site];
    if (!s->is_used) {
        vec_push(&w->used, site);
        s->is_used = true;
        s->site = site;
        s->min = UINT64_MAX;
    }
    s->is_virtual |= w->is_virtual;
    bool is_open = b->flags[i] & ZONE_OPEN;
    s->n_open += is_open;
    uint64_t self = length > b->children[i] ? length - b->children[i] : 0;
    if ((is_open && !choice->with_open) || (choice->without_empty && !length))
        return;
    s->count++;
    s->total += length;
    s->self += self;
    if (choice->is_self)
        s->length_squares += (__uint128_t)length * length;
    add_length(s, choice->is_self ? self : length, w->is_kept);
}

static uint32_t group_of(const struct job *j, uint32_t track)
{
    switch (j->choice->by) {
    case ZONES_BY_THREAD: return track;
    case ZONES_BY_PROCESS: return j->r->tracks.v[track].process;
    default: return 0;
    }
}

static void finish_group(struct lane_work *w)
{
    for (size_t i = 0; i < w->used.n; i++) {
        struct sum *s = &w->sums[w->used.v[i]];
        s->group = w->group;
        vec_push(&w->done, *s);
        *s = (struct sum){0};
    }
    w->used.n = 0;
}

static void gather_lane(struct lane lane, void *context)
{
    struct job *j = context;
    struct lane_work *w = &j->lanes[lane.index];
    w->choice = j->choice;
    w->wanted = j->wanted;
    w->is_kept = j->choice->n_percentiles || j->choice->truncate_at > 0;
    w->sums = mem_alloc(mem_bytes(sizeof *w->sums, j->r->sites.n));
    struct trace_cursor *c = trace_cursor_new(j->r);
    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n_tracks;) {
        uint32_t track = j->tracks[i].a;
        if (group_of(j, track) != w->group)
            finish_group(w);
        w->group = group_of(j, track);
        w->is_virtual =
            j->r->processes.v[j->r->tracks.v[track].process].clock == PROCESS_CLOCK_VIRTUAL;
        trace_cursor_start(c, track);
        for (const struct trace_batch *b; (b = trace_cursor_next(c));)
            for (size_t k = 0; k < b->n_zones; k++)
                add_zone(w, b, k);
    }
    trace_cursor_free(c);
    finish_group(w);
    vec_free(&w->used);
    mem_free(w->sums);
}

bool zone_choice_has(const struct trace *r, const struct zone_choice *choice,
                     uint32_t process)
{
    const struct trace_process *p = &r->processes.v[process];
    if (choice->pid >= 0 && choice->pid != p->pid)
        return false;
    if (choice->rank < 0)
        return true;
    return p->log != TRACE_NONE && r->log.processes.v[p->log].rank == choice->rank;
}

bool zone_choice_has_track(const struct trace *r, const struct zone_choice *choice,
                           uint32_t track)
{
    const struct trace_track *t = &r->tracks.v[track];
    return (t->kind == TRACK_LANE) == choice->of_lanes && track_is_host(t) &&
           zone_choice_has(r, choice, t->process);
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool zone_name_has(str s, str text, bool is_exact_case)
{
    if (is_exact_case)
        return str_has(s, text);
    for (size_t i = 0; i + text.n <= s.n; i++) {
        size_t k = 0;
        while (k < text.n && to_lower(s.p[i + k]) == to_lower(text.p[k]))
            k++;
        if (k == text.n)
            return true;
    }
    return false;
}

static void choose_zones(struct job *j)
{
    const struct trace *r = j->r;
    j->wanted = mem_alloc(mem_bytes(sizeof *j->wanted, r->sites.n));
    for (size_t i = 0; i < r->sites.n; i++)
        j->wanted[i] = zone_name_has(r->strings.keys.v[r->sites.v[i].name], j->choice->name,
                                     j->choice->is_exact_case);
    j->tracks = mem_alloc(mem_bytes(2 * sizeof *j->tracks, r->tracks.n));
    for (uint32_t i = 0; i < r->tracks.n; i++)
        if (zone_choice_has_track(r, j->choice, i))
            j->tracks[j->n_tracks++] =
                (struct keyed){.key = UINT64_MAX - r->tracks.v[i].n_events, .a = i};
    sort_keyed(j->tracks, j->tracks + r->tracks.n, j->n_tracks);
}

// --- one row from the sums of all lanes ------------------------------------------------

static int by_group(const void *a, const void *b)
{
    const struct sum *const *x = a, *const *y = b;
    SORT_BY(*x, *y, group);
    SORT_BY(*x, *y, site);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Radix sort, least significant digit first; digits that are 0 in all numbers cost nothing.
static void sort_small(uint32_t *v, uint32_t *scratch, size_t n, uint32_t most)
{
    enum { DIGIT = 11, DIGITS = 1 << DIGIT };
    uint32_t *from = v, *to = scratch;
    for (int shift = 0; shift < 32 && most >> shift; shift += DIGIT) {
        size_t at[DIGITS] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            at[from[i] >> shift & (DIGITS - 1)]++;
        for (int k = 0; k < DIGITS; k++) {
            size_t count = at[k];
            at[k] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
}

// All durations of a row in order: first those that fit 32 bits, then the others.
struct lengths {
    VEC(uint32_t) small;
    VEC(uint64_t) large;
    uint32_t *scratch;
    size_t scratch_n;
};

static uint64_t length_at(const struct lengths *l, size_t i)
{
    if (i < l->small.n)
        return l->small.v[i];
    assert(l->large.v && i - l->small.n < l->large.n);
    return l->large.v[i - l->small.n];
}

// Moves the durations out of a sum: a lane's data are not needed twice.
static void take_lengths(struct lengths *l, struct sum *s)
{
    vec_reserve(&l->small, s->small.n);
    if (s->small.n)
        memcpy(l->small.v + l->small.n, s->small.v, s->small.n * sizeof *s->small.v);
    l->small.n += s->small.n;
    for (size_t i = 0; i < s->large.n; i++)
        vec_push(&l->large, s->large.v[i]);
    vec_free(&s->small);
    vec_free(&s->large);
}

static void sort_lengths(struct lengths *l)
{
    if (l->scratch_n < l->small.n) {
        mem_free(l->scratch);
        l->scratch = mem_alloc(mem_bytes(sizeof *l->scratch, l->small.n));
        l->scratch_n = l->small.n;
    }
    uint32_t most = 0;
    for (size_t i = 0; i < l->small.n; i++)
        most |= l->small.v[i];
    sort_small(l->small.v, l->scratch, l->small.n, most);
    if (l->large.n)
        qsort(l->large.v, l->large.n, sizeof *l->large.v, by_value);
}

// Interpolates linearly between the two nearest.
static double percentile(const struct lengths *l, double percent)
{
    size_t n = l->small.n + l->large.n;
    double at = (double)(n - 1) * (percent / 100);
    size_t i = (size_t)at;
    double low = (double)length_at(l, i);
    if (i + 1 >= n)
        return low;
    return low + ((double)length_at(l, i + 1) - low) * (at - (double)i);
}

static double truncated_mean(const struct lengths *l, double most)
{
    __uint128_t sum = 0;
    size_t i = 0;
    for (; i < l->small.n + l->large.n && (double)length_at(l, i) <= most; i++)
        sum += length_at(l, i);
    return i ? (double)sum / (double)i : 0;
}

// n * squares - value^2 in integers: no cancellation.
static double sample_deviation(const struct sum *s)
{
    if (s->count < 2)
        return 0;
    long double n = (long double)s->count;
    long double mean = (long double)s->value / n;
    long double spread = (long double)s->squares - mean * (long double)s->value;
    return spread > 0 ? (double)sqrtl(spread / (n - 1)) : 0;
}

static void add_sum(struct sum *to, const struct sum *s)
{
    to->count += s->count;
    to->n_open += s->n_open;
    to->is_virtual |= s->is_virtual;
    to->total += s->total;
    to->self += s->self;
    to->value += s->value;
    to->squares += s->squares;
    to->length_squares += s->length_squares;
    to->min = s->min < to->min ? s->min : to->min;
    to->max = s->max > to->max ? s->max : to->max;
}

struct reduction {
    const struct job *job;
    struct sum **sums; // by group and site
    size_t *first;     // of each row; one more at the end
    struct zone_row *rows;
    size_t n_rows;
    atomic_size_t next;
};

static void reduce_row(const struct reduction *d, size_t row, struct lengths *l)
{
    const struct zone_choice *choice = d->job->choice;
    struct sum all = {.min = UINT64_MAX};
    l->small.n = l->large.n = 0;
    for (size_t i = d->first[row]; i < d->first[row + 1]; i++) {
        add_sum(&all, d->sums[i]);
        take_lengths(l, d->sums[i]);
    }
    const struct sum *one = d->sums[d->first[row]];
    struct zone_row *to = &d->rows[row];
    *to = (struct zone_row){.site = one->site,
                            .process = TRACE_NONE,
                            .track = TRACE_NONE,
                            .count = all.count,
                            .n_open = all.n_open,
                            .is_virtual = all.is_virtual,
                            .total = all.total,
                            .self = all.self,
                            .min = all.count ? all.min : 0,
                            .max = all.max};
    if (choice->by == ZONES_BY_THREAD)
        to->track = one->group;
    if (choice->by == ZONES_BY_PROCESS)
        to->process = one->group;
    if (to->track != TRACE_NONE)
        to->process = d->job->r->tracks.v[to->track].process;
    if (!all.count)
        return;
    sort_lengths(l);
    to->mean = (double)((long double)all.value / (long double)all.count);
    to->std = sample_deviation(&all);
    to->length_squares = (double)(choice->is_self ? all.length_squares : all.squares);
    for (size_t i = 0; i < choice->n_percentiles; i++)
        to->percentiles[i] = percentile(l, choice->percentiles[i]);
    if (choice->truncate_at > 0)
        to->truncated_mean = truncated_mean(l, percentile(l, choice->truncate_at));
}

static void reduce_lane(__attribute__((unused)) struct lane lane, void *context)
{
    struct reduction *d = context;
    struct lengths l = {0};
    for (size_t i; (i = atomic_fetch_add(&d->next, 1)) < d->n_rows;)
        reduce_row(d, i, &l);
    vec_free(&l.small);
    vec_free(&l.large);
    mem_free(l.scratch);
}

static void reduce_rows(struct zone_stats *s, struct job *j, unsigned lanes)
{
    size_t n = 0, at = 0;
    for (unsigned i = 0; i < lanes; i++)
        n += j->lanes[i].done.n;
    struct reduction d = {.job = j};
    d.sums = mem_alloc(mem_bytes(sizeof *d.sums, n));
    d.first = mem_alloc(mem_bytes(sizeof *d.first, n + 1));
    for (unsigned i = 0; i < lanes; i++)
        for (size_t k = 0; k < j->lanes[i].done.n; k++)
            d.sums[at++] = &j->lanes[i].done.v[k];
    if (n)
        qsort(d.sums, n, sizeof *d.sums, by_group);
    for (size_t i = 0; i < n; i++) {
        s->n_zones += d.sums[i]->count;
        s->bytes += d.sums[i]->small.cap * sizeof(uint32_t) +
                    d.sums[i]->large.cap * sizeof(uint64_t);
        if (i == 0 || by_group(&d.sums[i - 1], &d.sums[i]) != 0)
            d.first[d.n_rows++] = i;
    }
    d.first[d.n_rows] = n;
    vec_reserve(&s->rows, d.n_rows);
    d.rows = s->rows.v;
    threads_run(lanes, reduce_lane, &d);
    s->rows.n = d.n_rows;
    mem_free(d.sums);
    mem_free(d.first);
}

void zone_stats_make(struct zone_stats *s, const struct trace *r,
                     const struct zone_choice *choice)
{
    *s = (struct zone_stats){0};
    struct job j = {.r = r, .choice = choice};
    choose_zones(&j);
    for (size_t i = 0; i < j.n_tracks; i++)
        s->n_events += r->tracks.v[j.tracks[i].a].n_events;
    unsigned lanes = threads_for((size_t)s->n_events, WORTH_LANES);
    j.lanes = mem_alloc(mem_bytes(sizeof *j.lanes, lanes));
    threads_run(lanes, gather_lane, &j);
    reduce_rows(s, &j, lanes);
    for (unsigned i = 0; i < lanes; i++)
        vec_free(&j.lanes[i].done);
    mem_free(j.lanes);
    mem_free(j.tracks);
    mem_free(j.wanted);
}

void zone_stats_free(struct zone_stats *s)
{
    vec_free(&s->rows);
}
