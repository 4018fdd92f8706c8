// table.c - finding and sorting, and getters of plain members.
#include "table/table.h"

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
    for (size_t i = 0; i < t->n_rows; i++) {
        struct row r = row_open(t, i, &texts);
        cells[i] = (struct sort_cell){row_cell(&r, column), (uint32_t)i};
    }
    qsort(cells, t->n_rows, sizeof *cells, by_cell);
    for (size_t i = 0; i < t->n_rows; i++)
        order[i] = cells[i].row;
    mem_free(cells);
    arena_free(&texts);
}

void table_used(const struct table *t, bool *has)
{
    struct arena scratch = {0};
    size_t n_left = t->n_columns;
    memset(has, 0, t->n_columns);
    for (size_t i = 0; n_left && i < t->n_rows; i++) {
        struct row r = row_open(t, table_row(t, i), &scratch);
        for (size_t c = 0; c < t->n_columns; c++) {
            if (has[c])
                continue;
            has[c] = row_cell(&r, &t->columns[c]).kind != CELL_NONE;
            n_left -= has[c];
        }
        arena_rewind(&scratch, (struct arena_mark){0});
    }
    arena_free(&scratch);
}

// --- getters -----------------------------------------------------------------------------

struct cell at_u32(const struct column *c, const struct row *r)
{
    return cell_int(*(const uint32_t *)row_at(c, r));
}
struct cell at_i64(const struct column *c, const struct row *r)
{
    return cell_int(*(const int64_t *)row_at(c, r));
}
struct cell at_u64(const struct column *c, const struct row *r)
{
    return cell_int((int64_t) * (const uint64_t *)row_at(c, r));
}
struct cell at_real(const struct column *c, const struct row *r)
{
    return cell_real(*(const double *)row_at(c, r));
}
struct cell at_bool(const struct column *c, const struct row *r)
{
    return cell_bool(*(const bool *)row_at(c, r));
}
struct cell at_text(const struct column *c, const struct row *r)
{
    return cell_text(*(const str *)row_at(c, r));
}
struct cell at_z(const struct column *c, const struct row *r)
{
    return cell_text(str_of(*(const char *const *)row_at(c, r)));
}
struct cell at_known(const struct column *c, const struct row *r)
{
    int64_t v = *(const int64_t *)row_at(c, r);
    return v == CELL_UNKNOWN ? cell_none() : cell_int(v);
}
