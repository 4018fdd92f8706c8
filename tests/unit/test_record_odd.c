// Recording where programs do what few do: cancel threads, stop in a signal handler, change
// the clock while handlers record.
#define TTPROF_ENABLE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/record.h"
#include "sample_record.h"

static struct seen_ring ring;

static void zone(void)
{
    TTPROF_ZONE("zone");
}

// --- cancelled threads ---
static void *cancelled_before_its_first_event(void *arrived)
{
    pthread_cancel(pthread_self());
    zone(); // opens files: none of these calls may be the end of the thread
    ttprof_thread_name("cancelled");
    ttprof_flush();
    *(int *)arrived = 1;
    pthread_testcancel();
    *(int *)arrived = 2;
    return NULL;
}

TEST(record_is_no_cancellation_point)
{
    struct sample_record r = sample_record(NULL);
    int arrived = 0;
    void *result = NULL;
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, cancelled_before_its_first_event, &arrived),
                     0);
    assert_int_equal(pthread_join(t, &result), 0);
    assert_int_equal(arrived, 1);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    zone(); // no lock was left behind
    ttprof_flush();
    assert_int_equal(ttprof_lost(), 0);
    sample_record_end(&r);
}

static void *zones_until_cancelled(void *unused)
{
    while (!unused) {
        zone();
        pthread_testcancel();
    }
    return NULL;
}

TEST(record_of_a_thread_that_was_cancelled_leaves_its_ring_to_the_next_one)
{
    struct ttprof_settings settings = {.policy = TTPROF_BLOCK, .ring_bytes = 1 << 16};
    struct sample_record r = sample_record(&settings);
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, zones_until_cancelled, NULL), 0);
        usleep(500);
        assert_int_equal(pthread_cancel(t), 0);
        assert_int_equal(pthread_join(t, NULL), 0);
    }
    zone();
    assert_int_equal(ttprof_lost(), 0);
    sample_record_end(&r);
}

// --- handlers ---
static int n_asked;
static uint64_t raising_clock(void *unused)
{
    (void)unused;
    if (++n_asked == 3)
        raise(SIGUSR1); // in the middle of an event
    return (uint64_t)n_asked;
}

static void stopping_handler(int signal)
{
    (void)signal;
    ttprof_stop();
}

TEST(record_may_be_stopped_by_a_handler_in_the_middle_of_an_event)
{
    struct sample_record r = sample_record(NULL);
    struct sigaction before, during = {.sa_handler = stopping_handler};
    sigaction(SIGUSR1, &during, &before);
    n_asked = 0;
    zone();
    ttprof_use_clock(raising_clock, NULL);
    zone(); // comes back into a ring of the recording that has ended
    zone();
    assert_false(ttprof_is_recording());
    ttprof_use_clock(NULL, NULL);
    sigaction(SIGUSR1, &before, NULL);
    sample_record_remove(&r);

    r = sample_record(NULL);
    zone();
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(ring.n, 2);
    assert_int_equal(ttprof_lost(), 0);
    sample_record_end(&r);
}

enum { CLOCK_STEP = 1000000 };
static uint64_t clock_of(void *start)
{
    static uint64_t n;
    return *(uint64_t *)start * CLOCK_STEP +
           __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED) % CLOCK_STEP;
}

static void recording_handler(int signal)
{
    (void)signal;
    ttprof_plot_int("handler", 1);
}

static int is_over;
static void *signal_until_told(void *thread)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        pthread_kill(*(pthread_t *)thread, SIGUSR1);
        usleep(10);
    }
    return NULL;
}

// Every event has a time of the clock that the thread was told of last.
static void check_clocks(void)
{
    uint64_t step = 0;
    for (size_t i = 0; i < ring.n; i++) {
        const struct seen_event *e = &ring.events[i];
        if (e->kind == TT_CLOCK)
            step = e->time / CLOCK_STEP;
        else if (step)
            assert_int_equal(e->time / CLOCK_STEP, step);
    }
}

TEST(record_puts_a_new_clock_before_what_a_handler_records)
{
    enum { SWITCHES = 300 };
    struct sample_record r = sample_record(NULL);
    struct sigaction before, during = {.sa_handler = recording_handler};
    static uint64_t steps[SWITCHES];
    sigaction(SIGUSR1, &during, &before);
    pthread_t self = pthread_self(), other;
    zone();
    is_over = 0;
    assert_int_equal(pthread_create(&other, NULL, signal_until_told, &self), 0);
    for (uint64_t i = 0; i < SWITCHES; i++) {
        steps[i] = i + 1;
        ttprof_use_clock(clock_of, &steps[i]);
        zone();
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    ttprof_use_clock(NULL, NULL);
    sigaction(SIGUSR1, &before, NULL);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_true(seen_count(&ring, TT_CLOCK) >= SWITCHES);
    check_clocks();
    sample_record_end(&r);
}

// --- long texts ---
TEST(record_counts_long_texts_for_the_limit_of_the_run)
{
    enum { LONG = 100000, MOST = 3 * LONG };
    static char text[LONG];
    struct ttprof_settings settings = {.most_bytes = MOST};
    struct sample_record r = sample_record(&settings);
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 10; i++)
        ttprof_op(text, sizeof text);
    assert_true(recorder_control()->stream_bytes <= MOST);
    assert_true(ttprof_lost() >= 7);
    char path[128];
    struct stat s;
    (void)snprintf(path, sizeof path, "%s/host/%d-1.blobs", r.folder, (int)getpid());
    assert_int_equal(stat(path, &s), 0);
    assert_true(s.st_size >= (off_t)2 * LONG && s.st_size <= MOST);
    sample_record_end(&r);
}
