// clock_model.h - device cycles to host nanoseconds: piecewise linear, with a stated error.
//
// An epoch is one sync: a line through many samples. Between two epochs the model is linear
// from mean point to mean point; outside, it continues the nearest epoch's own line.
//
// The stated error is a bound for any clock whose frequency changes monotonically between
// two epochs. Outside of them the drift between the nearest two is assumed to continue; for
// a single epoch 1 ppm per second is assumed.
#ifndef TTP_TRACE_CLOCK_MODEL_H
#define TTP_TRACE_CLOCK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/vec.h"
#include "base/text/buf.h"

struct clock_epoch {
    uint64_t cycle; // mean point: device
    double cycle_fraction;
    uint64_t host; // mean point: host ns
    double host_fraction;
    double cycles_per_ns;
    double rate_error;  // of cycles_per_ns, as a part of it
    double error_ns;    // stated bound
    double reach_ns;    // distance from the mean point up to which it holds
    double residual_ns; // largest
    uint32_t n_samples, n_kept, n_missing;
};

struct clock_model {
    VEC(struct clock_epoch) epochs; // in time order
    double nominal;                 // cycles per ns; used when there is no epoch
    bool is_synced; // false: zones are self-consistent but not aligned with the host
};

void clock_model_free(struct clock_model *m);
// Without sync: the nominal clock, with `cycle` taken to be at `host`.
void clock_model_assume(struct clock_model *m, uint64_t cycle, uint64_t host);

// Like clock_model_since, by one epoch's own line.
double clock_epoch_since(const struct clock_epoch *e, uint64_t cycle, uint64_t since);
// Nanoseconds from the host's `since` to the cycle: exact to fractions of a ns within
// months, whereas absolute host times do not fit a double.
double clock_model_since(const struct clock_model *m, uint64_t cycle, uint64_t since);
double clock_model_host_ns(const struct clock_model *m, uint64_t cycle); // from host ns 0
// The cycle at a host time; 0 before the clock started.
uint64_t clock_model_cycle(const struct clock_model *m, uint64_t host);

// Error at an instant; INFINITY if the model is not synced.
double clock_model_error_ns(const struct clock_model *m, uint64_t cycle);
// The largest error from the first epoch to the last.
double clock_model_worst_ns(const struct clock_model *m);
double clock_model_ghz(const struct clock_model *m); // over all epochs

// "frequency 1.000012 GHz, error 0.31 us, 2 epochs", or a note that it is not aligned.
void clock_model_describe(const struct clock_model *m, struct buf *out);

#endif
