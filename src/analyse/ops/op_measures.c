// op_measures.c - lines of the fold, and a watch for zones that lack an end, kernels core
// by core, and sub-devices.
#include "analyse/ops/op_measures.h"

#include "base/text/num.h"

#include "formats/device_log/device_log_meta.h"

// Kind of zone.
enum {
    ZONE_FW = FOLD_OWN,
    ZONE_KERNEL = FOLD_OWN << 1,
    ZONE_PUSH = FOLD_OWN << 2, // the profiler sends its buffers to DRAM
};

#define PUSH_ZONE "PROFILER-DRAM-PUSH"

#define BIT(duration) (UINT64_C(1) << (duration))

// --- which durations -----------------------------------------------------------------

bool device_rows_knows(const char *analysis)
{
    for (int i = 0; i < DURATIONS; i++)
        if (durations[i].name && strcmp(durations[i].name, analysis) == 0)
            return true;
    return false;
}

static bool is_chosen(struct device_rows_choice choice, const char *name)
{
    bool is_named = choice.n_analyses == 0;
    for (size_t i = 0; name && i < choice.n_analyses; i++)
        is_named |= strcmp(choice.analyses[i], name) == 0;
    return name && is_named;
}

// Only durations that the report has columns for.
static struct fold_line fold_line_of(const struct op_measures *m, int i)
{
    const struct analysis *a = &m->durations[i];
    bool has_columns = durations[i].length || i == DURATION_PER_CORE;
    if (!m->is_chosen[i] || !has_columns || a->across != ACROSS_OPS)
        return (struct fold_line){0};
    if (a->type == ANALYSE_SUM)
        return (struct fold_line){.sum = &a->start};
    bool is_per_core = a->type == ANALYSE_OP_CORE_FIRST_LAST;
    return (struct fold_line){.start = &a->start,
                              .end = &a->end,
                              .is_strict = is_per_core,
                              .is_per_core = is_per_core};
}

static uint8_t flags_of(const struct fold *f, uint32_t site, const struct fold_kind *kind)
{
    const struct op_measures *m = f->context;
    const struct trace *t = f->trace;
    str name = trace_text(t, t->sites.v[site].name);
    bool is_edge = t->sites.v[site].type <= MARKER_ZONE_END;
    unsigned flags = 0;
    (void)kind;
    if (condition_fits_site(&m->durations[DURATION_FW].start, t, site, true))
        flags = ZONE_FW | FOLD_TAKE;
    else if (condition_fits_site(&m->durations[DURATION_KERNEL].start, t, site, true))
        flags = ZONE_KERNEL | FOLD_TAKE;
    else if (str_is(name, PUSH_ZONE))
        flags = ZONE_PUSH | FOLD_TAKE;
    if (flags & ZONE_PUSH || (flags && is_edge))
        flags |= FOLD_WATCH;
    if (str_has(name, S("FW")))
        flags |= FOLD_TAKE | FOLD_CORE;
    return (uint8_t)flags;
}

// --- the watch -----------------------------------------------------------------------

struct measure_lane {
    const struct trace *t;
    struct op_found *op;
    VEC(struct push) pushes;
    bool has_pushes;
    // Open on the current track: firmware, a kernel, and a push.
    struct open_zone {
        uint32_t op; // + 1; 0: none
        uint64_t durations;
        uint64_t time;
    } open[3];
};

static void start_lane(void *state, const struct fold *f)
{
    struct measure_lane *l = state;
    l->t = f->trace;
    l->op = mem_alloc(mem_bytes(sizeof *l->op, f->n_groups + 1));
    for (size_t i = 0; i < f->n_groups; i++)
        l->op[i].sub_device = DEVICE_NONE;
}

static void break_open(struct measure_lane *l, struct open_zone *z)
{
    if (z->op)
        l->op[z->op - 1].broken |= z->durations;
    z->op = 0;
}

// A start needs an end, and an end a start, of the same op on the same track.
static void watch_zone(void *state, const struct fold_marker *m)
{
    struct measure_lane *l = state;
    unsigned flags = m->kind->flags;
    struct open_zone *z = &l->open[flags & ZONE_FW ? 0 : flags & ZONE_KERNEL ? 1 : 2];
    uint64_t fits = m->kind->start | m->kind->end, starts = BIT(DURATION_FIRST_TO_LAST);
    l->has_pushes |= (flags & ZONE_PUSH) != 0;
    if (m->kind->can_begin && m->kind->can_end)
        return; // not a zone marker
    if (!m->kind->can_end) {
        break_open(l, z);
        *z = (struct open_zone){m->group + 1, fits & ~starts, m->time};
        return;
    }
    if (z->op == m->group + 1) {
        if (flags & ZONE_PUSH)
            vec_push(&l->pushes, (struct push){m->group, m->core, z->time, m->time});
        z->op = 0;
    } else {
        l->op[m->group].broken |= fits | (flags & ZONE_KERNEL ? starts : 0);
        break_open(l, z);
    }
}

