// device_rows_walk.c - kinds of markers, the pass, and putting lanes together.
#include "analyse/fold/device_rows_walk.h"

#include "base/data/threads.h"
#include "base/text/num.h"

enum {
    WORTH_LANES = 1 << 17, // markers
    NO_ANALYSIS = 0,
};

// What a site is besides its kind: flags of one byte.
enum {
    SITE_FW = 1, // its start opens the firmware, its end closes it
    SITE_KERNEL = 2,
    SITE_PUSH = 4, // the profiler sends its buffers to DRAM
    SITE_START = 8,
    SITE_END = 16,
    SITE_OPENS = SITE_FW | SITE_KERNEL | SITE_PUSH,
};

#define PUSH_ZONE "PROFILER-DRAM-PUSH"

static const char *const measure_names[MEASURES] = {
    [MEASURE_FW] = "device_fw_duration",
    [MEASURE_KERNEL] = "device_kernel_duration",
    [MEASURE_DM] = "device_kernel_duration_dm_start",
    [MEASURE_FIRST_TO_LAST] = "device_kernel_first_to_last_start",
    [MEASURE_BRISC] = "device_brisc_kernel_duration",
    [MEASURE_NCRISC] = "device_ncrisc_kernel_duration",
    [MEASURE_TRISC0] = "device_trisc0_kernel_duration",
    [MEASURE_TRISC1] = "device_trisc1_kernel_duration",
    [MEASURE_TRISC2] = "device_trisc2_kernel_duration",
    [MEASURE_ERISC] = "device_erisc_kernel_duration",
    [MEASURE_PER_CORE] = "device_kernel_duration_per_core",
};
static const char *const sum_names[SUMS] = {
    [SUM_CB_WAIT] = "device_compute_cb_wait_front",
    [SUM_CB_RESERVE] = "device_compute_cb_reserve_back",
};
static const char *const dispatch_names[2] = {"dispatch_total_cq_cmd_op_time",
                                              "dispatch_go_send_wait_time"};

// --- which analyses ------------------------------------------------------------------

static const struct analysis *find_analysis(const struct setup *s, const char *name)
{
    for (size_t i = 0; i < s->analyses.n; i++)
        if (str_is(s->analyses.v[i].name, name))
            return &s->analyses.v[i];
    return NULL;
}

bool device_rows_knows(const char *analysis)
{
    struct arena a = {0};
    struct setup s;
    struct err e = {0};
    bool is_known = setup_load(&s, "default_setup", &a, &e) && find_analysis(&s, analysis);
    setup_free(&s);
    arena_free(&a);
    return is_known;
}

static const struct analysis *chosen(const struct device_walk *w,
                                     struct device_rows_choice choice, const char *name)
{
    bool is_chosen = choice.n_analyses == 0;
    for (size_t i = 0; i < choice.n_analyses; i++)
        is_chosen |= strcmp(choice.analyses[i], name) == 0;
    return is_chosen ? find_analysis(&w->setup, name) : NULL;
}

static void choose(struct device_walk *w, struct device_rows_choice choice)
{
    struct err e = {0};
    if (!setup_load(&w->setup, "default_setup", &w->arena, &e))
        return; // built in: it is always there
    for (int i = 0; i < MEASURES; i++)
        w->measure[i] = chosen(w, choice, measure_names[i]);
    for (int i = 0; i < SUMS; i++)
        w->sum[i] = chosen(w, choice, sum_names[i]);
    for (int i = 0; i < 2; i++)
        w->dispatch[i] = chosen(w, choice, dispatch_names[i]);
}

// --- kinds ---------------------------------------------------------------------------

// Which conditions a site or a track fits: a bit for each measure, and for sums.
struct fits {
    uint32_t start, end, sum;
};

struct plan {
    struct device_walk *w;
    struct fits *track;  // by track
    struct fits *site;   // by site
    uint8_t *site_flags; // by site
    uint32_t *class_of;  // by track: tracks that fit the same conditions
    VEC(struct fits) classes;
    uint16_t *number; // by class and site: of the kind, from 1; 0 = nothing to do
    unsigned n_lanes;
    struct walk_lane *lanes;
};

