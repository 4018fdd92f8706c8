// table_text.c - a table on the terminal.
#include <math.h>

#include "base/text/num.h"

#include "table/table.h"

static const str gap_between = {"  ", 2};

#define TEXT_HIDDEN SIZE_MAX
enum { SHORTEST_TEXT = 12 }; // a column is not shortened below

void text_paint(struct buf *b, str s, enum colour c)
{
    if (c == COLOUR_NONE) {
        buf_str(b, s);
        return;
    }
    buf_printf(b, "\033[38;5;%dm", (int)c);
    buf_str(b, s);
    buf_str(b, S("\033[0m"));
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Name, one blank, rest; the blank stays if there is no rest.
static void put_split(struct buf *b, str s, enum colour c)
{
    size_t n = 0;
    while (n < s.n && !is_space(s.p[n]))
        n++;
    str rest = str_from(s, n);
    while (rest.n && is_space(rest.p[0]))
        rest = str_from(rest, 1);
    text_paint(b, (str){s.p, n}, c);
    buf_char(b, ' ');
    if (rest.n || c == COLOUR_NONE)
        text_paint(b, rest, c);
    else
        text_paint(b, S(""), c);
}

// Text that parses as a number is shown as one, even if it is the name of an op.
static bool cell_number(const struct cell *cell, double *v)
{
    switch (cell->kind) {
    case CELL_INT: *v = (double)cell->i; return true;
    case CELL_REAL: *v = cell->d; return true;
    case CELL_TEXT: return num_real(cell->s, v);
    case CELL_BOOL:
    case CELL_NONE: break;
    }
    return false;
}

// Durations keep four digits; CSV and JSON have all of them.
static const char *put_nanos(struct buf *b, double ns)
{
    static const struct {
        double size;
        const char *name;
    } scales[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\u03bcs"}, {1, "ns"}};
    size_t i = 0;
    // 999.95 would be rounded to 1000.
    while (i + 1 < sizeof scales / sizeof *scales && fabs(ns) < scales[i].size * 0.99995)
        i++;
    double v = ns / scales[i].size;
    int decimals = scales[i].size == 1 ? fabs(v - round(v)) > 0.05
                   : fabs(v) < 9.9995  ? 3
                   : fabs(v) < 99.995  ? 2
                   : fabs(v) < 999.95  ? 1
                                       : 0;
    num_put_fixed(b, v, decimals, true);
    return scales[i].name;
}

void table_put_nanos(struct buf *b, double ns)
{
    const char *unit = put_nanos(b, ns);
    buf_printf(b, " %s", unit);
}

static bool is_empty(const struct cell *c)
{
    return c->kind == CELL_NONE || (c->kind == CELL_REAL && isnan(c->d));
}

static void put_text_cell(struct buf *b, const struct column *column, struct cell cell,
                          enum colour colour, bool with_commas)
{
    if (is_empty(&cell))
        return;
    double v;
    struct buf text = {0};
    const char *unit = unit_text(column->unit);
    bool is_text = cell.is_plain || cell.is_split;
    if (cell.kind == CELL_BOOL)
        buf_z(&text, cell.b ? "yes" : "no");
    else if (!is_text && cell_number(&cell, &v) && column->unit == UNIT_NANOS)
        unit = put_nanos(&text, v);
    else if (!is_text && cell_number(&cell, &v))
        num_put_fixed(&text, v, column->decimals, with_commas);
    else
        buf_visible(&text, cell.s, 0); // here, so that the width is that of what is shown
    if (cell.is_split)
        put_split(b, buf_view(&text), colour);
    else
        text_paint(b, buf_view(&text), colour);
    buf_free(&text);
    if (unit[0]) {
        buf_char(b, ' ');
        text_paint(b, str_of(unit), colour);
    }
}

// The number of visible code points: all but colour codes.
static size_t visible_width(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\033') {
            while (i < s.n && s.p[i] != 'm')
                i++;
            continue;
        }
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    }
    return n;
}