static void end_track(void *state)
{
    struct measure_lane *l = state;
    for (int i = 0; i < 3; i++)
        break_open(l, &l->open[i]);
}

static void end_core(void *state, unsigned line, uint32_t op, const struct fold_on_core *c)
{
    struct op_found *f = &((struct measure_lane *)state)->op[op];
    (void)line;
    if (c->n < 2 || !c->x.first || !c->x.last || c->x.first_time > c->x.last_time)
        return;
    uint64_t cycles = c->x.last_time - c->x.first_time;
    f->core_min = !f->core_count || cycles < f->core_min ? cycles : f->core_min;
    f->core_max = cycles > f->core_max ? cycles : f->core_max;
    f->core_sum += cycles;
    f->core_count++;
}

static void take_sub_device(struct op_found *f, int64_t id, uint32_t line)
{
    f->is_sub_odd |= f->sub_device != DEVICE_NONE && f->sub_device != id;
    if (f->sub_device == DEVICE_NONE || line >= f->sub_line) {
        f->sub_device = id;
        f->sub_line = line;
    }
}

static void take_datum(void *state, uint32_t op, const struct trace_datum *d)
{
    struct measure_lane *l = state;
    str value, meta = {d->meta, d->meta_n};
    int64_t id;
    if (meta.n && meta_find(meta, S("sub_device_id"), &value) && num_int(value, &id))
        take_sub_device(&l->op[op], id, l->t->markers.line[d->marker]);
}

static void add_found(struct op_found *to, const struct op_found *from)
{
    if (from->core_count) {
        bool is_less = !to->core_count || from->core_min < to->core_min;
        to->core_min = is_less ? from->core_min : to->core_min;
        to->core_max = from->core_max > to->core_max ? from->core_max : to->core_max;
        to->core_sum += from->core_sum;
        to->core_count += from->core_count;
    }
    to->broken |= from->broken;
    if (from->sub_device != DEVICE_NONE)
        take_sub_device(to, from->sub_device, from->sub_line);
    to->is_sub_odd |= from->is_sub_odd;
}

static void take_lanes(struct op_measures *m)
{
    for (unsigned i = 0; i < m->fold.n_lanes; i++) {
        struct measure_lane *l = fold_state(&m->fold, i);
        for (size_t k = 0; k < l->pushes.n; k++)
            vec_push(&m->pushes, l->pushes.v[k]);
        m->has_pushes |= l->has_pushes;
        vec_free(&l->pushes);
        if (i == 0) {
            m->op = l->op;
            continue;
        }
        for (size_t op = 0; op < m->ops->n; op++)
            add_found(&m->op[op], &l->op[op]);
        mem_free(l->op);
    }
    for (size_t op = 0; op < m->ops->n; op++)
        m->n_sub_conflicts += m->op[op].is_sub_odd;
}

// --- all of it -----------------------------------------------------------------------

void op_measures_make(struct op_measures *m, const struct trace *t,
                      const struct device_ops *ops, struct device_rows_choice choice)
{
    *m = (struct op_measures){.ops = ops};
    durations_of_log(m->durations, &m->arena);
    m->fold = (struct fold){.trace = t,
                            .n_groups = ops->n,
                            .group_of_run = ops->of_run,
                            .skips_id_0 = true,
                            .has_edges = true,
                            .n_lines = DURATIONS,
                            .flags = flags_of,
                            .context = m,
                            .watch = {.bytes = sizeof(struct measure_lane),
                                      .start = start_lane,
                                      .marker = watch_zone,
                                      .track_end = end_track,
                                      .core_end = end_core,
                                      .datum = take_datum}};
    for (int i = 0; i < DURATIONS; i++) {
        m->is_chosen[i] = is_chosen(choice, durations[i].name);
        m->fold.lines[i] = fold_line_of(m, i);
    }
    fold_run(&m->fold);
    take_lanes(m);
}

void op_measures_free(struct op_measures *m)
{
    fold_free(&m->fold);
    arena_free(&m->arena);
    vec_free(&m->pushes);
    mem_free(m->op);
    *m = (struct op_measures){0};
}

int op_measures_span(const struct op_measures *m, uint32_t op, enum duration d,
                     uint64_t *first, uint64_t *last)
{
    const struct trace *t = m->fold.trace;
    struct fold_cell x = {0};
    if (m->op[op].broken & BIT(d)) // an end without a start may come before all others
        x = fold_extent(&m->fold, op, d, true, NULL);
    if (!fold_is_span(t, &x))
        x = fold_extent(&m->fold, op, d, false, NULL);
    *first = x.first_time;
    *last = x.last_time;
    return !x.first ? 0 : fold_is_span(t, &x) ? 2 : 1;
}
