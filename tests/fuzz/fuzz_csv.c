// fuzz_csv.c - any bytes as a table: both paths of the scanner must see the same.
#include "../support/csv_result.h"
#include "fuzz.h"

// Every cell lies in the text, and what is written of it reads back.
static void check_cells(str text, const struct csv_result *r, struct arena *a)
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

// Both paths leave out the same rows, and the first of them is the one that ends a scan
// which does not go on.
static void check_bad(str text, const struct csv_header *h, const struct csv_result *first,
                      struct arena *a)
{
    struct csv_result fast = csv_result_scan_on(text, h, CSV_FAST);
    struct csv_result slow = csv_result_scan_on(text, h, CSV_SLOW);
    must(fast.ok && csv_result_same(&fast, &slow));
    must((fast.bad.n == 0) == first->ok);
    must(first->ok || strcmp(fast.bad.first.text, first->e.text) == 0);
    must(fast.at.n >= first->at.n);
    check_cells(text, &fast, a);
    csv_result_free(&fast);
    csv_result_free(&slow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = {(const char *)data, size};
    struct arena a = {0};
    struct csv_header h;
    struct err e;
    if (csv_header(text, &a, &h, &e)) {
        struct csv_result fast = csv_result_scan(text, &h, CSV_FAST);
        struct csv_result slow = csv_result_scan(text, &h, CSV_SLOW);
        must(csv_result_same(&fast, &slow));
        check_cells(text, &fast, &a);
        check_bad(text, &h, &fast, &a);
        csv_result_free(&fast);
        csv_result_free(&slow);
    }
    arena_free(&a);
    return 0;
}
