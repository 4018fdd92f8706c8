// Time on the software device: chips' clocks in true time, what a host access takes, the
// two host clocks, and the hook that serves kernels which wait for the host.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "sample_device.h"
#include "sim/cluster.h"
#include "test.h"

enum { NS = 1000000 }; // fs

// --- cycles and true time ---
TEST(cycle_at_is_the_first_cycle_that_is_not_before_a_moment)
{
    static const char *const configs[] = {"ppm=0", "ppm=37.5", "ppm=-50 drift_ppm_s=20",
                                          "ppm=12 drift_ppm_s=-1000",
                                          "arch=blackhole ppm=3"};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        ttdev *t = device_open(configs[i]);
        const struct chip *chip = &t->chips[0];
        for (uint64_t cycle = 1; cycle < 4000000000; cycle = cycle * 3 + 1) {
            uint64_t fs = chip_true_fs(chip, cycle);
            assert_int_equal(chip_cycle_at(chip, fs), cycle);
            assert_int_equal(chip_cycle_at(chip, fs - 1), cycle);
            assert_int_equal(chip_cycle_at(chip, fs + 1), cycle + 1);
        }
        ttdev_close(t);
    }
}

TEST(a_drifting_clock_gains_what_was_asked_for)
{
    ttdev *t = device_open("ppm=0 drift_ppm_s=100");
    const struct chip *chip = &t->chips[0];
    // After a second the frequency has grown by 100 ppm: in the mean of that second 50.
    uint64_t cycles = chip_cycle_at(chip, t->origin_fs + 1000000000ull * NS);
    assert_in_range(cycles, 1000000000 + 50000 - 1000, 1000000000 + 50000 + 1000);
    ttdev_close(t);
}

// --- a host access ---
TEST(the_det_clock_starts_at_a_second_and_moves_with_accesses_alone)
{
    ttdev *t = device_open(
        "host_read_ns=1000 host_write_ns=500 host_jitter_ns=100 "
        "host_bytes_per_ns=8");
    ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
    uint8_t bytes[800] = {0};
    assert_int_equal(ttdev_host_ns(t), 1000000000);
    assert_int_equal(ttdev_l1_write(t, 0, core, 0x40000, bytes, sizeof bytes), 0);
    assert_in_range(ttdev_host_ns(t), 1000000600, 1000000700); // 500 + 800 / 8 + jitter
    uint64_t before = ttdev_host_ns(t);
    assert_int_equal(ttdev_l1_read(t, 0, core, 0x40000, bytes, 8), 0);
    assert_in_range(ttdev_host_ns(t) - before, 1001, 1102);
    before = ttdev_host_ns(t);
    assert_int_equal(ttdev_sleep_ns(t, 12345), 0);
    assert_int_equal(ttdev_host_ns(t) - before, 12345);
    ttdev_close(t);
}

TEST(a_chip_behind_another_one_takes_three_times_as_long)
{
    ttdev *t = device_open("board=n300 host_read_ns=1000 host_jitter_ns=0");
    uint32_t word;
    for (int dev = 0; dev < 2; dev++) {
        uint64_t before = ttdev_host_ns(t);
        ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
        assert_int_equal(ttdev_l1_read(t, dev, core, 0x40000, &word, 4), 0);
        assert_in_range(ttdev_host_ns(t) - before, dev ? 3000 : 1000, dev ? 3003 : 1002);
    }
    ttdev_close(t);
}

TEST(devices_run_while_the_host_sleeps)
{
    ttdev *t = device_open("ppm=0");
    uint64_t before = ttdev_clock(t, 0);
    assert_int_equal(ttdev_sleep_ns(t, 1000000), 0);
    assert_int_equal(ttdev_clock(t, 0) - before, 1000000);
    ttdev_close(t);
}

static uint64_t real_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

TEST(the_warp_clock_holds_real_time_of_the_host_and_simulated_time_of_waiting)
{
    ttdev *t = device_open("clockmode=warp ppm=0");
    uint64_t real = real_ns(), host = ttdev_host_ns(t), device = ttdev_clock(t, 0);
    (void)usleep(2000);
    uint64_t worked = ttdev_host_ns(t) - host;
    assert_in_range(worked, 2000000, real_ns() - real + 1000);
    assert_in_range(ttdev_clock(t, 0) - device, 2000000,
                    UINT64_MAX); // idle, but it went on
    // An hour of simulated waiting takes no hour.
    static const uint64_t hour = UINT64_C(3600000000000);
    host = ttdev_host_ns(t);
    real = real_ns();
    assert_int_equal(ttdev_sleep_ns(t, hour), 0);
    assert_true(real_ns() - real < hour);
    assert_in_range(ttdev_host_ns(t) - host, hour, UINT64_MAX);
    ttdev_close(t);
}

TEST(simulation_time_and_the_host_s_own_time_make_up_real_time)
{
    ttdev *t = device_open("clockmode=warp ppm=0");
    uint64_t before = real_ns(), host = ttdev_host_peek(t);
    uint64_t from = real_ns();
    (void)usleep(2000);
    assert_int_equal(ttdev_simulation_ns(t), 0); // the host's own time is not in it
    assert_int_equal(ttdev_sleep_ns(t, 1000000000), 0);
    uint64_t to = real_ns();
    uint64_t simulated = ttdev_simulation_ns(t);
    uint64_t own = ttdev_host_peek(t) - host - 1000000000, after = real_ns();
    assert_in_range(own, 2000000, UINT64_MAX);
    assert_in_range(own + simulated, to - from, after - before);
    ttdev_close(t);
    t = device_open("ppm=0");
    assert_int_equal(ttdev_sleep_ns(t, 1000000), 0);
    assert_int_equal(ttdev_simulation_ns(t), 0);
    ttdev_close(t);
}

