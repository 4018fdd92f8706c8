// Programs that wait in the ring of fast dispatch: what a core runs stays as it was until
// the core has answered, the dispatcher waits no more often than it must, and room for
// kernels in DRAM is not made at the expense of the launch that needs it.
#include "base/data/array.h"
#include "base/data/mem.h"

#include "sample_fast.h"
#include "sim/noc/noc.h"
#include "sim/program/program.h"
#include "sim/tile/tile.h"

static const ttdev_range few = {{0, 0}, {1, 1}};
// The host has everything in the queue before the first program ends.
#define AT_ONCE                                                                            \
    " dispatch=fast variant=off host_enqueue_ns=1 host_copy_bytes_per_ns=1000000"
static const char *const boards[] = {"board=n150" AT_ONCE, "board=p150" AT_ONCE};
enum { STEP_NS = 100 };

static uint32_t counter_at(ttdev *t)
{
    return t->chips[0].layout->buffers + 0x1000;
}

// Kernels of `cores` that count their ends, each RISC in a word of its own.
static void add_bulk(ttdev_program *p, ttdev_range cores, const char *kernel,
                     unsigned riscs, uint32_t cycles, uint32_t number)
{
    ttdev *t = p->cluster;
    for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
        if (!(riscs >> risc & 1))
            continue;
        const uint32_t args[] = {cycles, counter_at(t) + 4 * risc, number};
        int k = ttdev_program_kernel(p, cores, (int)risc, kernel_load(t, kernel, (int)risc),
                                     risc == TT_NCRISC);
        assert_true(k >= 0);
        assert_int_equal(ttdev_program_args(p, k, cores, args, COUNT_OF(args)), 0);
    }
}

static uint32_t count_on(ttdev *t, ttdev_xy at, uint32_t risc)
{
    uint32_t n = 0;
    assert_int_equal(ttdev_l1_read(t, 0, (ttdev_core){TTDEV_LOGICAL, at},
                                   counter_at(t) + 4 * risc, &n, sizeof n),
                     0);
    return n;
}

// --- what cores run --------------------------------------------------------------------
// The piece of the ring that a core runs, as it was when GO came.
struct running {
    uint32_t from, to;
    uint8_t *was; // NULL: it runs nothing
};

static uint32_t message_word(const uint8_t *message, size_t offset)
{
    uint32_t word;
    memcpy(&word, message + offset, sizeof word);
    return word;
}

static bool is_running(const struct tile *tile)
{
    const uint8_t *message = tile_launch_message(tile);
    return tile->l1[tile->chip->layout->go_messages + 3] == TT_GO_GO && message &&
           message_word(message, TT_LAUNCH_ENABLES);
}

static void begin_run(struct running *run, const struct tile *tile)
{
    const uint8_t *message = tile_launch_message(tile);
    run->from = run->to = message_word(message, TT_LAUNCH_CONFIG_BASE);
    for (size_t risc = 0; risc < TT_RISCS; risc++)
        if (message_word(message, TT_LAUNCH_ENABLES) >> risc & 1) {
            uint32_t end = run->from +
                           message_word(message, TT_LAUNCH_TEXT_OFFSET + 4 * risc) +
                           message_word(message, TT_LAUNCH_TEXT_BYTES + 4 * risc);
            run->to = end > run->to ? end : run->to;
        }
    assert_true(run->to > run->from && run->to <= tile->chip->layout->buffers);
    run->was = mem_alloc(run->to - run->from);
    memcpy(run->was, tile->l1 + run->from, run->to - run->from);
}

static void look_at_core(struct running *run, const struct tile *tile)
{
    if (!is_running(tile)) {
        mem_free(run->was);
        run->was = NULL;
    } else if (!run->was) {
        begin_run(run, tile);
    }
    if (run->was && memcmp(tile->l1 + run->from, run->was, run->to - run->from) != 0)
        fail_msg("core %d,%d: what it runs at 0x%X was overwritten", tile->logical.x,
                 tile->logical.y, run->from);
}

// Waits, and looks at the cores in between: in the time of a step a core cannot end a
// program and begin another.
static void wait_and_watch(ttdev *t)
{
    struct running runs[2] = {{0}};
    do
        for (int i = 0; i < 2; i++)
            look_at_core(&runs[i],
                         chip_core(&t->chips[0], i ? few.to : few.from, TT_BRISC));
    while (ttdev_poll(t, 0, STEP_NS) == 0);
    for (int i = 0; i < 2; i++)
        mem_free(runs[i].was);
    sample_wait(t);
}

