// op_columns.h - a table of ops (ops_perf_results_*.csv) as columns by name, whatever they
// are called: for analyses that want other columns than the performance report does.
//
// Cells stay where they are in the file; a cell is decoded when it is asked for.
#ifndef TTP_FORMATS_OPS_TABLE_OP_COLUMNS_H
#define TTP_FORMATS_OPS_TABLE_OP_COLUMNS_H

#include "formats/ops_table/ops_file.h"

struct op_columns {
    struct arena arena;
    struct ops_file file;
    csv_cell **cells; // [column of the file][row]; NULL: not kept
    uint64_t *at;     // where each row stands in the file
    size_t n_rows, cap;
    struct diag *diag;
};

// Which columns are kept, by name; NULL: all.
typedef bool op_columns_keeps(str name);

// On false the columns can only be freed; e says what and where.
bool op_columns_load(struct op_columns *t, const char *path, op_columns_keeps *keeps,
                     struct diag *d, struct err *e);
void op_columns_free(struct op_columns *t);

// Index of the column, -1: the table has none. A column that is not there has empty cells.
int op_columns_find(const struct op_columns *t, const char *name);
// The bytes of a cell, quotes and all.
str op_columns_raw(const struct op_columns *t, int column, size_t row);
// The text of a cell, unquoted, without outer blanks.
str op_columns_text(struct op_columns *t, int column, size_t row);
// The number of a cell; NaN when there is none: empty, `-`, one of the words for nothing,
// or no number at all, which is counted.
double op_columns_number(struct op_columns *t, int column, size_t row);
// Does the cell hold something? `-` and the words for nothing are nothing.
bool op_columns_has(struct op_columns *t, int column, size_t row);
// "a.csv: line 12"
str op_columns_place(struct op_columns *t, size_t row);

#endif
