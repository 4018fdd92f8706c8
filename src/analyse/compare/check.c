// check.c - metrics of tables of ops, checked against expected values.
#include "analyse/compare/check.h"

#include <math.h>
#include <stdlib.h>

static const char *const usual_columns[] = {"DEVICE FW", "DEVICE KERNEL",
                                            "DEVICE BRISC KERNEL"};

static const char remedy[] = "a check needs a table of ops (ops_perf_results_*.csv)";

double check_samples_per_s(double ns, int64_t batch)
{
    return (double)batch / (ns * 1e-9);
}

bool check_is_outside(double value, double lower, double upper)
{
    return !(value >= lower && value <= upper);
}

enum check_verdict check_time(double measured, double expected)
{
    if (measured > CHECK_TIME_MOST * expected)
        return CHECK_REGRESSION;
    return measured < CHECK_TIME_LEAST * expected ? CHECK_BASELINE : CHECK_PASS;
}

// --- rows of one table ---

struct reading {
    struct check *c;
    const struct check_options *o;
    struct ops_sheet t;
    int code, type, device, start;
    VEC(uint32_t) rows; // rows that count, in order
    struct err *e;
};

static bool is_needed_column(str name)
{
    return str_is(name, "OP CODE") || str_is(name, "OP TYPE") ||
           str_is(name, "DEVICE ID") || str_is(name, "DEVICE FW START CYCLE") ||
           str_ends(name, S("DURATION [ns]"));
}

static bool is_signpost(struct reading *r, size_t row)
{
    return str_is(ops_sheet_text(&r->t, r->type, row), "signpost");
}

static bool find_signpost(struct reading *r, const char *name, size_t *row)
{
    for (size_t i = 0; i < r->t.n_rows; i++)
        if (is_signpost(r, i) && str_is(ops_sheet_text(&r->t, r->code, i), name)) {
            *row = i;
            return true;
        }
    return err_set(r->e, ERR_FORMAT,
                   "%s: no signpost '%s'; remove --signposts to use all rows",
                   r->t.file.path, name);
}

static bool take_rows(struct reading *r)
{
    size_t from = 0, to = r->t.n_rows;
    if (r->o->has_signposts) {
        if (!find_signpost(r, "start", &from) || !find_signpost(r, "stop", &to))
            return false;
        from++;
    }
    for (size_t i = from; i < to; i++)
        if (!is_signpost(r, i))
            vec_push(&r->rows, (uint32_t)i);
    return true;
}

enum match { MATCH_EXACT, MATCH_END, MATCH_INSIDE, MATCHES };

static bool op_matches(struct reading *r, str code, enum match how)
{
    struct arena *a = &r->t.arena;
    const char *op = r->o->op;
    if (how == MATCH_EXACT)
        return str_is(code, op);
    str tail = arena_printf(a, "::%s", op);
    if (how == MATCH_END)
        return str_ends(code, tail);
    return str_has(code, tail) || str_has(code, arena_printf(a, "%s>", op));
}

static bool fail_no_op(struct reading *r)
{
    enum { SHOWN = 10 };
    struct map codes = {0};
    struct buf b = {0};
    for (size_t i = 0; i < r->rows.n; i++)
        (void)map_put(&codes, ops_sheet_text(&r->t, r->code, r->rows.v[i]));
    for (size_t i = 0; i < codes.keys.n && i < SHOWN; i++)
        buf_printf(&b, "%s%.*s", i ? ", " : "", STR(codes.keys.v[i]));
    (void)err_set(r->e, ERR_FORMAT, "%s: no op '%s'; the table has %zu: %.*s%s",
                  r->t.file.path, r->o->op, codes.keys.n, STR(buf_view(&b)),
                  codes.keys.n > SHOWN ? ", ..." : "");
    map_free(&codes);
    buf_free(&b);
    return false;
}

static bool keep_op(struct reading *r)
{
    if (!r->o->op)
        return true;
    for (int how = 0; how < MATCHES; how++) {
        size_t kept = 0;
        uint32_t *found = mem_alloc(mem_bytes(sizeof *found, r->rows.n + 1));
        for (size_t i = 0; i < r->rows.n; i++)
            if (op_matches(r, ops_sheet_text(&r->t, r->code, r->rows.v[i]),
                           (enum match)how))
                found[kept++] = r->rows.v[i];
        if (kept) {
            memcpy(r->rows.v, found, kept * sizeof *found);
            r->rows.n = kept;
        }
        mem_free(found);
        if (kept && how != MATCH_EXACT)
            note(&r->c->notes, NOTE_INFO, "%s: %zu rows match '%s' in part of their code",
                 r->t.file.path, kept, r->o->op);
        if (kept)
            return true;
    }
    return fail_no_op(r);
}

