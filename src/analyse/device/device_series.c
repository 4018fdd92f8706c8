// device_series.c - analyses of neighbours: collects the relevant markers from the tracks
// of a core or device and sorts them by time.
#include "base/data/sort.h"
#include "base/data/threads.h"

#include "analyse/device/device_analysis.h"

enum { WORTH_LANES = 1 << 17 }; // markers

// Why a marker was collected.
enum {
    IS_START = 1,
    IS_END = 2,
    IS_ITER = 4,   // a core's firmware starts
    IS_LAUNCH = 8, // the same in 2023 logs
    IS_EVENT = 16,
};

typedef VEC(struct keyed) gathered;
typedef VEC(struct result) results;

struct look {
    const struct device_analysis *d;
    const struct analysis *a;
    uint8_t *site_flags; // without the track's flags
};

static uint8_t *make_site_flags(const struct trace *t, const struct analysis *a)
{
    uint8_t *flags = mem_alloc(t->sites.n + 1);
    for (uint32_t s = 0; s < t->sites.n; s++) {
        const struct trace_site *site = &t->sites.v[s];
        str name = trace_text(t, site->name);
        bool is_first_last = a->type == ANALYSE_LAUNCH_FIRST_LAST;
        if (a->type == ANALYSE_EVENT) {
            bool is_event = site->type == MARKER_TS_EVENT || site->type == MARKER_TS_DATA;
            flags[s] = is_event ? IS_EVENT : 0;
            continue;
        }
        if (condition_fits_site(&a->start, t, s, is_first_last))
            flags[s] |= IS_START;
        if (condition_fits_site(&a->end, t, s, is_first_last))
            flags[s] |= IS_END;
        if (site->type == MARKER_ZONE_START && !t->is_legacy &&
            (str_is(name, "BRISC-FW") || str_is(name, "DM0-FW")))
            flags[s] |= IS_ITER;
        if (is_first_last && site->timer_id == 1)
            flags[s] |= IS_LAUNCH;
    }
    return flags;
}

static void gather_track(const struct look *look, uint32_t track, gathered *list)
{
    const struct trace *t = look->d->trace;
    const struct analysis *a = look->a;
    const struct trace_track *k = &t->tracks.v[track];
    bool by_core = a->across != ACROSS_CORE;
    unsigned allowed = IS_ITER;
    if (condition_fits_track(&a->start, t, track, by_core))
        allowed |= IS_START | IS_EVENT;
    if (a->type != ANALYSE_EVENT && condition_fits_track(&a->end, t, track, by_core))
        allowed |= IS_END;
    if (str_is(trace_text(t, k->risc), "BRISC"))
        allowed |= IS_LAUNCH;
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++) {
        unsigned flags = look->site_flags[t->markers.site[m]] & allowed;
        if (flags)
            vec_push(list, (struct keyed){t->markers.time[m], m, flags});
    }
}

static void sort_gathered(gathered *list, gathered *scratch)
{
    scratch->n = 0;
    vec_reserve(scratch, list->n);
    sort_keyed(list->v, scratch->v, list->n);
}

// --- one series ----------------------------------------------------------------------

static void find_adjacent(const struct trace *t, const struct keyed *v, size_t n,
                          uint32_t group, results *out)
{
    uint32_t start = NO_MARKER, start_iter = NO_MARKER, iter = NO_MARKER;
    for (size_t i = 0; i < n; i++) {
        if (v[i].b & IS_ITER)
            iter = v[i].a;
        if (start != NO_MARKER && v[i].b & IS_END) {
            vec_push(out, (struct result){group, start, v[i].a, start_iter, iter,
                                          v[i].key - t->markers.time[start]});
            start = NO_MARKER;
        } else if (v[i].b & IS_START) {
            start = v[i].a;
            start_iter = iter;
        }
    }
}

// From the first start to the last end after it.
static void first_last(const struct trace *t, const struct keyed *v, size_t n,
                       uint32_t group, results *out)
{
    size_t first = 0, last = n;
    while (first < n && !(v[first].b & IS_START))
        first++;
    while (last > first + 1 && !(v[last - 1].b & IS_END))
        last--;
    if (last > first + 1)
        vec_push(out,
                 (struct result){group, v[first].a, v[last - 1].a, NO_MARKER, NO_MARKER,
                                 v[last - 1].key - t->markers.time[v[first].a]});
}

static void find_launches(const struct trace *t, const struct keyed *v, size_t n,
                          uint32_t group, results *out)
{
    size_t at = 0;
    while (at < n && !(v[at].b & IS_LAUNCH))
        at++;
    while (at < n) {
        size_t end = at + 1;
        while (end < n && !(v[end].b & IS_LAUNCH))
            end++;
        first_last(t, v + at, end - at, group, out);
        at = end;
    }
}

static void look_at(const struct look *look, const struct keyed *v, size_t n,
                    uint32_t group, results *out)
{
    if (look->a->type == ANALYSE_LAUNCH_FIRST_LAST)
        find_launches(look->d->trace, v, n, group, out);
    else
        find_adjacent(look->d->trace, v, n, group, out);
}

