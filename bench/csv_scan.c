// csv_scan.c - speed of scanning a table into columns of cell positions.
//
//     csv_scan FILE report|all fast|slow PASSES
//
// Scans FILE PASSES times, each time into new empty columns, and prints one line of JSON.
// The time covers header to last cell, without summing and freeing the columns. 0 passes:
// one pass including the mapping, without warm-up, as in a command that reads a file once.
#include <stdio.h>
#include <stdlib.h>

#include "base/data/arena.h"
#include "base/file/file.h"
#include "base/text/csv.h"

#include "bench.h"
#include "formats/ops_table/ops_table.h"

struct column {
    csv_cell *v;
    size_t n, cap;
};

struct columns {
    struct column *of; // by slot
    size_t n;
};

static void take(void *context, const struct csv_rows *rows)
{
    struct columns *c = context;
    for (size_t i = 0; i < c->n; i++) {
        struct column *to = &c->of[i];
        vec_reserve(to, rows->n);
        memcpy(to->v + to->n, rows->col[i], rows->n * sizeof *to->v);
        to->n += rows->n;
    }
}

// The columns a report reads, if the file has them, or all columns.
static size_t choose(const struct csv_header *h, bool all, int *from)
{
    size_t n = 0;
    for (size_t i = 0; all && i < h->n; i++)
        from[n++] = (int)i;
    for (int c = 0; !all && c < OPS_COLUMNS; c++) {
        int at = csv_find(h, str_of(ops_column_name((enum ops_column)c)));
        if (at >= 0)
            from[n++] = at;
    }
    return n;
}

struct result {
    double cpu;
    size_t bytes, rows, columns;
    uint64_t sum; // of all positions: must be the same for fast and slow
};

static bool scan_once(str text, bool all, enum csv_path path, struct result *r,
                      struct err *e)
{
    double start = bench_cpu();
    struct arena a = {0};
    struct csv_header h;
    if (!csv_header(text, &a, &h, e))
        return false;
    int *from = push_many(&a, int, h.n + OPS_COLUMNS);
    struct columns c = {.n = choose(&h, all, from)};
    c.of = push_many(&a, struct column, c.n);
    struct csv_plan plan = {.from = from, .n_slots = c.n, .take = take, .context = &c};
    bool ok = csv_scan(text, &h, &plan, path, e);
    r->cpu += bench_cpu() - start;
    r->bytes += text.n;
    r->rows += c.n ? c.of[0].n : 0;
    r->columns = c.n;
    for (size_t i = 0; i < c.n; i++) {
        for (size_t k = 0; k < c.of[i].n; k++)
            r->sum = r->sum * 31 + c.of[i].v[k].v;
        vec_free(&c.of[i]);
    }
    arena_free(&a);
    return ok;
}

static bool scan_file(char **argv, struct result *r, struct err *e)
{
    bool all = strcmp(argv[2], "all") == 0;
    enum csv_path path = strcmp(argv[3], "slow") == 0 ? CSV_SLOW : CSV_FAST;
    int passes = atoi(argv[4]);
    double start = bench_cpu();
    struct file f;
    if (!file_open(argv[1], &f, e))
        return false;
    double opened = bench_cpu() - start;
    bool ok = scan_once(f.text, all, path, r, e);
    if (passes == 0)
        r->cpu += opened;
    else
        *r = (struct result){0}; // discard the warm-up
    for (int i = 0; ok && i < passes; i++)
        ok = scan_once(f.text, all, path, r, e);
    file_close(&f);
    return ok;
}

int main(int argc, char **argv)
{
    struct result r = {0};
    struct err e = {0};
    if (argc != 5) {
        fprintf(stderr, "Usage: csv_scan FILE report|all fast|slow PASSES\n");
        return 2;
    }
    if (!scan_file(argv, &r, &e)) {
        fprintf(stderr, "csv_scan: %s\n", e.text);
        return err_exit_code(e.code);
    }
    printf(
        "{\"cpu\": %.9f, \"bytes\": %zu, \"gb_per_s\": %.4f, \"rows\": %zu, "
        "\"columns\": %zu, \"sum\": \"%016llx\"}\n",
        r.cpu, r.bytes, 1e-9 * (double)r.bytes / r.cpu, r.rows, r.columns,
        (unsigned long long)r.sum);
    return 0;
}
