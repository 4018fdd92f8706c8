// ops_columns.c - which columns there are, in their order.
#include "present/ops_columns.h"

#include <stdlib.h>

#define RECORD(field) offsetof(struct op_record, field)

// Columns of every report with host ops, but for those that depend on the data.
struct fixed_column {
    const char *name;
    enum ops_source source;
    uint32_t index;
    enum cell_kind type;
    enum unit unit;
    bool is_main;
};

static const struct fixed_column head_columns[] = {
    // clang-format off
    {"OP CODE", OPS_CODE, 0, CELL_TEXT, UNIT_NONE, true},
    {"OP TYPE", OPS_TYPE, 0, CELL_TEXT, UNIT_NONE, false},
    {"GLOBAL CALL COUNT", OPS_ID, 0, CELL_INT, UNIT_NONE, true},
    {"DEVICE ID", OPS_DEVICE, 0, CELL_INT, UNIT_NONE, true},
    {"DEVICE ARCH", OPS_ARCH, 0, CELL_TEXT, UNIT_NONE, false},
    {"ATTRIBUTES", OPS_RECORD_TEXT, RECORD(attributes), CELL_TEXT, UNIT_NONE, false},
    {"MATH FIDELITY", OPS_RECORD_TEXT, RECORD(fidelity), CELL_TEXT, UNIT_NONE, true},
    {NULL, OPS_NUMBER, DEVICE_CORES, CELL_INT, UNIT_NONE, true},
    {NULL, OPS_NUMBER, DEVICE_CORES_AVAILABLE, CELL_INT, UNIT_NONE, false},
    {NULL, OPS_NUMBER, DEVICE_SUB_DEVICE, CELL_INT, UNIT_NONE, false},
    {"PARALLELIZATION STRATEGY", OPS_RECORD_TEXT, RECORD(strategy), CELL_TEXT, UNIT_NONE, false},
    {"HOST START TS", OPS_HOST_START, 0, CELL_INT, UNIT_NANOS, false},
    {"HOST END TS", OPS_HOST_END, 0, CELL_INT, UNIT_NANOS, false},
    {"HOST DURATION [ns]", OPS_HOST_DURATION, 0, CELL_INT, UNIT_NANOS, true},
    {NULL, OPS_NUMBER, DEVICE_FW_START, CELL_INT, UNIT_CYCLES, false},
    {NULL, OPS_NUMBER, DEVICE_FW_END, CELL_INT, UNIT_CYCLES, false},
    {NULL, OPS_NUMBER, DEVICE_LATENCY, CELL_INT, UNIT_NANOS, true},
    {NULL, OPS_NUMBER, DEVICE_LATENCY_DM, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_FW, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_KERNEL, CELL_INT, UNIT_NANOS, true},
    {NULL, OPS_NUMBER, DEVICE_KERNEL_DM, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_CORE_MIN, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_CORE_MAX, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_CORE_AVG, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_FIRST_TO_LAST, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_BRISC, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_NCRISC, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_TRISC0, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_TRISC1, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_TRISC2, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_ERISC, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_CB_WAIT, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_CB_RESERVE, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_DISPATCH_TOTAL, CELL_INT, UNIT_NANOS, false},
    {NULL, OPS_NUMBER, DEVICE_DISPATCH_GO, CELL_INT, UNIT_NANOS, false},
    // clang-format on
};
// Behind the tensors.
static const struct fixed_column program_columns[] = {
    // clang-format off
    {"METAL TRACE ID", OPS_TRACE, 0, CELL_INT, UNIT_NONE, false},
    {"METAL TRACE REPLAY SESSION ID", OPS_SESSION, 0, CELL_INT, UNIT_NONE, false},
    {"COMPUTE KERNEL SOURCE", OPS_RECORD_TEXT, RECORD(compute_source), CELL_TEXT, UNIT_NONE, false},
    {"COMPUTE KERNEL HASH", OPS_RECORD_TEXT, RECORD(compute_hash), CELL_TEXT, UNIT_NONE, false},
    {"DATA MOVEMENT KERNEL SOURCE", OPS_RECORD_TEXT, RECORD(movement_source), CELL_TEXT, UNIT_NONE, false},
    {"DATA MOVEMENT KERNEL HASH", OPS_RECORD_TEXT, RECORD(movement_hash), CELL_TEXT, UNIT_NONE, false},
    {"PROGRAM HASH", OPS_HASH, 0, CELL_TEXT, UNIT_NONE, false},
    {"PROGRAM CACHE HIT", OPS_HIT, 0, CELL_BOOL, UNIT_NONE, false},
    // clang-format on
};
// Behind the sizes of kernels.
static const struct fixed_column model_columns[] = {
    // clang-format off
    {"PM IDEAL [ns]", OPS_RECORD_TEXT, RECORD(ideal), CELL_REAL, UNIT_NANOS, true},
    {"PM COMPUTE [ns]", OPS_RECORD_TEXT, RECORD(compute), CELL_REAL, UNIT_NANOS, false},
    {"PM BANDWIDTH [ns]", OPS_RECORD_TEXT, RECORD(bandwidth), CELL_REAL, UNIT_NANOS, false},
    {"PM REQ I BW", OPS_RECORD_TEXT, RECORD(input_rates), CELL_TEXT, UNIT_NONE, false},
    {"PM REQ O BW", OPS_RECORD_TEXT, RECORD(output_rates), CELL_TEXT, UNIT_NONE, false},
    {"PM FPU UTIL (%)", OPS_FPU_UTIL, 0, CELL_REAL, UNIT_PERCENT, true},
    {"NOC UTIL (%)", OPS_EXTRA, 0, CELL_REAL, UNIT_PERCENT, false},
    {"MULTICAST NOC UTIL (%)", OPS_EXTRA, 0, CELL_REAL, UNIT_PERCENT, false},
    {"DRAM BW UTIL (%)", OPS_EXTRA, 0, CELL_REAL, UNIT_PERCENT, false},
    {"DRAM BW UTIL PER CTRL (%)", OPS_EXTRA, 0, CELL_TEXT, UNIT_NONE, false},
    {"ETH BW UTIL (%)", OPS_EXTRA, 0, CELL_TEXT, UNIT_NONE, false},
    {"NPE CONG IMPACT (%)", OPS_EXTRA, 0, CELL_REAL, UNIT_PERCENT, false},
    // clang-format on
};
static const struct fixed_column state_columns[] = {
    {"ROW STATE", OPS_ROW_STATE, 0, CELL_TEXT, UNIT_NONE, true},
    {"CELL STATES", OPS_CELL_STATES, 0, CELL_TEXT, UNIT_NONE, false},
};
static const struct fixed_column net_column = {
    "OP TO OP LATENCY WITHOUT PROFILER [ns]", OPS_NET, 0, CELL_INT, UNIT_NANOS, false};
