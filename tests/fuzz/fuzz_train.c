// fuzz_train.c - any bytes as a table of ops through all analyses of training runs, and as
// what a training program printed.
#include <math.h>

#include "../support/memory_file.h"
#include "analyse/compare/check.h"
#include "analyse/train/train.h"
#include "fuzz.h"
#include "present/reports/train_text.h"

static void check_step(struct train *t, struct buf *b, const struct train_log *log)
{
    struct train_ops ops;
    struct train_anomalies anomalies;
    struct train_phases phases;
    struct train_step step;
    struct train_flame flame = {0};
    struct train_model model = {
        .name = "", .runner = "", .tp = 1, .ddp = 1, .grad_accum = 1};
    struct train_result result;
    train_ops_make(&ops, t);
    train_anomalies_find(&anomalies, t, &ops);
    train_phases_make(&phases, t);
    must(anomalies.v.n <= ops.n_rows * TRAIN_SHOWN);
    must(phases.average.n <= phases.v.n);
    bool has_step = train_step_make(&step, t);
    if (has_step)
        train_flame_make(&flame, t, &step);
    for (size_t i = 0; i < flame.v.n; i++)
        must(isfinite(flame.v.v[i].x));
    train_result_make(&result, &phases, log, &model, t->devices.n);
    struct train_view view = {.train = t,
                              .ops = &ops,
                              .anomalies = &anomalies,
                              .phases = &phases,
                              .step = has_step ? &step : NULL,
                              .flame = &flame,
                              .log = log,
                              .model = &model,
                              .result = &result,
                              .top = 10};
    train_view_make(&view);
    for (int i = 0; i < TRAIN_TABLES; i++)
        must(view.grid[i].cells.n ==
             view.grid[i].table.n_rows * view.grid[i].table.n_columns);
    train_text(&view, (struct text_look){0}, b);
    train_view_free(&view);
    train_flame_free(&flame);
    train_step_free(&step);
    train_phases_free(&phases);
    train_anomalies_free(&anomalies);
    train_ops_free(&ops);
}

static void check_durations(const char *path)
{
    const struct check_options options = {
        .is_detailed = true, .is_per_op = true, .warmup = 1, .batch = 1};
    struct check c;
    struct err e = {0};
    must(check_tables(&c, &path, 1, &options, &e) || e.code != ERR_NONE);
    check_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = {(const char *)data, size};
    struct memory_file f = memory_file_make(text);
    struct train t;
    struct train_log log = {0};
    struct err e = {0};
    struct buf b = {0};
    train_log_parse(&log, text);
    if (train_load(&t, f.path, &(struct train_options){.device = -1}, &e))
        check_step(&t, &b, &log);
    else
        must(e.code != ERR_NONE);
    train_free(&t);
    check_durations(f.path);
    train_log_free(&log);
    buf_free(&b);
    memory_file_free(&f);
    return 0;
}
