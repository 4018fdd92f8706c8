// csv_result.h - all that a scan hands over, kept, so that two scans can be compared.
#ifndef TTP_TESTS_CSV_RESULT_H
#define TTP_TESTS_CSV_RESULT_H

#include <string.h>

#include "base/data/vec.h"
#include "base/text/csv.h"

struct csv_result {
    VEC(uint64_t) at;
    VEC(csv_cell) cells;
    size_t n_columns;
    bool ok;
    struct err e;
    struct csv_bad bad; // with csv_result_scan_on
};

static inline void csv_result_take(void *context, const struct csv_rows *rows)
{
    struct csv_result *r = context;
    for (size_t i = 0; i < rows->n; i++) {
        vec_push(&r->at, rows->at[i]);
        for (size_t c = 0; c < r->n_columns; c++)
            vec_push(&r->cells, rows->col[c][i]);
    }
}

// Scans every column, up to the first bad row or on behind it.
static inline struct csv_result csv_result_any(str text, const struct csv_header *h,
                                               enum csv_path path, bool goes_on)
{
    struct csv_result r = {.n_columns = h->n};
    int *from = mem_alloc(mem_bytes(sizeof *from, h->n));
    for (size_t i = 0; i < h->n; i++)
        from[i] = (int)i;
    struct csv_plan plan = {.from = from,
                            .n_slots = h->n,
                            .take = csv_result_take,
                            .context = &r,
                            .bad = goes_on ? &r.bad : NULL};
    r.ok = csv_scan(text, h, &plan, path, &r.e);
    mem_free(from);
    return r;
}

static inline struct csv_result csv_result_scan(str text, const struct csv_header *h,
                                                enum csv_path path)
{
    return csv_result_any(text, h, path, false);
}

static inline struct csv_result csv_result_scan_on(str text, const struct csv_header *h,
                                                   enum csv_path path)
{
    return csv_result_any(text, h, path, true);
}

static inline void csv_result_free(struct csv_result *r)
{
    vec_free(&r->at);
    vec_free(&r->cells);
}

static inline bool csv_result_same(const struct csv_result *a, const struct csv_result *b)
{
    return a->ok == b->ok && a->at.n == b->at.n && a->cells.n == b->cells.n &&
           (!a->at.n || memcmp(a->at.v, b->at.v, a->at.n * sizeof *a->at.v) == 0) &&
           (!a->cells.n ||
            memcmp(a->cells.v, b->cells.v, a->cells.n * sizeof *a->cells.v) == 0) &&
           (a->ok || (a->e.code == b->e.code && strcmp(a->e.text, b->e.text) == 0)) &&
           a->bad.n == b->bad.n &&
           (!a->bad.n || strcmp(a->bad.first.text, b->bad.first.text) == 0);
}

#endif
