// test_cb_sums.c - how long compute kernels wait for tiles and for room, as sums.
#include "sample_copy.h"

enum { TILES = 8, WAIT = 2000 };

// The sum's cycles; 0: there is none. At most one per program.
static uint32_t sum_of(ttdev *t, struct copy copy, uint32_t flags, uint32_t risc)
{
    found_list found = {0};
    uint32_t sum = 0, n = 0;
    copy_run(t, copy, flags, risc, &found);
    for (size_t i = 0; i < found.n; i++)
        if (found.v[i].type == TT_PACKET_ZONE_TOTAL) {
            sum = (uint32_t)found.v[i].time;
            n++;
        }
    assert_true(n <= 1);
    vec_free(&found);
    return sum;
}

static uint32_t fresh_sum(const char *config, struct copy copy, uint32_t flags,
                          uint32_t risc)
{
    ttdev *t = device_open(config);
    uint32_t sum = sum_of(t, copy, flags, risc);
    ttdev_close(t);
    return sum;
}

TEST(cb_sums_say_who_waits)
{
    static const char *const configs[] = {"board=n150 variant=prof",
                                          "board=p150 variant=full"};
    struct copy slow_feed = {TILES, WAIT, 0, true}, slow_drain = {TILES, 0, WAIT, true};
    uint32_t flags = TT_LEVEL_ALL | TT_FLAG_SUM;
    for (int i = 0; i < 2; i++) {
        uint32_t starved = fresh_sum(configs[i], slow_feed, flags, TT_TRISC0);
        uint32_t blocked = fresh_sum(configs[i], slow_drain, flags, TT_TRISC2);
        assert_in_range(starved, TILES * WAIT * 9 / 10, TILES * WAIT * 12 / 10);
        // Two pages of room before anybody waits.
        assert_in_range(blocked, (TILES - 3) * WAIT * 9 / 10, TILES * WAIT);
        assert_true(fresh_sum(configs[i], slow_drain, flags, TT_TRISC0) < starved);
        assert_int_equal(fresh_sum(configs[i], slow_feed, flags, TT_TRISC1), 0);
    }
}

// The clock as TRISC0 read it: firmware start, kernel start, then twice per wait.
struct reads {
    uint64_t clock[4 + 2 * TILES];
    size_t n;
};
static void note_read(void *context, const ttdev_truth_event *event)
{
    struct reads *reads = context;
    if (event->kind == TTDEV_TRUTH_CLOCK_READ && event->risc == TT_TRISC0 &&
        reads->n < sizeof reads->clock / sizeof *reads->clock)
        reads->clock[reads->n++] = event->argument;
}
TEST(cb_sums_are_exact)
{
    struct copy slow_feed = {TILES, WAIT, 0, true};
    struct reads reads = {.n = 0};
    ttdev *t = device_open("board=n150 variant=prof");
    assert_int_equal(ttdev_truth(t, note_read, &reads), 0);
    uint32_t sum = sum_of(t, slow_feed, TT_LEVEL_ALL | TT_FLAG_SUM, TT_TRISC0);
    uint64_t waited = 0;
    assert_int_equal(reads.n, 4 + 2 * TILES);
    for (size_t i = 2; i < 2 + 2 * TILES; i += 2)
        waited += reads.clock[i + 1] - reads.clock[i];
    assert_int_equal(sum, waited);
    ttdev_close(t);
}

TEST(cb_sums_are_there_only_on_request)
{
    struct copy slow_feed = {TILES, WAIT, 0, true};
    assert_int_equal(
        fresh_sum("board=n150 variant=prof", slow_feed, TT_LEVEL_ALL, TT_TRISC0), 0);
}