// --- interleaved devices ---

struct device_rows {
    double id, start;
    VEC(uint32_t) rows;
};

static int by_device_start(const void *a, const void *b)
{
    const struct device_rows *x = a, *y = b;
    double p = isnan(x->start) ? INFINITY : x->start,
           q = isnan(y->start) ? INFINITY : y->start;
    if (p != q)
        return p < q ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

// Interleaves devices in the order of their first op; drops rows without a device.
static void interleave_devices(struct reading *r)
{
    VEC(struct device_rows) devices = {0};
    for (size_t i = 0; i < r->rows.n; i++) {
        double id = ops_sheet_number(&r->t, r->device, r->rows.v[i]);
        size_t d = 0;
        if (isnan(id))
            continue;
        while (d < devices.n && devices.v[d].id != id)
            d++;
        if (d == devices.n)
            vec_push(&devices, (struct device_rows){.id = id,
                                                    .start = ops_sheet_number(
                                                        &r->t, r->start, r->rows.v[i])});
        vec_push(&devices.v[d].rows, r->rows.v[i]);
    }
    if (devices.n)
        qsort(devices.v, devices.n, sizeof *devices.v, by_device_start);
    r->rows.n = 0;
    for (size_t i = 0, left = 1; left; i++) {
        left = 0;
        for (size_t d = 0; d < devices.n; d++)
            if (i < devices.v[d].rows.n) {
                vec_push(&r->rows, devices.v[d].rows.v[i]);
                left++;
            }
    }
    for (size_t d = 0; d < devices.n; d++)
        vec_free(&devices.v[d].rows);
    vec_free(&devices);
}

// --- metrics ---

// Accumulates one column, over all ops or one.
struct tally {
    str op;
    double sum, least, most; // over tables, or over rows when detailed
    VEC(double) values;
};

struct measuring {
    struct check *c;
    const struct check_options *o;
    const char *columns[CHECK_COLUMNS_MOST];
    size_t n_columns;
    struct map ops;            // per op; otherwise only the empty name
    VEC(struct tally) tallies; // op by op, column by column
    size_t n_tables;
};

static struct tally *tally_of(struct measuring *m, str op, size_t column)
{
    size_t at = map_get(&m->ops, op);
    if (at == MAP_NONE) {
        at = map_put(&m->ops, arena_str(&m->c->arena, op));
        for (size_t i = 0; i < m->n_columns; i++)
            vec_push(&m->tallies, (struct tally){.op = m->ops.keys.v[at]});
    }
    return &m->tallies.v[at * m->n_columns + column];
}

static const char *column_name(struct reading *r, const char *name)
{
    return arena_printf(&r->t.arena, "%s DURATION [ns]", name).p;
}

static int column_of(struct reading *r, const char *name)
{
    return ops_sheet_find(&r->t, column_name(r, name));
}

static void add_rows(struct measuring *m, struct reading *r, size_t column)
{
    int at = column_of(r, m->columns[column]);
    double sum = 0;
    for (size_t i = 0; i < r->rows.n; i++) {
        double v = ops_sheet_number(&r->t, at, r->rows.v[i]);
        if (isnan(v))
            continue;
        sum += v;
        if (!m->o->is_detailed)
            continue;
        str op = m->o->is_per_op ? ops_sheet_text(&r->t, r->code, r->rows.v[i]) : S("");
        struct tally *t = tally_of(m, op, column);
        vec_push(&t->values, v);
    }
    if (!m->o->is_detailed) {
        struct tally *t = tally_of(m, S(""), column);
        vec_push(&t->values, sum);
    }
}

// Default columns are used if the first table has them; named ones must exist.
static bool choose_columns(struct measuring *m, struct reading *r)
{
    bool is_named = m->o->n_columns > 0;
    size_t n = is_named ? m->o->n_columns : sizeof usual_columns / sizeof *usual_columns;
    if (m->n_tables == 0)
        for (size_t i = 0; i < n; i++) {
            const char *name = is_named ? m->o->columns[i] : usual_columns[i];
            if (is_named || column_of(r, name) >= 0)
                m->columns[m->n_columns++] = name;
        }
    for (size_t i = 0; i < m->n_columns; i++)
        if (column_of(r, m->columns[i]) < 0)
            return ops_file_fail_missing(&r->t.file, column_name(r, m->columns[i]), "",
                                         r->e);
    return m->n_columns > 0 ||
           ops_file_fail_missing(&r->t.file, "DEVICE KERNEL DURATION [ns]", remedy, r->e);
}

static bool prepare_rows(struct reading *r)
{
    r->code = ops_sheet_find(&r->t, "OP CODE");
    r->type = ops_sheet_find(&r->t, "OP TYPE");
    r->device = ops_sheet_find(&r->t, "DEVICE ID");
    r->start = ops_sheet_find(&r->t, "DEVICE FW START CYCLE");
    if (r->code < 0)
        return ops_file_fail_missing(&r->t.file, "OP CODE", remedy, r->e);
    if (!take_rows(r) || !keep_op(r))
        return false;
    if (r->o->is_detailed || r->o->warmup > 0)
        interleave_devices(r);
    size_t skipped = r->o->warmup < 0 ? 0 : (size_t)r->o->warmup;
    skipped = skipped < r->rows.n ? skipped : r->rows.n;
    r->rows.n -= skipped;
    if (r->rows.n)
        memmove(r->rows.v, r->rows.v + skipped, r->rows.n * sizeof *r->rows.v);
    return r->rows.n ||
           err_set(r->e, ERR_FORMAT, "%s: no rows left to measure", r->t.file.path);
}

static bool add_table(struct measuring *m, const char *path, struct err *e)
{
    struct reading r = {.c = m->c, .o = m->o, .e = e};
    bool ok = ops_sheet_load(&r.t, path, is_needed_column, &m->c->diag, e) &&
              prepare_rows(&r) && choose_columns(m, &r);
    for (size_t i = 0; ok && i < m->n_columns; i++)
        add_rows(m, &r, i);
    m->n_tables += ok;
    vec_free(&r.rows);
    ops_sheet_free(&r.t);
    return ok;
}

// --- results ---

static void add_metric(struct measuring *m, const struct tally *t, const char *kind,
                       const char *column, const char *what, double value)
{
    str name = arena_printf(&m->c->arena, "%.*s%s%s %s %s", STR(t->op), t->op.n ? ": " : "",
                            kind, column, what);
    vec_push(&m->c->metrics, (struct check_metric){
                                 .name = name, .value = value, .lower = NAN, .upper = NAN});
}

static double deviation(const struct tally *t, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < t->values.n; i++)
        squares += (t->values.v[i] - mean) * (t->values.v[i] - mean);
    return t->values.n > 1 ? sqrt(squares / (double)(t->values.n - 1)) : NAN;
}

