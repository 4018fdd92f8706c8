// sample_ops.h - a small device of each chip, tensors of made-up values, and the check of a
// result against the plain computation.
#ifndef TTP_TESTS_SAMPLE_OPS_H
#define TTP_TESTS_SAMPLE_OPS_H

#include "base/data/arena.h"
#include "base/text/buf.h"

#include "../unit/test.h"
#include "ttprof/runtime.h"
#include "workloads/reference.h"

// A tensor, and its values as the device holds them.
struct pair {
    ttrt_tensor *t;
    float *v;
    struct shape4 shape;
};

struct bench {
    ttrt *m;
    const char *chip;
    struct arena a;
    uint32_t seed;
    struct buf seen; // results that were checked, bit for bit
};

// Runs `body` on a Wormhole and on a Blackhole, on 3x2 cores, with slow and with fast
// dispatch; both must give the same bits.
void on_both_chips(void (*body)(struct bench *b));
// The same on two chips that a link joins.
void on_two_chips(void (*body)(struct bench *b));

float *values_new(struct bench *b, size_t n);
// Multiples of 1/64 in [-scale, scale], rounded to the data type.
struct pair pair_make(struct bench *b, struct ttrt_spec spec, float scale);
struct pair pair_of(struct bench *b, struct ttrt_spec spec, const float *values);
struct ttrt_spec spec_of(struct shape4 shape, int dtype);

// How far off a result may be. Values are compared by their size, but at least by `floor`
// times the largest one; `error` 0: the same bits after rounding to the result's data type.
struct within {
    double error, floor;
};
// bf16 has 8 bits: a step is 1/256 of a value's size or less, 1/128 for bfp8.
#define EXACT    ((struct within){0, 0})
#define STEPS(n) ((struct within){(n) / 256.0, 1 / 64.0})

// Reads `t` of a device and compares it with what it should be; frees it.
void check_on(struct bench *b, int device, ttrt_tensor *t, const float *want,
              struct within within, const char *what);
void check(struct bench *b, ttrt_tensor *t, const float *want, struct within within,
           const char *what);

#endif