// --- all series of an analysis -------------------------------------------------------

struct core_lanes {
    const struct look *look;
    struct core_lane {
        results found;
        VEC(uint32_t) events;
    } * lanes;
};

static void core_lane(struct lane lane, void *context)
{
    struct core_lanes *c = context;
    struct core_lane *l = &c->lanes[lane.index];
    const struct trace *t = c->look->d->trace;
    gathered list = {0}, scratch = {0};
    struct range r = lane_range(lane, t->cores.n);
    for (size_t core = r.from; core < r.to; core++) {
        list.n = 0;
        for (size_t k = 0; k < t->cores.v[core].tracks.n; k++)
            gather_track(c->look, t->cores.v[core].tracks.v[k], &list);
        sort_gathered(&list, &scratch);
        if (c->look->a->type == ANALYSE_EVENT) {
            for (size_t i = 0; i < list.n; i++)
                vec_push(&l->events, list.v[i].a);
        } else {
            look_at(c->look, list.v, list.n, (uint32_t)core, &l->found);
        }
    }
    vec_free(&list);
    vec_free(&scratch);
}

static void run_cores(const struct look *look, struct analysed *out)
{
    unsigned n = threads_for(look->d->trace->markers.n, WORTH_LANES);
    struct core_lanes c = {.look = look, .lanes = mem_alloc(mem_bytes(sizeof *c.lanes, n))};
    threads_run(n, core_lane, &c);
    for (unsigned l = 0; l < n; l++) {
        for (size_t i = 0; i < c.lanes[l].found.n; i++)
            vec_push(&out->results, c.lanes[l].found.v[i]);
        for (size_t i = 0; i < c.lanes[l].events.n; i++)
            vec_push(&out->events, c.lanes[l].events.v[i]);
        vec_free(&c.lanes[l].found);
        vec_free(&c.lanes[l].events);
    }
    mem_free(c.lanes);
}

// The list of a device, op by op, each in time order.
static void run_ops_of(const struct look *look, uint32_t device, gathered *list,
                       results *found)
{
    const struct device_analysis *d = look->d;
    size_t from = d->ops->first[device], to = d->ops->first[device + 1];
    size_t *at = mem_alloc(mem_bytes(sizeof *at, to - from + 2));
    struct keyed *sorted = mem_alloc(mem_bytes(sizeof *sorted, list->n + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < list->n; i++) {
            uint32_t m = list->v[i].a;
            uint32_t op = d->ops->of_run[d->trace->markers.run[m]];
            if (op == NO_OP || !d->op_is_used[op] || !trace_site_of(d->trace, m)->timer_id)
                continue;
            if (pass == 0)
                at[op - from + 1]++;
            else
                sorted[at[op - from]++] = list->v[i];
        }
        for (size_t op = 0; pass == 0 && op < to - from; op++)
            at[op + 1] += at[op];
    }
    for (size_t op = from, start = 0; op < to; op++) {
        size_t end = at[op - from]; // moved to its end by the second pass
        look_at(look, sorted + start, end - start, (uint32_t)op, found);
        start = end;
    }
    mem_free(sorted);
    mem_free(at);
}

static void run_devices(const struct look *look, struct analysed *out)
{
    const struct trace *t = look->d->trace;
    gathered list = {0}, scratch = {0};
    results found = {0};
    for (uint32_t device = 0; device < t->devices.n; device++) {
        const struct trace_device *dev = &t->devices.v[device];
        list.n = 0;
        for (size_t c = 0; c < dev->cores.n; c++)
            for (size_t k = 0; k < t->cores.v[dev->cores.v[c]].tracks.n; k++)
                gather_track(look, t->cores.v[dev->cores.v[c]].tracks.v[k], &list);
        sort_gathered(&list, &scratch);
        if (look->a->type == ANALYSE_EVENT)
            for (size_t i = 0; i < list.n; i++)
                vec_push(&out->events, list.v[i].a);
        else if (look->a->across == ACROSS_OPS)
            run_ops_of(look, device, &list, &found);
        else
            look_at(look, list.v, list.n, device, &found);
    }
    for (size_t i = 0; i < found.n; i++)
        vec_push(&out->results, found.v[i]);
    vec_free(&found);
    vec_free(&list);
    vec_free(&scratch);
}

void series_run(struct device_analysis *d)
{
    for (size_t i = 0; i < d->setup->analyses.n; i++) {
        const struct analysis *a = d->v[i].analysis;
        bool is_ours = a->type == ANALYSE_ADJACENT || a->type == ANALYSE_EVENT ||
                       a->type == ANALYSE_LAUNCH_FIRST_LAST;
        if (!is_ours || a->across == ACROSS_DISPATCH_OPS ||
            (a->across == ACROSS_OPS && !d->has_ops))
            continue;
        struct look look = {.d = d, .a = a, .site_flags = make_site_flags(d->trace, a)};
        if (a->across == ACROSS_CORE)
            run_cores(&look, &d->v[i]);
        else
            run_devices(&look, &d->v[i]);
        mem_free(look.site_flags);
    }
}