static void fit_measure(struct plan *p, const struct analysis *a, uint32_t bit)
{
    const struct trace *t = p->w->trace;
    for (uint32_t s = 0; s < t->sites.n; s++) {
        p->site[s].start |= condition_fits_site(&a->start, t, s, true) ? bit : 0;
        p->site[s].end |= condition_fits_site(&a->end, t, s, true) ? bit : 0;
    }
    for (uint32_t k = 0; k < t->tracks.n; k++) {
        p->track[k].start |= condition_fits_track(&a->start, t, k, true) ? bit : 0;
        p->track[k].end |= condition_fits_track(&a->end, t, k, true) ? bit : 0;
    }
}

static void fit_sum(struct plan *p, const struct analysis *a, uint32_t bit)
{
    const struct trace *t = p->w->trace;
    for (uint32_t s = 0; s < t->sites.n; s++)
        p->site[s].sum |= condition_fits_site(&a->start, t, s, false) ? bit : 0;
    for (uint32_t k = 0; k < t->tracks.n; k++)
        p->track[k].sum |= condition_fits_track(&a->start, t, k, true) ? bit : 0;
}

static void fit_conditions(struct plan *p)
{
    for (int i = 0; i < MEASURES; i++)
        if (p->w->measure[i])
            fit_measure(p, p->w->measure[i], UINT32_C(1) << i);
    for (int i = 0; i < SUMS; i++)
        if (p->w->sum[i])
            fit_sum(p, p->w->sum[i], UINT32_C(1) << i);
}

static void flag_sites(struct plan *p)
{
    const struct trace *t = p->w->trace;
    const struct analysis *fw = find_analysis(&p->w->setup, measure_names[MEASURE_FW]);
    const struct analysis *kernel =
        find_analysis(&p->w->setup, measure_names[MEASURE_KERNEL]);
    for (uint32_t s = 0; s < t->sites.n; s++) {
        const struct trace_site *site = &t->sites.v[s];
        unsigned flags = 0;
        if (fw && condition_fits_site(&fw->start, t, s, true))
            flags = SITE_FW;
        else if (kernel && condition_fits_site(&kernel->start, t, s, true))
            flags = SITE_KERNEL;
        else if (str_is(trace_text(t, site->name), PUSH_ZONE))
            flags = SITE_PUSH;
        flags |= site->type == MARKER_ZONE_START ? SITE_START : 0;
        flags |= site->type == MARKER_ZONE_END ? SITE_END : 0;
        p->site_flags[s] = (uint8_t)flags;
    }
}

static void class_tracks(struct plan *p)
{
    for (size_t k = 0; k < p->w->trace->tracks.n; k++) {
        const struct fits *f = &p->track[k];
        size_t c = 0;
        while (c < p->classes.n && memcmp(&p->classes.v[c], f, sizeof *f) != 0)
            c++;
        if (c == p->classes.n)
            vec_push(&p->classes, *f);
        p->class_of[k] = (uint32_t)c;
    }
}

static uint16_t number_of(struct device_walk *w, struct walk_kind kind)
{
    for (size_t i = 0; i < w->kinds.n; i++)
        if (w->kinds.v[i].start == kind.start && w->kinds.v[i].end == kind.end &&
            w->kinds.v[i].is_fw == kind.is_fw &&
            w->kinds.v[i].can_begin == kind.can_begin &&
            w->kinds.v[i].can_end == kind.can_end)
            return (uint16_t)(i + 1);
    vec_push(&w->kinds, kind);
    return (uint16_t)w->kinds.n;
}

static void number_kinds(struct plan *p)
{
    const struct trace *t = p->w->trace;
    for (size_t c = 0; c < p->classes.n; c++)
        for (size_t s = 0; s < t->sites.n; s++) {
            struct walk_kind kind = {
                .start = p->site[s].start & p->classes.v[c].start,
                .end = p->site[s].end & p->classes.v[c].end,
                .is_fw = str_has(trace_text(t, t->sites.v[s].name), S("FW")),
                .can_begin = !(p->site_flags[s] & SITE_END),
                .can_end = !(p->site_flags[s] & SITE_START)};
            bool matters =
                kind.start || kind.end || kind.is_fw || (p->site_flags[s] & SITE_OPENS);
            // No marker with id 0 is part of an op.
            if (matters && t->sites.v[s].timer_id)
                p->number[c * t->sites.n + s] = number_of(p->w, kind);
        }
}

