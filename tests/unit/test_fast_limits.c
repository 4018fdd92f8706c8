// What is full, wraps or ends in fast dispatch: ring, launch messages, queue, buffers,
// counters. The order of programs is kept, and none is lost.
#include <errno.h>

#include "base/data/array.h"

#include "sample_fast.h"

static const ttdev_range few = {{0, 0}, {1, 1}};
static const char *const boards[] = {"board=n150 dispatch=fast variant=off",
                                     "board=p150 dispatch=fast variant=off"};
static const char *const eager[] = {
    "board=n150 dispatch=fast variant=off host_enqueue_ns=1",
    "board=p150 dispatch=fast variant=off host_enqueue_ns=1"};

static uint32_t counter_at(ttdev *t)
{
    ttdev_info info;
    assert_int_equal(ttdev_get_info(t, 0, &info), 0);
    return info.l1_buffers + 0x1000;
}

static uint32_t word_at(ttdev *t, ttdev_xy at, uint32_t address)
{
    uint32_t word = 0;
    assert_int_equal(
        ttdev_l1_read(t, 0, (ttdev_core){TTDEV_LOGICAL, at}, address, &word, sizeof word),
        0);
    return word;
}

// A program whose kernels count their ends, each RISC in a word of its own.
static ttdev_program *bulk(ttdev *t, const char *kernel, unsigned riscs, uint32_t cycles,
                           uint32_t number)
{
    ttdev_program *p = sample_program(t, kernel, few, riscs, NULL, 0);
    int k = 0;
    for (uint32_t risc = 0; risc < TT_RISCS; risc++)
        if (riscs >> risc & 1) {
            const uint32_t args[] = {cycles, counter_at(t) + 4 * risc, number};
            assert_int_equal(ttdev_program_args(p, k++, few, args, 3), 0);
        }
    return p;
}

static void assert_counts(ttdev *t, unsigned riscs, uint32_t n)
{
    for (uint32_t risc = 0; risc < TT_RISCS; risc++)
        assert_int_equal(word_at(t, (ttdev_xy){1, 1}, counter_at(t) + 4 * risc),
                         riscs >> risc & 1 ? n : 0);
}

// --- the ring --------------------------------------------------------------------------
TEST(a_program_larger_than_the_ring_is_refused_and_the_queue_goes_on)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *large = bulk(t, "bulk_15", ALL_RISCS, 100, 1);
        ttdev_program *small = bulk(t, "bulk_4", 1, 100, 1);
        sample_launch(t, small, 1);
        assert_int_equal(ttdev_launch(t, 0, large, 2), -ENOSPC);
        assert_non_null(strstr(ttdev_error(t), "program 'bulk_15': 7"));
        assert_non_null(strstr(ttdev_error(t),
                               " bytes of kernels and configuration, but the ring has "
                               "70656 (ring_bytes)"));
        sample_launch(t, small, 3);
        sample_wait(t);
        assert_counts(t, 1, 2);
        ttdev_program_free(large);
        ttdev_program_free(small);
        ttdev_close(t);
    }
}

// --- launch messages -------------------------------------------------------------------
TEST(at_most_seven_launch_messages_are_ahead)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        const struct tt_layout *layout = t->chips[0].layout;
        ttdev_program *slow = bulk(t, "bulk_4", 1, 1000000, 1);
        ttdev_program *quick = bulk(t, "bulk_4", 1, 0, 2);
        sample_launch(t, slow, 1);
        for (uint32_t i = 0; i < 40; i++)
            sample_launch(t, quick, 2 + i);
        (void)ttdev_sleep_ns(t, 100000);
        unsigned n = 0;
        const struct tile *tile = chip_core(&t->chips[0], few.from, TT_BRISC);
        for (size_t slot = 0; slot < TT_LAUNCH_SLOTS; slot++) {
            uint32_t enables;
            memcpy(&enables,
                   tile->l1 + layout->launch_ring + slot * TT_LAUNCH_BYTES +
                       TT_LAUNCH_ENABLES,
                   sizeof enables);
            n += enables != 0;
        }
        assert_int_equal(n, 7); // with the one that runs
        sample_wait(t);
        assert_counts(t, 1, 41);
        ttdev_program_free(slow);
        ttdev_program_free(quick);
        ttdev_close(t);
    }
}

// --- order -----------------------------------------------------------------------------
static void launch_append(ttdev *t, ttdev_program *p, uint32_t number)
{
    const uint32_t args[] = {counter_at(t), number};
    assert_int_equal(ttdev_program_args(p, 0, few, args, 2), 0);
    sample_launch(t, p, number);
}

static void assert_order(ttdev *t, uint32_t n)
{
    for (uint32_t i = 0; i <= n; i++)
        assert_int_equal(word_at(t, few.to, counter_at(t) + 4 * i), i ? i - 1 : n);
}

// --- queue and buffers -----------------------------------------------------------------
static void lower(uint32_t *size, uint32_t to)
{
    *size = to ? to : *size;
}

static void lower_sizes(struct dispatch_sizes *s, const struct dispatch_sizes *to)
{
    lower(&s->entries, to->entries);
    lower(&s->issue_bytes, to->issue_bytes);
    lower(&s->ring_bytes, to->ring_bytes);
    lower(&s->pages, to->pages);
    lower(&s->block, to->block);
    lower(&s->go_pages, to->go_pages);
    lower(&s->completion_bytes, to->completion_bytes);
}

