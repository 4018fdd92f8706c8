// ops_doc.c - the ops report as a document: rows with their states, the coverage of each
// device, cells left empty, and findings.
#include "present/page/ops_doc.h"

#include "present/page/document.h"
#include "present/page/page.h"
#include "present/reports/ops_columns.h"
#include "table/findings.h"

// --- coverage ----------------------------------------------------------------------------

GETTER(get_device)
{
    const struct op_coverage *v = r->data;
    return v->device == DEVICE_NO_ID ? cell_none() : cell_int(v->device);
}
GETTER(get_covered)
{
    const struct op_coverage *v = r->data;
    return v->expected ? cell_real(100.0 * (double)v->measured / (double)v->expected)
                       : cell_none();
}
GETTER(get_support)
{
    const struct op_coverage *v = r->data;
    return v->support_count ? cell_int((int64_t)v->support_count) : cell_none();
}
// "not measured: 3; capture: 4"
GETTER(get_states)
{
    const struct op_coverage *v = r->data;
    struct buf b = {0};
    for (int i = 0; i < OP_STATES; i++)
        if (v->by_state[i])
            buf_printf(&b, "%s%s: %llu", b.n ? "; " : "", op_state_names[i],
                       (unsigned long long)v->by_state[i]);
    str text = arena_str(r->scratch, buf_view(&b));
    buf_free(&b);
    return cell_text(text);
}

static const struct column coverage_columns[] = {
    // clang-format off
    {.name = "Device", .type = CELL_INT, .get = get_device},
    {.name = "Expected", .type = CELL_INT, .get = at_u64, MEMBER(struct op_coverage, expected)},
    {.name = "Measured", .type = CELL_INT, .get = at_u64, MEMBER(struct op_coverage, measured)},
    {.name = "Covered", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_covered},
    {.name = "Without a host op", .type = CELL_INT, .get = at_u64, MEMBER(struct op_coverage, unmatched)},
    {.name = "Program support count needed", .type = CELL_INT, .get = get_support},
    {.name = "Rows by state", .type = CELL_TEXT, .is_left = true, .get = get_states},
    // clang-format on
};

// --- cells that broke a rule -------------------------------------------------------------

GETTER(get_bad_row)
{
    const struct op_bad_cell *bad = r->data;
    return cell_int((int64_t)bad->row + 1);
}
GETTER(get_bad_id)
{
    const struct op_report *report = r->table->context;
    const struct op_bad_cell *bad = r->data;
    const struct op_row *at = &report->rows.v[bad->row];
    const struct device_row *d = ops_device(report, at);
    const struct host_op *op = ops_host(report, at);
    return op ? cell_int((int64_t)op->id) : d ? cell_int((int64_t)d->op) : cell_none();
}
GETTER(get_bad_column)
{
    const struct op_bad_cell *bad = r->data;
    return cell_text(str_of(device_number_columns[bad->number]));
}
GETTER(get_bad_value)
{
    const struct op_bad_cell *bad = r->data;
    return bad->value == DEVICE_NONE ? cell_none() : cell_int(bad->value);
}

static const struct column bad_columns[] = {
    {.name = "Row", .type = CELL_INT, .get = get_bad_row},
    {.name = "GLOBAL CALL COUNT", .type = CELL_INT, .get = get_bad_id},
    {.name = "Column", .type = CELL_TEXT, .is_left = true, .get = get_bad_column},
    {.name = "Rule",
     .type = CELL_TEXT,
     .is_left = true,
     .get = at_z,
     MEMBER(struct op_bad_cell, rule)},
    {.name = "Value", .type = CELL_INT, .get = get_bad_value},
};

// --- what states mean --------------------------------------------------------------------

struct reason {
    const char *state, *meaning;
};

static const void *open_reason(const struct table *t, size_t i, struct arena *scratch)
{
    struct reason *reason = push_one(scratch, struct reason);
    (void)t;
    *reason = (struct reason){op_state_names[i], op_state_reasons[i]};
    return reason;
}

static const struct column reason_columns[] = {
    {.name = "State",
     .type = CELL_TEXT,
     .is_left = true,
     .get = at_z,
     MEMBER(struct reason, state)},
    {.name = "Meaning",
     .type = CELL_TEXT,
     .is_left = true,
     .get = at_z,
     MEMBER(struct reason, meaning)},
};

// --- the document ------------------------------------------------------------------------

#define TABLE(name, head, list)                                                            \
    .id = (name), .title = (head), .columns = (list),                                      \
    .n_columns = sizeof(list) / sizeof *(list)

// Only programs that tell where they call ops have the column.
static bool has_call_sites(const struct host_ops *h)
{
    for (size_t i = 0; h && i < h->records.n; i++)
        for (size_t k = 0; k < h->records.v[i].n_extra; k++)
            if (str_is(h->records.v[i].extra[k].column, "CALL SITE"))
                return true;
    return false;
}

static void put_ops_doc(const struct ops_csv *c, enum json_rows form, struct out *o)
{
    const struct op_report *r = c->report;
    const struct diag *findings = c->findings ? c->findings : &r->diag;
    struct arena a = {0};
    struct ops_csv all = *c;
    all.more |= OPS_CSV_STATE | OPS_CSV_NET;
    all.more |= has_call_sites(r->host) ? OPS_CSV_SITE : 0;
    struct ops_columns columns;
    ops_columns_make(&columns, &all);
    const struct table coverage = {
        TABLE("coverage", "Coverage", coverage_columns), .rows = r->coverage.v,
        .row_bytes = sizeof *r->coverage.v, .n_rows = r->coverage.n};
    const struct table bad = {
        TABLE("bad", "Cells left empty because they violate a rule", bad_columns),
        .rows = r->bad.v, .row_bytes = sizeof *r->bad.v, .context = r, .n_rows = r->bad.n};
    const struct table odd = findings_table(findings, &a);
    const struct table states = {TABLE("states", "Row states", reason_columns),
                                 .open = open_reason, .n_rows = OP_STATES};
    const struct table *const tables[] = {&columns.table, &coverage, &bad, &odd, &states};
    const struct document d = {.kind = "ops-report",
                               .title = "Ops report",
                               .sources = c->sources,
                               .n_sources = c->n_sources};
    struct json j = document_open(&d, &o->b);
    document_notes(&j, NULL);
    document_tables(&j, tables, sizeof tables / sizeof *tables, form, o);
    document_close(&j);
    ops_columns_free(&columns);
    arena_free(&a);
}

void ops_doc_json(const struct ops_csv *c, struct out *o)
{
    put_ops_doc(c, JSON_OBJECTS, o);
}

bool ops_doc_html(const struct ops_csv *c, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    page_open(&o.b);
    put_ops_doc(c, JSON_ARRAYS, &o);
    page_close(&o.b);
    return out_close(&o, e);
}
