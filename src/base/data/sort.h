// sort.h - sorting by a 64-bit key, and the median of a list of numbers.
#ifndef TTP_BASE_DATA_SORT_H
#define TTP_BASE_DATA_SORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t a, b; // the caller's
};

// Stable. Merges ordered runs, so nearly sorted input is fast. `scratch` has room for n.
void sort_keyed(struct keyed *v, struct keyed *scratch, size_t n);
void sort_keys(struct keyed *v, size_t n); // the same with room of its own
// The first one with the key in a sorted list; n: there is none.
size_t sort_find(const struct keyed *v, size_t n, uint64_t key);

// The element that would be at `at` if v were sorted; reorders v.
uint64_t sort_select(uint64_t *v, size_t n, size_t at);
double sort_select_real(double *v, size_t n, size_t at);
// The median; reorders v. n > 0.
double sort_median(uint64_t *v, size_t n);
double sort_median_real(double *v, size_t n);

// In a comparison for qsort: returns unless the field is equal.
#define SORT_BY(x, y, field)                                                               \
    if ((x)->field != (y)->field)                                                          \
    return (x)->field < (y)->field ? -1 : 1

#endif
