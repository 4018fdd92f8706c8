// fuzz_csv.c - any bytes as a table: both paths of the scanner must see the same.
#include <string.h>

#include "base/csv.h"
#include "base/vec.h"

#include "fuzz.h"

struct result {
    VEC(uint64_t) at;
    VEC(csv_cell) cells;
    size_t n_columns;
    bool ok;
    struct err e;
};

static void take(void *context, const struct csv_rows *rows)
{
    struct result *r = context;
    for (size_t i = 0; i < rows->n; i++) {
        vec_push(&r->at, rows->at[i]);
        for (size_t c = 0; c < r->n_columns; c++)
            vec_push(&r->cells, rows->col[c][i]);
    }
}

static struct result scan(str text, const struct csv_header *h, const int *from,
                          enum csv_path path)
{
    struct result r = {.n_columns = h->n};
    struct csv_plan plan = {from, h->n, take, &r, NULL};
    r.ok = csv_scan(text, h, &plan, path, &r.e);
    return r;
}

static void check_same(const struct result *a, const struct result *b)
{
    must(a->ok == b->ok);
    must(a->at.n == b->at.n && a->cells.n == b->cells.n);
    must(!a->at.n || memcmp(a->at.v, b->at.v, a->at.n * sizeof *a->at.v) == 0);
    must(!a->cells.n ||
         memcmp(a->cells.v, b->cells.v, a->cells.n * sizeof *a->cells.v) == 0);
    must(a->ok || (a->e.code == b->e.code && strcmp(a->e.text, b->e.text) == 0));
}

// Every cell lies in the text, and what is written of it reads back.
static void check_cells(str text, const struct result *r, struct arena *a)
{
    struct buf b = {0};
    for (size_t i = 0; i < r->cells.n; i++) {
        str raw = csv_raw(text, r->cells.v[i]);
        must((size_t)(raw.p - text.p) + raw.n <= text.n);
        struct arena_mark mark = arena_mark(a);
        str cell = csv_unquote(raw, a);
        must(cell.n <= raw.n);
        b.n = 0;
        csv_put(&b, cell);
        must(str_eq(cell, csv_unquote(buf_view(&b), a)));
        arena_rewind(a, mark);
    }
    for (size_t i = 1; i < r->at.n; i++)
        must(r->at.v[i] > r->at.v[i - 1]);
    buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = {(const char *)data, size};
    struct arena a = {0};
    struct csv_header h;
    struct err e;
    if (csv_header(text, &a, &h, &e)) {
        int *from = push_many(&a, int, h.n);
        for (size_t i = 0; i < h.n; i++)
            from[i] = (int)i;
        struct result fast = scan(text, &h, from, CSV_FAST);
        struct result slow = scan(text, &h, from, CSV_SLOW);
        check_same(&fast, &slow);
        check_cells(text, &fast, &a);
        vec_free(&fast.at);
        vec_free(&fast.cells);
        vec_free(&slow.at);
        vec_free(&slow.cells);
    }
    arena_free(&a);
    return 0;
}
