// ops_doc.c - the ops report as a document: its rows with their states, the coverage of
// each device, cells that were left empty, and what was odd.
#include "present/ops_doc.h"

#include <math.h>

#include "base/num.h"

#include "present/ops_columns.h"
#include "present/page.h"

struct doc {
    const struct ops_csv *csv;
    const struct op_report *r;
    const struct diag *findings;
    uint32_t kinds[DIAG_KINDS]; // of findings that there are
    size_t n_kinds;
};

static const struct doc *doc_of(const struct table *t)
{
    return t->rows;
}

// --- coverage ----------------------------------------------------------------------------

static const struct op_coverage *coverage_of(const struct table *t, size_t row)
{
    return &doc_of(t)->r->coverage.v[row];
}

GETTER(get_device)
{
    int64_t id = coverage_of(t, row)->device;
    return id == DEVICE_NO_ID ? cell_none() : cell_int(id);
}
GETTER(get_expected)
{
    return cell_int((int64_t)coverage_of(t, row)->expected);
}
GETTER(get_measured)
{
    return cell_int((int64_t)coverage_of(t, row)->measured);
}
GETTER(get_covered)
{
    const struct op_coverage *c = coverage_of(t, row);
    return c->expected ? cell_real(100.0 * (double)c->measured / (double)c->expected)
                       : cell_none();
}
GETTER(get_unmatched)
{
    return cell_int((int64_t)coverage_of(t, row)->unmatched);
}
GETTER(get_support)
{
    const struct op_coverage *c = coverage_of(t, row);
    return c->support_count ? cell_int((int64_t)c->support_count) : cell_none();
}
// "not measured: 3; capture: 4"
GETTER(get_states)
{
    const struct op_coverage *c = coverage_of(t, row);
    struct buf b = {0};
    for (int i = 0; i < OP_STATES; i++)
        if (c->by_state[i])
            buf_printf(&b, "%s%s: %llu", b.n ? "; " : "", op_state_names[i],
                       (unsigned long long)c->by_state[i]);
    str text = arena_str(scratch, buf_view(&b));
    buf_free(&b);
    return cell_text(text);
}

static const struct column coverage_columns[] = {
    // clang-format off
    {.name = "Device", .type = CELL_INT, .get = get_device},
    {.name = "Expected", .type = CELL_INT, .get = get_expected},
    {.name = "Measured", .type = CELL_INT, .get = get_measured},
    {.name = "Covered", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_covered},
    {.name = "Without a host op", .type = CELL_INT, .get = get_unmatched},
    {.name = "Program support count needed", .type = CELL_INT, .get = get_support},
    {.name = "Rows by state", .type = CELL_TEXT, .is_left = true, .get = get_states},
    // clang-format on
};

// --- cells that broke a rule -------------------------------------------------------------

static const struct op_bad_cell *bad_of(const struct table *t, size_t row)
{
    return &doc_of(t)->r->bad.v[row];
}

GETTER(get_bad_row)
{
    return cell_int((int64_t)bad_of(t, row)->row + 1);
}
GETTER(get_bad_id)
{
    const struct op_report *r = doc_of(t)->r;
    const struct op_row *at = &r->rows.v[bad_of(t, row)->row];
    const struct device_row *d = ops_device(r, at);
    const struct host_op *op = ops_host(r, at);
    return op ? cell_int((int64_t)op->id) : d ? cell_int((int64_t)d->op) : cell_none();
}
GETTER(get_bad_column)
{
    return cell_text(str_of(device_number_columns[bad_of(t, row)->number]));
}
GETTER(get_bad_rule)
{
    return cell_text(str_of(bad_of(t, row)->rule));
}
GETTER(get_bad_value)
{
    int64_t v = bad_of(t, row)->value;
    return v == DEVICE_NONE ? cell_none() : cell_int(v);
}

static const struct column bad_columns[] = {
    {.name = "Row", .type = CELL_INT, .get = get_bad_row},
    {.name = "GLOBAL CALL COUNT", .type = CELL_INT, .get = get_bad_id},
    {.name = "Column", .type = CELL_TEXT, .is_left = true, .get = get_bad_column},
    {.name = "Rule", .type = CELL_TEXT, .is_left = true, .get = get_bad_rule},
    {.name = "Value", .type = CELL_INT, .get = get_bad_value},
};

// --- what states mean --------------------------------------------------------------------

