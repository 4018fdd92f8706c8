// test_sync_kernels.c - the kernels that measure clocks: what they store, and how far their
// stamps are from the truth.
#include <stdio.h>
#include <string.h>

#include "sim/cluster.h"
#include "sim/ttdev.h"
#include "test.h"
#include "ttprof/sync_words.h"

static const ttdev_core corner = {TTDEV_LOGICAL, {0, 0}};
static const ttdev_range first = {{0, 0}, {0, 0}};
enum { LONG_NS = 1000000000 };

static ttdev *open_device(const char *config)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev *t = NULL;
    ttdev_cfg_default(&cfg);
    if (ttdev_cfg_parse(&cfg, config, &e) || ttdev_open(&cfg, &t, &e))
        fail_msg("%s", e.text);
    assert_non_null(t);
    return t;
}

static ttdev_program *start(ttdev *t, int dev, const char *name, int risc,
                            ttdev_range cores, const uint32_t *args, size_t n)
{
    struct err e = {0};
    ttdev_image *image = NULL;
    ttdev_program *p = ttdev_program_new(t, name);
    if (ttdev_image_find(t, name, risc, &image, &e))
        fail_msg("%s", e.text);
    assert_int_equal(ttdev_program_kernel(p, cores, risc, image, 0), 0);
    assert_int_equal(ttdev_program_args(p, 0, cores, args, n), 0);
    assert_int_equal(ttdev_launch(t, dev, p, 0), 0);
    return p;
}

// --- host against chip -----------------------------------------------------------------
struct host_side {
    ttdev *t;
    const struct tt_layout *layout;
    ttdev_program *program;
    uint32_t mailbox;  // address of FW_RESET_L
    uint64_t write_at; // wall clock when the host's last word was in L1
};

static void see(void *context, const ttdev_truth_event *event)
{
    struct host_side *h = context;
    if (event->kind == TTDEV_TRUTH_HOST_ACCESS && event->argument == h->mailbox)
        h->write_at = event->cycle;
}

static struct host_side host_side_open(const char *config, uint32_t samples)
{
    struct host_side h = {.t = open_device(config)};
    h.layout = h.t->chips[0].layout;
    h.mailbox = h.layout->profiler_control + 4 * TT_CONTROL_FW_RESET_L;
    h.program = start(h.t, 0, "sync", TT_BRISC, first, &samples, 1);
    assert_int_equal(ttdev_sleep_ns(h.t, 100000), 0);
    return h;
}

static void host_side_close(struct host_side *h)
{
    ttdev_program_free(h->program);
    ttdev_close(h->t);
}

static uint32_t word_at(const struct host_side *h, uint32_t address)
{
    uint32_t word;
    memcpy(&word, h->t->chips[0].tiles[0].l1 + address, sizeof word);
    return word;
}
static uint32_t control_word(const struct host_side *h, uint32_t word)
{
    return word_at(h, h->layout->profiler_control + 4 * word);
}
static uint32_t vector_word(const struct host_side *h, uint32_t word)
{
    return word_at(h, h->layout->profiler_buffers + 4 * word);
}

static void put(struct host_side *h, uint32_t word)
{
    assert_int_equal(ttdev_l1_write(h->t, 0, corner, h->mailbox, &word, sizeof word), 0);
}

// Sample i as the host reads it.
static uint64_t stamp_of(const struct host_side *h, uint32_t i, uint32_t word)
{
    uint32_t at = (uint32_t)TT_SYNC_SAMPLE(i);
    assert_int_equal(vector_word(h, at + TT_SAMPLE_HOST), word);
    assert_int_equal(vector_word(h, at + TT_SAMPLE_NUMBER), i);
    return (uint64_t)vector_word(h, at + TT_SAMPLE_HIGH) << 32 |
           vector_word(h, at + TT_SAMPLE_LOW);
}

// The longest way from a word in L1 to its stamp, over words at all phases of the poll.
static uint32_t longest_delay(const char *config, uint32_t samples)
{
    struct host_side h = host_side_open(config, samples);
    uint64_t longest = 0, random = 12345;
    assert_int_equal(ttdev_truth(h.t, see, &h), 0);
    for (uint32_t i = 1; i <= samples; i++) {
        put(&h, 1000 * i + 1);
        random = random * 6364136223846793005u + 1442695040888963407u;
        assert_int_equal(ttdev_sleep_ns(h.t, 1000 + (random >> 54)), 0);
        assert_int_equal(control_word(&h, TT_CONTROL_FW_RESET_H), i);
        assert_int_equal(control_word(&h, TT_CONTROL_FW_RESET_L), 0);
        uint64_t stamp = stamp_of(&h, i, 1000 * i + 1);
        assert_true(stamp >= h.write_at);
        longest = stamp - h.write_at > longest ? stamp - h.write_at : longest;
    }
    assert_int_equal(ttdev_wait(h.t, 0, LONG_NS), 0); // it ended by itself
    host_side_close(&h);
    return (uint32_t)longest;
}

