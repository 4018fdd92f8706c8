// test_completions.c - the completion counters of a core: who may add to them, how they
// wrap, and that a RISC which polls one sees it change at the same cycle, parked or not.
#include <stdio.h>

#include "../kernels/script.h"
#include "sample_chip.h"
#include "sample_device.h"
#include "sim/program/program.h"
#include "ttprof/dispatch_words.h"

static uint32_t update_register(const struct chip *chip, uint32_t stream)
{
    return TT_STREAMS + stream * TT_STREAM_STRIDE + 4 * chip->layout->stream_update_word;
}

static uint32_t count_register(const struct chip *chip, uint32_t stream)
{
    return TT_STREAMS + stream * TT_STREAM_STRIDE + 4 * chip->layout->stream_count_word;
}

static uint32_t count_of(struct tile *tile, uint32_t stream)
{
    uint32_t value = 1;
    uint32_t address = count_register(tile->chip, stream);
    assert_true(tile_register_read(tile, TT_BRISC, address, 0, &value));
    return value;
}

static void add(struct tile *tile, uint32_t stream, uint32_t value)
{
    assert_int_equal(
        tile_register_write(tile, TT_BRISC, update_register(tile->chip, stream), value, 0),
        REGISTER_OK);
}

TEST(a_completion_counter_has_seventeen_bits)
{
    static const char *const boards[] = {"board=n150", "board=p150"};
    for (int i = 0; i < 2; i++) {
        struct sample_chip s;
        sample_chip_open(&s, boards[i]);
        struct tile *tile = sample_tile(&s, 1, 1);
        add(tile, 48, 3 << TT_COMPLETION_SHIFT);
        add(tile, 48, 4 << TT_COMPLETION_SHIFT | 63); // the bits below do not count
        add(tile, 63, 1 << TT_COMPLETION_SHIFT);
        assert_int_equal(count_of(tile, 48), 7);
        assert_int_equal(count_of(tile, 49), 0);
        assert_int_equal(count_of(tile, 63), 1);
        // Adding the negative value clears it, whatever is in the bits above.
        add(tile, 48, (0u - 7) << TT_COMPLETION_SHIFT);
        assert_int_equal(count_of(tile, 48), 0);
        add(tile, 48, 0xFFFFFFFF);
        assert_int_equal(count_of(tile, 48), TT_COMPLETION_MASK);
        add(tile, 48, 2 << TT_COMPLETION_SHIFT);
        assert_int_equal(count_of(tile, 48), 1);
        // Storing to the register that reads changes nothing; the other one reads 0.
        assert_int_equal(
            tile_register_write(tile, TT_BRISC, count_register(s.chip, 48), 9, 0),
            REGISTER_OK);
        assert_int_equal(count_of(tile, 48), 1);
        uint32_t value = 1;
        assert_true(
            tile_register_read(tile, TT_BRISC, update_register(s.chip, 48), 0, &value));
        assert_int_equal(value, 0);
        sample_chip_close(&s);
    }
}

TEST(completions_of_many_cores_add_up)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *to = sample_tile(&s, 1, 8);
    for (int i = 0; i < 64; i++)
        sample_noc_issue(&s.chip->tiles[i],
                         (struct sample_command){
                             .noc = (unsigned)i % 2,
                             .buffer = TT_NOC_BUFFER_SMALL,
                             .control = TT_NOC_WRITE | TT_NOC_INLINE,
                             .target = sample_address(to, update_register(s.chip, 50)),
                             .data = 1 << TT_COMPLETION_SHIFT});
    sample_chip_finish(&s);
    assert_int_equal(count_of(to, 50), 64);
    sample_chip_close(&s);
}

// Two wrapped values of which neither is far from the other.
TEST(counts_are_compared_by_difference)
{
    assert_true(tt_completed(320, 320));
    assert_false(tt_completed(319, 320));
    assert_true(tt_completed(5, TT_COMPLETION_MASK - 3));
    assert_false(tt_completed(TT_COMPLETION_MASK - 3, 5));
    assert_true(tt_completed(5, TT_COMPLETION_MASK + 1u + 5));
}