GETTER(get_state_name)
{
    (void)t;
    return cell_text(str_of(op_state_names[row]));
}
GETTER(get_state_reason)
{
    (void)t;
    return cell_text(str_of(op_state_reasons[row]));
}

static const struct column reason_columns[] = {
    {.name = "State", .type = CELL_TEXT, .is_left = true, .get = get_state_name},
    {.name = "Meaning", .type = CELL_TEXT, .is_left = true, .get = get_state_reason},
};

// --- findings ----------------------------------------------------------------------------

static enum diag_kind kind_of(const struct table *t, size_t row)
{
    return (enum diag_kind)doc_of(t)->kinds[row];
}
static const struct diag_entry *entry_of(const struct table *t, size_t row)
{
    return &doc_of(t)->findings->entry[kind_of(t, row)];
}

GETTER(get_finding)
{
    return cell_text(str_of(diag_what(kind_of(t, row))));
}
GETTER(get_count)
{
    return cell_int((int64_t)entry_of(t, row)->count);
}
GETTER(get_first)
{
    return cell_text(str_of(entry_of(t, row)->first));
}
GETTER(get_remedy)
{
    return cell_text(str_of(diag_remedy(kind_of(t, row))));
}

static const struct column finding_columns[] = {
    {.name = "Finding", .type = CELL_TEXT, .is_left = true, .get = get_finding},
    {.name = "Count", .type = CELL_INT, .get = get_count},
    {.name = "First seen", .type = CELL_TEXT, .is_left = true, .get = get_first},
    {.name = "Remedy", .type = CELL_TEXT, .is_left = true, .get = get_remedy},
};

// --- rows --------------------------------------------------------------------------------

// The page does not repeat a unit that stands in the name.
static enum unit unit_of(const struct ops_column *column, enum json_rows form)
{
    bool is_told = str_ends(column->name, S("]")) || str_ends(column->name, S(")"));
    return form == JSON_ARRAYS && is_told ? UNIT_NONE : column->unit;
}

static void put_columns(const struct ops_columns *c, enum json_rows form, struct json *j)
{
    static const char *const types[] = {[CELL_NONE] = "text",
                                        [CELL_BOOL] = "bool",
                                        [CELL_INT] = "int",
                                        [CELL_REAL] = "real",
                                        [CELL_TEXT] = "text"};
    json_key(j, S("columns"));
    json_open(j, '[');
    for (size_t i = 0; i < c->v.n; i++) {
        const struct ops_column *column = &c->v.v[i];
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "name", column->name);
        json_key_text(j, "type", str_of(types[column->type]));
        json_key_text(j, "unit", str_of(unit_text(unit_of(column, form))));
        json_key_int(j, "decimals",
                     column->type == CELL_REAL && column->unit != UNIT_NANOS ? 2 : 0);
        json_key(j, S("detail"));
        json_bool(j, !column->is_main);
        json_close(j, '}');
    }
    json_close(j, ']');
}

// Texts of records that are numbers become numbers; a hash stays a text, because readers
// take numbers for doubles.
static void put_value(struct json *j, const struct ops_column *column,
                      const struct cell *cell)
{
    bool is_number = column->type == CELL_INT || column->type == CELL_REAL;
    int64_t i = 0;
    double d = 0;
    char digits[24] = "";
    switch (cell->kind) {
    case CELL_NONE: json_none(j); break;
    case CELL_BOOL: json_bool(j, cell->b); break;
    case CELL_REAL: json_double(j, cell->d); break;
    case CELL_INT:
        if (is_number) {
            json_int(j, cell->i);
            break;
        }
        json_text(j,
                  (str){digits, (size_t)(num_write(digits, (uint64_t)cell->i) - digits)});
        break;
    case CELL_TEXT:
        if (is_number && num_int(cell->s, &i))
            json_int(j, i);
        else if (is_number && num_real(cell->s, &d))
            json_double(j, d);
        else
            json_text(j, cell->s);
        break;
    }
}

// Of the JSON's rows: which cells are not what they seem.
static void put_states(const struct ops_columns *c, const struct op_row *row,
                       struct json *j)
{
    json_key(j, S("CELL STATES"));
    json_open(j, '{');
    if (ops_row_is_missing(row)) {
        json_key_text(j, "*", str_of(ops_cell_state_names[STATE_MISSING]));
    } else if (ops_device(c->report, row)) {
        for (int i = 0; i < DEVICE_REPORTED; i++) {
            enum cell_state s = ops_number_state(c->report, row, (enum device_number)i);
            if (s != STATE_OK && s != STATE_EMPTY)
                json_key_text(j, device_number_columns[i], str_of(ops_cell_state_names[s]));
        }
    }
    json_close(j, '}');
}

