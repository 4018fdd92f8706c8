// grid.c - cells by row and column.
#include "present/grid.h"

#include <assert.h>
#include <math.h>

static struct cell cell_at(const struct table *t, size_t row, size_t column)
{
    return *grid_at(t->rows, row, column);
}

// A getter is told the row only: there is one for each column.
#define AT(i)                                                                              \
    GETTER(get_##i)                                                                        \
    {                                                                                      \
        return cell_at(t, row, i);                                                         \
    }
AT(0)
AT(1)
AT(2)
AT(3)
AT(4)
AT(5)
AT(6)
AT(7)
AT(8)
AT(9)
AT(10)
AT(11)
AT(12)
AT(13)
AT(14)
AT(15)
AT(16)
AT(17)
AT(18)
AT(19)
AT(20)
AT(21)
AT(22)
AT(23)
AT(24)
AT(25)
AT(26)
AT(27)
AT(28)
AT(29)
AT(30)
AT(31)
AT(32)
AT(33)
AT(34)
AT(35)
AT(36)
AT(37)
AT(38)
AT(39)
AT(40)
AT(41)
AT(42)
AT(43)
AT(44)
AT(45)
AT(46)
AT(47)

static struct cell (*const getters[GRID_COLUMNS])(const struct table *, size_t,
                                                  struct arena *) = {
    get_0,  get_1,  get_2,  get_3,  get_4,  get_5,  get_6,  get_7,  get_8,  get_9,
    get_10, get_11, get_12, get_13, get_14, get_15, get_16, get_17, get_18, get_19,
    get_20, get_21, get_22, get_23, get_24, get_25, get_26, get_27, get_28, get_29,
    get_30, get_31, get_32, get_33, get_34, get_35, get_36, get_37, get_38, get_39,
    get_40, get_41, get_42, get_43, get_44, get_45, get_46, get_47};

void grid_open(struct grid *g, const char *id, const char *title,
               const struct column *columns, size_t n_columns)
{
    assert(n_columns <= GRID_COLUMNS);
    *g = (struct grid){0};
    for (size_t i = 0; i < n_columns; i++) {
        g->columns[i] = columns[i];
        g->columns[i].get = getters[i];
    }
    g->table = (struct table){.id = id,
                              .title = title,
                              .columns = g->columns,
                              .n_columns = n_columns,
                              .rows = g,
                              .are_heads_right = true};
}

void grid_put(struct grid *g, struct cell c)
{
    vec_push(&g->cells, c);
    g->table.n_rows = g->cells.n / g->table.n_columns;
}

void grid_put_text(struct grid *g, str s)
{
    struct cell c = cell_text(s);
    c.is_plain = true;
    grid_put(g, c);
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

void grid_text(const struct grid *g, size_t most, bool is_coloured, struct buf *b)
{
    struct table shown = g->table;
    if (most && shown.n_rows > most)
        shown.n_rows = most;
    struct text_table x = text_layout(&shown, is_coloured);
    buf_printf(b, "%s\n", shown.title);
    text_head(&x, b);
    text_rule(&x, b);
    for (size_t i = 0; i < shown.n_rows; i++)
        text_row(&x, i, b);
    if (shown.n_rows < g->table.n_rows)
        buf_printf(b, "... and %zu more\n", g->table.n_rows - shown.n_rows);
    text_free(&x);
}
