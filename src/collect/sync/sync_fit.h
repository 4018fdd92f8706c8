// sync_fit.h - fits lines through samples of two clocks and bounds their error.
#ifndef TTP_COLLECT_SYNC_SYNC_FIT_H
#define TTP_COLLECT_SYNC_SYNC_FIT_H

#include "trace/clock_model.h"

// y = mean_y + slope (x - mean_x)
struct line {
    double mean_x, mean_y, slope;
    double slope_error; // standard error
};

// Least squares around the means. False: fewer than two different x.
bool line_fit(const double *x, const double *y, size_t n, struct line *out);
double line_at(const struct line *l, double x);

// One sample: a clock was read between two instants of another clock.
struct sync_point {
    uint64_t stamp;         // of the observed clock
    uint64_t before, after; // of the observing clock
};

enum { SYNC_KEEP_LEAST = 32, SYNC_SIGMAS = 5 };

// Marks the quarter with the shortest after - before, at least SYNC_KEEP_LEAST (all if
// there are fewer); returns how many.
size_t sync_choose(const struct sync_point *p, size_t n, bool *is_kept);

// Fits a line to the kept points, stamp over the middle of before and after. `late_ns`: the
// stamp may be this long after `after`. False: no line fits.
bool sync_fit(const struct sync_point *p, size_t n, const bool *is_kept, double late_ns,
              struct clock_epoch *out);

#endif
