// perf_findings.c - advice and odd data as tables, for the documents.
#include "base/diag.h"

#include "analyse/advice.h"
#include "present/perf_table.h"

static const struct perf_view *view_of(const struct table *t)
{
    return t->rows;
}
static const struct advice_row *advice_of(const struct table *t, size_t row)
{
    return &view_of(t)->advice_rows[row];
}
static const struct op *advised(const struct table *t, size_t row)
{
    return &view_of(t)->perf->ops[advice_of(t, row)->op];
}

GETTER(get_section)
{
    return cell_text(str_of(advice_of(t, row)->section));
}
GETTER(get_op_id)
{
    return cell_int(op_id(advised(t, row)));
}
GETTER(get_op_code)
{
    return cell_text(advised(t, row)->code);
}
GETTER(get_text)
{
    return cell_text(advice_of(t, row)->text);
}

static const struct column advice_columns[] = {
    {.name = "Section", .type = CELL_TEXT, .is_left = true, .get = get_section},
    {.name = "ID", .type = CELL_INT, .has_no_commas = true, .get = get_op_id},
    {.name = "OP Code", .type = CELL_TEXT, .is_left = true, .get = get_op_code},
    {.name = "Advice", .type = CELL_TEXT, .is_left = true, .get = get_text},
};

struct advice_list {
    struct perf_view *v;
    VEC(struct advice_row) rows;
};

static void add(struct advice_list *l, const char *section, uint32_t op, str text)
{
    vec_push(&l->rows, (struct advice_row){section, op, text});
}

// For the ops that are shown, in the order they are shown.
static void add_all(struct advice_list *l)
{
    const struct table *shown = &l->v->ops;
    const struct perf *p = l->v->perf;
    for (size_t i = 0; i < shown->n_rows; i++) {
        uint32_t op = (uint32_t)table_row(shown, i);
        if (p->ops[op].kind == OP_HOST)
            add(l, "Fallback", op, S("These ops should be moved to run on device."));
    }
    for (size_t i = 0; i < shown->n_rows; i++) {
        uint32_t op = (uint32_t)table_row(shown, i);
        if (op_has_high_gap(&p->ops[op]))
            add(l, "High Op-to-Op Gap", op,
                S("Over 6 μs since the previous op: run with tracing, or make sure that "
                  "the "
                  "device does not wait for the host."));
    }
    for (size_t i = 0; i < shown->n_rows; i++) {
        uint32_t op = (uint32_t)table_row(shown, i);
        str texts[ADVICE_MOST];
        size_t n = advice_for(p, &p->ops[op], &l->v->arena, texts);
        for (size_t k = 0; k < n; k++)
            add(l, "Matmul Optimization", op, texts[k]);
    }
}

static enum diag_kind diag_of(const struct table *t, size_t row)
{
    return (enum diag_kind)view_of(t)->diag_rows[row];
}
static const struct diag_entry *entry_of(const struct table *t, size_t row)
{
    return &view_of(t)->perf->diag.entry[diag_of(t, row)];
}

GETTER(get_finding)
{
    return cell_text(str_of(diag_what(diag_of(t, row))));
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
    return cell_text(str_of(diag_remedy(diag_of(t, row))));
}

static const struct column diag_columns[] = {
    {.name = "Finding", .type = CELL_TEXT, .is_left = true, .get = get_finding},
    {.name = "Count", .type = CELL_INT, .get = get_count},
    {.name = "First seen", .type = CELL_TEXT, .is_left = true, .get = get_first},
    {.name = "Remedy", .type = CELL_TEXT, .is_left = true, .get = get_remedy},
};

static void make_advice(struct perf_view *v)
{
    struct advice_list l = {.v = v};
    add_all(&l);
    v->advice_rows = push_many(&v->arena, struct advice_row, l.rows.n);
    if (l.rows.n)
        memcpy(v->advice_rows, l.rows.v, l.rows.n * sizeof *l.rows.v);
    v->advice = (struct table){.id = "advice",
                               .title = "Advice",
                               .columns = advice_columns,
                               .n_columns = sizeof advice_columns / sizeof *advice_columns,
                               .rows = v,
                               .n_rows = l.rows.n};
    vec_free(&l.rows);
}

void perf_view_add_findings(struct perf_view *v, bool with_advice)
{
    if (with_advice)
        make_advice(v);
    size_t n = 0;
    v->diag_rows = push_many(&v->arena, uint32_t, DIAG_KINDS);
    for (uint32_t k = 0; k < DIAG_KINDS; k++)
        if (v->perf->diag.entry[k].count)
            v->diag_rows[n++] = k;
    v->diag = (struct table){.id = "diag",
                             .title = "What was odd in this data",
                             .columns = diag_columns,
                             .n_columns = sizeof diag_columns / sizeof *diag_columns,
                             .rows = v,
                             .n_rows = n};
}
