// fuzz_ops.c - any bytes as a table of ops, through the whole report and all its outputs.
#include <math.h>

#include "../support/report_outputs.h"
#include "fuzz.h"

static void count_rows(void *context, const struct csv_rows *rows)
{
    *(size_t *)context += rows->n;
}

// The CSV of a report is a table with a row for each op.
static void check_csv(const struct perf *p, str text)
{
    struct arena a = {0};
    struct csv_header h;
    struct err e;
    size_t n = 0;
    struct csv_plan plan = {.take = count_rows, .context = &n};
    must(csv_header(text, &a, &h, &e));
    must(h.n == PERF_OPS_COLUMNS);
    must(csv_scan(text, &h, &plan, CSV_FAST, &e));
    must(n == p->n_ops);
    arena_free(&a);
}

static void check_ops(const struct perf *p)
{
    must(p->n_ops <= p->table.n_rows);
    must(p->n_kind[OP_DEVICE] + p->n_kind[OP_HOST] + p->n_kind[OP_SIGNPOST] >= p->n_ops);
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct op *o = &p->ops[i];
        must(o->row < p->table.n_rows);
        must(!(o->has & HAS_TIME) || isfinite(o->time));
        must(!(o->has & HAS_GAP) || isfinite(o->gap));
        must(!(o->has & HAS_DRAM_PERCENT) || o->has & HAS_DRAM);
        must(!(o->has & HAS_FLOPS_PERCENT) || o->has & HAS_FLOPS ||
             isnan(o->flops_percent)); // of an op without a duration
    }
}

static void run(const char *path, const struct perf_options *options)
{
    struct perf p;
    struct err e = {0};
    enum perf_status status = perf_run(&p, &path, 1, options, &e);
    must(status != PERF_INPUT_ERROR || e.code != ERR_NONE);
    must(status != PERF_REFUSED || p.notes.list.n > 0);
    if (status == PERF_OK) {
        check_ops(&p);
        struct file csv = report_csv(&p);
        check_csv(&p, csv.text);
        file_close(&csv);
        report_outputs(&p);
    }
    perf_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct perf_options usual = {.min_percentage = 0.5};
    static const struct perf_options other = {.min_percentage = 0.5,
                                              .ignore_signposts = true,
                                              .no_merge_devices = true,
                                              .tracing_mode = true};
    struct memory_file f = memory_file_make((str){(const char *)data, size});
    run(f.path, &usual);
    run(f.path, &other);
    memory_file_free(&f);
    return 0;
}
