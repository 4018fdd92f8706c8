// intern.c - speed of interning texts.
//
//     intern FILE
//
// `known`: the text cells of a table of ops, which repeat a few texts. `new`: all texts
// different, the worst case. Both start with an empty map. Prints one line of JSON per job.
#include <stdio.h>

#include "base/data/arena.h"
#include "base/data/map.h"
#include "base/file/file.h"
#include "base/text/csv.h"

#include "bench.h"
#include "formats/ops_table/ops_table.h"

enum { KNOWN_PASSES = 20, N_NEW = 200000 };

struct texts {
    VEC(str) all;
    str file;
    size_t n_slots;
};

static void take(void *context, const struct csv_rows *rows)
{
    struct texts *t = context;
    for (size_t slot = 0; slot < t->n_slots; slot++)
        for (size_t i = 0; i < rows->n; i++)
            vec_push(&t->all, csv_raw(t->file, rows->col[slot][i]));
}

static bool read_texts(struct texts *t, struct arena *a, struct err *e)
{
    static const enum ops_column wanted[] = {
        OPS_OP_CODE,    OPS_OP_TYPE,      OPS_DEVICE_ARCH,  OPS_ATTRIBUTES,
        OPS_FIDELITY,   OPS_IN0_DATATYPE, OPS_IN1_DATATYPE, OPS_OUT0_DATATYPE,
        OPS_IN0_MEMORY, OPS_IN1_MEMORY,   OPS_OUT0_MEMORY,
    };
    int from[sizeof wanted / sizeof *wanted];
    struct csv_header h;
    if (!csv_header(t->file, a, &h, e))
        return false;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int at = csv_find(&h, str_of(ops_column_name(wanted[i])));
        if (at >= 0)
            from[t->n_slots++] = at;
    }
    struct csv_plan plan = {
        .from = from, .n_slots = t->n_slots, .take = take, .context = t};
    return csv_scan(t->file, &h, &plan, CSV_FAST, e);
}

static size_t intern_all(const str *texts, size_t n, int passes)
{
    struct map m = {0};
    for (int pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < n; i++)
            (void)map_put(&m, texts[i]);
    size_t distinct = m.keys.n;
    map_free(&m);
    return distinct;
}

static void measure(const char *set, const str *texts, size_t n, int passes)
{
    (void)intern_all(texts, n, 1); // warm-up
    double start = bench_cpu();
    size_t distinct = intern_all(texts, n, passes);
    double cpu = bench_cpu() - start;
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += texts[i].n;
    printf(
        "{\"set\": \"%s\", \"cpu\": %.9f, \"n\": %zu, \"bytes\": %zu, \"distinct\": %zu}\n",
        set, cpu, n * (size_t)passes, bytes * (size_t)passes, distinct);
}

int main(int argc, char **argv)
{
    struct arena a = {0};
    struct texts t = {0};
    struct file f;
    struct err e = {0};
    if (argc != 2) {
        fprintf(stderr, "Usage: intern FILE\n");
        return 2;
    }
    if (!file_open(argv[1], &f, &e)) {
        fprintf(stderr, "intern: %s\n", e.text);
        return err_exit_code(e.code);
    }
    t.file = f.text;
    bool ok = read_texts(&t, &a, &e);
    if (ok) {
        measure("known", t.all.v, t.all.n, KNOWN_PASSES);
        str *fresh = push_many(&a, str, N_NEW);
        for (size_t i = 0; i < N_NEW; i++)
            fresh[i] = arena_printf(&a, "Operation%zu(input=%zu)", i, i * 7919);
        measure("new", fresh, N_NEW, 1);
    } else {
        fprintf(stderr, "intern: %s: %s\n", argv[1], e.text);
    }
    vec_free(&t.all);
    file_close(&f);
    arena_free(&a);
    return err_exit_code(e.code);
}