TEST(sync_stamps_lie_within_the_published_cycles_of_the_hosts_word)
{
    // The published figure is the bound of both chips, and not a loose one.
    uint32_t wormhole = longest_delay("board=n150 variant=off", 300);
    uint32_t blackhole = longest_delay("board=p150 variant=off", 300);
    uint32_t most = wormhole > blackhole ? wormhole : blackhole;
    assert_true(most <= TT_SYNC_POLL_CYCLES);
    assert_true(most + 4 >= TT_SYNC_POLL_CYCLES);
    assert_true(longest_delay("board=n150 variant=full", 130) <= TT_SYNC_POLL_CYCLES);
}

TEST(sync_keeps_124_samples_and_the_last_ones_win)
{
    enum { SAMPLES = 249 };
    struct host_side h = host_side_open("board=n150 variant=off", SAMPLES);
    for (uint32_t i = 1; i <= SAMPLES; i++) {
        put(&h, i | 1);
        assert_int_equal(ttdev_sleep_ns(h.t, 2000), 0);
    }
    for (uint32_t i = SAMPLES - TT_SYNC_SLOTS + 1; i <= SAMPLES; i++)
        (void)stamp_of(&h, i, i | 1);
    assert_int_equal(vector_word(&h, 508), 0); // behind the last slot
    assert_int_equal(ttdev_wait(h.t, 0, LONG_NS), 0);
    host_side_close(&h);
}

TEST(sync_ends_when_the_host_says_stop)
{
    struct host_side h = host_side_open("board=p150 variant=off", 0);
    put(&h, 77);
    assert_int_equal(ttdev_sleep_ns(h.t, 5000), 0);
    assert_int_equal(ttdev_poll(h.t, 0, 50000), 0); // it goes on
    put(&h, TT_SYNC_STOP);
    assert_int_equal(ttdev_wait(h.t, 0, LONG_NS), 0);
    (void)stamp_of(&h, 1, 77);
    assert_int_equal(control_word(&h, TT_CONTROL_FW_RESET_L), 0);
    assert_int_equal(control_word(&h, TT_CONTROL_FW_RESET_H), 1);
    assert_int_equal(vector_word(&h, (uint32_t)TT_SYNC_SAMPLE(2) + TT_SAMPLE_NUMBER), 0);
    host_side_close(&h);
}

TEST(sync_sleeps_between_samples_and_leaves_nothing_in_dram)
{
    struct host_side h = host_side_open("board=n150 variant=full", 2);
    assert_int_equal(h.t->chips[0].tiles[0].risc[TT_BRISC].state, RISC_PARKED);
    put(&h, 1);
    assert_int_equal(ttdev_sleep_ns(h.t, 5000), 0);
    put(&h, 3);
    assert_int_equal(ttdev_wait(h.t, 0, LONG_NS), 0);
    assert_int_equal(control_word(&h, TT_CONTROL_HOST_END), 0);
    assert_int_equal(control_word(&h, TT_CONTROL_RUN_COUNTER), 0);
    host_side_close(&h);
}

TEST(sync_stamps_are_whole_when_the_low_half_wraps)
{
    // Samples around 2^32 cycles after boot; a torn stamp would be 2^32 off.
    struct host_side h = host_side_open("board=n150 variant=off boot_cycles=4294000000", 0);
    uint64_t last = 0;
    for (uint32_t i = 1; last < 4294967296u + 100000; i++) {
        put(&h, 2 * i + 1);
        assert_int_equal(ttdev_sleep_ns(h.t, 9000), 0);
        uint64_t stamp = stamp_of(&h, i, 2 * i + 1);
        assert_true(stamp > last && stamp - last < 30000 + (last == 0) * 5000000000u);
        last = stamp;
    }
    host_side_close(&h);
}

// --- chip against chip -----------------------------------------------------------------
struct end {
    const uint32_t *vector;
    const struct chip *chip;
};

static struct end end_of(ttdev *t, int dev, int channel)
{
    const struct chip *chip = &t->chips[dev];
    const uint8_t *l1 = chip->tiles[chip->n_workers + channel].l1;
    return (struct end){
        (const uint32_t *)(const void *)(l1 + chip->layout->eth_profiler_buffers), chip};
}

static uint64_t true_fs(const struct end *end, uint64_t wall)
{
    return chip_true_fs(end->chip, wall - end->chip->boot_cycles);
}