static void add_metrics(struct measuring *m, struct tally *t, const char *column)
{
    double n = (double)t->values.n;
    t->least = t->most = t->values.n ? t->values.v[0] : NAN;
    for (size_t i = 0; i < t->values.n; i++) {
        t->sum += t->values.v[i];
        t->least = fmin(t->least, t->values.v[i]);
        t->most = fmax(t->most, t->values.v[i]);
    }
    double mean = n > 0 ? t->sum / n : NAN;
    if (!m->o->is_detailed) {
        add_metric(m, t, "AVG", column, "SAMPLES/S",
                   check_samples_per_s(mean, m->o->batch));
        add_metric(m, t, "MIN", column, "SAMPLES/S",
                   check_samples_per_s(t->most, m->o->batch));
        add_metric(m, t, "MAX", column, "SAMPLES/S",
                   check_samples_per_s(t->least, m->o->batch));
    }
    add_metric(m, t, "AVG", column, "DURATION [ns]", mean);
    add_metric(m, t, "MIN", column, "DURATION [ns]", t->least);
    add_metric(m, t, "MAX", column, "DURATION [ns]", t->most);
    if (m->o->is_detailed)
        add_metric(m, t, "STD", column, "DURATION [ns]", deviation(t, mean));
}

bool check_tables(struct check *c, const char *const *paths, size_t n,
                  const struct check_options *options, struct err *e)
{
    *c = (struct check){0};
    struct measuring m = {.c = c, .o = options};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = add_table(&m, paths[i], e);
    for (size_t i = 0; i < m.tallies.n; i++) {
        if (ok)
            add_metrics(&m, &m.tallies.v[i], m.columns[i % m.n_columns]);
        vec_free(&m.tallies.v[i].values);
    }
    vec_free(&m.tallies);
    map_free(&m.ops);
    return ok;
}

void check_free(struct check *c)
{
    vec_free(&c->metrics);
    notes_free(&c->notes);
    arena_free(&c->arena);
}

bool check_expect(struct check *c, str name, double expected, double margin)
{
    for (size_t i = 0; i < c->metrics.n; i++) {
        struct check_metric *m = &c->metrics.v[i];
        if (!str_eq(m->name, name))
            continue;
        m->lower = (1 - margin) * expected;
        m->upper = (1 + margin) * expected;
        m->is_outside = check_is_outside(m->value, m->lower, m->upper);
        return true;
    }
    return false;
}
