// grid.h - a table filled cell by cell, for small results from many sources. All table
// outputs work on it.
#ifndef TTP_TABLE_GRID_H
#define TTP_TABLE_GRID_H

#include "base/data/vec.h"

#include "table/table.h"

enum { GRID_COLUMNS = 48 };

struct grid {
    struct arena arena; // for texts not owned elsewhere
    struct column columns[GRID_COLUMNS];
    VEC(struct cell) cells;
    struct table table; // complete when every row is
};

// The usual columns.
// clang-format off
#define GRID_TEXT(n)      {.name = (n), .type = CELL_TEXT, .is_left = true}
#define GRID_WHOLE(n)     {.name = (n), .type = CELL_INT}
#define GRID_REAL(n, d)   {.name = (n), .type = CELL_REAL, .decimals = (d)}
#define GRID_MILLIS(n, d) {.name = (n), .csv_name = n " [ms]", .type = CELL_REAL, .unit = UNIT_MILLIS, .decimals = (d)}
#define GRID_NANOS(n)     {.name = (n), .csv_name = n " [ns]", .type = CELL_REAL, .unit = UNIT_NANOS}
#define GRID_SHARE(n)     {.name = (n), .csv_name = n " [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1}
// clang-format on

// The columns are copied and need no getters. A grid must not move.
void grid_open(struct grid *g, const char *id, const char *title,
               const struct column *columns, size_t n_columns);
// Appends a cell, row by row from left to right.
void grid_put(struct grid *g, struct cell c);
void grid_put_text(struct grid *g, str s);    // never taken for a number
void grid_put_real(struct grid *g, double v); // NaN: no cell
void grid_free(struct grid *g);

static inline const struct cell *grid_at(const struct grid *g, size_t row, size_t column)
{
    return &g->cells.v[row * g->table.n_columns + column];
}

// Title, head, rows and rules; at most `most` rows, 0: all. A line says how many are left
// out.
void grid_text(const struct grid *g, size_t most, struct text_look look, struct buf *b);

#endif
