// train.h - `ttprof train`: where the time of a training run went.
#ifndef TTP_APP_TRAIN_TRAIN_H
#define TTP_APP_TRAIN_TRAIN_H

#include "base/text/err.h"

#include "app/options.h"

struct train_values {
    int64_t device, iteration, steps, top;
    const char *device_log, *naive, *log;
    const char *csv, *html, *json, *flame, *timeline;
    const char *tflop, *roofline, *ccl;
    const char *name, *runner;
    int64_t batch, seq_len, blocks, tp, ddp, grad_accum;
    double peak, link;
    bool checkpointing, no_heat, strict, no_color;
};

// Returns the exit code; a set error decides it when there is one.
int train_command(const struct train_values *values, struct words words, struct err *e);

#endif
