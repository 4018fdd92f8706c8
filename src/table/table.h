// table.h - one table model for every output.
//
// A table is a list of columns over rows owned by the analysis. A column knows its names,
// its unit and how to get a cell; terminal, CSV and JSON use the same columns, so they
// cannot disagree. To find out where a cell comes from, look at its column's `get`.
#ifndef TTP_TABLE_TABLE_H
#define TTP_TABLE_TABLE_H

#include <stddef.h>

#include "base/data/arena.h"
#include "base/data/units.h"
#include "base/file/file.h"
#include "base/text/err.h"
#include "base/text/json.h"

// --- cells -------------------------------------------------------------------------------

// A cell that could not be measured is a state, not a zero.
enum cell_kind { CELL_NONE, CELL_BOOL, CELL_INT, CELL_REAL, CELL_TEXT };

struct cell {
    enum cell_kind kind;
    bool is_plain; // text that is never taken for a number
    bool is_split; // text of two parts, split at the first white space, coloured separately
    bool is_raw;   // text as in a CSV file, quotes included
    union {
        bool b;
        int64_t i;
        double d; // NaN: measured, but not a number; the terminal shows nothing
        str s;
    };
};

static inline struct cell cell_none(void)
{
    return (struct cell){.kind = CELL_NONE};
}
static inline struct cell cell_int(int64_t i)
{
    return (struct cell){.kind = CELL_INT, .i = i};
}
static inline struct cell cell_real(double d)
{
    return (struct cell){.kind = CELL_REAL, .d = d};
}
static inline struct cell cell_bool(bool b)
{
    return (struct cell){.kind = CELL_BOOL, .b = b};
}
static inline struct cell cell_text(str s)
{
    return (struct cell){.kind = CELL_TEXT, .s = s};
}
// Text that is never taken for a number.
static inline struct cell cell_plain(str s)
{
    return (struct cell){.kind = CELL_TEXT, .is_plain = true, .s = s};
}
// Text copied from a CSV file, quotes included.
static inline struct cell cell_raw(str s)
{
    return (struct cell){.kind = CELL_TEXT, .is_raw = true, .s = s};
}

enum colour {
    COLOUR_NONE = 0, // the others are terminal colour numbers
    COLOUR_GREY = 8,
    COLOUR_RED = 9,
    COLOUR_GREEN = 10,
    COLOUR_YELLOW = 11,
    COLOUR_BLUE = 12,
    COLOUR_MAGENTA = 13,
    COLOUR_CYAN = 14,
    COLOUR_WHITE = 15,
    COLOUR_ORANGE = 208,
};

// --- columns and tables ------------------------------------------------------------------

struct table;

// A row as getters see it: made once, then passed to the getter of each column.
struct row {
    const struct table *table;
    size_t i;              // index in the data
    const void *data;      // element `i` of table->rows, or the result of table->open
    struct arena *scratch; // for texts made by getters; emptied after the row
};

struct column {
    const char *name;     // interface: JSON and HTML, --sort; never changes
    const char *csv_name; // head of the CSV column; NULL: same as name
    enum unit unit;
    int decimals;        // on the terminal, and in the CSV of a rounded table
    bool is_left;        // aligned left; numbers and most others are aligned right
    bool is_detail;      // not on the terminal; the page shows it on demand
    bool has_no_commas;  // an id: printed without commas, but its width allows for them
    bool is_shared;      // rows with the same share (see table) have the same cell
    enum cell_kind type; // of cells that are not empty
    int min_width;
    int rank;     // narrow terminals leave out the highest first; 0: never left out
    size_t at;    // for the getter: usually the offset of a member of the row's data
    uint32_t arg; // for the getter: a bit, an index, a limit
    struct cell (*get)(const struct column *c, const struct row *r);
    enum colour (*colour)(const struct row *r);                         // NULL: none
    struct cell (*total)(const struct table *t, struct arena *scratch); // NULL: empty
    // Writes the cell as JSON if rows are objects; NULL: use `get`.
    void (*json)(const struct row *r, struct json *j);
};

// Function headers of getters etc. `c` is the column, `r` the row, `t` the table.
#define GETTER(name)                                                                       \
    static struct cell name(__attribute__((unused)) const struct column *c,                \
                            __attribute__((unused)) const struct row *r)
#define TOTAL(name)                                                                        \
    static struct cell name(__attribute__((unused)) const struct table *t,                 \
                            __attribute__((unused)) struct arena *scratch)

