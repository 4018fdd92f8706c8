// ops_columns_make.c - selects the columns of a report, in order.
#include <stdlib.h>

#include "base/data/array.h"

#include "present/reports/ops_columns.h"

// API calls whose count and mean time were in the reports of 2023.
static const char *const seed_calls[] = {"CompileProgram", "ConfigureDeviceWithProgram",
                                         "LaunchProgram",  "ReadFromDevice",
                                         "WriteToDevice",  "DumpDeviceProfileResults"};

// Quasar has other processors: these names replace the usual ones.
static const struct quasar_column {
    enum device_number replaced;
    const char *name[2]; // NULL: the column is dropped
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

// --- adding ------------------------------------------------------------------------------

static uint32_t extra_of(const struct ops_columns *c, const char *name)
{
    const struct device_rows *d = c->report->device;
    for (size_t i = 0; d && i < d->extra.n; i++)
        if (str_is(d->extra.v[i].name, name))
            return (uint32_t)i;
    return TRACE_NONE;
}

static void add_column(struct ops_columns *c, struct column column)
{
    struct ops_more more = {column.get, extra_of(c, column.name)};
    if (column.type == CELL_REAL && column.unit != UNIT_NANOS)
        column.decimals = 2;
    if (more.extra != TRACE_NONE) {
        column.get = ops_get_filled;
        column.is_shared = false;
    }
    vec_push(&c->v, column);
    vec_push(&c->more, more);
}

static const struct quasar_column *quasar_of(const struct ops_columns *c,
                                             const struct column *f)
{
    const struct device_rows *d = c->report->device;
    if (!d || !d->is_quasar || f->get != ops_get_number)
        return NULL;
    for (size_t i = 0; i < COUNT_OF(quasar_columns); i++)
        if (quasar_columns[i].replaced == (enum device_number)f->arg)
            return &quasar_columns[i];
    return NULL;
}

static void add_list(struct ops_columns *c, struct ops_list list)
{
    for (size_t i = 0; i < list.n; i++) {
        struct column column = list.v[i];
        const struct quasar_column *q = quasar_of(c, &column);
        for (int k = 0; q && k < 2 && q->name[k]; k++)
            add_column(c, (struct column){.name = q->name[k],
                                          .type = CELL_INT,
                                          .unit = UNIT_NANOS,
                                          .is_detail = column.is_detail,
                                          .get = ops_get_none});
        if (q)
            continue;
        if (!column.name)
            column.name = device_number_columns[column.arg];
        add_column(c, column);
    }
}

static void add_tensors(struct ops_columns *c, const char *which, size_t at, size_t n)
{
    static const char *const names[OPS_TENSOR_COLUMNS] = {
        "W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]",
        "LAYOUT",         "DATATYPE",       "MEMORY"};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < OPS_TENSOR_COLUMNS; k++)
            add_column(
                c, (struct column){
                       .name = arena_printf(&c->arena, "%s_%zu_%s", which, i, names[k]).p,
                       .type = CELL_TEXT,
                       .is_detail = true,
                       .is_shared = true,
                       .get = ops_get_tensor,
                       .at = at,
                       .arg = (uint32_t)(i * OPS_TENSOR_COLUMNS + k)});
}

// --- columns with generated names --------------------------------------------------------

struct named {
    str name;
    uint32_t id;
};

static struct named *names_of(struct ops_columns *c, const struct map *m, const char *fmt)
{
    struct named *names = push_many(&c->arena, struct named, m->keys.n + 1);
    for (size_t i = 0; i < m->keys.n; i++)
        names[i] = (struct named){
            fmt ? arena_printf(&c->arena, "%.*s%s", STR(m->keys.v[i]), fmt) : m->keys.v[i],
            (uint32_t)i};
    return names;
}