static void make_plan(struct plan *p)
{
    const struct trace *t = p->w->trace;
    struct arena *a = &p->w->arena;
    p->track = push_many(a, struct fits, t->tracks.n + 1);
    p->site = push_many(a, struct fits, t->sites.n + 1);
    p->site_flags = push_many(a, uint8_t, t->sites.n + 1);
    p->class_of = push_many(a, uint32_t, t->tracks.n + 1);
    fit_conditions(p);
    flag_sites(p);
    class_tracks(p);
    p->number = push_many(a, uint16_t, p->classes.n * t->sites.n + 1);
    number_kinds(p);
}

// --- the pass ------------------------------------------------------------------------

struct walk_lane {
    struct extent *extent;
    struct op_found *op;
    VEC(struct push) pushes;
    bool has_pushes;
};

// Zones that are open on a track: firmware, kernel, and a push.
struct open_zones {
    struct {
        uint32_t op; // + 1; 0 = none
        uint32_t measures;
        uint64_t time;
    } v[3];
};

static void close_core(struct op_found *f)
{
    if (f->n_on_core > 1 && f->has_first && f->has_last &&
        f->first_on_core <= f->last_on_core) {
        uint64_t cycles = f->last_on_core - f->first_on_core;
        f->core_min = !f->core_count || cycles < f->core_min ? cycles : f->core_min;
        f->core_max = cycles > f->core_max ? cycles : f->core_max;
        f->core_sum += cycles;
        f->core_count++;
    }
    f->n_on_core = 0;
    f->has_first = f->has_last = false;
}

static void keep_on_core(struct op_found *f, const struct walk_kind *kind, uint32_t core,
                         uint64_t time)
{
    if (f->core != core + 1) {
        close_core(f);
        f->core = core + 1;
    }
    f->n_on_core += f->n_on_core < UINT32_MAX;
    if (kind->can_begin && (!f->has_first || time < f->first_on_core)) {
        f->first_on_core = time;
        f->has_first = true;
    }
    if (kind->can_end && (!f->has_last || time > f->last_on_core)) {
        f->last_on_core = time;
        f->has_last = true;
    }
}

// A start needs its end and an end its start, of the same op and on the same track.
static void watch_zone(struct walk_lane *l, struct open_zones *open, unsigned flags,
                       const struct walk_kind *kind, uint32_t op, uint32_t core,
                       uint64_t time)
{
    const uint32_t starts = UINT32_C(1) << MEASURE_FIRST_TO_LAST;
    int which = flags & SITE_FW ? 0 : flags & SITE_KERNEL ? 1 : 2;
    uint32_t measures = kind->start | kind->end;
    if (flags & SITE_START) {
        if (open->v[which].op)
            l->op[open->v[which].op - 1].broken |= open->v[which].measures;
        open->v[which].op = op + 1;
        open->v[which].measures = measures & ~starts;
        open->v[which].time = time;
        return;
    }
    if (open->v[which].op == op + 1) {
        if (flags & SITE_PUSH)
            vec_push(&l->pushes, (struct push){op, core, open->v[which].time, time});
    } else {
        l->op[op].broken |= measures | (flags & SITE_KERNEL ? starts : 0);
        if (open->v[which].op)
            l->op[open->v[which].op - 1].broken |= open->v[which].measures;
    }
    open->v[which].op = 0;
}

