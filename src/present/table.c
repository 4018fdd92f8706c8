// table.c - finding and sorting.
#include "present/table.h"

#include <math.h>
#include <stdlib.h>

const struct column *table_find(const struct table *t, str name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (str_eq_nocase(str_of(t->columns[i].name), name))
            return &t->columns[i];
    return NULL;
}

struct sort_cell {
    struct cell cell;
    uint32_t row;
};

static bool is_missing(const struct cell *c)
{
    return c->kind == CELL_NONE || (c->kind == CELL_REAL && isnan(c->d)) ||
           (c->kind == CELL_TEXT && c->s.n == 0);
}

static double as_number(const struct cell *c)
{
    return c->kind == CELL_INT ? (double)c->i : c->kind == CELL_BOOL ? c->b : c->d;
}

static int by_cell(const void *a, const void *b)
{
    const struct sort_cell *x = a, *y = b;
    bool x_missing = is_missing(&x->cell), y_missing = is_missing(&y->cell);
    if (x_missing != y_missing)
        return x_missing ? 1 : -1;
    int c = 0;
    if (!x_missing && x->cell.kind == CELL_TEXT && y->cell.kind == CELL_TEXT) {
        c = str_cmp(x->cell.s, y->cell.s);
    } else if (!x_missing && x->cell.kind != CELL_TEXT && y->cell.kind != CELL_TEXT) {
        double p = as_number(&x->cell), q = as_number(&y->cell);
        c = (p < q) - (p > q);
    }
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

void table_sort(const struct table *t, const struct column *column, uint32_t *order)
{
    struct arena texts = {0};
    struct sort_cell *cells = mem_alloc(mem_bytes(sizeof *cells, t->n_rows));
    for (size_t i = 0; i < t->n_rows; i++)
        cells[i] = (struct sort_cell){column->get(t, i, &texts), (uint32_t)i};
    qsort(cells, t->n_rows, sizeof *cells, by_cell);
    for (size_t i = 0; i < t->n_rows; i++)
        order[i] = cells[i].row;
    mem_free(cells);
    arena_free(&texts);
}
