// counter_walk.c - computes metrics of ops from samples.
#include "analyse/counters/counter_walk.h"

#include <math.h>

#include "base/data/sort.h"

const char *const metric_stat_names[METRIC_STATS] = {"Min", "Median", "Max", "Avg"};

double mean_compensated(const double *v, size_t n)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        double next = v[i] - lost, now = sum + next;
        lost = now - sum - next;
        sum = now;
    }
    return sum / (double)n;
}

static bool is_same_core(const struct counter_sample *a, const struct counter_sample *b)
{
    return a->op == b->op && a->x == b->x && a->y == b->y;
}

// --- one core ----------------------------------------------------------------------------

static void copy_slot(struct counter_values *v, enum counter to, enum counter from)
{
    v->value[to] = v->value[from];
    v->cycles[to] = v->cycles[from];
    v->has[to] = v->has[from];
}

// Takes the sample at `at` and the following ones of the same core and op; the first record
// of a counter wins. Returns where the next core starts.
static size_t core_take(const struct counter_walk *w, size_t at, struct counter_values *v)
{
    const struct counter_records *r = &w->records;
    *v = (struct counter_values){0};
    size_t next = at;
    for (; next < r->samples.n && is_same_core(&r->samples.v[at], &r->samples.v[next]);
         next++) {
        const struct counter_sample *s = &r->samples.v[next];
        for (size_t i = s->record; i < s->record + s->n_records; i++) {
            const struct counter_record *x = &r->v.v[i];
            if (x->counter >= TT_PERF_IDS || v->has[x->counter])
                continue;
            v->value[x->counter] = (double)x->value;
            v->cycles[x->counter] = (double)x->cycles;
            v->has[x->counter] = true;
        }
    }
    bool has_unified = v->has[COUNTER_L1_0_UNIFIED_PACKER];
    copy_slot(v, COUNTER_PACKER_PORT,
              has_unified ? COUNTER_L1_0_UNIFIED_PACKER
                          : COUNTER_L1_0_UNPACKER_1_ECC_PACK1);
    copy_slot(v, COUNTER_SRCB_WRITTEN,
              w->mode == COUNTERS_FULL ? COUNTER_SRCB_WRITE_NOT_BLOCKED_PORT
                                       : COUNTER_SRCB_WRITE_ACTUAL);
    return next;
}

// --- devices -----------------------------------------------------------------------------

uint32_t counter_walk_device(const struct counter_walk *w, size_t sample)
{
    return w->t->runs.v[w->ops->v[w->records.samples.v[sample].op].run].device;
}

// On some chips the grants of the unpacker's port count different events than its requests.
// Grants are then at most a tenth of the requests, and calling the rest blocked would be
// wrong.
static bool do_grants_fit(double *ratios, size_t n)
{
    const double least = 0.1;
    return n && sort_median_real(ratios, n) > least;
}

// Sums the samples of one device, starting at `from`. Returns where the next device starts.
static size_t sum_device(struct counter_walk *w, size_t from)
{
    uint32_t device = counter_walk_device(w, from);
    struct counter_sums *sums = &w->sums[device];
    struct counter_values v;
    VEC(double) ratios = {0};
    while (from < w->records.samples.n && counter_walk_device(w, from) == device) {
        from = core_take(w, from, &v);
        for (size_t c = 0; c < COUNTER_SLOTS; c++)
            sums->of[c] += v.has[c] ? v.value[c] : 0;
        if (v.has[COUNTER_L1_0_UNPACKER_0] && v.has[COUNTER_L1_0_UNPACKER_0_GRANT] &&
            v.value[COUNTER_L1_0_UNPACKER_0] > 0)
            vec_push(&ratios, v.value[COUNTER_L1_0_UNPACKER_0_GRANT] /
                                  v.value[COUNTER_L1_0_UNPACKER_0]);
    }
    sums->of[COUNTER_GRANTS_FIT] = do_grants_fit(ratios.v, ratios.n);
    vec_free(&ratios);
    return from;
}

void counter_walk_start(struct counter_walk *w, const struct trace *t,
                        const struct device_ops *ops, enum counter_mode mode)
{
    *w = (struct counter_walk){.t = t, .ops = ops, .mode = mode};
    counter_records_read(&w->records, t, ops);
    w->sums = push_many(&w->records.arena, struct counter_sums, t->devices.n + 1);
    // Ops are sorted by device, and so are their samples.
    for (size_t from = 0; from < w->records.samples.n;)
        from = sum_device(w, from);
}

void counter_walk_end(struct counter_walk *w)
{
    vec_free(&w->values);
    vec_free(&w->one_of_each);
    counter_records_free(&w->records);
}

// --- ops ---------------------------------------------------------------------------------

static void make_stats(struct counter_walk *w, size_t metric, size_t n_cores, double *stat)
{
    for (int s = 0; s < METRIC_STATS; s++)
        stat[s] = NAN;
    w->one_of_each.n = 0;
    for (size_t c = 0; c < n_cores; c++) {
        double x = w->values.v[c * METRICS + metric];
        if (!isnan(x))
            vec_push(&w->one_of_each, x);
    }
    const double *v = w->one_of_each.v;
    size_t n = w->one_of_each.n;
    if (!n)
        return;
    stat[METRIC_MIN] = stat[METRIC_MAX] = v[0];
    for (size_t i = 1; i < n; i++) {
        stat[METRIC_MIN] = fmin(stat[METRIC_MIN], v[i]);
        stat[METRIC_MAX] = fmax(stat[METRIC_MAX], v[i]);
    }
    stat[METRIC_AVG] = mean_compensated(v, n);
    stat[METRIC_MEDIAN] = sort_median_real(w->one_of_each.v, n); // reorders the values
}

bool counter_walk_next(struct counter_walk *w, struct op_metrics *m)
{
    const struct counter_records *r = &w->records;
    if (w->at == r->samples.n)
        return false;
    m->op = r->samples.v[w->at].op;
    memset(m->sum, 0, sizeof m->sum);
    w->values.n = 0;
    const struct counter_sums *sums = &w->sums[counter_walk_device(w, w->at)];
    struct counter_values v;
    while (w->at < r->samples.n && r->samples.v[w->at].op == m->op) {
        w->at = core_take(w, w->at, &v);
        vec_reserve(&w->values, METRICS);
        counter_evaluate(&v, sums, w->values.v + w->values.n);
        w->values.n += METRICS;
        for (size_t c = 0; c < COUNTER_SLOTS; c++)
            m->sum[c] += v.has[c] ? v.value[c] : 0;
    }
    for (size_t i = 0; i < METRICS; i++)
        make_stats(w, i, w->values.n / METRICS, m->stat[i]);
    return true;
}