static int by_class(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return op_kernel_size_order(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return str_cmp(x->name, y->name);
}

static void add_sizes(struct ops_columns *c)
{
    size_t n = c->sizes.keys.n;
    struct named *names = names_of(c, &c->sizes, NULL);
    qsort(names, n, sizeof *names, by_class);
    for (size_t i = 0; i < n; i++)
        add_column(
            c, (struct column){.name = arena_printf(&c->arena, "%.*s MAX KERNEL SIZE [B]",
                                                    STR(names[i].name))
                                           .p,
                               .type = CELL_INT,
                               .is_detail = true,
                               .is_shared = true,
                               .get = ops_get_size,
                               .arg = names[i].id});
}

static void add_children(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    if (!h)
        return;
    struct named *names = names_of(c, &h->children, "_TT_HOST_FUNC [ns]");
    qsort(names, h->children.keys.n, sizeof *names, by_name);
    for (size_t i = 0; i < h->children.keys.n; i++)
        add_column(c, (struct column){.name = names[i].name.p,
                                      .type = CELL_INT,
                                      .unit = UNIT_NANOS,
                                      .is_detail = true,
                                      .get = ops_get_child,
                                      .arg = names[i].id});
}

// Columns of the device rows that match none of the others.
static void add_extra(struct ops_columns *c)
{
    const struct device_rows *d = c->report->device;
    size_t n = c->v.n;
    for (size_t i = 0; d && i < d->extra.n; i++) {
        str name = d->extra.v[i].name;
        bool is_there = false;
        for (size_t k = 0; k < n && !is_there; k++)
            is_there = c->more.v[k].extra == i;
        if (!is_there)
            add_column(c, (struct column){.name = arena_str(&c->arena, name).p,
                                          .type = CELL_REAL,
                                          .unit = str_ends(name, S("(%)")) ? UNIT_PERCENT
                                                                           : UNIT_NONE,
                                          .is_detail = true,
                                          .get = ops_get_none});
    }
}

static void add_seed(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    add_list(c, ops_depth_columns);
    for (size_t i = 0; i < COUNT_OF(seed_calls); i++) {
        uint32_t child = h ? map_get(&h->children, str_of(seed_calls[i])) : MAP_NONE;
        add_column(
            c, (struct column){.name = arena_printf(&c->arena, "%s Count", seed_calls[i]).p,
                               .type = CELL_INT,
                               .is_detail = true,
                               .get = ops_get_child_count,
                               .arg = child});
        add_column(c,
                   (struct column){
                       .name = arena_printf(&c->arena, "%s Average [ns]", seed_calls[i]).p,
                       .type = CELL_REAL,
                       .unit = UNIT_NANOS,
                       .is_detail = true,
                       .get = ops_get_child_average,
                       .arg = child});
    }
}

// --- the table ---------------------------------------------------------------------------

static const void *open_view(const struct table *t, size_t i, struct arena *scratch)
{
    const struct ops_columns *c = t->context;
    struct ops_view *view = push_one(scratch, struct ops_view);
    *view = ops_view(c->report, &c->report->rows.v[i]);
    return view;
}

static uint32_t record_of(const struct row *r)
{
    const struct ops_view *view = r->data;
    return view->record;
}

// Rows without a host op come after the others.
static void make_table(struct ops_columns *c)
{
    bool is_all = c->csv->is_device_only || c->csv->with_unmatched;
    c->table = (struct table){.id = "ops",
                              .title = "Ops",
                              .columns = c->v.v,
                              .n_columns = c->v.n,
                              .context = c,
                              .open = open_view,
                              .share = record_of,
                              .n_shares = c->report->host ? c->report->host->records.n : 0,
                              .n_rows = is_all ? c->report->rows.n : c->report->n_rows};
}

// --- the two lists -----------------------------------------------------------------------

// Ops without rows (their id was reused) add no columns.
static void make_full(struct ops_columns *c)
{
    const struct host_ops *h = c->report->host;
    size_t n_inputs = 0, n_outputs = 0;
    bool *is_seen = mem_alloc(h ? h->records.n + 1 : 1);
    for (size_t i = 0; i < c->report->rows.n; i++) {
        uint32_t record = ops_view(c->report, &c->report->rows.v[i]).record;
        if (record == TRACE_NONE || is_seen[record])
            continue;
        is_seen[record] = true;
        const struct op_record *r = &h->records.v[record];
        n_inputs = r->n_inputs > n_inputs ? r->n_inputs : n_inputs;
        n_outputs = r->n_outputs > n_outputs ? r->n_outputs : n_outputs;
        for (size_t k = 0; k < r->n_sizes; k++)
            (void)map_put(&c->sizes, r->sizes[k].name);
    }
    mem_free(is_seen);
    add_list(c, ops_head_columns);
    add_tensors(c, "INPUT", offsetof(struct op_record, inputs), n_inputs);
    add_tensors(c, "OUTPUT", offsetof(struct op_record, outputs), n_outputs);
    add_list(c, ops_program_columns);
    add_sizes(c);
    add_list(c, ops_model_columns);
    add_extra(c);
    add_children(c);
}

static bool is_of_device(const struct ops_columns *c, size_t i)
{
    const struct device_rows *d = c->report->device;
    const struct column *column = &c->v.v[i];
    if (c->more.v[i].own == ops_get_id)
        return true;
    if (c->more.v[i].own == ops_get_device)
        return d && d->devices.n > 1;
    if (c->more.v[i].own == ops_get_number)
        return column->arg != DEVICE_CORES && column->arg != DEVICE_CORES_AVAILABLE;
    return c->more.v[i].extra != TRACE_NONE;
}

static void keep(struct ops_columns *c, const bool *is_kept)
{
    size_t n = 0;
    for (size_t i = 0; i < c->v.n; i++) {
        if (!is_kept[i])
            continue;
        c->v.v[n] = c->v.v[i];
        c->more.v[n++] = c->more.v[i];
    }
    c->v.n = c->more.n = n;
}

// Only what was measured.
static void make_device_only(struct ops_columns *c)
{
    add_list(c, ops_head_columns);
    add_list(c, ops_model_columns);
    add_extra(c);
    bool *is_kept = push_many(&c->arena, bool, c->v.n);
    for (size_t i = 0; i < c->v.n; i++)
        is_kept[i] = is_of_device(c, i);
    keep(c, is_kept);
    make_table(c);
    table_used(&c->table, is_kept);
    for (size_t i = 0; i < c->v.n; i++)
        is_kept[i] |= c->more.v[i].own == ops_get_id;
    keep(c, is_kept);
}

static void add_more(struct ops_columns *c)
{
    if (c->csv->more & OPS_CSV_NET)
        add_list(c, ops_net_columns);
    if (c->csv->more & OPS_CSV_SEED)
        add_seed(c);
    if (c->csv->more & OPS_CSV_SITE)
        add_list(c, ops_site_columns);
    if (c->csv->more & OPS_CSV_STATE)
        add_list(c, ops_state_columns);
}

// --- lookup tables -----------------------------------------------------------------------

static uint32_t column_of_key(const struct ops_columns *c, str key)
{
    for (size_t i = 0; i < c->v.n; i++) {
        struct cell (*own)(const struct column *, const struct row *) = c->more.v[i].own;
        bool is_fixed = own != ops_get_replay && own != ops_get_tensor &&
                        own != ops_get_child && own != ops_get_size;
        if (is_fixed && str_eq_nocase(str_of(c->v.v[i].name), key))
            return (uint32_t)i;
    }
    return TRACE_NONE;
}

// There are few distinct keys, however many records have them.
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
            if (at == TRACE_NONE)
                continue;
            vec_push(&c->fills, (struct ops_fill){at, r->extra[k].cell});
            c->v.v[at].get = ops_get_filled;
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
    make_table(c);
}

void ops_columns_free(struct ops_columns *c)
{
    vec_free(&c->v);
    vec_free(&c->more);
    vec_free(&c->fills);
    map_free(&c->sizes);
    arena_free(&c->arena);
    *c = (struct ops_columns){0};
}
