// grid.c - cells by row and column.
#include "table/grid.h"

#include <assert.h>
#include <math.h>

GETTER(get_cell)
{
    const struct cell *cells = r->data;
    return cells[c->arg];
}

void grid_open(struct grid *g, const char *id, const char *title,
               const struct column *columns, size_t n_columns)
{
    assert(n_columns <= GRID_COLUMNS);
    *g = (struct grid){0};
    for (size_t i = 0; i < n_columns; i++) {
        g->columns[i] = columns[i];
        g->columns[i].get = get_cell;
        g->columns[i].arg = (uint32_t)i;
        g->columns[i].rank = i > 1 ? (int)i : 0; // the first two say what a row is
    }
    g->table = (struct table){.id = id,
                              .title = title,
                              .columns = g->columns,
                              .n_columns = n_columns,
                              .row_bytes = n_columns * sizeof(struct cell),
                              .are_heads_right = true};
}

void grid_put(struct grid *g, struct cell c)
{
    vec_push(&g->cells, c);
    g->table.rows = g->cells.v;
    g->table.n_rows = g->cells.n / g->table.n_columns;
}

void grid_put_text(struct grid *g, str s)
{
    grid_put(g, cell_plain(s));
}

void grid_put_real(struct grid *g, double v)
{
    grid_put(g, isnan(v) ? cell_none() : cell_real(v));
}

void grid_free(struct grid *g)
{
    vec_free(&g->cells);
    arena_free(&g->arena);
}

void grid_text(const struct grid *g, size_t most, struct text_look look, struct buf *b)
{
    struct table shown = g->table;
    if (most && shown.n_rows > most)
        shown.n_rows = most;
    buf_printf(b, "%s\n", shown.title);
    table_text(&shown, look, b);
    if (shown.n_rows < g->table.n_rows)
        buf_printf(b, "... and %zu more\n", g->table.n_rows - shown.n_rows);
}
