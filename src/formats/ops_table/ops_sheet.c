// ops_sheet.c - scans a table of ops and records where its cells are.
#include "formats/ops_table/ops_sheet.h"

#include <math.h>

#include "base/text/num.h"

#include "formats/diags.h"

struct scanning {
    struct ops_sheet *t;
    int *from; // by slot: column of the file
    size_t n_slots;
};

static void reserve_rows(struct scanning *s, size_t rows)
{
    struct ops_sheet *t = s->t;
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

static void keep_batch(void *context, const struct csv_rows *rows)
{
    struct scanning *s = context;
    struct ops_sheet *t = s->t;
    reserve_rows(s, t->n_rows + rows->n);
    memcpy(t->at + t->n_rows, rows->at, rows->n * sizeof *rows->at);
    for (size_t i = 0; i < s->n_slots; i++)
        memcpy(t->cells[s->from[i]] + t->n_rows, rows->col[i],
               rows->n * sizeof **rows->col);
    t->n_rows += rows->n;
}

bool ops_sheet_open(struct ops_sheet *t, const char *path, struct diag *d, struct err *e)
{
    *t = (struct ops_sheet){.diag = d};
    return ops_file_open(&t->file, path, &t->arena, d, e);
}

void ops_sheet_scan(struct ops_sheet *t, ops_sheet_keeps *keeps)
{
    size_t n = t->file.header.n;
    t->cells = push_many(&t->arena, csv_cell *, n);
    struct scanning s = {.t = t, .from = push_many(&t->arena, int, n)};
    for (size_t i = 0; i < n; i++)
        if (!keeps || keeps(t->file.header.names[i]))
            s.from[s.n_slots++] = (int)i;
    ops_file_scan(&t->file, s.from, s.n_slots, keep_batch, &s, t->diag);
}

bool ops_sheet_load(struct ops_sheet *t, const char *path, ops_sheet_keeps *keeps,
                    struct diag *d, struct err *e)
{
    if (!ops_sheet_open(t, path, d, e))
        return false;
    ops_sheet_scan(t, keeps);
    return true;
}

void ops_sheet_free(struct ops_sheet *t)
{
    for (size_t i = 0; t->cells && i < t->file.header.n; i++)
        mem_free(t->cells[i]);
    mem_free(t->at);
    ops_file_close(&t->file);
    arena_free(&t->arena);
    *t = (struct ops_sheet){0};
}

int ops_sheet_find(const struct ops_sheet *t, const char *name)
{
    return ops_file_find(&t->file, name);
}

str ops_sheet_raw(const struct ops_sheet *t, int column, size_t row)
{
    if (column < 0 || !t->cells[column])
        return S("");
    return csv_raw(t->file.file.text, t->cells[column][row]);
}

str ops_sheet_text(struct ops_sheet *t, int column, size_t row)
{
    return str_trim(csv_unquote(ops_sheet_raw(t, column, row), &t->arena));
}

static bool is_nothing(str s)
{
    return ops_is_missing(s) || str_is(s, "-");
}

bool ops_sheet_has(struct ops_sheet *t, int column, size_t row)
{
    return !is_nothing(ops_sheet_text(t, column, row));
}

double ops_sheet_number(struct ops_sheet *t, int column, size_t row)
{
    double v = NAN;
    str s = ops_sheet_text(t, column, row);
    if (is_nothing(s))
        return NAN;
    if (num_real(s, &v))
        return isfinite(v) ? v : NAN;
    if (diag_count(t->diag, DIAG_NOT_A_NUMBER))
        diag_note(t->diag, DIAG_NOT_A_NUMBER, "%.*s: column '%.*s': '%.*s'",
                  STR(ops_sheet_place(t, row)), STR(t->file.header.names[column]),
                  STR(str_clip(s, 40)));
    return NAN;
}

str ops_sheet_place(struct ops_sheet *t, size_t row)
{
    return arena_printf(&t->arena, "%s: line %zu", t->file.path,
                        ops_file_line(&t->file, t->at[row]));
}
