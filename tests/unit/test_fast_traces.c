// Many traces and replays between launches, on one chip and two; kernels that cannot be
// moved, and more places for a kernel than copies of it are kept.
#include "sample_fast.h"
#include "sim/program/program.h"

static const ttdev_range few = {{0, 0}, {1, 1}};
static const char *const boards[] = {"board=n150 dispatch=fast variant=off",
                                     "board=p150 dispatch=fast variant=off"};

static uint32_t counter_at(ttdev *t)
{
    ttdev_info info;
    assert_int_equal(ttdev_get_info(t, 0, &info), 0);
    return info.l1_buffers + 0x1000;
}

static ttdev_program *counting(ttdev *t, const char *kernel, uint32_t number)
{
    const uint32_t args[] = {100, counter_at(t), number};
    return sample_program(t, kernel, few, 1 << TT_BRISC, args, 3);
}

static uint32_t count_on(ttdev *t, int dev)
{
    uint32_t n = 0;
    ttdev_core core = {TTDEV_LOGICAL, {1, 1}};
    assert_int_equal(ttdev_l1_read(t, dev, core, counter_at(t), &n, sizeof n), 0);
    return n;
}

static int captured(ttdev *t, int dev, ttdev_program *p, uint32_t n)
{
    assert_int_equal(ttdev_trace_begin_only(t, dev), 0);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(ttdev_launch(t, dev, p, i), 0);
    int trace = ttdev_trace_end(t, dev);
    assert_true(trace >= 0);
    return trace;
}

TEST(a_thousand_replays_of_three_traces_between_launches)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *p = counting(t, "bulk_4", 1);
        int traces[3];
        uint32_t n = 0;
        for (int i = 0; i < 3; i++)
            traces[i] = captured(t, 0, p, 1 + 4 * (uint32_t)i);
        ttdev_program_free(p);
        p = counting(t, "bulk_12", 2);
        for (uint32_t i = 0; i < 1000; i++) {
            uint64_t before = t->n_accesses;
            assert_int_equal(ttdev_trace_replay(t, 0, traces[i % 3], WAIT_NS), 0);
            if (i && i < 100) // later the queue is full, and the host looks for room
                assert_int_equal(t->n_accesses - before, 1);
            n += 1 + 4 * (i % 3);
            if (i % 50 == 7) {
                sample_launch(t, p, i);
                n++;
            }
        }
        sample_wait(t);
        assert_int_equal(count_on(t, 0), n);
        ttdev_program_free(p);
        ttdev_close(t);
    }
}

TEST(two_chips_replay_their_traces_at_the_same_time)
{
    ttdev *t = device_open("board=n300 dispatch=fast variant=off");
    ttdev_program *p = counting(t, "bulk_4", 1);
    const int traces[2] = {captured(t, 0, p, 3), captured(t, 1, p, 5)};
    for (int i = 0; i < 10; i++)
        assert_int_equal(ttdev_trace_replay_all(t, traces, WAIT_NS), 0);
    for (int dev = 0; dev < 2; dev++)
        assert_int_equal(ttdev_wait(t, dev, WAIT_NS), 0);
    assert_int_equal(count_on(t, 0), 30);
    assert_int_equal(count_on(t, 1), 50);
    ttdev_program_free(p);
    ttdev_close(t);
}

TEST(a_kernel_that_cannot_be_moved_runs_where_it_was_linked)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *moved = counting(t, "bulk_4", 1), *fixed = counting(t, "bulk_12", 2);
        ttdev_image *image = (ttdev_image *)fixed->kernels.v[0].image;
        image->move_trouble = "it has no relocations";
        for (uint32_t i = 0; i < 30; i++)
            sample_launch(t, i % 4 == 1 ? fixed : moved, i);
        int trace = captured(t, 0, fixed, 2);
        assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), 0);
        sample_launch(t, moved, 40);
        sample_wait(t);
        assert_int_equal(count_on(t, 0), 33);
        const char *warning = strstr(ttdev_warnings(t),
                                     "bulk_12': cannot be moved, so its "
                                     "programs wait for all before");
        assert_non_null(warning);
        assert_null(strstr(warning + 20, "cannot be moved")); // once
        ttdev_program_free(moved);
        ttdev_program_free(fixed);
        ttdev_close(t);
    }
}

TEST(copies_of_a_kernel_that_are_dropped_while_queued_do_no_harm)
{
    ttdev *t = device_open("board=n150 dispatch=fast variant=off ring_bytes=98304");
    ttdev_program *slow = sample_program(t, "bulk_4", few, 1 << TT_BRISC,
                                         (uint32_t[]){200000, counter_at(t), 1}, 3);
    ttdev_program *quick = counting(t, "bulk_4", 2);
    ttdev_program *odd = sample_spin(t, few, 0);
    sample_launch(t, slow, 0);
    for (uint32_t i = 0; i < 400; i++)
        sample_launch(t, i % 5 == 4 ? odd : quick, 1 + i);
    sample_wait(t);
    assert_int_equal(count_on(t, 0), 1 + 320);
    ttdev_program_free(slow);
    ttdev_program_free(quick);
    ttdev_program_free(odd);
    ttdev_close(t);
}