static const struct fixed_column depth_column = {"CALL DEPTH", OPS_DEPTH, 0,
                                                 CELL_INT,     UNIT_NONE, false};

// Calls whose number and mean time the reports of 2023 had.
static const char *const seed_calls[] = {"CompileProgram", "ConfigureDeviceWithProgram",
                                         "LaunchProgram",  "ReadFromDevice",
                                         "WriteToDevice",  "DumpDeviceProfileResults"};

// Quasar has other processors: these stand in the place of, or instead of, the usual ones.
static const struct quasar_column {
    enum device_number replaced;
    const char *name[2]; // NULL: the column goes away
} quasar_columns[] = {
    {DEVICE_BRISC,
     {"DEVICE QUASAR_DM KERNEL DURATION [ns]",
      "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]"}},
    {DEVICE_FW, {"DEVICE DM FW DURATION [ns]", "DEVICE TRISC FW DURATION [ns]"}},
    {DEVICE_LATENCY, {"OP TO OP DM LATENCY [ns]", "OP TO OP TRISC LATENCY [ns]"}},
    {DEVICE_LATENCY_DM, {NULL, NULL}},
    {DEVICE_NCRISC, {NULL, NULL}},
    {DEVICE_TRISC0, {NULL, NULL}},
    {DEVICE_TRISC1, {NULL, NULL}},
    {DEVICE_TRISC2, {NULL, NULL}},
    {DEVICE_ERISC, {NULL, NULL}},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

// --- adding ------------------------------------------------------------------------------

static uint32_t extra_of(const struct ops_columns *c, str name)
{
    const struct device_rows *d = c->report->device;
    for (size_t i = 0; d && i < d->extra.n; i++)
        if (str_eq(d->extra.v[i].name, name))
            return (uint32_t)i;
    return HOST_NONE;
}

static void add(struct ops_columns *c, str name, enum ops_source source, size_t index,
                enum cell_kind type, enum unit unit, bool is_main)
{
    struct ops_column column = {.name = name,
                                .source = source,
                                .index = (uint32_t)index,
                                .extra = extra_of(c, name),
                                .has_more = extra_of(c, name) != HOST_NONE,
                                .type = type,
                                .unit = unit,
                                .is_main = is_main};
    vec_push(&c->v, column);
}

static const struct quasar_column *quasar_of(const struct ops_columns *c,
                                             const struct fixed_column *f)
{
    const struct device_rows *d = c->report->device;
    if (!d || !d->is_quasar || f->source != OPS_NUMBER)
        return NULL;
    for (size_t i = 0; i < COUNT(quasar_columns); i++)
        if (quasar_columns[i].replaced == (enum device_number)f->index)
            return &quasar_columns[i];
    return NULL;
}

static void add_fixed(struct ops_columns *c, const struct fixed_column *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct quasar_column *q = quasar_of(c, &f[i]);
        for (int k = 0; q && k < 2 && q->name[k]; k++)
            add(c, str_of(q->name[k]), OPS_EXTRA, 0, CELL_INT, UNIT_NANOS, f[i].is_main);
        if (q)
            continue;
        const char *name = f[i].name ? f[i].name : device_number_columns[f[i].index];
        add(c, str_of(name), f[i].source, f[i].index, f[i].type, f[i].unit, f[i].is_main);
    }
}