static void put_ops(const struct ops_columns *c, enum json_rows form, struct json *j,
                    struct out *o)
{
    struct arena scratch = {0};
    size_t n = ops_columns_rows(c);
    json_open(j, '{');
    json_key_text(j, "id", S("ops"));
    json_key_text(j, "title", S("Ops"));
    put_columns(c, form, j);
    json_key(j, S("rows"));
    json_open(j, '[');
    for (size_t i = 0; i < n; i++) {
        const struct op_row *row = &c->report->rows.v[i];
        struct ops_view view = ops_view(c->report, row);
        json_newline(j);
        json_open(j, form == JSON_OBJECTS ? '{' : '[');
        for (size_t k = 0; k < c->v.n; k++) {
            if (form == JSON_OBJECTS && c->v.v[k].source == OPS_CELL_STATES) {
                put_states(c, row, j);
                continue;
            }
            if (form == JSON_OBJECTS)
                json_key(j, c->v.v[k].name);
            struct cell cell = ops_cell(c, &view, k, &scratch);
            put_value(j, &c->v.v[k], &cell);
        }
        json_close(j, form == JSON_OBJECTS ? '}' : ']');
        arena_rewind(&scratch, (struct arena_mark){0});
        out_flush_some(o);
    }
    json_close(j, ']');
    json_close(j, '}');
    arena_free(&scratch);
}

// --- the document ------------------------------------------------------------------------

static void put_tables(const struct doc *d, enum json_rows form, struct json *j,
                       struct out *o)
{
#define TABLE(name, head, list, n)                                                         \
    {                                                                                      \
        .id = (name), .title = (head), .columns = (list),                                  \
        .n_columns = sizeof(list) / sizeof *(list), .rows = d, .n_rows = (n)               \
    }
    const struct table tables[] = {
        TABLE("coverage", "Coverage", coverage_columns, d->r->coverage.n),
        TABLE("bad", "Cells left empty because they broke a rule", bad_columns,
              d->r->bad.n),
        TABLE("diag", "What was odd in this data", finding_columns, d->n_kinds),
        TABLE("states", "What the states mean", reason_columns, OP_STATES),
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        json_newline(j);
        table_json(&tables[i], form, j, o);
    }
}

static void put_doc(const struct ops_csv *c, enum json_rows form, struct out *o)
{
    struct json j = {.b = &o->b, .is_first = true};
    struct doc d = {
        .csv = c, .r = c->report, .findings = c->findings ? c->findings : &c->report->diag};
    for (uint32_t k = 0; k < DIAG_KINDS; k++)
        if (d.findings->entry[k].count)
            d.kinds[d.n_kinds++] = k;
    struct ops_csv all = *c;
    all.more |= OPS_CSV_STATE | OPS_CSV_NET;
    struct ops_columns columns;
    ops_columns_make(&columns, &all);
    json_open(&j, '{');
    json_key_text(&j, "ttprof", S(TTPROF_VERSION));
    json_key_text(&j, "kind", S("ops-report"));
    json_key_text(&j, "title", S("Ops report"));
    json_key(&j, S("sources"));
    json_open(&j, '[');
    for (size_t i = 0; i < c->n_sources; i++)
        json_text(&j, str_of(c->sources[i]));
    json_close(&j, ']');
    json_key_int(&j, "min_percentage", 0);
    json_key(&j, S("arch"));
    json_none(&j);
    page_notes(&j, NULL);
    json_key(&j, S("tables"));
    json_open(&j, '[');
    json_newline(&j);
    put_ops(&columns, form, &j, o);
    put_tables(&d, form, &j, o);
    json_close(&j, ']');
    json_close(&j, '}');
    ops_columns_free(&columns);
}

void ops_doc_json(const struct ops_csv *c, struct out *o)
{
    put_doc(c, JSON_OBJECTS, o);
    buf_char(&o->b, '\n');
}

bool ops_doc_html(const struct ops_csv *c, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    page_open(&o.b);
    put_doc(c, JSON_ARRAYS, &o);
    page_close(&o.b);
    return out_close(&o, e);
}
