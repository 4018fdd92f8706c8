// perf_findings.c - advice and findings as tables, for the documents.
#include "analyse/perf/advice.h"
#include "present/reports/perf_table.h"
#include "table/findings.h"

static const struct advice_row *advice_at(const struct row *r)
{
    return r->data;
}
static const struct op *advised(const struct row *r)
{
    const struct perf *p = r->table->context;
    return &p->ops[advice_at(r)->op];
}

GETTER(get_id)
{
    return cell_int(op_id(advised(r)));
}
GETTER(get_code)
{
    return cell_text(advised(r)->code);
}

static const struct column advice_columns[] = {
    {.name = "Section",
     .type = CELL_TEXT,
     .is_left = true,
     .get = at_z,
     MEMBER(struct advice_row, section)},
    {.name = "ID", .type = CELL_INT, .has_no_commas = true, .get = get_id},
    {.name = "OP Code", .type = CELL_TEXT, .is_left = true, .get = get_code},
    {.name = "Advice",
     .type = CELL_TEXT,
     .is_left = true,
     .get = at_text,
     MEMBER(struct advice_row, text)},
};

struct advice_list {
    struct perf_view *v;
    VEC(struct advice_row) rows;
};

static void add_advice(struct advice_list *l, const char *section, uint32_t op, str text)
{
    vec_push(&l->rows, (struct advice_row){section, op, text});
}

// For the ops shown, in display order.
static void add_all_advice(struct advice_list *l)
{
    const struct table *shown = &l->v->ops;
    const struct perf *p = l->v->perf;
    for (size_t i = 0; i < shown->n_rows; i++) {
        uint32_t op = (uint32_t)table_row(shown, i);
        if (p->ops[op].kind == OP_HOST)
            add_advice(l, "Fallback", op, S("These ops should be moved to run on device."));
    }
    for (size_t i = 0; i < shown->n_rows; i++) {
        uint32_t op = (uint32_t)table_row(shown, i);
        if (op_has_high_gap(&p->ops[op]))
            add_advice(
                l, "High Op-to-Op Gap", op,
                S("Over 6 μs since the previous op: run with tracing, or make sure that the device does not wait for the host."));
    }
    for (size_t i = 0; i < shown->n_rows; i++) {
        uint32_t op = (uint32_t)table_row(shown, i);
        str texts[ADVICE_MOST];
        size_t n = advice_for(p, &p->ops[op], &l->v->arena, texts);
        for (size_t k = 0; k < n; k++)
            add_advice(l, "Matmul Optimization", op, texts[k]);
    }
}

static void make_advice(struct perf_view *v)
{
    struct advice_list l = {.v = v};
    add_all_advice(&l);
    v->advice_rows = push_many(&v->arena, struct advice_row, l.rows.n);
    if (l.rows.n)
        memcpy(v->advice_rows, l.rows.v, l.rows.n * sizeof *l.rows.v);
    v->advice = (struct table){.id = "advice",
                               .title = "Advice",
                               .columns = advice_columns,
                               .n_columns = sizeof advice_columns / sizeof *advice_columns,
                               .rows = v->advice_rows,
                               .row_bytes = sizeof *v->advice_rows,
                               .context = v->perf,
                               .n_rows = l.rows.n};
    vec_free(&l.rows);
}

void perf_view_add_findings(struct perf_view *v, bool with_advice)
{
    if (with_advice)
        make_advice(v);
    v->diag = findings_table(&v->perf->diag, &v->arena);
}
