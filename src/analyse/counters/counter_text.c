// counter_text.c - formats a device's counters and metrics as text tables: totals of the
// ops, and the spread of their metrics.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/counters/counter_walk.h"

enum { WIDE = 100, NARROW = 80 };

typedef VEC(double) reals;

static void put_line(struct buf *b, char c, size_t n)
{
    buf_fill(b, c, n);
    buf_char(b, '\n');
}

static void put_title(struct buf *b, size_t width, const char *title)
{
    buf_char(b, '\n');
    put_line(b, '=', width);
    buf_printf(b, "%s\n", title);
    put_line(b, '=', width);
}

static void put_device_title(struct buf *b, const char *title, int64_t device)
{
    char text[NARROW];
    (void)snprintf(text, sizeof text, "%s - DEVICE %lld", title, (long long)device);
    put_title(b, WIDE, text);
}

static void put_end(struct buf *b)
{
    buf_char(b, '\n');
    put_line(b, '=', WIDE);
    buf_char(b, '\n');
}

// --- counters ----------------------------------------------------------------------------

// Counts of one counter over the ops of a device.
struct spread {
    uint32_t counter;
    str name;
    double least, most;
    reals now; // of the current op
    reals medians, means;
};

static int by_name(const void *a, const void *b)
{
    const struct spread *x = a, *y = b;
    return str_cmp(x->name, y->name);
}

static void spread_op(struct spread *s)
{
    bool is_first = !s->means.n;
    for (size_t i = 0; i < s->now.n; i++) {
        s->least = is_first && !i ? s->now.v[i] : fmin(s->least, s->now.v[i]);
        s->most = is_first && !i ? s->now.v[i] : fmax(s->most, s->now.v[i]);
    }
    vec_push(&s->means, mean_compensated(s->now.v, s->now.n));
    vec_push(&s->medians, sort_median_real(s->now.v, s->now.n));
    s->now.n = 0;
}

// The device's samples are [from, to). Returns the number of ops.
static size_t spread_all(const struct counter_records *r, size_t from, size_t to,
                         struct spread *all)
{
    size_t n_ops = 0;
    for (size_t s = from; s < to; s++) {
        const struct counter_sample *sample = &r->samples.v[s];
        for (size_t i = 0; i < sample->n_records; i++) {
            const struct counter_record *x = &r->v.v[sample->record + i];
            vec_push(&all[x->counter].now, (double)x->value);
        }
        if (s + 1 < to && r->samples.v[s + 1].op == sample->op)
            continue;
        n_ops++;
        for (size_t c = 0; c < r->names.keys.n; c++)
            if (all[c].now.n)
                spread_op(&all[c]);
    }
    return n_ops;
}

static void put_spread(struct buf *b, struct spread *s)
{
    double mean = mean_compensated(s->means.v, s->means.n);
    double median = sort_median_real(s->medians.v, s->medians.n);
    buf_printf(b, "%-40.*s %-12s %8zu %15.1f %15.1f %15.1f %15.1f\n", STR(s->name), "Value",
               s->means.n, s->least, median, s->most, mean);
}

static void put_counters(const struct counter_records *r, size_t from, size_t to,
                         int64_t device, struct buf *b)
{
    size_t n = r->names.keys.n;
    struct spread *all = mem_alloc(mem_bytes(sizeof *all, n));
    for (size_t c = 0; c < n; c++)
        all[c].name = r->names.keys.v[c];
    size_t n_ops = spread_all(r, from, to, all);
    qsort(all, n, sizeof *all, by_name);
    put_device_title(b, "PERFORMANCE COUNTER STATISTICS", device);
    buf_printf(b, "\nTotal operations with counter data: %zu\n", n_ops);
    put_title(b, WIDE, "RAW COUNTER VALUES");
    buf_printf(b, "%-40s %-12s %8s %15s %15s %15s %15s\n", "Counter Type", "Statistic",
               "Ops", "Min", "Median", "Max", "Avg");
    put_line(b, '-', WIDE);
    for (size_t c = 0; c < n; c++) {
        if (all[c].means.n)
            put_spread(b, &all[c]);
        vec_free(&all[c].now);
        vec_free(&all[c].medians);
        vec_free(&all[c].means);
    }
    mem_free(all);
    put_end(b);
}

// --- metrics -----------------------------------------------------------------------------

typedef reals metric_values[METRICS][METRIC_STATS]; // by op

static void put_metric(struct buf *b, const struct metric *m, reals *stats, size_t n_ops)
{
    const char *unit = m->unit == METRIC_PERCENT ? "%" : "";
    char title[NARROW];
    (void)snprintf(title, sizeof title, "%s", m->name);
    for (char *p = title; *p; p++)
        *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    put_title(b, NARROW, title);
    buf_printf(b, "%-12s %15s %30s %12s\n", "Statistic", "Ops with Data", "Range", "Mean");
    put_line(b, '-', NARROW);
    for (int s = 0; s < METRIC_STATS; s++) {
        const reals *v = &stats[s];
        double least = v->v[0], most = v->v[0];
        for (size_t i = 1; i < v->n; i++) {
            least = fmin(least, v->v[i]);
            most = fmax(most, v->v[i]);
        }
        char ops[48], range[96], mean[48];
        (void)snprintf(ops, sizeof ops, "%zu/%zu", v->n, n_ops);
        (void)snprintf(range, sizeof range, "%.2f%s - %.2f%s", least, unit, most, unit);
        (void)snprintf(mean, sizeof mean, "%.2f%s", mean_compensated(v->v, v->n), unit);
        buf_printf(b, "%-12s %15s %30s %12s\n", metric_stat_names[s], ops, range, mean);
    }
}

static void put_metrics(struct counter_walk *w, size_t to, int64_t device, struct buf *b)
{
    metric_values *all = mem_alloc(sizeof *all);
    struct op_metrics m;
    size_t n_ops = 0;
    while (w->at < to && counter_walk_next(w, &m)) {
        n_ops++;
        for (size_t i = 0; i < METRICS; i++)
            for (int s = 0; s < METRIC_STATS; s++)
                if (!isnan(m.stat[i][s]))
                    vec_push(&(*all)[i][s], m.stat[i][s]);
    }
    put_device_title(b, "EFFICIENCY METRICS SUMMARY", device);
    buf_printf(b, "\nTotal operations with metrics: %zu\n", n_ops);
    for (int unit = 0; unit < METRIC_UNITS; unit++)
        for (size_t i = 0; i < METRICS; i++)
            if (counter_metric(i)->unit == (enum metric_unit)unit && (*all)[i][0].n)
                put_metric(b, counter_metric(i), (*all)[i], n_ops);
    for (size_t i = 0; i < METRICS; i++)
        for (int s = 0; s < METRIC_STATS; s++)
            vec_free(&(*all)[i][s]);
    mem_free(all);
    put_end(b);
}

void counter_metrics_text(const struct trace *t, const struct device_ops *ops,
                          struct buf *b)
{
    if (!counter_metrics_are_there(t))
        return;
    struct counter_walk w;
    counter_walk_start(&w, t, ops, COUNTERS_FULL);
    while (w.at < w.records.samples.n) {
        size_t from = w.at, to = from;
        uint32_t device = counter_walk_device(&w, from);
        while (to < w.records.samples.n && counter_walk_device(&w, to) == device)
            to++;
        put_counters(&w.records, from, to, t->devices.v[device].id, b);
        put_metrics(&w, to, t->devices.v[device].id, b);
    }
    counter_walk_end(&w);
}
