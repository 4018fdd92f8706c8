// sample_fast.h - a device with fast dispatch, programs for it, and when they ran.
#ifndef TTP_TESTS_SAMPLE_FAST_H
#define TTP_TESTS_SAMPLE_FAST_H

#include "sample_device.h"
#include "sim/cluster.h"
#include "sim/dispatch/dispatch.h"

// --- programs --------------------------------------------------------------------------
ttdev_range sample_grid(ttdev *t); // all workers
// A kernel of tests/kernels on the RISCs of a mask, with these arguments on all cores.
ttdev_program *sample_program(ttdev *t, const char *kernel, ttdev_range cores,
                              unsigned riscs, const uint32_t *args, size_t n);
// Kernels that take so many cycles on all RISCs; 0: empty ones.
ttdev_program *sample_spin(ttdev *t, ttdev_range cores, uint32_t cycles);

enum { ALL_RISCS = (1 << TT_RISCS) - 1, WAIT_NS = 1000000000 };
void sample_launch(ttdev *t, ttdev_program *p, uint32_t run_id);
void sample_wait(ttdev *t);

// --- when they ran -----------------------------------------------------------------------
// By core and launch on it, from the ground truth; true time in ns.
struct sample_run {
    double first, last; // start of the first kernel of a core: earliest and latest core
    double end;         // of the last kernel
    unsigned n_cores;
};
struct sample_times;
struct sample_times *sample_times_begin(ttdev *t);
size_t sample_times_count(const struct sample_times *s); // launches of one core, at most
struct sample_run sample_times_run(const struct sample_times *s, size_t i);
// From launch to launch: means of the time between starts, and from end to start.
double sample_times_period(const struct sample_times *s, size_t from, size_t to);
double sample_times_gap(const struct sample_times *s, size_t from, size_t to);
double sample_times_longest_gap(const struct sample_times *s, size_t from, size_t to);
void sample_times_end(ttdev *t, struct sample_times *s);

#endif
