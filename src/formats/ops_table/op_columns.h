// op_columns.h - a table of ops (ops_perf_results_*.csv) as columns by name, for analyses
// that use other columns than the performance report.
//
// Cells stay in the file's text; a cell is decoded when it is requested.
#ifndef TTP_FORMATS_OPS_TABLE_OP_COLUMNS_H
#define TTP_FORMATS_OPS_TABLE_OP_COLUMNS_H

#include "formats/ops_table/ops_file.h"

struct op_columns {
    struct arena arena;
    struct ops_file file;
    csv_cell **cells; // [column of the file][row]; NULL: not kept
    uint64_t *at;     // offset of each row in the file
    size_t n_rows, cap;
    struct diag *diag;
};

// Selects columns to keep, by name; NULL: all.
typedef bool op_columns_keeps(str name);

// On false, only op_columns_free may be called; e says what and where.
bool op_columns_load(struct op_columns *t, const char *path, op_columns_keeps *keeps,
                     struct diag *d, struct err *e);
void op_columns_free(struct op_columns *t);

// Index of the column, -1 if the table has none. Cells of column -1 are empty.
int op_columns_find(const struct op_columns *t, const char *name);
// The bytes of a cell, including quotes.
str op_columns_raw(const struct op_columns *t, int column, size_t row);
// The text of a cell, unquoted and trimmed.
str op_columns_text(struct op_columns *t, int column, size_t row);
// The number of a cell; NaN if it is empty, `-`, a word for "missing", or not a number,
// which is counted.
double op_columns_number(struct op_columns *t, int column, size_t row);
// Is the cell non-empty? `-` and words for "missing" count as empty.
bool op_columns_has(struct op_columns *t, int column, size_t row);
// "a.csv: line 12"
str op_columns_place(struct op_columns *t, size_t row);

#endif
