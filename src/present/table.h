// table.h - one table model for every output.
//
// A table is a list of columns over rows that stay where the analysis put them. A column
// knows its names, its unit and how to get a cell; terminal, CSV, JSON and HTML walk the
// same columns, so they cannot disagree.
#ifndef TTP_PRESENT_TABLE_H
#define TTP_PRESENT_TABLE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/units.h"

// A cell that could not be measured is a state, not a zero.
enum cell_kind { CELL_NONE, CELL_BOOL, CELL_INT, CELL_REAL, CELL_TEXT };

struct cell {
    enum cell_kind kind;
    bool is_plain; // text that is never taken for a number
    bool is_split; // text of two parts, cut at the first white space, coloured apart
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

struct table;

// Getters share one form; most need no scratch.
#define GETTER(name)                                                                       \
    static struct cell name(const struct table *t, size_t row,                             \
                            __attribute__((unused)) struct arena *scratch)

#define TOTAL(name)                                                                        \
    static struct cell name(__attribute__((unused)) const struct table *t,                 \
                            __attribute__((unused)) struct arena *scratch)

struct column {
    const char *name;     // interface: JSON and HTML, --sort; never changes
    const char *csv_name; // head of the CSV column, NULL: as name
    enum unit unit;
    int decimals;        // on the terminal, and in the CSV of a rounded table
    bool is_left;        // aligned left; numbers and most others stand right
    bool is_detail;      // not on the terminal
    bool has_no_commas;  // an id: printed plain, though its width is reckoned with commas
    enum cell_kind type; // what its cells hold when they hold something
    struct cell (*get)(const struct table *t, size_t row, struct arena *scratch);
    enum colour (*colour)(const struct table *t, size_t row);           // NULL: none
    struct cell (*total)(const struct table *t, struct arena *scratch); // NULL: empty
    int min_width;
};

struct table {
    const char *id;    // "ops": JSON and HTML
    const char *title; // "Performance Report"
    const struct column *columns;
    size_t n_columns;
    const void *rows; // for the getters
    size_t n_rows;
    const uint32_t *order; // which rows, in which order; NULL: 0..n_rows-1
    bool is_rounded;       // CSV: decimals as on the terminal, LF line ends
    bool are_heads_right;  // heads of right-aligned columns stand right as well
    enum colour total_colour;
    // A row may be printed otherwise than it is measured: the text for this cell, and what
    // stands before it. NULL: nothing special.
    bool (*relabel)(const struct table *t, size_t row, const struct column *c, str *text,
                    const char **before, bool is_coloured);
};

static inline size_t table_row(const struct table *t, size_t i)
{
    return t->order ? t->order[i] : i;
}

// The column of that name, any case, or NULL.
const struct column *table_find(const struct table *t, str name);

// Fills order[n_rows] with the rows sorted by a column: numbers from large to small, text
// from A to Z, missing ones last, equal ones as they were.
void table_sort(const struct table *t, const struct column *c, uint32_t *order);

// --- outputs ---

// Text for the terminal.
struct text_table {
    const struct table *table;
    size_t *widths;
    size_t width; // of a whole line
    bool is_coloured;
};

struct text_table text_layout(const struct table *t, bool is_coloured);
void text_head(const struct text_table *x, struct buf *b);
void text_rule(const struct text_table *x, struct buf *b);
void text_row(const struct text_table *x, size_t row, struct buf *b); // row: of the data
void text_total(const struct text_table *x, struct buf *b);
void text_free(struct text_table *x);
// Text between colour codes; as it is for COLOUR_NONE.
void text_paint(struct buf *b, str s, enum colour c);

// The whole table, details included.
void table_csv(const struct table *t, struct out *o);

enum json_rows { JSON_OBJECTS, JSON_ARRAYS };
// {"id":..., "title":..., "columns":[...], "rows":[...]}; flushes into `o` as it goes.
void table_json(const struct table *t, enum json_rows rows, struct json *j, struct out *o);

#endif