static void walk_track(const struct plan *p, struct walk_lane *l, uint32_t track)
{
    const struct device_walk *w = p->w;
    const struct trace *t = w->trace;
    const struct trace_track *k = &t->tracks.v[track];
    const uint16_t *number = p->number + p->class_of[track] * t->sites.n;
    const uint32_t per_core = UINT32_C(1) << MEASURE_PER_CORE;
    struct open_zones open = {0};
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++) {
        uint32_t site = t->markers.site[m];
        if (!number[site])
            continue;
        uint32_t op = w->ops->of_run[t->markers.run[m]];
        if (op == NO_OP)
            continue;
        uint64_t time = t->markers.time[m];
        const struct walk_kind *kind = &w->kinds.v[number[site] - 1];
        struct extent *x = &l->extent[op * w->kinds.n + number[site] - 1];
        struct op_found *f = &l->op[op];
        if (!x->first || time < x->first_time) {
            x->first = m + 1;
            x->first_time = time;
        }
        if (!x->last || time >= x->last_time) {
            x->last = m + 1;
            x->last_time = time;
        }
        if (kind->is_fw && f->fw_core != k->core + 1) {
            f->fw_core = k->core + 1;
            f->n_cores++;
        }
        if ((kind->start | kind->end) & per_core)
            keep_on_core(f, kind, k->core, time);
        unsigned flags = p->site_flags[site];
        if (flags & SITE_OPENS && flags & (SITE_START | SITE_END))
            watch_zone(l, &open, flags, kind, op, k->core, time);
        l->has_pushes |= (flags & SITE_PUSH) != 0;
    }
    for (int i = 0; i < 3; i++)
        if (open.v[i].op)
            l->op[open.v[i].op - 1].broken |= open.v[i].measures;
}

static void take_sub_device(struct op_found *f, int64_t id, uint32_t line)
{
    f->is_sub_odd |= f->sub_device != DEVICE_NONE && f->sub_device != id;
    if (f->sub_device == DEVICE_NONE || line >= f->sub_line) {
        f->sub_device = id;
        f->sub_line = line;
    }
}

static void walk_data(const struct plan *p, struct walk_lane *l, uint32_t track)
{
    const struct trace *t = p->w->trace;
    const struct trace_track *k = &t->tracks.v[track];
    for (uint32_t i = k->datum; i < k->datum + k->n_data; i++) {
        const struct trace_datum *datum = &t->data.v[i];
        uint32_t site = t->markers.site[datum->marker];
        uint32_t op = p->w->ops->of_run[t->markers.run[datum->marker]];
        if (op == NO_OP)
            continue;
        uint32_t sums = t->sites.v[site].timer_id ? p->site[site].sum & p->track[track].sum
                                                  : NO_ANALYSIS;
        for (; sums; sums &= sums - 1)
            l->op[op].sum[__builtin_ctz(sums)] += datum->data;
        str value, meta = {datum->meta, datum->meta_n};
        int64_t id;
        if (meta.n && meta_find(meta, S("sub_device_id"), &value) && num_int(value, &id))
            take_sub_device(&l->op[op], id, t->markers.line[datum->marker]);
    }
}

static void walk_cores(struct lane lane, void *context)
{
    const struct plan *p = context;
    const struct trace *t = p->w->trace;
    struct walk_lane *l = &p->lanes[lane.index];
    size_t n = p->w->ops->n;
    l->extent = mem_alloc(mem_bytes(sizeof *l->extent, n * p->w->kinds.n + 1));
    l->op = mem_alloc(mem_bytes(sizeof *l->op, n + 1));
    for (size_t i = 0; i < n; i++)
        l->op[i].sub_device = DEVICE_NONE;
    struct range r = lane_range(lane, t->cores.n);
    for (size_t c = r.from; c < r.to; c++)
        for (size_t k = 0; k < t->cores.v[c].tracks.n; k++) {
            walk_track(p, l, t->cores.v[c].tracks.v[k]);
            walk_data(p, l, t->cores.v[c].tracks.v[k]);
        }
    for (size_t i = 0; i < n; i++)
        close_core(&l->op[i]);
}

// --- putting lanes together ----------------------------------------------------------

static void add_extent(struct extent *to, const struct extent *from)
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

static void add_found(struct op_found *to, const struct op_found *from)
{
    to->n_cores += from->n_cores;
    if (from->core_count) {
        bool is_less = !to->core_count || from->core_min < to->core_min;
        to->core_min = is_less ? from->core_min : to->core_min;
        to->core_max = from->core_max > to->core_max ? from->core_max : to->core_max;
        to->core_sum += from->core_sum;
        to->core_count += from->core_count;
    }
    to->broken |= from->broken;
    for (int i = 0; i < SUMS; i++)
        to->sum[i] += from->sum[i];
    if (from->sub_device != DEVICE_NONE)
        take_sub_device(to, from->sub_device, from->sub_line);
    to->is_sub_odd |= from->is_sub_odd;
}