// How wide each column is with all its cells.
static void measure_columns(const struct table *t, size_t *widths)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        size_t head = str_points(str_of(t->columns[c].name));
        size_t least = (size_t)t->columns[c].min_width;
        widths[c] = t->columns[c].is_detail ? TEXT_HIDDEN : head > least ? head : least;
    }
    struct buf b = {0};
    struct arena scratch = {0};
    for (size_t i = 0; i < t->n_rows; i++) {
        struct row row = row_open(t, table_row(t, i), &scratch);
        for (size_t c = 0; c < t->n_columns; c++) {
            if (widths[c] == TEXT_HIDDEN)
                continue;
            b.n = 0;
            put_text_cell(&b, &t->columns[c], row_cell(&row, &t->columns[c]), COLOUR_NONE,
                          true);
            size_t n = str_points(buf_view(&b));
            if (n > widths[c])
                widths[c] = n;
        }
        arena_rewind(&scratch, (struct arena_mark){0});
    }
    buf_free(&b);
    arena_free(&scratch);
}

static size_t line_width(const struct text_table *x)
{
    size_t width = 0, shown = 0;
    for (size_t c = 0; c < x->table->n_columns; c++) {
        if (x->widths[c] == TEXT_HIDDEN)
            continue;
        width += x->widths[c];
        shown++;
    }
    return width + (shown ? gap_between.n * (shown - 1) : 0);
}

// Hides the column of the highest rank, the last of several.
static bool leave_out_column(struct text_table *x)
{
    size_t found = SIZE_MAX;
    int rank = 1;
    for (size_t c = 0; c < x->table->n_columns; c++) {
        if (x->widths[c] != TEXT_HIDDEN && x->table->columns[c].rank >= rank) {
            rank = x->table->columns[c].rank;
            found = c;
        }
    }
    if (found == SIZE_MAX)
        return false;
    x->widths[found] = TEXT_HIDDEN;
    return true;
}

// Takes up to `excess` from the widest column of texts.
static void shorten_texts(struct text_table *x, size_t excess)
{
    size_t widest = SIZE_MAX;
    for (size_t c = 0; c < x->table->n_columns; c++)
        if (x->widths[c] != TEXT_HIDDEN && x->table->columns[c].type == CELL_TEXT &&
            (widest == SIZE_MAX || x->widths[c] > x->widths[widest]))
            widest = c;
    if (widest == SIZE_MAX || x->widths[widest] <= SHORTEST_TEXT)
        return;
    size_t most = x->widths[widest] - SHORTEST_TEXT;
    x->widths[widest] -= excess < most ? excess : most;
    x->shortened = widest;
}

struct text_table text_layout(const struct table *t, struct text_look look)
{
    struct text_table x = {
        .table = t, .shortened = SIZE_MAX, .is_coloured = look.is_coloured};
    x.widths = mem_alloc(mem_bytes(sizeof *x.widths, t->n_columns));
    measure_columns(t, x.widths);
    x.width = line_width(&x);
    while (look.width && x.width > look.width && leave_out_column(&x))
        x.width = line_width(&x);
    if (look.width && x.width > look.width) {
        shorten_texts(&x, x.width - look.width);
        x.width = line_width(&x);
    }
    return x;
}

// Cuts the text after `from` to the width of its column; colours end with it.
static void cut_cell(struct buf *b, size_t from, size_t width)
{
    bool is_painted = false;
    size_t shown = 0, end = from;
    for (size_t i = from; i < b->n; i++) {
        if (b->p[i] == '\033') {
            is_painted = true;
            while (i < b->n && b->p[i] != 'm')
                i++;
            continue;
        }
        if (((unsigned char)b->p[i] & 0xC0) != 0x80 && ++shown == width)
            end = i;
    }
    if (shown <= width)
        return;
    b->n = end;
    buf_str(b, S("\u2026"));
    if (is_painted)
        buf_str(b, S("\033[0m"));
}

