// train_ops.c - time per op: sums and means, shares, dispatch overhead, anomalies.
#include <math.h>
#include <stdlib.h>

#include "analyse/train/train.h"

#define NS_TO_MS 1e-6

static bool is_op(const struct train_row *r)
{
    return r->marker == TRAIN_NO_MARKER;
}

void train_ops_make(struct train_ops *o, const struct train *t)
{
    *o = (struct train_ops){0};
    uint32_t *of_code = mem_alloc(mem_bytes(sizeof *of_code, t->names.keys.n + 1));
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct train_row *r = &t->rows.v[i];
        if (!is_op(r))
            continue;
        if (!of_code[r->code]) {
            vec_push(&o->v, (struct train_op){.code = r->code});
            of_code[r->code] = (uint32_t)o->v.n;
        }
        struct train_op *op = &o->v.v[of_code[r->code] - 1];
        op->n_calls++;
        o->n_rows++;
        for (int m = 0; m < TRAIN_METRICS; m++) {
            if (isnan(r->ns[m]))
                continue;
            op->count[m]++;
            op->sum[m] += r->ns[m];
            o->total[m] += r->ns[m];
        }
    }
    mem_free(of_code);
    for (size_t i = 0; i < o->v.n; i++)
        for (int m = 0; m < TRAIN_METRICS; m++)
            o->v.v[i].mean[m] =
                o->v.v[i].count[m] ? o->v.v[i].sum[m] / (double)o->v.v[i].count[m] : NAN;
}

void train_ops_free(struct train_ops *o)
{
    vec_free(&o->v);
}

double train_op_value(const struct train_op *o, enum train_metric m, enum train_value v)
{
    return v == TRAIN_SUM ? o->sum[m] : o->mean[m];
}

struct ranked {
    double value;
    uint32_t at;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    bool has_x = !isnan(x->value), has_y = !isnan(y->value);
    if (has_x != has_y)
        return has_x ? -1 : 1;
    if (has_x && x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void train_ops_order(const struct train_ops *o, enum train_metric m, enum train_value v,
                     uint32_t *order)
{
    struct ranked *list = mem_alloc(mem_bytes(sizeof *list, o->v.n + 1));
    for (size_t i = 0; i < o->v.n; i++)
        list[i] = (struct ranked){train_op_value(&o->v.v[i], m, v), (uint32_t)i};
    qsort(list, o->v.n, sizeof *list, by_rank);
    for (size_t i = 0; i < o->v.n; i++)
        order[i] = list[i].at;
    mem_free(list);
}

size_t train_pie(const struct train *t, const struct train_ops *o, enum train_metric m,
                 enum train_value v, struct train_slice *out)
{
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, o->v.n + 1));
    train_ops_order(o, m, v, order);
    double total = 0, rest = 0;
    size_t n = 0;
    for (size_t i = 0; i < o->v.n; i++) {
        const struct train_op *op = &o->v.v[order[i]];
        double value = train_op_value(op, m, v);
        if (isnan(value))
            continue;
        total += value;
        if (n < TRAIN_PIE_SLICES)
            out[n++] = (struct train_slice){train_name(t, op->code), value, 0};
        else
            rest += value;
    }
    if (rest != 0)
        out[n++] = (struct train_slice){S("Others"), rest, 0};
    for (size_t i = 0; i < n; i++)
        out[i].percent = total != 0 ? 100 * out[i].value / total : NAN;
    mem_free(order);
    return n;
}

// Rounds half to even, like the notebooks.
static double round_half_even(double v, int decimals)
{
    double scale = decimals == 1 ? 10 : 100;
    return nearbyint(v * scale) / scale;
}

struct train_overhead train_overhead_of(const struct train *t, const struct train_ops *o,
                                        const struct train_op *op)
{
    double steps = (double)t->n_steps;
    const double *sum = op ? op->sum : o->total;
    struct train_overhead v = {
        .calls = (int64_t)((double)(op ? op->n_calls : o->n_rows) / steps)};
    double between = sum[TRAIN_BETWEEN] / steps * NS_TO_MS;
    double device = sum[TRAIN_DEVICE] / steps * NS_TO_MS;
    v.host = round_half_even(sum[TRAIN_HOST] / steps * NS_TO_MS, 2);
    v.between = round_half_even(between, 2);
    v.device = round_half_even(device, 2);
    v.percent = between + device != 0
                    ? round_half_even(100 * between / (between + device), 1)
                    : NAN;
    return v;
}

// --- anomalies ---

// The rows of one op are adjacent in `rows`, in order.
static void find_of(struct train_anomalies *a, const struct train *t,
                    const struct train_op *op, const uint32_t *rows)
{
    enum { SIGMAS = 3 };
    for (int m = 0; m < TRAIN_SHOWN; m++) {
        double mean = op->mean[m], squares = 0;
        if (op->count[m] < 2)
            continue;
        for (size_t i = 0; i < op->n_calls; i++) {
            double v = t->rows.v[rows[i]].ns[m];
            squares += isnan(v) ? 0 : (v - mean) * (v - mean);
        }
        double std = sqrt(squares / (double)(op->count[m] - 1));
        for (size_t i = 0; i < op->n_calls; i++) {
            double v = t->rows.v[rows[i]].ns[m];
            if (v < mean - SIGMAS * std || v > mean + SIGMAS * std)
                vec_push(&a->v,
                         (struct train_anomaly){rows[i], (enum train_metric)m, mean, std});
        }
    }
}

void train_anomalies_find(struct train_anomalies *a, const struct train *t,
                          const struct train_ops *o)
{
    *a = (struct train_anomalies){0};
    // Sort rows by op: one range per op, as wide as its number of calls.
    size_t *next = mem_alloc(mem_bytes(sizeof *next, t->names.keys.n + 1));
    uint32_t *rows = mem_alloc(mem_bytes(sizeof *rows, o->n_rows + 1));
    size_t place = 0;
    for (size_t i = 0; i < o->v.n; i++) {
        next[o->v.v[i].code] = place;
        place += o->v.v[i].n_calls;
    }
    for (size_t i = 0; i < t->rows.n; i++)
        if (is_op(&t->rows.v[i]))
            rows[next[t->rows.v[i].code]++] = (uint32_t)i;
    place = 0;
    for (size_t i = 0; i < o->v.n; i++) {
        find_of(a, t, &o->v.v[i], rows + place);
        place += o->v.v[i].n_calls;
    }
    mem_free(next);
    mem_free(rows);
}

void train_anomalies_free(struct train_anomalies *a)
{
    vec_free(&a->v);
}
