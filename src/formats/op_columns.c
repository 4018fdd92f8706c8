// op_columns.c - scanning a table of ops into positions of its cells.
#include "formats/op_columns.h"

#include <math.h>

#include "base/csv_row.h"
#include "base/num.h"

#include "formats/ops_table.h"

enum { BAD_ROWS_MOST = 1000 }; // behind them nothing is sound

struct scanning {
    struct op_columns *t;
    int *from; // by slot: the column of the file
    size_t n_slots;
};

static void grow(struct scanning *s, size_t rows)
{
    struct op_columns *t = s->t;
    if (rows <= t->cap)
        return;
    size_t cap = t->cap + t->cap / 2;
    t->cap = cap > rows ? cap : rows;
    t->at = mem_resize(t->at, mem_bytes(sizeof *t->at, t->cap));
    for (size_t i = 0; i < s->n_slots; i++) {
        csv_cell **column = &t->cells[s->from[i]];
        *column = mem_resize(*column, mem_bytes(sizeof **column, t->cap));
    }
}

static void take(void *context, const struct csv_rows *rows)
{
    struct scanning *s = context;
    struct op_columns *t = s->t;
    grow(s, t->n_rows + rows->n);
    memcpy(t->at + t->n_rows, rows->at, rows->n * sizeof *rows->at);
    for (size_t i = 0; i < s->n_slots; i++)
        memcpy(t->cells[s->from[i]] + t->n_rows, rows->col[i],
               rows->n * sizeof **rows->col);
    t->n_rows += rows->n;
}

static size_t line_end(str text, size_t at)
{
    const char *found = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
    return found ? (size_t)(found - text.p) + 1 : text.n;
}

// Where the row that failed starts: behind the last good one. A cell may hold line ends, so
// the good one is walked by the rules of the dialect.
static size_t bad_row(const struct op_columns *t, size_t from, size_t rows_before)
{
    str text = t->file.text;
    size_t at = from;
    if (t->n_rows > rows_before) {
        struct arena a = {0};
        size_t n_ends, end, last = t->at[t->n_rows - 1];
        size_t *ends = push_many(&a, size_t, t->header.n + 1);
        (void)csv_row_cells(text, last, t->header.n, ends, &n_ends, &end);
        at = end < text.n ? end + 1 : text.n;
        arena_free(&a);
    }
    while (at < text.n && (text.p[at] == '\n' || text.p[at] == '\r'))
        at++;
    return at;
}

// Scans on behind each row that does not fit, as long as there is text.
static void scan(struct scanning *s)
{
    struct op_columns *t = s->t;
    struct csv_plan plan = {
        .from = s->from, .n_slots = s->n_slots, .take = take, .context = s};
    struct csv_header h = t->header;
    struct err e = {0};
    for (int n_bad = 0; n_bad < BAD_ROWS_MOST; n_bad++) {
        size_t rows_before = t->n_rows;
        if (csv_scan(t->file.text, &h, &plan, CSV_FAST, &e))
            return;
        if (diag_count(t->diag, DIAG_TABLE_ROW))
            diag_note(t->diag, DIAG_TABLE_ROW, "%s: %s", t->path, e.text);
        size_t next = line_end(t->file.text, bad_row(t, h.body, rows_before));
        if (next <= h.body || next >= t->file.text.n)
            return;
        h.body = next;
    }
}

bool op_columns_load(struct op_columns *t, const char *path, op_columns_keeps *keeps,
                     struct diag *d, struct err *e)
{
    *t = (struct op_columns){.path = strcmp(path, "-") == 0 ? "standard input" : path,
                             .diag = d};
    if (!file_open(path, &t->file, e))
        return false;
    if (t->file.damage && diag_count(d, DIAG_TABLE_ROW))
        diag_note(d, DIAG_TABLE_ROW, "%s: %s", t->path, t->file.damage);
    if (!csv_header(t->file.text, &t->arena, &t->header, e))
        return err_in(e, "%s", t->path);
    size_t n = t->header.n;
    t->cells = push_many(&t->arena, csv_cell *, n);
    struct scanning s = {.t = t, .from = push_many(&t->arena, int, n)};
    for (size_t i = 0; i < n; i++)
        if (!keeps || keeps(t->header.names[i]))
            s.from[s.n_slots++] = (int)i;
    scan(&s);
    return true;
}

void op_columns_free(struct op_columns *t)
{
    for (size_t i = 0; t->cells && i < t->header.n; i++)
        mem_free(t->cells[i]);
    mem_free(t->at);
    file_close(&t->file);
    arena_free(&t->arena);
    *t = (struct op_columns){0};
}

int op_columns_find(const struct op_columns *t, const char *name)
{
    return csv_find(&t->header, str_of(name));
}

str op_columns_text(struct op_columns *t, int column, size_t row)
{
    if (column < 0 || !t->cells[column])
        return S("");
    return str_trim(csv_unquote(csv_raw(t->file.text, t->cells[column][row]), &t->arena));
}

static bool is_nothing(str s)
{
    return ops_is_missing(s) || str_is(s, "-");
}

bool op_columns_has(struct op_columns *t, int column, size_t row)
{
    return !is_nothing(op_columns_text(t, column, row));
}

double op_columns_number(struct op_columns *t, int column, size_t row)
{
    double v = NAN;
    str s = op_columns_text(t, column, row);
    if (is_nothing(s))
        return NAN;
    if (num_real(s, &v))
        return isfinite(v) ? v : NAN;
    if (diag_count(t->diag, DIAG_NOT_A_NUMBER))
        diag_note(t->diag, DIAG_NOT_A_NUMBER, "%.*s: column '%.*s': '%.*s'",
                  STR(op_columns_place(t, row)), STR(t->header.names[column]),
                  STR(str_clip(s, 40)));
    return NAN;
}

str op_columns_place(struct op_columns *t, size_t row)
{
    return arena_printf(&t->arena, "%s: line %zu", t->path,
                        csv_line_of(t->file.text, t->at[row]));
}