static void add_tensors(struct ops_columns *c, enum ops_source source, size_t n)
{
    static const char *const names[OPS_TENSOR_COLUMNS] = {
        "W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]",
        "LAYOUT",         "DATATYPE",       "MEMORY"};
    const char *which = source == OPS_INPUT ? "INPUT" : "OUTPUT";
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < OPS_TENSOR_COLUMNS; k++)
            add(c, arena_printf(&c->arena, "%s_%zu_%s", which, i, names[k]), source,
                i * OPS_TENSOR_COLUMNS + k, CELL_TEXT, UNIT_NONE, false);
}

// --- sizes of kernels --------------------------------------------------------------------

struct size_name {
    str name;
    uint32_t id;
};

static int by_class(const void *a, const void *b)
{
    const struct size_name *x = a, *y = b;
    return op_kernel_size_order(x->name, y->name);
}

static void add_sizes(struct ops_columns *c)
{
    size_t n = c->sizes.keys.n;
    struct size_name *names = push_many(&c->arena, struct size_name, n);
    for (size_t i = 0; i < n; i++)
        names[i] = (struct size_name){c->sizes.keys.v[i], (uint32_t)i};
    if (n)
        qsort(names, n, sizeof *names, by_class);
    for (size_t i = 0; i < n; i++)
        add(c, arena_printf(&c->arena, "%.*s MAX KERNEL SIZE [B]", STR(names[i].name)),
            OPS_SIZE, names[i].id, CELL_INT, UNIT_NONE, false);
}

// --- counters and children ---------------------------------------------------------------