TEST(full_queues_and_buffers_make_host_and_kernels_wait)
{
    static const struct dispatch_sizes sizes[] = {
        {.entries = 4},
        {.issue_bytes = 16 << 10},
        {.ring_bytes = 8 << 10},
        {.pages = 8, .block = 2},
        {.go_pages = 2},
        {.completion_bytes = 3 * TT_COMPLETION_PAGE},
        {.entries = 4,
         .issue_bytes = 16 << 10,
         .ring_bytes = 8 << 10,
         .pages = 8,
         .block = 2,
         .go_pages = 2,
         .completion_bytes = 3 * TT_COMPLETION_PAGE},
    };
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            ttdev *t = device_open(eager[b]);
            lower_sizes(&t->chips[0].fast->sizes, &sizes[i]);
            const struct queue *q = &t->chips[0].fast->queues[0];
            const uint32_t args[] = {20000, counter_at(t) - 16, 1};
            ttdev_program *slow = sample_program(t, "bulk_4", few, 1, args, 3);
            ttdev_program *p = sample_program(t, "append", few, 1, NULL, 0);
            for (uint32_t k = 0; k < 160; k++) {
                if (k % 16 == 0)
                    sample_launch(t, slow, k);
                launch_append(t, p, k);
                if (k % 16 == 15)
                    sample_wait(t);
            }
            sample_wait(t);
            assert_order(t, 160);
            if (sizes[i].issue_bytes)
                assert_true(q->issued > 3 * sizes[i].issue_bytes);
            if (sizes[i].completion_bytes)
                assert_true(q->asked > 2 * sizes[i].completion_bytes);
            if (sizes[i].entries)
                assert_true(q->n_issued > 3 * sizes[i].entries);
            ttdev_program_free(slow);
            ttdev_program_free(p);
            ttdev_close(t);
        }
}

TEST(more_entries_than_the_queue_has_words_are_kept_in_order)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(eager[b]);
        const uint32_t args[] = {3000000, counter_at(t) - 16, 1};
        ttdev_program *slow = sample_program(t, "bulk_4", few, 1, args, 3);
        ttdev_program *quick = sample_program(t, "append", few, 1, NULL, 0);
        sample_launch(t, slow, 1);
        for (uint32_t i = 0; i < TT_QUEUE_ENTRIES + 100; i++)
            launch_append(t, quick, i);
        // The slow one was still running when the queue was full.
        assert_true(t->chips[0].fast->queues[0].n_issued > TT_QUEUE_ENTRIES);
        sample_wait(t);
        assert_int_equal(word_at(t, few.to, counter_at(t) - 16), 1);
        assert_order(t, TT_QUEUE_ENTRIES + 100);
        ttdev_program_free(slow);
        ttdev_program_free(quick);
        ttdev_close(t);
    }
}

// --- counters --------------------------------------------------------------------------
TEST(completion_counters_wrap)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(eager[b]);
        uint32_t workers = b ? 130 : 64, n = b ? 1100 : 3000;
        ttdev_program *p = bulk(t, "bulk_4", 1, 0, 2);
        for (uint32_t i = 0; i < n; i++)
            sample_launch(t, p, i);
        sample_wait(t);
        assert_true(n * workers > TT_COMPLETION_MASK);
        assert_int_equal(t->chips[0].fast->course.completed, n * workers);
        assert_counts(t, 1, n);
        // A replay starts them at 0.
        assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
        sample_launch(t, p, 1);
        sample_launch(t, p, 2);
        int trace = ttdev_trace_end(t, 0);
        assert_true(trace >= 0);
        for (int i = 0; i < 3; i++)
            assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), 0);
        assert_int_equal(t->chips[0].fast->course.completed, 2 * workers);
        sample_launch(t, p, 3);
        sample_wait(t);
        assert_counts(t, 1, n + 7);
        ttdev_program_free(p);
        ttdev_close(t);
    }
}

// --- a ring that is too small to hide the text -----------------------------------------
static double shadow_ns(const char *config, const char *kernel)
{
    ttdev *t = device_open(config);
    uint32_t at = counter_at(t);
    const uint32_t args[3] = {40000, at, 1}, none[3] = {0, at, 1};
    assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
    for (int i = 0; i < 5; i++) {
        ttdev_program *p = ttdev_program_new(t, "p");
        for (int x = 0; x < 8; x++) {
            ttdev_range column = {{x, 0}, {x, 6}};
            int k = ttdev_program_kernel(p, column, TT_BRISC,
                                         kernel_load(t, kernel, TT_BRISC), 0);
            assert_int_equal(ttdev_program_args(p, k, column, i ? none : args, 3), 0);
        }
        sample_launch(t, p, (uint32_t)i);
        ttdev_program_free(p);
    }
    int trace = ttdev_trace_end(t, 0);
    assert_true(trace >= 0);
    struct sample_times *times = sample_times_begin(t);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), 0);
    sample_wait(t);
    double ns = sample_times_run(times, 10).first - sample_times_run(times, 5).first;
    sample_times_end(t, times);
    ttdev_close(t);
    return ns;
}

TEST(text_that_does_not_fit_the_ring_is_not_hidden_behind_a_long_program)
{
    for (size_t b = 0; b < 2; b++) {
        double small = shadow_ns(boards[b], "kernels/bulk_4");
        double large = shadow_ns(boards[b], "kernels/bulk_20");
        assert_true(large >= 1.4 * small);
    }
}
