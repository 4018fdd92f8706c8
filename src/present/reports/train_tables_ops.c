// train_tables_ops.c - tables of time per op.
#include <math.h>

#include "base/data/array.h"
#include "base/text/json.h"

#include "present/reports/train_tables.h"

#define MS 1e-6 // of a ns

static double share_of(double part, double whole)
{
    return whole != 0 ? 100 * part / whole : NAN;
}

// clang-format off
#define OF_STEP(n, c) {.name = (n), .csv_name = c " per Step [ms]", .type = CELL_REAL, .unit = UNIT_MILLIS, .decimals = 3}
#define OF_ALL(n, c)  {.name = (n), .csv_name = c " Share [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1}
#define AVERAGE(n, c) {.name = (n), .csv_name = c " Average [ms]", .type = CELL_REAL, .unit = UNIT_MILLIS, .decimals = 4}
// clang-format on

static void put_ops(struct train_view *v)
{
    static const struct column columns[] = {
        // clang-format off
        GRID_TEXT("Op"), GRID_WHOLE("Calls"),
        OF_STEP("Device sum", "Device Time"), OF_ALL("Device %", "Device Time"), AVERAGE("Device avg", "Device Time"),
        OF_STEP("Host sum", "Host Time"), OF_ALL("Host %", "Host Time"), AVERAGE("Host avg", "Host Time"),
        OF_STEP("Between sum", "Time Between Ops"), OF_ALL("Between %", "Time Between Ops"), AVERAGE("Between avg", "Time Between Ops"),
        // clang-format on
    };
    struct grid *g = &v->grid[TRAIN_TABLE_OPS];
    grid_open(g, "ops", "Time per op and step", columns, COUNT_OF(columns));
    const struct train_ops *o = v->ops;
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, o->v.n + 1));
    train_ops_order(o, TRAIN_DEVICE, TRAIN_SUM, order);
    for (size_t i = 0; i < o->v.n; i++) {
        const struct train_op *op = &o->v.v[order[i]];
        grid_put_text(g, train_name(v->train, op->code));
        grid_put(g, cell_int((int64_t)op->n_calls));
        for (int m = 0; m < TRAIN_SHOWN; m++) {
            bool is_known = op->count[m] > 0;
            grid_put_real(g, is_known ? op->sum[m] * MS / (double)v->train->n_steps : NAN);
            grid_put_real(g, is_known ? share_of(op->sum[m], o->total[m]) : NAN);
            grid_put_real(g, op->mean[m] * MS);
        }
    }
    mem_free(order);
}

static void put_pies(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_TEXT("Metric"), GRID_TEXT("Value"),  GRID_TEXT("Op"),
        GRID_NANOS("Time"),  GRID_SHARE("Share"), GRID_TEXT("Label"),
    };
    struct grid *g = &v->grid[TRAIN_TABLE_PIES];
    grid_open(g, "pies", "Shares", columns, COUNT_OF(columns));
    for (int m = 0; m < TRAIN_SHOWN; m++)
        for (int k = TRAIN_SUM; k <= TRAIN_MEAN; k++) {
            struct train_slice slices[TRAIN_PIE_SLICES + 1];
            size_t n = train_pie(v->train, v->ops, (enum train_metric)m,
                                 (enum train_value)k, slices);
            for (size_t i = 0; i < n; i++) {
                grid_put_text(g, str_of(train_metric_name((enum train_metric)m)));
                grid_put_text(g, k == TRAIN_SUM ? S("sum") : S("mean"));
                grid_put_text(g, slices[i].label);
                grid_put_real(g, slices[i].value);
                grid_put_real(g, slices[i].percent);
                grid_put_text(g, arena_printf(&g->arena, "%.*s \u2014 %.1f%%",
                                              STR(slices[i].label), slices[i].percent));
            }
        }
}

static void put_overhead_row(struct grid *g, str name, struct train_overhead o)
{
    grid_put_text(g, name);
    grid_put(g, cell_int(o.calls));
    grid_put_real(g, o.host);
    grid_put_real(g, o.between);
    grid_put_real(g, o.device);
    grid_put_real(g, o.between);
    grid_put_real(g, o.percent);
}

static void put_overhead(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_TEXT("Op"),          GRID_WHOLE("Calls/Step"), GRID_MILLIS("Host", 2),
        GRID_MILLIS("Op2Op", 2),  GRID_MILLIS("Dev", 2),    GRID_MILLIS("Overhead", 2),
        GRID_SHARE("Overhead %"),
    };
    struct grid *g = &v->grid[TRAIN_TABLE_OVERHEAD];
    grid_open(g, "overhead", "Dispatch overhead per step", columns, COUNT_OF(columns));
    const struct train_ops *o = v->ops;
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, o->v.n + 1));
    train_ops_order(o, TRAIN_BETWEEN, TRAIN_SUM, order);
    for (size_t i = 0; i < o->v.n && i < v->top; i++) {
        const struct train_op *op = &o->v.v[order[i]];
        put_overhead_row(g, train_name(v->train, op->code),
                         train_overhead_of(v->train, o, op));
    }
    if (o->v.n)
        put_overhead_row(g, S("\u2500\u2500 WHOLE STEP \u2500\u2500"),
                         train_overhead_of(v->train, o, NULL));
    mem_free(order);
}