struct table {
    const char *id;    // "ops": JSON and HTML
    const char *title; // "Performance Report"
    const struct column *columns;
    size_t n_columns;
    const void *rows;    // an array, unless there is an `open`
    size_t row_bytes;    // size of its elements
    const void *context; // what getters need besides the row
    size_t n_rows;
    const uint32_t *order; // which rows, in which order; NULL: 0..n_rows-1
    // Makes the data of a row if it is not an element of `rows`.
    const void *(*open)(const struct table *t, size_t i, struct arena *scratch);
    // Rows with the same number below n_shares have the same cells in shared columns; a
    // larger number shares with no row. CSV formats such cells once per share.
    uint32_t (*share)(const struct row *r);
    size_t n_shares;
    bool is_rounded;      // CSV: decimals as on the terminal
    bool has_lf_ends;     // CSV: lines end with LF, not CR LF
    bool are_heads_right; // heads of right-aligned columns are aligned right as well
    enum colour total_colour;
    // Replaces the text of a cell on the terminal and sets what comes before it; NULL:
    // never.
    bool (*relabel)(const struct row *r, const struct column *c, str *text,
                    const char **before, bool is_coloured);
};

// The data index of the row shown at position i.
static inline size_t table_row(const struct table *t, size_t i)
{
    return t->order ? t->order[i] : i;
}
static inline struct row row_open(const struct table *t, size_t i, struct arena *scratch)
{
    return (struct row){.table = t,
                        .i = i,
                        .data = t->open ? t->open(t, i, scratch)
                                        : (const char *)t->rows + i * t->row_bytes,
                        .scratch = scratch};
}
static inline struct cell row_cell(const struct row *r, const struct column *c)
{
    return c->get(c, r);
}

// The column of that name, ignoring case, or NULL.
const struct column *table_find(const struct table *t, str name);

// Fills order[n_rows] with the rows sorted by a column: numbers descending, text ascending,
// missing cells last; the sort is stable.
void table_sort(const struct table *t, const struct column *c, uint32_t *order);

// Sets has[n_columns]: whether any row has a value in that column.
void table_used(const struct table *t, bool *has);

// --- getters of members of the row's data, at the offset `at` of the column --------------

#define MEMBER(type, member) .at = offsetof(type, member)

static inline const void *row_at(const struct column *c, const struct row *r)
{
    return (const char *)r->data + c->at;
}
struct cell at_u32(const struct column *c, const struct row *r);   // uint32_t
struct cell at_i64(const struct column *c, const struct row *r);   // int64_t
struct cell at_u64(const struct column *c, const struct row *r);   // uint64_t
struct cell at_real(const struct column *c, const struct row *r);  // double
struct cell at_bool(const struct column *c, const struct row *r);  // bool
struct cell at_text(const struct column *c, const struct row *r);  // str
struct cell at_z(const struct column *c, const struct row *r);     // const char *
struct cell at_known(const struct column *c, const struct row *r); // int64_t, or:
#define CELL_UNKNOWN INT64_MIN

// --- outputs -----------------------------------------------------------------------------

// What a terminal shows.
struct text_look {
    bool is_coloured;
    size_t width; // a line is not longer if columns can be left out or shortened; 0: any
};

// Text for the terminal.
struct text_table {
    const struct table *table;
    size_t *widths;   // TEXT_HIDDEN: column not shown
    size_t width;     // of a whole line
    size_t shortened; // column narrower than its texts; SIZE_MAX: none
    bool is_coloured;
};

// The whole table: heads, a rule, rows, and a line that names columns left out.
// A duration with four digits: "1.234 ms".
void table_put_nanos(struct buf *b, double ns);
void table_text(const struct table *t, struct text_look look, struct buf *b);
// The same piece by piece.
struct text_table text_layout(const struct table *t, struct text_look look);
void text_head(const struct text_table *x, struct buf *b);
void text_rule(const struct text_table *x, struct buf *b);
void text_row(const struct text_table *x, size_t row, struct buf *b); // row: data index
void text_total(const struct text_table *x, struct buf *b);
void text_left_out(const struct text_table *x, struct buf *b); // nothing if all are shown
void text_free(struct text_table *x);
// Text between colour codes; unchanged for COLOUR_NONE.
void text_paint(struct buf *b, str s, enum colour c);

// The whole table as CSV, details included: to a path, or to an open output.
bool table_csv_write(const struct table *t, const char *path, struct err *e);
void table_csv(const struct table *t, struct out *o);
void table_csv_head(const struct table *t, struct buf *b);
void table_csv_rows(const struct table *t, struct out *o);
// One row, for tables made row by row. Empties the row's scratch.
void table_csv_row(const struct row *r, struct buf *b);

enum json_rows { JSON_OBJECTS, JSON_ARRAYS };
// {"id":..., "title":..., "columns":[...], "rows":[...]}; flushes into `o` as it goes.
void table_json(const struct table *t, enum json_rows rows, struct json *j, struct out *o);
void table_json_rows(const struct table *t, enum json_rows rows, struct json *j,
                     struct out *o); // the array alone
// The cells of row `i` as members of the open object.
void table_json_members(const struct table *t, size_t i, struct json *j);

#endif