TEST(peeking_at_the_host_clock_moves_nothing)
{
    static const char *const configs[] = {"ppm=0", "clockmode=warp ppm=0"};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        ttdev *t = device_open(configs[i]);
        uint64_t device = ttdev_clock(t, 0), before = ttdev_host_peek(t);
        (void)usleep(1000);
        uint64_t after = ttdev_host_peek(t);
        assert_in_range(after - before, i ? 1000000 : 0, i ? UINT64_MAX : 0);
        assert_int_equal(ttdev_clock(t, 0), device);
        assert_in_range(ttdev_host_ns(t), after, i ? UINT64_MAX : after); // never back
        ttdev_close(t);
    }
}

struct peeker {
    ttdev *t;
    atomic_bool is_over;
    uint64_t most;
};
static void *peek_often(void *context)
{
    struct peeker *p = context;
    while (!atomic_load(&p->is_over)) {
        uint64_t now = ttdev_host_peek(p->t);
        p->most = now > p->most ? now : p->most;
    }
    return NULL;
}

TEST(another_thread_that_peeks_at_the_warp_clock_never_sees_the_future)
{
    struct peeker p = {.t = device_open("clockmode=warp ppm=0")};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, peek_often, &p), 0);
    for (int i = 0; i < 200; i++) {
        (void)usleep(100);
        (void)ttdev_host_ns(p.t);
    }
    atomic_store(&p.is_over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_in_range(p.most, 1, ttdev_host_ns(p.t));
    ttdev_close(p.t);
}

// --- the quiet hook ---
struct server {
    ttdev *t;
    uint32_t address, value;
    int n_calls, serves_at; // serves_at: the call that writes
};

static int serve(void *context, int dev)
{
    struct server *s = context;
    if (++s->n_calls != s->serves_at)
        return 0;
    ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
    assert_int_equal(ttdev_l1_write(s->t, dev, core, s->address, &s->value, 4), 0);
    return 1;
}

// A kernel that waits for a semaphore, which nobody but the host sets.
static int run_waiting(struct server *s, uint64_t timeout_ns)
{
    static const ttdev_range first = {{0, 0}, {0, 0}};
    uint32_t what = FAULT_CASE_wait_for_semaphore;
    ttdev_program *p = ttdev_program_new(s->t, "waits");
    ttdev_image *image = kernel_load(s->t, "kernels/fault", TT_BRISC);
    assert_int_equal(ttdev_program_kernel(p, first, TT_BRISC, image, 0), 0);
    assert_int_equal(ttdev_program_args(p, 0, first, &what, 1), 0);
    for (int i = 0; i <= 1; i++)
        assert_int_equal(ttdev_program_sem(p, first, 0), i);
    s->address = tt_layouts[TT_WORMHOLE].kernel_config + TT_CONFIG_SEMAPHORES + 16 * 1;
    s->value = 3;
    assert_int_equal(ttdev_launch(s->t, 0, p, 1), 0);
    int code = ttdev_wait(s->t, 0, timeout_ns);
    ttdev_program_free(p);
    return code;
}

TEST(a_kernel_that_waits_for_the_host_is_served_by_the_quiet_hook)
{
    struct server s = {.t = device_open("board=n150 variant=off"), .serves_at = 1};
    assert_int_equal(ttdev_on_quiet(s.t, serve, &s), 0);
    assert_int_equal(run_waiting(&s, 1000000000), 0);
    assert_int_equal(s.n_calls, 1);
    ttdev_close(s.t);
}

// It sleeps, looks at the clock, and serves.
struct sleeper {
    struct server server;
    uint64_t first, last; // what it saw
    uint64_t real;        // time that it took
};
static int sleep_and_serve(void *context, int dev)
{
    struct sleeper *s = context;
    uint64_t start = real_ns();
    s->first = ttdev_host_peek(s->server.t);
    (void)usleep(20000);
    s->last = ttdev_host_peek(s->server.t);
    s->real = real_ns() - start;
    return serve(&s->server, dev);
}

TEST(the_warp_clock_stands_while_a_call_runs_its_hooks)
{
    struct sleeper s = {
        .server = {.t = device_open("board=n150 variant=off clockmode=warp"),
                   .serves_at = 1}};
    assert_int_equal(ttdev_on_quiet(s.server.t, sleep_and_serve, &s), 0);
    uint64_t start = real_ns(), before = ttdev_host_peek(s.server.t);
    assert_int_equal(run_waiting(&s.server, 1000000000), 0);
    uint64_t after = ttdev_host_peek(s.server.t);
    assert_true(before <= s.first && s.first == s.last && s.last <= after);
    // Without the sleep; the device took a little time of its own.
    assert_in_range(after - before, 1, real_ns() - start - s.real + 10000000);
    ttdev_close(s.server.t);
}

TEST(a_quiet_hook_that_writes_nothing_leaves_a_deadlock)
{
    struct server s = {.t = device_open("board=n150 variant=off"), .serves_at = -1};
    assert_int_equal(ttdev_on_quiet(s.t, serve, &s), 0);
    assert_int_equal(run_waiting(&s, 1000000000), -EDEADLK);
    assert_int_equal(s.n_calls, 1);
    ttdev_close(s.t);
}

TEST(without_a_quiet_hook_it_is_a_deadlock)
{
    struct server s = {.t = device_open("board=n150 variant=off")};
    assert_int_equal(run_waiting(&s, 1000000000), -EDEADLK);
    ttdev_close(s.t);
}