// Columns of the device rows that have no place among the others.
static void add_extra(struct ops_columns *c)
{
    const struct device_rows *d = c->report->device;
    size_t n = c->v.n;
    for (size_t i = 0; d && i < d->extra.n; i++) {
        bool is_there = false;
        for (size_t k = 0; k < n && !is_there; k++)
            is_there = c->v.v[k].extra == i;
        if (!is_there)
            add(c, d->extra.v[i].name, OPS_EXTRA, 0, CELL_REAL,
                str_ends(d->extra.v[i].name, S("(%)")) ? UNIT_PERCENT : UNIT_NONE, false);
    }
}

static int by_column_name(const void *a, const void *b)
{
    const struct ops_column *x = a, *y = b;
    return str_cmp(x->name, y->name);
}

static void add_children(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    size_t first = c->v.n;
    for (size_t i = 0; h && i < h->children.keys.n; i++)
        add(c,
            arena_printf(&c->arena, "%.*s_TT_HOST_FUNC [ns]", STR(h->children.keys.v[i])),
            OPS_CHILD, i, CELL_INT, UNIT_NANOS, false);
    if (c->v.n > first)
        qsort(c->v.v + first, c->v.n - first, sizeof *c->v.v, by_column_name);
}

static void add_seed(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    add_fixed(c, &depth_column, 1);
    for (size_t i = 0; i < COUNT(seed_calls); i++) {
        uint32_t child = h ? map_get(&h->children, str_of(seed_calls[i])) : MAP_NONE;
        add(c, arena_printf(&c->arena, "%s Count", seed_calls[i]), OPS_CHILD_COUNT, child,
            CELL_INT, UNIT_NONE, false);
        add(c, arena_printf(&c->arena, "%s Average [ns]", seed_calls[i]), OPS_CHILD_AVERAGE,
            child, CELL_REAL, UNIT_NANOS, false);
    }
}

static void add_more(struct ops_columns *c)
{
    if (c->csv->more & OPS_CSV_NET)
        add_fixed(c, &net_column, 1);
    if (c->csv->more & OPS_CSV_SEED)
        add_seed(c);
    if (c->csv->more & OPS_CSV_STATE)
        add_fixed(c, state_columns, COUNT(state_columns));
}

// --- the two lists -----------------------------------------------------------------------

// Ops that nobody is left of (their id was used again) give no columns.
static void make_full(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    size_t n_inputs = 0, n_outputs = 0;
    bool *is_seen = mem_alloc(h ? h->records.n + 1 : 1);
    for (size_t i = 0; i < c->report->rows.n; i++) {
        uint32_t record = ops_view(c->report, &c->report->rows.v[i]).record;
        if (record == HOST_NONE || is_seen[record])
            continue;
        is_seen[record] = true;
        const struct op_record *r = &h->records.v[record];
        n_inputs = r->n_inputs > n_inputs ? r->n_inputs : n_inputs;
        n_outputs = r->n_outputs > n_outputs ? r->n_outputs : n_outputs;
        for (size_t k = 0; k < r->n_sizes; k++)
            (void)map_put(&c->sizes, r->sizes[k].name);
    }
    mem_free(is_seen);
    add_fixed(c, head_columns, COUNT(head_columns));
    add_tensors(c, OPS_INPUT, n_inputs);
    add_tensors(c, OPS_OUTPUT, n_outputs);
    add_fixed(c, program_columns, COUNT(program_columns));
    add_sizes(c);
    add_fixed(c, model_columns, COUNT(model_columns));
    add_extra(c);
    add_children(c);
}

// Does any row have something there?
static bool occurs(const struct ops_columns *c, const struct ops_view *views, size_t column,
                   struct arena *scratch)
{
    for (size_t i = 0; i < c->report->rows.n; i++)
        if (ops_cell(c, &views[i], column, scratch).kind != CELL_NONE)
            return true;
    return false;
}