static void check_rounds(const struct end *sender, const struct end *receiver,
                         uint32_t rounds)
{
    assert_int_equal(sender->vector[TT_SYNC_ROUNDS], rounds);
    assert_int_equal(receiver->vector[TT_SYNC_ROUNDS], rounds);
    uint64_t s = (uint64_t)sender->vector[TT_SYNC_HIGH] << 32 | sender->vector[14];
    uint64_t v = (uint64_t)receiver->vector[TT_SYNC_HIGH] << 32 | receiver->vector[14];
    for (uint32_t k = 0; k < rounds; k++) {
        const uint32_t *sent = &sender->vector[TT_SYNC_ROUND(k)];
        const uint32_t *came = &receiver->vector[TT_SYNC_ROUND(k)];
        s += sent[0] - (uint32_t)s;
        v += came[0] - (uint32_t)v;
        // There, and back, in true time.
        assert_true(true_fs(sender, s) < true_fs(receiver, v));
        assert_true(true_fs(receiver, v + came[1]) < true_fs(sender, s + sent[1]));
        uint64_t middle = true_fs(sender, s) / 2 + true_fs(sender, s + sent[1]) / 2;
        uint64_t seen = true_fs(receiver, v) / 2 + true_fs(receiver, v + came[1]) / 2;
        uint64_t apart = middle > seen ? middle - seen : seen - middle;
        assert_true(apart < 100 * (uint64_t)FS_PER_NS); // both ways take the same time
        assert_true(came[1] < 64);
    }
}

struct pair {
    struct end sender, receiver;
};

static struct pair measure_pair(ttdev *t, uint32_t rounds, uint32_t serial, bool is_swapped)
{
    int peer = 0, peer_channel = 0, channel = 0;
    while (ttdev_eth_peer(t, 0, channel, &peer, &peer_channel) != 0)
        channel++;
    uint32_t args[] = {rounds, serial};
    ttdev_range here = {{channel, 0}, {channel, 0}};
    ttdev_range there = {{peer_channel, 0}, {peer_channel, 0}};
    ttdev_program *p[2];
    for (int i = 0; i < 2; i++) {
        bool is_sender = (i == 0) != is_swapped;
        p[i] = start(t, is_sender ? 0 : peer, is_sender ? "sync_sender" : "sync_receiver",
                     TTDEV_ERISC, is_sender ? here : there, args, 2);
    }
    assert_int_equal(ttdev_wait(t, 0, LONG_NS), 0);
    assert_int_equal(ttdev_wait(t, peer, LONG_NS), 0);
    struct pair pair = {end_of(t, 0, channel), end_of(t, peer, peer_channel)};
    check_rounds(&pair.sender, &pair.receiver, rounds);
    ttdev_program_free(p[0]);
    ttdev_program_free(p[1]);
    return pair;
}

TEST(sync_pairs_measure_both_ways_of_a_link)
{
    ttdev *t = open_device("board=n300 variant=off ppm=40:-35 drift_ppm_s=2");
    (void)measure_pair(t, TT_SYNC_MOST_ROUNDS, 1, false);
    (void)measure_pair(t, TT_SYNC_MOST_ROUNDS, 2, true); // whoever starts first
    (void)measure_pair(t, 7, 3, false);
    ttdev_close(t);
}

TEST(sync_pairs_survive_a_wrap_and_profiling)
{
    ttdev *t = open_device("board=n300 variant=full boot_cycles=4294900000:77");
    (void)measure_pair(t, TT_SYNC_MOST_ROUNDS, 9, false);
    ttdev_close(t);
    t = open_device("arch=blackhole board=p150 devices=2 variant=off");
    (void)measure_pair(t, TT_SYNC_MOST_ROUNDS, 9, false);
    ttdev_close(t);
}

// The high half is kept with the first round: the carry may come before it, while the
// kernel that was started first waits for the other, or within the round that is not kept.
TEST(sync_pairs_have_the_high_half_of_a_clock_that_wraps_before_the_first_round)
{
    enum { ROUNDS = 3, WAITS = 4000 }; // cycles: the host takes longer to start the second
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
        ttdev *t = open_device("board=n300 variant=off boot_cycles=0:0");
        struct pair at = measure_pair(t, ROUNDS, 1, is_swapped);
        uint32_t sent = at.sender.vector[TT_SYNC_ROUND(0)];
        uint32_t came = at.receiver.vector[TT_SYNC_ROUND(0)];
        uint32_t round = at.sender.vector[TT_SYNC_ROUND(1)] - sent;
        ttdev_close(t);
        const uint32_t before[] = {1, round / 2, round + round / 2, round + WAITS};
        for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
            char config[100];
            (void)snprintf(config, sizeof config,
                           "board=n300 variant=off boot_cycles=%u:%u", before[i] - sent,
                           before[i] - came);
            t = open_device(config);
            at = measure_pair(t, ROUNDS, 1, is_swapped);
            assert_int_equal(at.sender.vector[TT_SYNC_ROUND(0)], before[i]);
            assert_int_equal(at.receiver.vector[TT_SYNC_ROUND(0)], before[i]);
            assert_int_equal(at.sender.vector[TT_SYNC_HIGH], 1);
            assert_int_equal(at.receiver.vector[TT_SYNC_HIGH], 1);
            ttdev_close(t);
        }
    }
}
