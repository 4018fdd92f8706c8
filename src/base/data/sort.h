// sort.h - ordering by a 64-bit key, and the middle of a list of numbers.
#ifndef TTP_BASE_DATA_SORT_H
#define TTP_BASE_DATA_SORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t a, b; // the caller's
};

// Stable. Ordered runs are merged, so that what is nearly in order costs little. `scratch`
// has room for n.
void sort_keyed(struct keyed *v, struct keyed *scratch, size_t n);

// The element that would stand at `at` if v were in order; reorders v.
uint64_t sort_select(uint64_t *v, size_t n, size_t at);
double sort_select_real(double *v, size_t n, size_t at);
// The middle, or the mean of the two in the middle; reorders v. n > 0.
double sort_median(uint64_t *v, size_t n);
double sort_median_real(double *v, size_t n);

// In a comparison for qsort: decided by this field, unless it is equal.
#define SORT_BY(x, y, field)                                                               \
    if ((x)->field != (y)->field)                                                          \
    return (x)->field < (y)->field ? -1 : 1

#endif
