// ops_diff.h - differences between two tables of ops.
//
// Two reports (ops_perf_results_*.csv) are compared cell by cell as text; a report and the
// runtime's device report (cpp_device_perf_report.csv) by the numbers of the same
// execution.
#ifndef TTP_ANALYSE_COMPARE_OPS_DIFF_H
#define TTP_ANALYSE_COMPARE_OPS_DIFF_H

#include "base/data/vec.h"

#include "formats/ops_table/ops_sheet.h"

enum { OPS_DIFF_COMMON_LEAST = 12 }; // columns that a device report shares with a report

struct ops_diff_options {
    size_t most; // differences kept; all are counted
    bool is_ids_only;
};

enum ops_diff_kind {
    OPS_DIFF_ROWS,   // one table has more of them
    OPS_DIFF_UNREAD, // rows do not match their header, so their contents are unknown
    OPS_DIFF_CELL,
    OPS_DIFF_ALONE, // a row that only one table has
};

struct ops_difference {
    enum ops_diff_kind kind;
    size_t row;    // in the common order, from 1; the header is row 1
    size_t column; // index in `common`, of OPS_DIFF_CELL
    str text[2];   // of OPS_DIFF_CELL
    int side;      // whose row, of OPS_DIFF_ALONE
    size_t at;     // its index in `rows`; of OPS_DIFF_CELL that of the first side
};

// A column of both tables.
struct ops_diff_column {
    int at[2];
    bool may_be_empty; // on one side, because older reports lack it
    bool was_empty;    // and is empty somewhere
    bool is_different;
};

struct ops_diff_side {
    struct ops_sheet table;
    struct diag diag;
    bool is_device_report;
    struct ops_diff_row *rows; // compared rows, in the common order
    size_t n_rows;
};

struct ops_diff {
    struct ops_diff_side side[2];
    bool is_by_number; // a report and a device report
    VEC(struct ops_diff_column) common;
    VEC(struct ops_difference) list;
    uint64_t n_differences; // including those not in the list
    size_t n_different_rows, n_shared_rows;
};

// False if a file cannot be read as a table of ops, or the two have too little in common.
// The result must be freed in any case.
bool ops_diff(struct ops_diff *d, const char *a, const char *b,
              const struct ops_diff_options *o, struct err *e);
void ops_diff_free(struct ops_diff *d);

// A cell as in the file, without its quotes: column of `common`, row of `rows`.
str ops_diff_cell(struct ops_diff *d, int side, size_t column, size_t at);
// Rows of the file that could not be read.
uint64_t ops_diff_unread(const struct ops_diff *d, int side);
// The id of the op in a row of `rows`.
int64_t ops_diff_op(const struct ops_diff *d, int side, size_t at);

#endif
