// csv.h - comma-separated tables: scanned into columns of cell positions, and written.
//
// The dialect: comma, `"` quoting with `""` for a quote, LF or CRLF, UTF-8 with or without
// a byte order mark, blank lines skipped, first line = header. A quote that does not open a
// cell is an ordinary character. A short row is padded with empty cells. A row with more
// cells than the header, a byte that is not UTF-8, a quote that never closes, text after a
// closing quote or a cell of over 16 MiB makes a bad row. So does the end of the text
// within a row: a short last row without a line feed.
//
// The scanner is one pass over the text. It takes 64 bytes at a time where quotes are
// regular, and a row at a time, byte by byte, where they are not; both give the same cells.
// Only the wanted columns are delivered, as positions: nothing is copied or decoded.
#ifndef TTP_BASE_TEXT_CSV_H
#define TTP_BASE_TEXT_CSV_H

#include "base/data/arena.h"
#include "base/text/buf.h"
#include "base/text/err.h"
#include "base/text/progress.h"

// Position of the raw bytes of a cell: offset << 24 | length. An empty cell is 0.
typedef struct csv_cell {
    uint64_t v;
} csv_cell;
#define CSV_CELL_MOST ((UINT64_C(1) << 24) - 1) // 16 MiB; a longer cell is an error

struct csv_header {
    str *names;
    size_t n;
    size_t body; // offset of the first byte after the header line
    size_t line; // its number; blank lines may precede it
};

// Consecutive rows, delivered while their text is still in the cache.
enum { CSV_BATCH_ROWS = 64 };
struct csv_rows {
    csv_cell *const *col; // [slot][row of the batch]
    const uint64_t *at;   // [row of the batch]: offset of its first byte
    size_t n;
};
typedef void csv_take_fn(void *context, const struct csv_rows *rows);

enum csv_path { CSV_FAST, CSV_SLOW }; // the slow path alone is for tests

// Reads the first non-blank line. A repeated name gets `.1`, `.2` ... appended. Errors
// start with the place: "line 1: ...".
bool csv_header(str text, struct arena *a, struct csv_header *h, struct err *e);

// Index of the column of that name, or -1.
int csv_find(const struct csv_header *h, str name);

// Bad rows that were left out, and short ones that were not.
struct csv_bad {
    uint64_t n;
    struct err first; // what is wrong with the first, and where
    uint64_t n_short;
    size_t first_short; // offset
    bool is_unended;    // the last row has all its cells, but no line feed
};

// Which columns to read, and the function that takes them.
struct csv_plan {
    const int
        *from; // from[slot] is the file column that goes to col[slot]; -1: empty cells
    size_t n_slots;
    csv_take_fn *take;
    void *context;
    struct progress *bar; // NULL: none
    // Bad rows are left out and counted here; NULL: the first one ends the scan. Quotes of
    // a bad row may be lost: lines inside its quotes are rows if they have all their cells.
    struct csv_bad *bad;
};
// Scans all rows. False: a bad row; those before it have been delivered.
bool csv_scan(str text, const struct csv_header *h, const struct csv_plan *plan,
              enum csv_path path, struct err *e);

// The raw bytes of a cell, quotes included.
static inline str csv_raw(str text, csv_cell c)
{
    return (str){text.p + (c.v >> 24), (size_t)(c.v & CSV_CELL_MOST)};
}
// The text of raw bytes: unchanged if not quoted, else the inside, unescaped into the arena
// if needed.
str csv_unquote(str raw, struct arena *a);

// Number of the line that holds this offset, from 1.
size_t csv_line_of(str text, size_t offset);

// Appends a cell, quoted only where it must be.
void csv_put(struct buf *b, str cell);

#endif