static bool is_of_device(const struct ops_columns *c, const struct ops_column *column)
{
    const struct device_rows *d = c->report->device;
    switch (column->source) {
    case OPS_ID: return true;
    case OPS_DEVICE: return d && d->devices.n > 1;
    case OPS_NUMBER:
        return column->index != DEVICE_CORES && column->index != DEVICE_CORES_AVAILABLE;
    default: return column->extra != HOST_NONE;
    }
}

// Only what was measured.
static void make_device_only(struct ops_columns *c)
{
    struct arena scratch = {0};
    add_fixed(c, head_columns, COUNT(head_columns));
    add_fixed(c, model_columns, COUNT(model_columns));
    add_extra(c);
    size_t n = 0, n_rows = c->report->rows.n;
    struct ops_view *views = mem_alloc(mem_bytes(sizeof *views, n_rows));
    for (size_t i = 0; i < n_rows; i++)
        views[i] = ops_view(c->report, &c->report->rows.v[i]);
    for (size_t i = 0; i < c->v.n; i++)
        if (is_of_device(c, &c->v.v[i]) &&
            (c->v.v[i].source == OPS_ID || occurs(c, views, i, &scratch)))
            c->v.v[n++] = c->v.v[i];
    c->v.n = n;
    mem_free(views);
    arena_free(&scratch);
}

// --- what is looked up by row ------------------------------------------------------------

static uint32_t column_of_key(const struct ops_columns *c, str key)
{
    for (size_t i = 0; i < c->v.n; i++) {
        const struct ops_column *column = &c->v.v[i];
        bool is_fixed = column->source != OPS_TRACE && column->source != OPS_SESSION &&
                        column->source != OPS_INPUT && column->source != OPS_OUTPUT &&
                        column->source != OPS_CHILD && column->source != OPS_SIZE;
        if (is_fixed && str_eq_nocase(column->name, key))
            return (uint32_t)i;
    }
    return HOST_NONE;
}

// Distinct keys are few, however many records have them.
static void find_fills(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    struct map keys = {0};
    VEC(uint32_t) column_of = {0};
    if (!h)
        return;
    c->first_fill = push_many(&c->arena, uint32_t, h->records.n + 1);
    for (size_t i = 0; i < h->records.n; i++) {
        const struct op_record *r = &h->records.v[i];
        for (size_t k = 0; k < r->n_extra; k++) {
            uint32_t key = map_put(&keys, r->extra[k].column), at;
            if (key < column_of.n) {
                at = column_of.v[key];
            } else {
                at = column_of_key(c, r->extra[k].column);
                vec_push(&column_of, at);
            }
            if (at == HOST_NONE)
                continue;
            vec_push(&c->fills, (struct ops_fill){at, r->extra[k].cell});
            c->v.v[at].has_more = true;
        }
        c->first_fill[i + 1] = (uint32_t)c->fills.n;
    }
    if (!c->fills.n)
        c->first_fill = NULL;
    vec_free(&column_of);
    map_free(&keys);
}

static void find_children(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    if (!h || !h->child.n)
        return;
    c->first_child = push_many(&c->arena, uint32_t, h->ops.n + 1);
    size_t at = 0;
    for (size_t i = 0; i <= h->ops.n; i++) {
        while (at < h->child.n && h->child.v[at].op < i)
            at++;
        c->first_child[i] = (uint32_t)at;
    }
}

void ops_columns_make(struct ops_columns *c, const struct ops_csv *csv)
{
    *c = (struct ops_columns){.csv = csv, .report = csv->report};
    if (csv->is_device_only)
        make_device_only(c);
    else
        make_full(c);
    add_more(c);
    find_fills(c);
    find_children(c);
}

void ops_columns_free(struct ops_columns *c)
{
    vec_free(&c->v);
    vec_free(&c->fills);
    map_free(&c->sizes);
    arena_free(&c->arena);
    *c = (struct ops_columns){0};
}

size_t ops_columns_rows(const struct ops_columns *c)
{
    bool is_all = c->csv->is_device_only || c->csv->with_unmatched;
    return is_all ? c->report->rows.n : c->report->n_rows;
}
