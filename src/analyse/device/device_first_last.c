// device_first_last.c - turns the results of folds into results of analyses: first to last
// marker of an op, core or device, and sums.
#include "analyse/device/device_analysis.h"

struct core_result {
    uint32_t op, start, end; // markers
    uint64_t seen;
};

// Results of each line that covers ops core by core.
struct lane_results {
    VEC(struct core_result) of_line[FOLD_LINES];
};

static void take_core(void *state, unsigned line, uint32_t op, const struct fold_on_core *c)
{
    struct lane_results *l = state;
    if (c->x.first && c->x.last)
        vec_push(&l->of_line[line],
                 (struct core_result){op, c->x.first - 1, c->x.last - 1, c->seen});
}

static void put_results(const struct fold *f, unsigned line, struct analysed *a)
{
    for (uint32_t g = 0; g < f->n_groups; g++) {
        struct fold_cell x = fold_extent(f, g, line, false, NULL);
        if (fold_is_span(f->trace, &x))
            vec_push(&a->results, result_of_span(f->trace, g, x.first - 1, x.last - 1));
    }
}

static void put_sums(const struct fold *f, unsigned line, struct analysed *a)
{
    for (uint32_t g = 0; g < f->n_groups; g++)
        if (f->sums[g * f->n_lines + line])
            vec_push(&a->results,
                     (struct result){.group = g,
                                     .start = NO_MARKER,
                                     .end = NO_MARKER,
                                     .start_iter = NO_MARKER,
                                     .end_iter = NO_MARKER,
                                     .cycles = f->sums[g * f->n_lines + line]});
}

// Sorts the cores of an op by when they were first seen; stable.
static void sort_by_seen(struct core_result *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct core_result r = v[i];
        size_t hole = i;
        for (; hole > 0 && v[hole - 1].seen > r.seen; hole--)
            v[hole] = v[hole - 1];
        v[hole] = r;
    }
}

static void put_core_results(const struct fold *f, unsigned line, struct analysed *a)
{
    size_t n_ops = f->n_groups, total = 0;
    size_t *at = mem_alloc(mem_bytes(sizeof *at, n_ops + 2));
    for (unsigned l = 0; l < f->n_lanes; l++) {
        const struct lane_results *from = fold_state(f, l);
        total += from->of_line[line].n;
        for (size_t i = 0; i < from->of_line[line].n; i++)
            at[from->of_line[line].v[i].op + 1]++;
    }
    for (size_t op = 0; op < n_ops; op++)
        at[op + 1] += at[op];
    struct core_result *sorted = mem_alloc(mem_bytes(sizeof *sorted, total + 1));
    for (unsigned l = 0; l < f->n_lanes; l++) {
        struct lane_results *from = fold_state(f, l);
        for (size_t i = 0; i < from->of_line[line].n; i++)
            sorted[at[from->of_line[line].v[i].op]++] = from->of_line[line].v[i];
        vec_free(&from->of_line[line]);
    }
    vec_reserve(&a->results, total);
    for (size_t op = 0, from = 0; op < n_ops; from = at[op++]) {
        sort_by_seen(sorted + from, at[op] - from);
        for (size_t i = from; i < at[op]; i++)
            if (series_before(f->trace, sorted[i].start, sorted[i].end))
                vec_push(&a->results, result_of_span(f->trace, (uint32_t)op,
                                                     sorted[i].start, sorted[i].end));
    }
    mem_free(sorted);
    mem_free(at);
}

// --- the folds -----------------------------------------------------------------------

static bool is_across(const struct analysis *a, enum across across)
{
    return a->across == across &&
           (a->type == ANALYSE_SESSION_FIRST_LAST || a->type == ANALYSE_OP_FIRST_LAST ||
            a->type == ANALYSE_OP_CORE_FIRST_LAST || a->type == ANALYSE_SUM);
}

static struct fold_line fold_line_of(const struct analysis *a)
{
    if (a->type == ANALYSE_SUM)
        return (struct fold_line){.sum = &a->start};
    return (struct fold_line){.start = &a->start,
                              .end = &a->end,
                              .is_per_core = a->type == ANALYSE_OP_CORE_FIRST_LAST};
}

// All markers count for when a core was first seen.
static uint8_t take_all(const struct fold *f, uint32_t site, const struct fold_kind *kind)
{
    (void)f, (void)site, (void)kind;
    return FOLD_TAKE;
}

static void run_fold(struct fold *f, struct analysed *const *of_line)
{
    unsigned n_lines = f->n_lines;
    fold_run(f);
    for (unsigned i = 0; i < n_lines; i++)
        if (f->lines[i].sum)
            put_sums(f, i, of_line[i]);
        else if (f->lines[i].is_per_core)
            put_core_results(f, i, of_line[i]);
        else
            put_results(f, i, of_line[i]);
    fold_free(f);
}

static void run_across(struct device_analysis *d, enum across across, size_t n_groups,
                       const uint32_t *of_run)
{
    for (size_t at = 0; at < d->setup->analyses.n;) {
        struct analysed *of_line[FOLD_LINES];
        struct fold f = {.trace = d->trace,
                         .n_groups = n_groups,
                         .group_of_run = of_run,
                         .by_core = across == ACROSS_CORE,
                         .skips_id_0 = across == ACROSS_OPS};
        for (; at < d->setup->analyses.n && f.n_lines < FOLD_LINES; at++) {
            if (!is_across(d->v[at].analysis, across))
                continue;
            struct fold_line line = fold_line_of(d->v[at].analysis);
            if (line.is_per_core) {
                f.flags = take_all;
                f.watch = (struct fold_watch){.bytes = sizeof(struct lane_results),
                                              .core_end = take_core};
            }
            of_line[f.n_lines] = &d->v[at];
            f.lines[f.n_lines++] = line;
        }
        if (f.n_lines)
            run_fold(&f, of_line);
    }
}

void first_last_run(struct device_analysis *d)
{
    const struct trace *t = d->trace;
    run_across(d, ACROSS_CORE, t->cores.n, NULL);
    run_across(d, ACROSS_DEVICE, t->devices.n, NULL);
    if (!d->has_ops)
        return;
    uint32_t *of_run = mem_alloc(mem_bytes(sizeof *of_run, t->runs.n + 1));
    for (size_t r = 0; r < t->runs.n; r++) {
        uint32_t op = d->ops->of_run[r];
        of_run[r] = op != NO_OP && d->op_is_used[op] ? op : FOLD_NO_GROUP;
    }
    run_across(d, ACROSS_OPS, d->ops->n, of_run);
    mem_free(of_run);
}
