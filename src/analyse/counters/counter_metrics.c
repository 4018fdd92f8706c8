// counter_metrics.c - adds metrics of ops as columns of a report.
#include "analyse/counters/counter_metrics.h"

#include <math.h>

#include "base/text/num.h"

#include "analyse/counters/counter_walk.h"
#include "analyse/diags.h"
#include "ttprof/profiler_words.h"

bool counter_metrics_are_there(const struct trace *t)
{
    for (size_t s = 0; s < t->sites.n; s++)
        if (t->sites.v[s].timer_id == TT_ID_PERF_COUNTER &&
            t->sites.v[s].type == MARKER_TS_DATA)
            return true;
    return false;
}

struct columns {
    struct device_rows *rows;
    str *cells[METRICS][METRIC_STATS]; // NULL: nothing yet
    struct buf text;
};

static void cell_set(struct columns *c, size_t metric, enum metric_stat stat, size_t row,
                     double value)
{
    if (isnan(value))
        return;
    str **cells = &c->cells[metric][stat];
    if (!*cells)
        *cells = push_many(&c->rows->a, str, c->rows->v.n);
    c->text.n = 0;
    num_put_real(&c->text, value);
    (*cells)[row] = arena_str(&c->rows->a, buf_view(&c->text));
}

// Over all cores of the chip, including those that the op does not use.
static double grid_average(const struct device_row *row, int64_t cores, double sum)
{
    int64_t start = row->v[DEVICE_KERNEL_START], end = row->v[DEVICE_KERNEL_END];
    if (cores <= 0 || start == DEVICE_NONE || end == DEVICE_NONE || end <= start)
        return NAN;
    return sum / (double)cores / (double)(end - start) * 100;
}

static void row_fill(struct columns *c, const struct counter_walk *w, size_t row,
                     const struct op_metrics *m)
{
    for (size_t i = 0; i < METRICS; i++) {
        bool is_grid = counter_metric(i)->grid_name && w->mode == COUNTERS_FULL &&
                       !isnan(m->stat[i][METRIC_AVG]);
        for (int s = 0; s < METRIC_STATS; s++) {
            double x = m->stat[i][s];
            if (is_grid && s == METRIC_AVG)
                x = grid_average(&c->rows->v.v[row], w->t->max_compute_cores,
                                 m->sum[counter_metric_counter(i)]);
            cell_set(c, i, (enum metric_stat)s, row, x);
        }
    }
}

static str column_name(struct arena *a, const struct metric *m, enum metric_stat stat)
{
    if (stat == METRIC_AVG && m->grid_name)
        return str_of(m->grid_name);
    return arena_printf(a, "%s %s%s", m->name, metric_stat_names[stat],
                        m->unit == METRIC_PERCENT ? " (%)" : "");
}

static void columns_put(struct columns *c)
{
    for (size_t i = 0; i < METRICS; i++) {
        for (int s = 0; s < METRIC_STATS; s++) {
            if (!c->cells[i][s])
                continue;
            str name = column_name(&c->rows->a, counter_metric(i), (enum metric_stat)s);
            vec_push(&c->rows->extra, (struct device_extra){name, c->cells[i][s]});
        }
    }
}

static void count_odd(const struct counter_records *r, const char *path, struct diag *d)
{
    if (!r->n_odd)
        return;
    if (diag_count(d, DIAG_COUNTER_RECORD))
        diag_note(d, DIAG_COUNTER_RECORD, "%s: line %u", path ? path : "the log",
                  (unsigned)r->odd_line);
    d->entry[DIAG_COUNTER_RECORD].count += r->n_odd - 1;
}

void counter_metrics_add(struct device_rows *rows, const struct trace *t,
                         const struct device_ops *ops, const uint32_t *op_of_row,
                         enum counter_mode mode, struct diag *d)
{
    if (!counter_metrics_are_there(t))
        return;
    struct arena scratch = {0};
    struct columns c = {.rows = rows};
    uint32_t *row_of = push_many(&scratch, uint32_t, ops->n + 1); // row + 1 by op
    for (size_t i = 0; i < rows->v.n; i++)
        if (op_of_row[i] < ops->n)
            row_of[op_of_row[i]] = (uint32_t)i + 1;
    struct counter_walk w;
    struct op_metrics m;
    counter_walk_start(&w, t, ops, mode);
    while (counter_walk_next(&w, &m))
        if (row_of[m.op])
            row_fill(&c, &w, row_of[m.op] - 1, &m);
    columns_put(&c);
    count_odd(&w.records, t->path, d);
    counter_walk_end(&w);
    buf_free(&c.text);
    arena_free(&scratch);
}
