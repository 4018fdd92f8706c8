// Device cycles to host time, and the error that is stated with it.
#include <math.h>

#include "base/text/str.h"

#include "test.h"
#include "trace/clock_model.h"

static struct clock_epoch epoch(uint64_t cycle, uint64_t host, double rate, double error)
{
    return (struct clock_epoch){.cycle = cycle,
                                .host = host,
                                .cycles_per_ns = rate,
                                .error_ns = error,
                                .reach_ns = 1e8};
}

TEST(clock_model_without_epochs_is_nominal_and_says_so)
{
    struct clock_model m = {.nominal = 1.25};
    struct buf text = {0};
    REAL_IS(clock_model_host_ns(&m, 1250), 1000.0);
    assert_int_equal(clock_model_cycle(&m, 1000), 1250);
    assert_true(isinf(clock_model_error_ns(&m, 5)));
    clock_model_describe(&m, &text);
    assert_non_null(strstr((buf_char(&text, '\0'), text.p), "not aligned with the host"));
    clock_model_assume(&m, 2500, 7000);
    REAL_IS(clock_model_host_ns(&m, 3750), 8000.0);
    assert_true(isinf(clock_model_worst_ns(&m)));
    clock_model_free(&m);
    buf_free(&text);
}

TEST(clock_model_keeps_fractions_where_both_clocks_are_large)
{
    // Three years of cycles, and the host time of today: neither fits a double to the unit.
    const uint64_t cycle = UINT64_C(100000000000000003),
                   host = UINT64_C(1790000000123456789);
    struct clock_model m = {.nominal = 1, .is_synced = true};
    struct clock_epoch e = epoch(cycle, host, 1.0, 100);
    e.cycle_fraction = 0.5;
    e.host_fraction = 0.25;
    vec_push(&m.epochs, e);
    REAL_IS(clock_model_since(&m, cycle + 1000, host), 999.75);
    REAL_IS(clock_model_since(&m, cycle - 1000, host), -1000.25);
    assert_int_equal(clock_model_cycle(&m, host + 1000), cycle + 1000);
    assert_int_equal(clock_model_cycle(&m, host - 1000), cycle - 1000);
    clock_model_free(&m);
}

TEST(clock_model_runs_straight_between_mean_points_and_goes_on_outside)
{
    struct clock_model m = {.nominal = 1, .is_synced = true};
    vec_push(&m.epochs, epoch(1000000, 5000000000, 1.0, 300));
    vec_push(&m.epochs, epoch(2002000000, 7000000000, 1.002, 400)); // 1.0005 on the way
    REAL_IS(clock_model_host_ns(&m, 0), 4999000000.0);
    REAL_IS(clock_model_host_ns(&m, 1000000), 5000000000.0);
    assert_true(fabs(clock_model_host_ns(&m, 1001500000) - 6000000000.0) < 1e-3);
    REAL_IS(clock_model_host_ns(&m, 2002000000), 7000000000.0);
    assert_true(fabs(clock_model_host_ns(&m, 2003002000) - 7001000000.0) < 1e-3);
    assert_int_equal(clock_model_cycle(&m, 6000000000), 1001500000);
    assert_int_equal(clock_model_cycle(&m, 0), 0); // long before its cycle 0
    clock_model_free(&m);
}

// 4000 ns of error at most where 1 ppm of change lies in 16 s, here or there.
TEST(clock_model_states_the_larger_error_and_the_bend_between_epochs)
{
    struct clock_model m = {.nominal = 1, .is_synced = true};
    const uint64_t first = 1000000, interval = 16000000000;
    vec_push(&m.epochs, epoch(first, 5000000000, 1.0, 300));
    vec_push(&m.epochs, epoch(first + interval, 5000000000 + interval, 1.000001, 400));
    assert_true(fabs(clock_model_error_ns(&m, first) - 400) < 1e-6);
    assert_true(fabs(clock_model_error_ns(&m, first + interval / 2) - 4400) < 1e-3);
    assert_true(fabs(clock_model_error_ns(&m, first + interval / 4) - 3400) < 1e-3);
    assert_true(fabs(clock_model_worst_ns(&m) - 4400) < 1e-3);
    clock_model_free(&m);
}

TEST(clock_model_states_an_error_that_grows_outside_of_the_epochs)
{
    struct clock_model m = {.nominal = 1, .is_synced = true};
    vec_push(&m.epochs, epoch(10000000000, 20000000000, 1.0, 300));
    m.epochs.v[0].rate_error = 0.5e-6;
    REAL_IS(clock_model_error_ns(&m, 10000000000), 300.0);
    REAL_IS(clock_model_error_ns(&m, 10100000000), 300.0); // within reach
    REAL_IS(clock_model_error_ns(&m, 9900000000), 300.0);
    // A second beyond: half a ppm of the rate, and 1 ppm/s of drift that nobody has seen.
    assert_true(fabs(clock_model_error_ns(&m, 11100000000) - (300 + 500 + 2000)) < 1e-3);
    assert_true(fabs(clock_model_error_ns(&m, 8900000000) - (300 + 500 + 2000)) < 1e-3);
    // Two epochs show how the clock drifts: not at all.
    vec_push(&m.epochs, epoch(12000000000, 22000000000, 1.0, 300));
    m.epochs.v[0].rate_error = 0;
    REAL_IS(clock_model_error_ns(&m, 13100000000), 300.0);
    clock_model_free(&m);
}

TEST(clock_model_goes_on_when_epochs_stand_in_no_order)
{
    struct clock_model m = {.nominal = 1, .is_synced = true};
    vec_push(&m.epochs, epoch(1000, 5000, 1.0, 300));
    vec_push(&m.epochs, epoch(2000, 5000, 1.0, 400)); // the host's clock stood still
    assert_true(isfinite(clock_model_host_ns(&m, 1500)));
    assert_true(isfinite(clock_model_error_ns(&m, 1500)));
    assert_true(isfinite(clock_model_worst_ns(&m)));
    clock_model_free(&m);
}

TEST(clock_model_describes_frequency_error_and_epochs)
{
    struct clock_model m = {.nominal = 1, .is_synced = true};
    struct buf text = {0};
    vec_push(&m.epochs, epoch(1000000, 5000000000, 1.000012, 312));
    clock_model_describe(&m, &text);
    STR_IS(buf_view(&text), "frequency 1.000012 GHz, error 0.31 us, 1 epoch");
    text.n = 0;
    vec_push(&m.epochs, epoch(1001012000, 6000000000, 1.000012, 290));
    clock_model_describe(&m, &text);
    STR_IS(buf_view(&text), "frequency 1.000012 GHz, error 0.31 us, 2 epochs");
    clock_model_free(&m);
    buf_free(&text);
}
