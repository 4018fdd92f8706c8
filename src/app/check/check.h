// check.h - `ttprof check`: compares measured performance with expected values.
#ifndef TTP_APP_CHECK_CHECK_H
#define TTP_APP_CHECK_CHECK_H

#include "base/text/err.h"

#include "app/options.h"

// The metric of an --expected value without a key.
#define CHECK_USUAL_KEY "AVG DEVICE KERNEL DURATION [ns]"

struct check_values {
    struct option_list columns, expected;
    const char *op, *model, *setting, *comments, *date, *report, *output;
    bool signposts, detailed, per_op, merge, json, strict;
    int64_t warmup, batch;
    double margin, measured, expected_time;
};

// Returns the exit code; a set error decides it when there is one.
int check_command(const struct check_values *values, struct words words, struct err *e);

#endif
