// test_link_clock.c - when the time 0 of a Tracy client was, by each of the clocks that a
// client may have. The client is this process.
#include <math.h>
#include <unistd.h>

#include "app/capture/link_clock.h"
#include "app/run/run.h"
#include "test.h"

static const uint64_t second_ns = 1000000000;

static struct link_clock clock_of(double ns_per_tick, uint64_t begin, const char *info,
                                  const struct clock_reading *now)
{
    struct tracy t = {
        .pid = (uint64_t)getpid(), .ns_per_tick = ns_per_tick, .info = str_of(info)};
    struct link_clock c;
    link_clock_start(&c, &t, begin, now);
    return c;
}

static double distance(uint64_t a, uint64_t b)
{
    return a > b ? (double)(a - b) : (double)(b - a);
}

TEST(link_clock_knows_the_recorder_s_monotonic_clock)
{
    struct clock_reading now = clock_reading();
    struct link_clock c = clock_of(1, now.ns - 1000, "OS: x\nRecorder: ttprof\n", &now);
    STR_IS(str_of(c.source), "monotonic");
    assert_int_equal(c.begin_ns, now.ns - 1000);
    assert_true(c.birth > 0);
}

TEST(link_clock_takes_nanoseconds_for_those_of_the_raw_clock)
{
    struct clock_reading now = clock_reading();
    struct link_clock c = clock_of(1, now.raw_ns - 1000, "OS: x\n", &now);
    STR_IS(str_of(c.source), "raw");
    assert_int_equal(c.begin_ns, now.ns - 1000);
}

TEST(link_clock_takes_other_ticks_for_those_of_the_time_stamp_counter)
{
    struct run_clock_pair since = run_clock_read();
    (void)usleep(60000);
    double rate = run_clock_rate(since);
    if (rate <= 0)
        skip(); // there is none, or it is not steady
    struct clock_reading now = clock_reading();
    struct link_clock c = clock_of(1 / rate, now.ticks - (uint64_t)(rate * 1e6), "", &now);
    STR_IS(str_of(c.source), "tsc");
    assert_true(distance(c.begin_ns, now.ns - 1000000) <= (double)c.error_ns);
    assert_true(c.error_ns < 10000);
    // A length of the tick that is off by a thousandth, over a second.
    struct tracy t = {.ns_per_tick = 1.001 / rate, .last_time = (int64_t)second_ns};
    (void)usleep(60000);
    link_clock_end(&c, &t);
    assert_true(distance(c.begin_ns, now.ns - 1000000) <= 100000);
    assert_true(distance(c.error_ns, second_ns / 1000) <= 200000);
}

TEST(link_clock_believes_no_tick_of_absurd_length)
{
    const double lengths[] = {0, -1, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct clock_reading now = clock_reading();
        struct link_clock c = clock_of(lengths[i], now.ticks, "", &now);
        struct tracy t = {.ns_per_tick = lengths[i], .last_time = INT64_MAX};
        (void)usleep(60000);
        link_clock_end(&c, &t);
        assert_true(c.begin_ns <= now.ns);
    }
}

TEST(link_clock_says_what_it_may_be_off_if_no_clock_fits)
{
    struct clock_reading now = clock_reading();
    const uint64_t begins[] = {1000, now.ns + second_ns, now.raw_ns + 3600 * second_ns};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        struct link_clock c = clock_of(1, begins[i], "", &now);
        STR_IS(str_of(c.source), "arrival");
        assert_int_equal(c.begin_ns, now.ns);
        assert_true(c.error_ns > 0 && c.error_ns < now.ns); // not before this process
    }
    struct link_clock c = clock_of(0.5, now.ticks + (UINT64_C(1) << 60), "", &now);
    STR_IS(str_of(c.source), "arrival");
}
