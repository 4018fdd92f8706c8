// sync_fit.c - selects the best samples, fits a line, and bounds its error.
#include "collect/sync/sync_fit.h"

#include <math.h>
#include <string.h>

#include "base/data/arena.h"
#include "base/data/sort.h"

// --- lines -----------------------------------------------------------------------------
static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

double line_at(const struct line *l, double x)
{
    return l->mean_y + l->slope * (x - l->mean_x);
}

bool line_fit(const double *x, const double *y, size_t n, struct line *out)
{
    if (n < 2)
        return false;
    *out = (struct line){.mean_x = mean_of(x, n), .mean_y = mean_of(y, n)};
    double xx = 0, xy = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        double dx = x[i] - out->mean_x;
        xx += dx * dx;
        xy += dx * (y[i] - out->mean_y);
    }
    if (xx <= 0)
        return false;
    out->slope = xy / xx;
    for (size_t i = 0; i < n; i++) {
        double rest = y[i] - line_at(out, x[i]);
        left += rest * rest;
    }
    out->slope_error = n > 2 ? sqrt(left / (double)(n - 2) / xx) : INFINITY;
    return true;
}

// --- samples ---------------------------------------------------------------------------
size_t sync_choose(const struct sync_point *p, size_t n, bool *is_kept)
{
    struct arena a = {0};
    struct keyed *order = push_many(&a, struct keyed, n);
    struct keyed *scratch = push_many(&a, struct keyed, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct keyed){.key = p[i].after - p[i].before, .a = (uint32_t)i};
    sort_keyed(order, scratch, n);
    size_t keep = n / 4 > SYNC_KEEP_LEAST ? n / 4 : SYNC_KEEP_LEAST;
    if (keep > n)
        keep = n;
    memset(is_kept, 0, n * sizeof *is_kept);
    for (size_t i = 0; i < keep; i++)
        is_kept[order[i].a] = true;
    arena_free(&a);
    return keep;
}

// Kept points relative to the first one, so that doubles stay exact.
struct near {
    uint64_t stamp, host; // the origin
    double *x, *y, *half;
    size_t n;
};

static struct near near_points(const struct sync_point *p, size_t n, const bool *is_kept,
                               struct arena *a)
{
    struct near k = {.x = push_many(a, double, n),
                     .y = push_many(a, double, n),
                     .half = push_many(a, double, n)};
    for (size_t i = 0; i < n; i++) {
        if (!is_kept[i])
            continue;
        if (k.n == 0) {
            k.stamp = p[i].stamp;
            k.host = p[i].before;
        }
        k.half[k.n] = (double)(int64_t)(p[i].after - p[i].before) / 2;
        k.x[k.n] = (double)(int64_t)(p[i].before - k.host) + k.half[k.n];
        k.y[k.n++] = (double)(int64_t)(p[i].stamp - k.stamp);
    }
    return k;
}

static void put_instant(uint64_t zero, double offset, uint64_t *whole, double *fraction)
{
    double down = floor(offset);
    *whole = zero + (uint64_t)(int64_t)down;
    *fraction = offset - down;
}

bool sync_fit(const struct sync_point *p, size_t n, const bool *is_kept, double late_ns,
              struct clock_epoch *out)
{
    struct arena a = {0};
    struct near k = near_points(p, n, is_kept, &a);
    struct line l;
    bool has_line = line_fit(k.x, k.y, k.n, &l) && l.slope > 0;
    if (has_line) {
        double first = INFINITY, last = -INFINITY, half = 0, residual = 0;
        for (size_t i = 0; i < k.n; i++) {
            first = fmin(first, k.x[i]);
            last = fmax(last, k.x[i]);
            half = fmax(half, k.half[i]);
            residual = fmax(residual, fabs(k.y[i] - line_at(&l, k.x[i])) / l.slope);
        }
        // Every kept stamp lies within half + late of its sample, and the line within the
        // residual of that: so does the line between the first and the last of them,
        // because the difference of two straight lines is largest at an end.
        *out = (struct clock_epoch){
            .cycles_per_ns = l.slope,
            .rate_error = SYNC_SIGMAS * l.slope_error / l.slope,
            .error_ns = half + late_ns + residual,
            .reach_ns = fmin(l.mean_x - first, last - l.mean_x),
            .residual_ns = residual,
            .n_samples = (uint32_t)n,
            .n_kept = (uint32_t)k.n,
        };
        put_instant(k.stamp, l.mean_y, &out->cycle, &out->cycle_fraction);
        put_instant(k.host, l.mean_x, &out->host, &out->host_fraction);
    }
    arena_free(&a);
    return has_line;
}