// --- kernels ---------------------------------------------------------------------------
// One core polls its counter, another adds to it; the state's hash.
static uint64_t poll_counter(const char *config, uint64_t *instructions)
{
    static const ttdev_range cores[] = {{{0, 0}, {0, 0}}, {{3, 4}, {3, 4}}};
    ttdev *t = device_open(config);
    struct chip *chip = cluster_chip(t, 0);
    struct tile *waits = chip_core(chip, cores[0].from, TT_BRISC);
    uint32_t base = chip->layout->buffers;
    uint64_t update = sample_address(waits, update_register(chip, 48));
    const struct script_step steps[][3] = {
        {{.op = STEP_WAIT_REG, .a = count_register(chip, 48)}},
        {{.op = STEP_CLOCK_WAIT, .a = 3000},
         {.op = STEP_INLINE,
          .a = (uint32_t)update,
          .b = (uint32_t)(update >> 32),
          .c = 1 << TT_COMPLETION_SHIFT}},
    };
    uint32_t args[] = {base + SCRIPT_STEPS, base + SCRIPT_LOG};
    ttdev_program *p = ttdev_program_new(t, "count");
    for (int i = 0; i < 2; i++) {
        int kernel = ttdev_program_kernel(p, cores[i], TT_BRISC,
                                          kernel_load(t, "kernels/script", TT_BRISC), 0);
        assert_true(kernel >= 0);
        assert_int_equal(ttdev_program_args(p, kernel, cores[i], args, 2), 0);
        assert_int_equal(ttdev_l1_write(t, 0, (ttdev_core){TTDEV_LOGICAL, cores[i].from},
                                        args[0], steps[i], sizeof steps[i]),
                         0);
    }
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    assert_int_equal(ttdev_wait(t, 0, 100000), 0);
    assert_int_equal(count_of(waits, 48), 1);
    uint64_t hash = ttdev_state_hash(t, 0);
    *instructions = waits->risc[TT_BRISC].instructions - waits->risc[TT_BRISC].skipped;
    ttdev_program_free(p);
    ttdev_close(t);
    return hash;
}

TEST(a_poll_of_a_completion_counter_parks)
{
    static const char *const boards[] = {"board=n150 variant=off",
                                         "board=p150 variant=off"};
    for (int i = 0; i < 2; i++) {
        char config[64];
        uint64_t parked, running;
        uint64_t hash = poll_counter(boards[i], &parked);
        (void)snprintf(config, sizeof config, "%s park=off", boards[i]);
        assert_int_equal(poll_counter(config, &running), hash);
        assert_true(parked < running / 2);
        (void)snprintf(config, sizeof config, "%s quantum=8 threads=2", boards[i]);
        assert_int_equal(poll_counter(config, &parked), hash);
    }
}

// --- firmware --------------------------------------------------------------------------
struct worker {
    ttdev *t;
    ttdev_program *p;
    struct tile *tile, *dispatcher;
    ttdev_core core;
    uint32_t log, go, read_pointer, ring; // addresses
};

