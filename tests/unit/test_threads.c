// test_threads.c - lanes and their ranges.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/data/threads.h"

#include "test.h"

TEST(lane_ranges_cover_everything_once_and_in_order)
{
    static const size_t totals[] = {0, 1, 2, 7, 8, 9, 1000, 1001};
    for (unsigned n = 1; n <= 9; n++) {
        for (size_t k = 0; k < sizeof totals / sizeof *totals; k++) {
            size_t at = 0, least = SIZE_MAX, most = 0;
            for (unsigned i = 0; i < n; i++) {
                struct range r = lane_range((struct lane){i, n}, totals[k]);
                assert_int_equal(at, r.from);
                assert_true(r.to >= r.from);
                at = r.to;
                least = r.to - r.from < least ? r.to - r.from : least;
                most = r.to - r.from > most ? r.to - r.from : most;
            }
            assert_int_equal(totals[k], at);
            assert_true(most - least <= 1);
        }
    }
}

struct seen {
    int times[16];
    unsigned n[16];
    pthread_t thread[16];
};

static void mark_lane(struct lane lane, void *context)
{
    struct seen *s = context;
    s->times[lane.index]++;
    s->n[lane.index] = lane.n;
    s->thread[lane.index] = pthread_self();
}

TEST(threads_run_calls_each_lane_once_and_lane_zero_on_the_callers_thread)
{
    for (unsigned n = 1; n <= 8; n++) {
        struct seen s = {0};
        threads_run(n, mark_lane, &s);
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(i < n, s.times[i]);
            assert_int_equal(i < n ? n : 0, s.n[i]);
        }
        assert_true(pthread_equal(s.thread[0], pthread_self()));
    }
}

static unsigned threads_under(const char *value, size_t items, size_t worth)
{
    if (value)
        (void)setenv("TTPROF_THREADS", value, 1);
    else
        (void)unsetenv("TTPROF_THREADS");
    unsigned n = threads_for(items, worth);
    (void)unsetenv("TTPROF_THREADS");
    return n;
}

static int cores_of_process(void)
{
    cpu_set_t cpus;
    assert_int_equal(0, sched_getaffinity(0, sizeof cpus, &cpus));
    return CPU_COUNT(&cpus) < 256 ? CPU_COUNT(&cpus) : 256;
}

TEST(threads_for_takes_the_number_from_the_environment_whatever_the_work)
{
    assert_int_equal(3, threads_under("3", 0, 100));
    assert_int_equal(3, threads_under("3", 1000, 100));
    assert_int_equal(1, threads_under("1", 1000, 100));
    assert_int_equal(256, threads_under("999999", 1000, 100));
}

TEST(threads_for_little_work_is_one)
{
    assert_int_equal(1, threads_under(NULL, 0, 100));
    assert_int_equal(1, threads_under(NULL, 99, 100));
    assert_int_equal(1, threads_under("many", 99, 100));
}

TEST(threads_for_work_that_is_worth_it_are_the_cores_of_the_process)
{
    int cores = cores_of_process();
    assert_int_equal(cores, threads_under(NULL, 100, 100));
    assert_int_equal(cores, threads_under("", 100, 100));
    assert_int_equal(cores, threads_under("0", 100, 100));
    assert_int_equal(cores, threads_under("-2", 100, 100));
    assert_int_equal(cores, threads_under("many", 100, 100));
}

TEST(threads_for_a_process_bound_to_one_core_is_one)
{
    cpu_set_t was, one;
    assert_int_equal(0, sched_getaffinity(0, sizeof was, &was));
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &was))
            CPU_SET(i, &one);
    assert_int_equal(0, sched_setaffinity(0, sizeof one, &one));
    unsigned n = threads_under(NULL, 100, 100);
    assert_int_equal(0, sched_setaffinity(0, sizeof was, &was));
    assert_int_equal(1, n);
}
