// sort.c - natural merge sort and quickselect.
#include "base/data/sort.h"

#include <assert.h>
#include <string.h>

#include "base/data/mem.h"

static size_t run_end(const struct keyed *v, size_t at, size_t n)
{
    at++;
    while (at < n && v[at - 1].key <= v[at].key)
        at++;
    return at;
}

static void merge(const struct keyed *from, size_t at, size_t middle, size_t end,
                  struct keyed *to)
{
    size_t i = at, k = middle;
    while (i < middle && k < end)
        to[at++] = from[k].key < from[i].key ? from[k++] : from[i++];
    memcpy(to + at, from + i, (middle - i) * sizeof *to);
    at += middle - i;
    memcpy(to + at, from + k, (end - k) * sizeof *to);
}

void sort_keyed(struct keyed *v, struct keyed *scratch, size_t n)
{
    struct keyed *from = v, *to = scratch;
    for (;;) {
        size_t at = 0, n_runs = 0;
        while (at < n) {
            size_t middle = run_end(from, at, n);
            if (at == 0 && middle == n) { // all in order
                if (from != v)
                    memcpy(v, from, n * sizeof *v);
                return;
            }
            size_t end = middle < n ? run_end(from, middle, n) : n;
            merge(from, at, middle, end, to);
            at = end;
            n_runs++;
        }
        if (n_runs == 0)
            return;
        struct keyed *other = from;
        from = to;
        to = other;
    }
}

void sort_keys(struct keyed *v, size_t n)
{
    struct keyed *scratch = mem_alloc(mem_bytes(sizeof *scratch, n));
    if (n)
        sort_keyed(v, scratch, n);
    mem_free(scratch);
}

size_t sort_find(const struct keyed *v, size_t n, uint64_t key)
{
    size_t from = 0, to = n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (v[middle].key < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from < n && v[from].key == key ? from : n;
}

// Hoare's selection with the median of three as pivot, for both kinds of numbers.
// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define SELECT(name, T)                                                                    \
    T name(T *v, size_t n, size_t at)                                                      \
    {                                                                                      \
        assert(at < n);                                                                    \
        size_t low = 0, high = n - 1;                                                      \
        while (low < high) {                                                               \
            T a = v[low], b = v[low + (high - low) / 2], c = v[high];                      \
            T pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);   \
            size_t i = low, k = high;                                                      \
            for (;;) {                                                                     \
                while (v[i] < pivot)                                                       \
                    i++;                                                                   \
                while (pivot < v[k])                                                       \
                    k--;                                                                   \
                if (i >= k)                                                                \
                    break;                                                                 \
                T swap = v[i];                                                             \
                v[i++] = v[k];                                                             \
                v[k--] = swap;                                                             \
            }                                                                              \
            /* v[low..k] <= pivot <= v[k+1..high], unless i met k at the pivot */          \
            if (i == k && v[i] < pivot)                                                    \
                k++;                                                                       \
            if (at <= k)                                                                   \
                high = k;                                                                  \
            else                                                                           \
                low = k + 1;                                                               \
        }                                                                                  \
        return v[at];                                                                      \
    }
// NOLINTEND(bugprone-macro-parentheses)
SELECT(sort_select, uint64_t)
SELECT(sort_select_real, double)

double sort_median(uint64_t *v, size_t n)
{
    double high = (double)sort_select(v, n, n / 2);
    return n % 2 ? high : ((double)sort_select(v, n, n / 2 - 1) + high) / 2;
}

double sort_median_real(double *v, size_t n)
{
    double high = sort_select_real(v, n, n / 2);
    return n % 2 ? high : (sort_select_real(v, n, n / 2 - 1) + high) / 2;
}
