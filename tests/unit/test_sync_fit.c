// Lines through clock samples: which are kept, what comes out, what error is stated.
#include <math.h>

#include "collect/sync/sync_fit.h"
#include "test.h"

// A vector that was worked out apart: five host ticks of 0.4 ns and their cycles.
TEST(line_fit_gives_frequency_and_delay_of_the_known_vector)
{
    static const double noise[] = {0, 3, -2, 1, -1};
    double host[5], device[5];
    for (int i = 0; i < 5; i++) {
        host[i] = 25e6 * (i + 1) * 0.4;
        device[i] = 1e9 + host[i] + noise[i];
    }
    struct line l;
    assert_true(line_fit(host, device, 5, &l));
    REAL_IS(l.slope, 0.99999996);
    assert_true(fabs(line_at(&l, 0) - 1000000001.4) < 1e-6);
    // Residuals -1.0, 2.4, -2.2, 1.2 and -0.4 leave 13.2 over three degrees of freedom.
    assert_true(fabs(l.slope_error - sqrt(13.2 / 3 / 1e15)) < 1e-14);
}

TEST(line_fit_refuses_what_makes_no_line)
{
    const double x[] = {3, 3, 3}, y[] = {1, 2, 3};
    struct line l;
    assert_false(line_fit(x, y, 0, &l));
    assert_false(line_fit(x, y, 1, &l));
    assert_false(line_fit(x, y, 3, &l));
}

TEST(sync_choose_keeps_the_shortest_quarter_and_never_fewer_than_32)
{
    struct sync_point p[249];
    bool kept[249];
    for (size_t i = 0; i < 249; i++)
        p[i] = (struct sync_point){0, 1000 * i, 1000 * i + 400 + (i * 100) % 249};
    assert_int_equal(sync_choose(p, 249, kept), 62);
    size_t n = 0;
    for (size_t i = 0; i < 249; i++) {
        assert_int_equal(kept[i], p[i].after - p[i].before < 462);
        n += kept[i];
    }
    assert_int_equal(n, 62);
    assert_int_equal(sync_choose(p, 100, kept), 32);
    assert_int_equal(sync_choose(p, 20, kept), 20);
    assert_int_equal(sync_choose(p, 0, kept), 0);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// 249 samples of a clock that is 37 ppm fast and started long ago; every write lasts
// 400..550 ns and comes into effect in its second half.
static void make_samples(struct sync_point *p, double cycles_per_ns, uint64_t cycle,
                         uint64_t host, uint64_t seed)
{
    for (size_t i = 0; i < 249; i++) {
        uint64_t t0 = host + 1000000 * i, width = 400 + next_random(&seed) % 151;
        double effect = (double)width * (0.5 + (double)(next_random(&seed) % 1000) / 2000);
        p[i].before = t0;
        p[i].after = t0 + width;
        p[i].stamp = cycle + (uint64_t)((1e6 * (double)i + effect) * cycles_per_ns) + 20;
    }
}

TEST(sync_fit_states_an_error_that_holds_at_every_kept_sample)
{
    // Past 2^53 cycles and at a host time of today: what is centred is still exact.
    const uint64_t cycle = UINT64_C(20000000000000000),
                   host = UINT64_C(1790000000000000000);
    const double rate = 1.000037;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct sync_point p[249];
        bool kept[249];
        make_samples(p, rate, cycle, host, seed);
        struct clock_epoch e;
        assert_int_equal(sync_choose(p, 249, kept), 62);
        assert_true(sync_fit(p, 249, kept, 40, &e));
        assert_int_equal(e.n_samples, 249);
        assert_int_equal(e.n_kept, 62);
        assert_true(fabs(e.cycles_per_ns / rate - 1) < 0.5e-6);
        assert_true(e.rate_error < 0.8e-6 &&
                    e.rate_error > fabs(e.cycles_per_ns / rate - 1));
        assert_true(e.error_ns < 500 && e.error_ns > 200);
        assert_true(e.reach_ns > 80e6);
        struct clock_model m = {.is_synced = true};
        vec_push(&m.epochs, e);
        for (uint64_t ms = 0; ms < 249; ms++) {
            double truth = 1e6 * (double)ms;
            uint64_t at = cycle + (uint64_t)(truth * rate);
            double off = clock_model_since(&m, at, host) - truth;
            assert_true(fabs(off) <= clock_model_error_ns(&m, at));
        }
        clock_model_free(&m);
    }
}

TEST(sync_fit_refuses_a_clock_that_stands_or_runs_back)
{
    struct sync_point p[3] = {{5, 0, 10}, {5, 100, 110}, {5, 200, 210}};
    const bool kept[3] = {true, true, true};
    struct clock_epoch e;
    assert_false(sync_fit(p, 3, kept, 0, &e));
    p[2].stamp = 1;
    assert_false(sync_fit(p, 3, kept, 0, &e));
    assert_false(sync_fit(p, 0, kept, 0, &e));
}