// --- waits -----------------------------------------------------------------------------
// WAITs for completions alone in the queue, which must not have wrapped.
static unsigned count_waits(ttdev *t)
{
    const struct chip *chip = &t->chips[0];
    unsigned n = 0;
    for (uint32_t at = 0; at < chip->fast->queues[0].at;) {
        uint32_t words[5];
        assert_true(pcie_host_read(chip, 0, at, words, sizeof words));
        uint32_t id = words[0] & 0xFF;
        bool is_relay = id == TT_CMD_RELAY_INLINE || id == TT_CMD_RELAY_INLINE_NOFLUSH;
        n += is_relay && words[0] >> 8 == TT_RELAY_TO_DISPATCHER &&
             (words[4] & 0xFFFF) == tt_command(TT_CMD_WAIT, TT_WAIT_COUNTER, 0);
        at += is_relay ? words[2] : TT_COMMAND_BYTES;
    }
    return n;
}

// --- programs --------------------------------------------------------------------------
// Two kinds of programs in turn, so that one is not overwritten by the same bytes.
struct ring_case {
    const char *kernel[2];
    unsigned riscs[2];
    uint32_t cycles, n;
    unsigned waits;
};
static const struct ring_case ring_cases[] = {
    // 60 KiB each: one at a time.
    {{"kernels/bulk_12", "kernels/bulk_15"}, {ALL_RISCS, 15}, 10000, 10, 9},
    // 24 KiB: the third is one too many.
    {{"kernels/bulk_12", "kernels/bulk_12"}, {3, 12}, 10000, 3, 1},
    // 8 KiB: room for more than seven launch messages.
    {{"kernels/bulk_4", "kernels/bulk_4"}, {3, 12}, 2000, 40, 33},
};

static void launch_case(ttdev *t, const struct ring_case *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        ttdev_program *p = ttdev_program_new(t, "bulk");
        add_bulk(p, few, c->kernel[k % 2], c->riscs[k % 2], c->cycles, k);
        sample_launch(t, p, k);
        ttdev_program_free(p);
    }
}

static void check_counts(ttdev *t, const struct ring_case *c, uint32_t times)
{
    for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
        uint32_t n = (c->riscs[0] >> risc & 1) * ((c->n + 1) / 2) +
                     (c->riscs[1] >> risc & 1) * (c->n / 2);
        assert_int_equal(count_on(t, few.to, risc), n * times);
    }
}

TEST(programs_in_the_ring_stay_whole_until_they_are_done)
{
    for (size_t i = 0; i < 2 * COUNT_OF(ring_cases); i++) {
        const struct ring_case *c = &ring_cases[i / 2];
        ttdev *t = device_open(boards[i % 2]);
        launch_case(t, c);
        assert_int_equal(count_waits(t), c->waits);
        wait_and_watch(t);
        check_counts(t, c, 1);
        ttdev_close(t);
    }
}

TEST(programs_of_replayed_traces_stay_whole_until_they_are_done)
{
    for (size_t i = 0; i < 2 * COUNT_OF(ring_cases); i++) {
        const struct ring_case *c = &ring_cases[i / 2];
        ttdev *t = device_open(boards[i % 2]);
        assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
        launch_case(t, c);
        int trace = ttdev_trace_end(t, 0);
        assert_true(trace >= 0);
        launch_case(t, c); // a replay comes into a ring that is full
        for (int k = 0; k < 2; k++)
            assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), 0);
        launch_case(t, c);
        wait_and_watch(t);
        check_counts(t, c, 4);
        ttdev_close(t);
    }
}

// --- kernels in DRAM -------------------------------------------------------------------
TEST(room_for_kernels_is_not_made_by_dropping_those_of_the_same_launch)
{
    static const ttdev_range left = {{0, 0}, {0, 1}}, right = {{1, 0}, {1, 1}};
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        struct store *store = &t->chips[0].fast->store;
        store->n_banks = 1;
        store->to = store->from + (18 << 10); // for 12 and 4 KiB, but not for 12 more
        ttdev_program *old = ttdev_program_new(t, "old"),
                      *two = ttdev_program_new(t, "two");
        add_bulk(old, few, "kernels/bulk_12", 1 << TT_NCRISC, 5000, 1);
        add_bulk(two, left, "kernels/bulk_4", 1 << TT_BRISC, 5000, 2);
        add_bulk(two, right, "kernels/bulk_12", 1 << TT_BRISC, 5000, 3);
        sample_launch(t, old, 1);
        sample_launch(t, two, 2);
        sample_wait(t);
        assert_int_equal(count_on(t, left.to, TT_BRISC), 1);
        assert_int_equal(count_on(t, right.to, TT_BRISC), 1);
        assert_int_equal(store->blocks.n, 2); // those of the program before are gone
        ttdev_program_free(old);
        ttdev_program_free(two);
        ttdev_close(t);
    }
}
