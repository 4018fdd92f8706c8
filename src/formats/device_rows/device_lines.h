// device_lines.h - the lines of cpp_device_perf_report.csv, split into cells: the only
// place that reads this file, so that all commands accept and skip the same lines.
//
// The runtime appends a table for each dump, so header lines may be anywhere and may
// differ; a dump that was killed leaves a truncated line. A line is one row, whatever its
// quotes. A row with more cells than its header is counted and left out, a shorter one is
// counted and passed on.
#ifndef TTP_FORMATS_DEVICE_ROWS_DEVICE_LINES_H
#define TTP_FORMATS_DEVICE_ROWS_DEVICE_LINES_H

#include "base/data/arena.h"
#include "base/text/csv_block.h"
#include "base/text/diag.h"
#include "base/text/err.h"

#define DEVICE_REPORT_ID "GLOBAL CALL COUNT" // in every header

enum { DEVICE_COLUMNS_MOST = 4096 }; // of a header

enum device_line { DEVICE_LINES_END, DEVICE_LINE_HEADER, DEVICE_LINE_ROW };

struct device_lines {
    const char *path; // for messages
    struct diag *diag;
    str text;          // what follows the current line
    str line;          // the current one
    uint64_t number;   // its number, from 1
    size_t n_columns;  // of its header; 0: no header so far
    size_t n_cells;    // that the current line has; at most n_columns
    bool is_cut;       // the text ends within the current line
    bool is_open;      // the quote of its last cell is not closed
    uint64_t n_unread; // rows left out
    size_t *ends;      // of the line's cells
    size_t n_ends;
    csv_classify_fn *classify;
    struct arena scratch;
};

void device_lines_open(struct device_lines *l, str text, const char *path, struct diag *d);
// Moves to the next header or row. The first line that is not blank must be a header.
enum device_line device_lines_next(struct device_lines *l);
// A cell of the current line as in the file.
static inline str device_lines_raw(const struct device_lines *l, size_t cell)
{
    size_t from = cell ? l->ends[cell - 1] + 1 : 0;
    size_t to = cell < l->n_ends ? l->ends[cell] : l->line.n;
    return (str){l->line.p + from, to - from};
}
// Its text, unquoted and trimmed; valid until the next line.
str device_lines_text(struct device_lines *l, str raw);
static inline str device_lines_cell(struct device_lines *l, size_t cell)
{
    str raw = device_lines_raw(l, cell);
    bool is_plain = !raw.n || (raw.p[0] > '"' && raw.p[raw.n - 1] > ' ');
    return is_plain ? raw : device_lines_text(l, raw);
}
// Counts a column of the current header that is not used.
void device_lines_count_column(const struct device_lines *l, str name);
// False if no line was a header.
bool device_lines_close(struct device_lines *l, struct err *e);

#endif