static void merge_lanes(struct lane lane, void *context)
{
    const struct plan *p = context;
    struct range r = lane_range(lane, p->w->ops->n);
    size_t n = p->w->kinds.n;
    for (unsigned i = 1; i < p->n_lanes; i++) {
        const struct walk_lane *from = &p->lanes[i], *to = &p->lanes[0];
        for (size_t op = r.from; op < r.to; op++)
            add_found(&to->op[op], &from->op[op]);
        for (size_t x = r.from * n; x < r.to * n; x++)
            add_extent(&to->extent[x], &from->extent[x]);
    }
}

void device_walk_run(struct device_walk *w, const struct trace *t,
                     const struct device_ops *ops, struct device_rows_choice choice)
{
    *w = (struct device_walk){.trace = t, .ops = ops};
    choose(w, choice);
    struct plan p = {.w = w, .n_lanes = threads_for(t->markers.n, WORTH_LANES)};
    make_plan(&p);
    p.lanes = mem_alloc(mem_bytes(sizeof *p.lanes, p.n_lanes));
    threads_run(p.n_lanes, walk_cores, &p);
    threads_run(p.n_lanes, merge_lanes, &p);
    w->extent = p.lanes[0].extent;
    w->op = p.lanes[0].op;
    for (unsigned i = 0; i < p.n_lanes; i++) {
        struct walk_lane *l = &p.lanes[i];
        for (size_t k = 0; k < l->pushes.n; k++)
            vec_push(&w->pushes, l->pushes.v[k]);
        w->has_pushes |= l->has_pushes;
        vec_free(&l->pushes);
        if (i) {
            mem_free(l->extent);
            mem_free(l->op);
        }
    }
    for (size_t i = 0; i < ops->n; i++)
        w->n_sub_conflicts += w->op[i].is_sub_odd;
    vec_free(&p.classes);
    mem_free(p.lanes);
}

void device_walk_free(struct device_walk *w)
{
    setup_free(&w->setup);
    arena_free(&w->arena);
    vec_free(&w->kinds);
    vec_free(&w->pushes);
    mem_free(w->extent);
    mem_free(w->op);
    *w = (struct device_walk){0};
}

// --- what was found ------------------------------------------------------------------

// Among markers of the same time, the order of the series decides.
static bool is_earlier(const struct trace *t, uint64_t time, uint32_t marker,
                       uint64_t other_time, uint32_t other)
{
    return time != other_time ? time < other_time : series_before(t, marker - 1, other - 1);
}

// The first and last marker of a measure, only those that can begin or end one if asked.
static struct extent find_extent(const struct device_walk *w, uint32_t op, uint32_t measure,
                                 bool is_strict)
{
    const struct trace *t = w->trace;
    struct extent all = {0};
    for (size_t i = 0; i < w->kinds.n; i++) {
        const struct walk_kind *k = &w->kinds.v[i];
        const struct extent *x = &w->extent[op * w->kinds.n + i];
        if (!x->first)
            continue;
        if (k->start & measure && (k->can_begin || !is_strict) &&
            (!all.first ||
             is_earlier(t, x->first_time, x->first, all.first_time, all.first))) {
            all.first = x->first;
            all.first_time = x->first_time;
        }
        if (k->end & measure && (k->can_end || !is_strict) &&
            (!all.last || is_earlier(t, all.last_time, all.last, x->last_time, x->last))) {
            all.last = x->last;
            all.last_time = x->last_time;
        }
    }
    return all;
}

static bool is_span(const struct device_walk *w, const struct extent *x)
{
    return x->first && x->last &&
           is_earlier(w->trace, x->first_time, x->first, x->last_time, x->last);
}

int device_walk_span(const struct device_walk *w, uint32_t op, enum measure m,
                     uint64_t *first, uint64_t *last)
{
    const uint32_t bit = UINT32_C(1) << m;
    struct extent all = {0};
    if (w->op[op].broken & bit) // an end that lost its start may stand before all others
        all = find_extent(w, op, bit, true);
    if (!is_span(w, &all))
        all = find_extent(w, op, bit, false);
    *first = all.first_time;
    *last = all.last_time;
    return !all.first ? 0 : is_span(w, &all) ? 2 : 1;
}
