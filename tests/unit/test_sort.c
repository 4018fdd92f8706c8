// test_sort.c - stable order by a key, and the middle of numbers.
#include <stdlib.h>

#include "base/data/sort.h"

#include "test.h"

enum { MOST = 300 };

static void check_sorted(struct keyed *v, size_t n)
{
    static struct keyed scratch[MOST];
    uint64_t sum = 0, want = 0;
    for (size_t i = 0; i < n; i++) {
        v[i].a = (uint32_t)i;
        v[i].b = (uint32_t)(v[i].key * 7);
        want += v[i].key * (i + 1);
    }
    sort_keyed(v, scratch, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal((uint32_t)(v[i].key * 7), v[i].b);
        sum += v[i].key * (v[i].a + UINT64_C(1));
        if (i && v[i - 1].key == v[i].key)
            assert_true(v[i - 1].a < v[i].a);
        else if (i)
            assert_true(v[i - 1].key < v[i].key);
    }
    assert_true(sum == want);
}

TEST(sort_keyed_orders_every_length_and_keeps_the_order_of_equal_keys)
{
    static struct keyed v[MOST];
    uint64_t seed = 1;
    for (size_t n = 0; n <= MOST; n += n < 20 ? 1 : 35)
        for (unsigned range = 1; range < 2000; range = range * 5 + 1) {
            for (size_t i = 0; i < n; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                v[i].key = (seed >> 33) % range;
            }
            check_sorted(v, n);
        }
}

TEST(sort_keyed_takes_rising_falling_and_joined_lists)
{
    static struct keyed v[MOST];
    for (size_t i = 0; i < MOST; i++)
        v[i].key = i;
    check_sorted(v, MOST);
    for (size_t i = 0; i < MOST; i++)
        v[i].key = MOST - i;
    check_sorted(v, MOST);
    for (size_t i = 0; i < MOST; i++)
        v[i].key = i % 100;
    check_sorted(v, MOST);
    for (size_t i = 0; i < MOST; i++)
        v[i].key = i ? i : UINT64_MAX;
    check_sorted(v, MOST);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

TEST(sort_select_finds_what_sorting_would_put_there)
{
    uint64_t seed = 9;
    for (size_t n = 1; n <= 40; n++)
        for (size_t at = 0; at < n; at++) {
            uint64_t v[40], sorted[40];
            double real[40];
            for (size_t i = 0; i < n; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                v[i] = sorted[i] = (seed >> 40) % (n < 20 ? 5 : 1000);
                real[i] = (double)v[i];
            }
            qsort(sorted, n, sizeof *sorted, by_value);
            assert_true(sort_select(v, n, at) == sorted[at]);
            REAL_IS(sort_select_real(real, n, at), (double)sorted[at]);
        }
}

TEST(sort_median_is_the_middle_or_the_mean_of_two)
{
    REAL_IS(sort_median((uint64_t[]){7}, 1), 7);
    REAL_IS(sort_median((uint64_t[]){9, 2}, 2), 5.5);
    REAL_IS(sort_median((uint64_t[]){9, 1, 5}, 3), 5);
    REAL_IS(sort_median((uint64_t[]){9, 1, 5, 4}, 4), 4.5);
    REAL_IS(sort_median((uint64_t[]){3, 3, 3, 3}, 4), 3);
    REAL_IS(sort_median_real((double[]){0.5, -1, 2, 1}, 4), 0.75);
    REAL_IS(sort_median_real((double[]){2, -1, 0.5}, 3), 0.5);
    // Two large ones do not overflow on the way to their mean.
    REAL_IS(sort_median((uint64_t[]){UINT64_MAX, UINT64_MAX}, 2), 18446744073709551615.0);
}

TEST(sort_find_gives_the_first_of_a_key)
{
    static const struct keyed v[] = {{3, 0, 0}, {5, 1, 0}, {5, 2, 0}, {9, 3, 0}};
    assert_int_equal(0, sort_find(v, 4, 3));
    assert_int_equal(1, sort_find(v, 4, 5));
    assert_int_equal(3, sort_find(v, 4, 9));
    assert_int_equal(4, sort_find(v, 4, 4));
    assert_int_equal(4, sort_find(v, 4, 10));
    assert_int_equal(0, sort_find(NULL, 0, 1));
}