static void put_series(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_WHOLE("Row"),           GRID_TEXT("Op"),
        GRID_WHOLE("Device"),        GRID_MILLIS("Device Time", 4),
        GRID_MILLIS("Host Time", 4), GRID_MILLIS("Time Between Ops", 4),
    };
    struct grid *g = &v->grid[TRAIN_TABLE_SERIES];
    grid_open(g, "series", "Every call", columns, COUNT_OF(columns));
    for (size_t i = 0; i < v->train->rows.n; i++) {
        const struct train_row *r = &v->train->rows.v[i];
        if (r->marker != TRAIN_NO_MARKER)
            continue;
        grid_put(g, cell_int(r->row));
        grid_put_text(g, train_name(v->train, r->code));
        grid_put(g, r->device == TRAIN_NO_DEVICE ? cell_none() : cell_int(r->device));
        for (int m = 0; m < TRAIN_SHOWN; m++)
            grid_put_real(g, r->ns[m] * MS);
    }
}

// --- anomalies ---

static str parse_quoted(str *s)
{
    char quote = s->p[0];
    *s = str_from(*s, 1);
    return str_cut(s, quote);
}

// Parses one `'key': value`; *s becomes the text after it.
static bool parse_pair(str *s, str *key, str *value)
{
    *s = str_trim(*s);
    if (!s->n || (s->p[0] != '\'' && s->p[0] != '"'))
        return false;
    *key = parse_quoted(s);
    *s = str_trim(*s);
    if (!s->n || s->p[0] != ':')
        return false;
    *s = str_trim(str_from(*s, 1));
    if (s->n && (s->p[0] == '\'' || s->p[0] == '"')) {
        *value = parse_quoted(s);
        *s = str_trim(*s);
        if (s->n && s->p[0] == ';')
            *s = str_from(*s, 1);
        return true;
    }
    *value = str_trim(str_cut(s, ';'));
    return true;
}

void train_attributes_json(str attributes, struct buf *b)
{
    struct json j = {.b = b, .is_first = true};
    str s = str_trim(attributes);
    size_t start = b->n;
    bool is_object = s.n >= 2 && s.p[0] == '{' && s.p[s.n - 1] == '}';
    if (is_object) {
        s = str_trim((str){s.p + 1, s.n - 2});
        json_open(&j, '{');
        while (is_object && s.n) {
            str key, value;
            is_object = parse_pair(&s, &key, &value);
            if (is_object) {
                json_key(&j, key);
                json_text(&j, value);
            }
        }
        json_close(&j, '}');
    }
    if (!is_object) {
        b->n = start;
        j = (struct json){.b = b, .is_first = true};
        json_text(&j, attributes);
    }
}

static str inputs_text(struct train_view *v, size_t row, struct grid *g)
{
    struct ops_sheet *t = &v->train->table;
    struct buf b = {0};
    for (size_t c = 0; c < t->file.header.n; c++) {
        if (!str_starts(t->file.header.names[c], S("INPUT_")) ||
            !ops_sheet_has(t, (int)c, row))
            continue;
        buf_printf(&b, "%s%.*s=%.*s", b.n ? " " : "", STR(t->file.header.names[c]),
                   STR(ops_sheet_text(t, (int)c, row)));
    }
    str text = arena_str(&g->arena, buf_view(&b));
    buf_free(&b);
    return text;
}

static void put_anomalies(struct train_view *v)
{
    static const struct column columns[] = {
        // clang-format off
        GRID_TEXT("Op"), GRID_TEXT("Metric"), GRID_WHOLE("Row"), GRID_MILLIS("Value", 4), GRID_MILLIS("Mean", 4), GRID_MILLIS("Deviation", 4),
        GRID_REAL("Core Count", 0),
        {.name = "Inputs", .type = CELL_TEXT, .is_left = true, .is_detail = true},
        {.name = "Attributes", .type = CELL_TEXT, .is_left = true, .is_detail = true},
        // clang-format on
    };
    struct grid *g = &v->grid[TRAIN_TABLE_ANOMALIES];
    grid_open(g, "anomalies",
              "Anomalies: more than three standard deviations from the mean", columns,
              COUNT_OF(columns));
    struct ops_sheet *t = &v->train->table;
    int cores = ops_sheet_find(t, "CORE COUNT"), about = ops_sheet_find(t, "ATTRIBUTES");
    for (size_t i = 0; i < v->anomalies->v.n; i++) {
        const struct train_anomaly *a = &v->anomalies->v.v[i];
        const struct train_row *r = &v->train->rows.v[a->row];
        struct buf json = {0};
        grid_put_text(g, train_name(v->train, r->code));
        grid_put_text(g, str_of(train_metric_name(a->metric)));
        grid_put(g, cell_int(r->row));
        grid_put_real(g, r->ns[a->metric] * MS);
        grid_put_real(g, a->mean * MS);
        grid_put_real(g, a->std * MS);
        grid_put_real(g, ops_sheet_number(t, cores, r->row));
        grid_put_text(g, inputs_text(v, r->row, g));
        train_attributes_json(ops_sheet_text(t, about, r->row), &json);
        grid_put_text(g, arena_str(&g->arena, buf_view(&json)));
        buf_free(&json);
    }
}

void train_tables_ops(struct train_view *v)
{
    put_ops(v);
    put_pies(v);
    put_overhead(v);
    put_series(v);
    put_anomalies(v);
}