// Pads the text after `from` to its column width.
static void pad_cell(struct buf *b, size_t from, size_t width, bool is_left)
{
    size_t n = visible_width((str){b->p + from, b->n - from});
    if (n >= width)
        return;
    size_t fill = width - n;
    (void)buf_room(b, fill);
    if (!is_left)
        memmove(b->p + from + fill, b->p + from, b->n - from);
    memset(is_left ? b->p + b->n : b->p + from, ' ', fill);
    b->n += fill;
}

// A line of the table: its heads, a row, or the total.
enum line { LINE_HEAD, LINE_ROW, LINE_TOTAL };

static void put_row_cell(const struct text_table *x, const struct column *column,
                         const struct row *row, struct buf *b)
{
    const struct table *t = x->table;
    struct cell cell = row_cell(row, column);
    enum colour colour =
        x->is_coloured && column->colour ? column->colour(row) : COLOUR_NONE;
    const char *before = "";
    str label;
    if (t->relabel && t->relabel(row, column, &label, &before, x->is_coloured)) {
        cell = cell_plain(label);
        buf_z(b, before);
    }
    put_text_cell(b, column, cell, colour, !column->has_no_commas);
}

static void put_total_cell(const struct text_table *x, const struct column *column,
                           struct arena *scratch, struct buf *b)
{
    enum colour colour = x->is_coloured ? x->table->total_colour : COLOUR_NONE;
    if (column->total)
        put_text_cell(b, column, column->total(x->table, scratch), colour, true);
    else
        text_paint(b, S(""), colour);
}

static void put_text_line(const struct text_table *x, enum line line, size_t i,
                          struct buf *b)
{
    struct arena scratch = {0};
    struct row row = {0};
    if (line == LINE_ROW)
        row = row_open(x->table, i, &scratch);
    bool first = true;
    for (size_t c = 0; c < x->table->n_columns; c++) {
        const struct column *column = &x->table->columns[c];
        if (x->widths[c] == TEXT_HIDDEN)
            continue;
        if (!first)
            buf_str(b, gap_between);
        first = false;
        size_t from = b->n;
        bool is_left = column->is_left;
        switch (line) {
        case LINE_HEAD:
            buf_z(b, column->name);
            is_left |= !x->table->are_heads_right;
            break;
        case LINE_ROW: put_row_cell(x, column, &row, b); break;
        case LINE_TOTAL: put_total_cell(x, column, &scratch, b); break;
        }
        if (c == x->shortened)
            cut_cell(b, from, x->widths[c]);
        pad_cell(b, from, x->widths[c], is_left);
    }
    buf_char(b, '\n');
    arena_free(&scratch);
}

void text_head(const struct text_table *x, struct buf *b)
{
    put_text_line(x, LINE_HEAD, 0, b);
}

void text_row(const struct text_table *x, size_t row, struct buf *b)
{
    put_text_line(x, LINE_ROW, row, b);
}

void text_total(const struct text_table *x, struct buf *b)
{
    put_text_line(x, LINE_TOTAL, 0, b);
}

void text_left_out(const struct text_table *x, struct buf *b)
{
    const char *before = "left out for a narrow terminal: ";
    for (size_t c = 0; c < x->table->n_columns; c++) {
        const struct column *column = &x->table->columns[c];
        if (x->widths[c] != TEXT_HIDDEN || column->is_detail)
            continue;
        buf_z(b, before);
        buf_z(b, column->name);
        before = ", ";
    }
    if (*before == ',')
        buf_char(b, '\n');
}

void text_rule(const struct text_table *x, struct buf *b)
{
    buf_fill(b, '-', x->width);
    buf_char(b, '\n');
}

void text_free(struct text_table *x)
{
    mem_free(x->widths);
    *x = (struct text_table){0};
}

void table_text(const struct table *t, struct text_look look, struct buf *b)
{
    struct text_table x = text_layout(t, look);
    text_head(&x, b);
    text_rule(&x, b);
    for (size_t i = 0; i < t->n_rows; i++)
        text_row(&x, table_row(t, i), b);
    text_left_out(&x, b);
    text_free(&x);
}