// A core, Ethernet or not, that has run a program of the host. Its launch message is still
// in slot 0.
static struct worker open_worker(const char *config, bool is_eth)
{
    struct worker w = {.t = device_open(config)};
    struct chip *chip = cluster_chip(w.t, 0);
    const struct tt_layout *l = chip->layout;
    ttdev_xy at = {is_eth ? 8 : 2, 0};
    ttdev_range cores = {at, at};
    int risc = is_eth ? TTDEV_ERISC : TT_BRISC;
    w.tile = chip_core(chip, cores.from, risc);
    w.dispatcher = chip_core(chip, (ttdev_xy){5, 5}, TT_BRISC);
    w.core = (ttdev_core){TTDEV_NOC0, w.tile->noc0};
    w.log = (is_eth ? l->eth_buffers : l->buffers) + SCRIPT_LOG;
    w.go = is_eth ? l->eth_go_messages : l->go_messages;
    w.read_pointer = is_eth ? l->eth_mailbox + 0xC : l->launch_rd_ptr;
    w.ring = is_eth ? l->eth_launch_ring : l->launch_ring;
    w.p = ttdev_program_new(w.t, "p");
    const char *name = is_eth ? "kernels/script_eth" : "kernels/script";
    uint32_t args[] = {w.log - SCRIPT_LOG, w.log}; // no steps: it logs the clock
    int kernel = ttdev_program_kernel(w.p, cores, risc, kernel_load(w.t, name, risc), 0);
    assert_true(kernel >= 0);
    assert_int_equal(ttdev_program_args(w.p, kernel, cores, args, 2), 0);
    assert_int_equal(ttdev_launch(w.t, 0, w.p, 7), 0);
    assert_int_equal(ttdev_wait(w.t, 0, 100000), 0);
    assert_int_equal(count_of(w.dispatcher, 50), 0);
    return w;
}

static void close_worker(struct worker *w)
{
    ttdev_program_free(w->p);
    ttdev_close(w->t);
}

// The go word of a dispatcher; waits until it is served.
static void signal_worker(const struct worker *w, uint32_t signal)
{
    uint32_t word = tt_go_word(signal, (uint32_t)w->dispatcher->virt.x,
                               (uint32_t)w->dispatcher->virt.y, 2);
    assert_int_equal(ttdev_l1_write(w->t, 0, w->core, w->go, &word, sizeof word), 0);
    assert_int_equal(ttdev_sleep_ns(w->t, 20000), 0);
    assert_int_equal(sample_word(w->tile, w->go) >> 24, TT_GO_DONE);
}

static void serves_dispatcher(const char *config, bool is_eth)
{
    struct worker w = open_worker(config, is_eth);
    uint32_t clock = sample_word(w.tile, w.log), step = is_eth ? 0 : 1;
    uint32_t enables = w.ring + TT_LAUNCH_ENABLES;
    assert_int_not_equal(sample_word(w.tile, enables), 0);
    signal_worker(&w, TT_GO_GO);
    assert_int_not_equal(sample_word(w.tile, w.log), clock);
    clock = sample_word(w.tile, w.log);
    assert_int_equal(count_of(w.dispatcher, 50), 1);
    assert_int_equal(sample_word(w.tile, enables), 0);
    assert_int_equal(sample_word(w.tile, w.read_pointer), step);
    // Nothing to run in this slot; the pointer goes round.
    for (uint32_t i = 2; i < 10; i++) {
        signal_worker(&w, TT_GO_GO);
        assert_int_equal(count_of(w.dispatcher, 50), i);
        assert_int_equal(sample_word(w.tile, w.read_pointer), step * i % TT_LAUNCH_SLOTS);
    }
    assert_int_equal(sample_word(w.tile, w.log), clock);
    signal_worker(&w, TT_GO_REPLAY_TRACE);
    assert_int_equal(sample_word(w.tile, w.read_pointer), 0);
    assert_int_equal(count_of(w.dispatcher, 50), 10);
    signal_worker(&w, TT_GO_RESET_READ_PTR_FROM_HOST);
    assert_int_equal(count_of(w.dispatcher, 50), 10);
    // The host can still launch, and nobody counts that.
    assert_int_equal(ttdev_launch(w.t, 0, w.p, 8), 0);
    assert_int_equal(ttdev_wait(w.t, 0, 100000), 0);
    assert_int_not_equal(sample_word(w.tile, w.log), clock);
    assert_int_equal(count_of(w.dispatcher, 50), 10);
    close_worker(&w);
}

TEST(firmware_counts_what_a_dispatcher_started)
{
    static const char *const configs[] = {"board=n150 variant=off", "board=n150",
                                          "board=p150 variant=off", "board=p150"};
    for (int i = 0; i < 4; i++)
        serves_dispatcher(configs[i], false);
    serves_dispatcher("board=n300 variant=off", true);
    serves_dispatcher("board=n300", true);
}
