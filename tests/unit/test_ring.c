// The ring of programs in worker L1: where pieces go, and what has to be waited for.
#include "sim/dispatch/ring.h"
#include "test.h"

enum { WORKERS = 64 };

// Programs that are done one after the other.
struct feed {
    struct ring ring;
    uint32_t n;
    struct ring_place place;
};

static bool feed_one(struct feed *f, uint32_t bytes)
{
    return ring_place(&f->ring, bytes, (f->n++ + 1) * WORKERS, &f->place);
}

static uint32_t done_at(uint32_t program) // of the n-th, from 0
{
    return (program + 1) * WORKERS;
}

TEST(ring_places_programs_behind_each_other_and_wraps)
{
    struct feed f = {.ring.bytes = 70656};
    assert_true(feed_one(&f, 24000));
    assert_int_equal(f.place.offset, 0);
    assert_int_equal(f.place.wait, RING_NO_WAIT);
    assert_true(feed_one(&f, 24000));
    assert_int_equal(f.place.offset, 24064); // multiples of 256
    assert_true(feed_one(&f, 22000));
    assert_int_equal(f.place.offset, 48128);
    assert_int_equal(f.place.wait, RING_NO_WAIT);
    assert_true(feed_one(&f, 24000)); // not enough room at the end
    assert_int_equal(f.place.offset, 0);
    assert_int_equal(f.place.wait, RING_WAIT_MEMORY);
    assert_int_equal(f.place.count, done_at(0));
    assert_true(feed_one(&f, 100)); // in what the second program has left
    assert_int_equal(f.place.offset, 24064);
    assert_int_equal(f.place.count, done_at(1));
}

TEST(ring_waits_for_the_newest_piece_in_the_way)
{
    struct feed f = {.ring.bytes = 70656};
    for (int i = 0; i < 3; i++)
        assert_true(feed_one(&f, 20000));
    assert_true(feed_one(&f, 41000));
    assert_int_equal(f.place.wait, RING_WAIT_MEMORY);
    assert_int_equal(f.place.count, done_at(2)); // 0..41216 meets all three
}

TEST(ring_large_programs_run_one_at_a_time)
{
    struct feed f = {.ring.bytes = 70656};
    unsigned waits = 0;
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(feed_one(&f, 60 << 10));
        assert_int_equal(f.place.offset, 0);
        waits += f.place.wait == RING_WAIT_MEMORY;
        if (i)
            assert_int_equal(f.place.count, done_at(i - 1));
    }
    assert_int_equal(waits, 9);
}

TEST(ring_keeps_seven_launch_messages)
{
    struct feed f = {.ring.bytes = 70656};
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(feed_one(&f, 256));
        assert_int_equal(f.place.wait, i < RING_AHEAD ? RING_NO_WAIT : RING_WAIT_SLOT);
        if (i >= RING_AHEAD)
            assert_int_equal(f.place.count, done_at(i - RING_AHEAD));
    }
}

TEST(ring_needs_no_wait_for_what_the_host_knows)
{
    struct feed f = {.ring.bytes = 4096};
    assert_true(feed_one(&f, 4096));
    ring_know(&f.ring, done_at(0));
    assert_true(feed_one(&f, 4096));
    assert_int_equal(f.place.wait, RING_NO_WAIT);
    ring_know(&f.ring, done_at(0)); // older news change nothing
    assert_true(feed_one(&f, 4096));
    assert_int_equal(f.place.wait, RING_WAIT_MEMORY);
    assert_int_equal(f.place.count, done_at(1));
}

TEST(ring_refuses_what_is_larger_than_it_and_stays_as_it_was)
{
    struct feed f = {.ring.bytes = 4096};
    assert_false(feed_one(&f, 4097));
    f.n = 0;
    assert_true(feed_one(&f, 4096));
    assert_int_equal(f.place.wait, RING_NO_WAIT);
}

TEST(ring_that_is_filled_is_free_after_all_of_it)
{
    struct feed f = {.ring.bytes = 8192};
    assert_true(feed_one(&f, 256));
    ring_fill(&f.ring, done_at(9));
    f.n = 10;
    assert_true(feed_one(&f, 256));
    assert_int_equal(f.place.offset, 0);
    assert_int_equal(f.place.wait, RING_WAIT_MEMORY);
    assert_int_equal(f.place.count, done_at(9));
    ring_restart(&f.ring);
    f.n = 0;
    assert_true(feed_one(&f, 256));
    assert_int_equal(f.place.wait, RING_NO_WAIT);
}

TEST(ring_counts_may_wrap)
{
    struct ring ring = {.bytes = 4096, .known = UINT32_MAX - 10};
    struct ring_place place;
    assert_true(ring_place(&ring, 4096, 50, &place)); // after the wrap
    assert_int_equal(place.wait, RING_NO_WAIT);
    assert_true(ring_place(&ring, 4096, 114, &place));
    assert_int_equal(place.wait, RING_WAIT_MEMORY);
    assert_int_equal(place.count, 50);
}
