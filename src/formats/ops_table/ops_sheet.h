// ops_sheet.h - a table of ops (ops_perf_results_*.csv) as columns by name, for analyses
// that use other columns than the performance report. Also the runtime's device report
// (cpp_device_perf_report.csv) in this form, each line a row.
//
// Cells stay in the file's text; a cell is decoded when it is requested.
#ifndef TTP_FORMATS_OPS_TABLE_OPS_SHEET_H
#define TTP_FORMATS_OPS_TABLE_OPS_SHEET_H

#include "formats/ops_table/ops_file.h"

struct ops_sheet {
    struct arena arena;
    struct ops_file file;
    csv_cell **cells; // [column of the file][row]; NULL: not kept
    uint64_t *at;     // offset of each row in the file
    size_t n_rows, cap;
    uint64_t n_unread; // rows of a device report that were left out
    struct diag *diag;
};

// Selects columns to keep, by name; NULL: all.
typedef bool ops_sheet_keeps(str name);

// On false, only ops_sheet_free may be called; e says what and where.
bool ops_sheet_load(struct ops_sheet *t, const char *path, ops_sheet_keeps *keeps,
                    struct diag *d, struct err *e);
// The two halves of it, for tables whose header says which reader they need: the header,
// then the rows.
bool ops_sheet_open(struct ops_sheet *t, const char *path, struct diag *d, struct err *e);
void ops_sheet_scan(struct ops_sheet *t, ops_sheet_keeps *keeps);
// The rows of a device report. The columns become those of all its headers.
bool ops_sheet_scan_device(struct ops_sheet *t, struct err *e);
void ops_sheet_free(struct ops_sheet *t);

// Index of the column, -1 if the table has none. Cells of column -1 are empty.
int ops_sheet_find(const struct ops_sheet *t, const char *name);
// The bytes of a cell, including quotes.
str ops_sheet_raw(const struct ops_sheet *t, int column, size_t row);
// The text of a cell, unquoted and trimmed.
str ops_sheet_text(struct ops_sheet *t, int column, size_t row);
// The number of a cell; NaN if it is empty, `-`, a word for "missing", or not a number,
// which is counted.
double ops_sheet_number(struct ops_sheet *t, int column, size_t row);
// Is the cell non-empty? `-` and words for "missing" count as empty.
bool ops_sheet_has(struct ops_sheet *t, int column, size_t row);
// "a.csv: line 12"
str ops_sheet_place(struct ops_sheet *t, size_t row);

#endif
