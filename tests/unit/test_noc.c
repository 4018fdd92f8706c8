// test_noc.c - what a packet does and when: latencies of an empty NoC, waiting, multicast,
// atomics, and independence of how time is cut.
#include <string.h>

#include "sample_chip.h"
#include "sim/noc/noc_parts.h"

// Runs to `cycle` and checks that the counter steps exactly in it.
static void counts_in(struct sample_chip *s, const struct tile *tile, unsigned noc,
                      unsigned counter, uint64_t cycle)
{
    uint32_t before = sample_counter(tile, noc, counter);
    sample_chip_run(s, cycle);
    assert_int_equal(sample_counter(tile, noc, counter), before);
    sample_chip_run(s, cycle + 1);
    assert_int_equal(sample_counter(tile, noc, counter), before + 1);
}

// --- alone -----------------------------------------------------------------------------
struct figure {
    const char *config;
    int x, y;        // logical, from 1, 1
    uint32_t read;   // issue to first data
    uint32_t out[2]; // hops per NoC
};
static const struct figure figures[] = {
    // clang-format off
    {"board=n150", 1, 1,  70, {0, 0}},
    {"board=n150", 1, 4, 154, {3, 9}},
    {"board=n150", 1, 0, 154, {11, 1}},
    {"board=n150", 5, 1, 170, {5, 5}},
    {"board=n150", 6, 7, 270, {6 + 7, 4 + 5}},
    {"board=n150", 0, 0, 270, {9 + 11, 1 + 1}},
    {"board=p150", 1, 1,  65, {0, 0}},
    {"board=p150", 1, 4, 177, {3, 9}},
    {"board=p150", 9, 1, 217, {10, 7}},
    {"board=p150", 9, 4, 329, {10 + 3, 7 + 9}},
    // clang-format on
};

TEST(a_read_alone_takes_exactly_the_measured_figure)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        for (unsigned noc = 0; noc < 2; noc++) {
            struct sample_chip s;
            sample_chip_open(&s, figures[i].config);
            struct tile *from = sample_tile(&s, 1, 1);
            struct tile *to = sample_tile(&s, figures[i].x, figures[i].y);
            sample_set_word(to, 0x40000, 1234);
            sample_noc_read(from, noc, sample_address(to, 0x40000), 0x50000, 64);
            uint32_t data = noc_port_cycles(s.chip, 64, s.chip->costs.worker_bytes_10);
            counts_in(&s, from, noc, TT_NOC_READ_RESPONSES, 2 + figures[i].read + data);
            assert_int_equal(sample_word(from, 0x50000), 1234);
            assert_int_equal(noc_in_flight(s.chip), 0);
            sample_chip_close(&s);
        }
}

TEST(a_write_alone_takes_exactly_the_measured_figure)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        for (unsigned noc = 0; noc < 2; noc++) {
            struct sample_chip s;
            sample_chip_open(&s, figures[i].config);
            const struct sim_costs *costs = &s.chip->costs;
            struct tile *from = sample_tile(&s, 1, 1);
            struct tile *to = sample_tile(&s, figures[i].x, figures[i].y);
            sample_set_word(from, 0x40000, 77);
            sample_noc_write(from, noc, 0x40000, sample_address(to, 0x50000), 4,
                             TT_NOC_RESPONSE);
            uint32_t out = figures[i].out[noc], back = figures[i].out[1 - noc];
            uint64_t lands = 2 + costs->noc_write_base + costs->noc_write_hop * out + 2;
            sample_chip_run(&s, lands);
            assert_int_equal(sample_word(to, 0x50000), 0);
            sample_chip_run(&s, lands + 1);
            assert_int_equal(sample_word(to, 0x50000), 77);
            counts_in(&s, from, noc, TT_NOC_WRITE_ACKS,
                      lands + costs->noc_write_base + costs->noc_write_hop * back);
            sample_chip_close(&s);
        }
}

TEST(the_two_legs_of_a_read_add_up_and_neither_is_too_short)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=p150");
    for (int i = 0; i < s.chip->n_workers; i++)
        for (uint8_t noc = 0; noc < 2; noc++) {
            const struct tile *a = &s.chip->tiles[0], *b = &s.chip->tiles[i];
            struct packet request = {.issue = 1000000u * (unsigned)(i + 1),
                                     .kind = PACKET_READ,
                                     .niu = noc,
                                     .node = a->node};
            struct packet answer = request;
            answer.kind = PACKET_READ_DATA;
            answer.node = b->node;
            uint64_t there = noc_pass(s.chip, &request, b->node).first - request.issue;
            uint64_t back = noc_pass(s.chip, &answer, a->node).first - answer.issue;
            bool same_x = a->noc0.x == b->noc0.x, same_y = a->noc0.y == b->noc0.y;
            uint32_t figure = same_x && same_y ? 65 : same_x ? 177 : same_y ? 217 : 329;
            assert_int_equal(there + back, figure);
            assert_true(there >= SIM_LOOKAHEAD && back >= SIM_LOOKAHEAD);
        }
    sample_chip_close(&s);
}

// --- waiting ---------------------------------------------------------------------------
TEST(packets_that_share_a_link_wait_for_each_other)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    // NOC0 1-1 and 2-1 both send right to 4-1; they meet on the link 2-1 -> 3-1.
    struct tile *first = sample_tile(&s, 0, 0), *second = sample_tile(&s, 1, 0);
    uint64_t to = sample_address(sample_tile(&s, 3, 0), 0x40000);
    sample_noc_write(second, 0, 0x40000, to, 8192, TT_NOC_RESPONSE);
    sample_chip_finish(&s);
    uint64_t start = (s.chip->now + 100) / 16 * 16;
    sample_chip_run(&s, start);
    sample_noc_write(first, 0, 0x40000, to, 8192, 0);
    sample_noc_write(second, 0, 0x40000, to, 8192, TT_NOC_RESPONSE);
    // The first comes past in cycle start + 2 + 20 + 10; the second waits at the link until
    // its 257 flits are through, then at the way out, which takes 292 cycles per packet.
    uint64_t second_lands = start + 2 + 70 + 2 * 292;
    counts_in(&s, second, 0, TT_NOC_WRITE_ACKS, second_lands + 40 + 10 * 8);
    sample_chip_close(&s);
}

TEST(a_small_packet_does_not_overtake_the_data_before_it)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *from = sample_tile(&s, 0, 0), *to = sample_tile(&s, 6, 6);
    for (int i = 0; i < 8; i++) { // others on the way
        struct tile *other = sample_tile(&s, i, 0);
        if (other != from)
            sample_noc_write(other, 0, 0x40000, sample_address(to, 0x60000), 8192, 0);
    }
    sample_set_word(from, 0x40000 + 8188, 5);
    sample_noc_write(from, 0, 0x40000, sample_address(to, 0x50000), 8192, 0);
    sample_noc_issue(from, (struct sample_command){.buffer = TT_NOC_BUFFER_ATOMIC,
                                                   .control = TT_NOC_ATOMIC,
                                                   .target = sample_address(to, 0x70000),
                                                   .length = 1 << 12 | 31 << 2,
                                                   .data = 1});
    while (sample_word(to, 0x70000) == 0 && s.chip->now < 20000)
        sample_chip_run(&s, s.chip->now + 1);
    assert_int_equal(sample_word(to, 0x70000), 1);
    assert_int_equal(sample_word(to, 0x50000 + 8188), 5);
    sample_chip_close(&s);
}

// --- multicast -------------------------------------------------------------------------
static uint64_t rectangle(const struct tile *start, const struct tile *end, uint64_t local)
{
    return sample_address(end, local) | (uint64_t)start->virt.x << 48 |
           (uint64_t)start->virt.y << 54;
}

TEST(a_multicast_reaches_all_workers_of_the_rectangle_but_the_sender)
{
    struct sample_chip s;
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
        sample_chip_open(&s, "board=p150");
        unsigned noc = (unsigned)is_swapped;
        struct tile *from = sample_tile(&s, 5, 2);
        struct tile *a = sample_tile(&s, 5, 1), *b = sample_tile(&s, 9, 4);
        sample_set_word(from, 0x40000, 8);
        uint64_t to = noc ? rectangle(b, a, 0x40000) : rectangle(a, b, 0x40000);
        sample_set_word(from, 0x40000, 8);
        sample_noc_write(from, noc, 0x40000, to, 32, TT_NOC_RESPONSE | TT_NOC_MULTICAST);
        sample_set_word(from, 0x40000, 1);
        sample_chip_finish(&s);
        for (int i = 0; i < s.chip->n_workers; i++) {
            const struct tile *tile = &s.chip->tiles[i];
            bool is_inside = tile->logical.x >= 5 && tile->logical.x <= 9 &&
                             tile->logical.y >= 1 && tile->logical.y <= 4;
            uint32_t want = tile == from ? 1 : is_inside ? 8 : 0;
            assert_int_equal(sample_word(tile, 0x40000), want);
        }
        assert_int_equal(sample_counter(from, noc, TT_NOC_WRITES_SENT), 1);
        assert_int_equal(sample_counter(from, noc, TT_NOC_WRITE_ACKS), 19);
        assert_int_equal(sample_counter(from, noc, TT_NOC_OUTSTANDING), 0);
        sample_chip_close(&s);
    }
}

TEST(a_multicast_may_include_the_sender)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *from = sample_tile(&s, 0, 0);
    sample_set_word(from, 0x40000, 8);
    sample_noc_write(from, 0, 0x40000, rectangle(from, sample_tile(&s, 7, 8), 0x50000), 4,
                     TT_NOC_MULTICAST | TT_NOC_RESPONSE | TT_NOC_INCLUDE_SOURCE);
    sample_chip_finish(&s);
    for (int i = 0; i < 72; i++)
        assert_int_equal(sample_word(&s.chip->tiles[i], 0x50000), 8);
    assert_int_equal(sample_counter(from, 0, TT_NOC_WRITE_ACKS), 72);
    sample_chip_close(&s);
}

TEST(a_multicast_takes_as_long_as_the_unicast_to_its_last_receiver)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *from = sample_tile(&s, 0, 0), *last = sample_tile(&s, 7, 8);
    sample_set_word(from, 0x40000, 8);
    sample_noc_write(from, 0, 0x40000, rectangle(from, last, 0x40000), 8192,
                     TT_NOC_MULTICAST);
    uint64_t lands = 2 + 40 + 10 * (8 + 9) + 292; // NOC0 1-1 to 9-10
    sample_chip_run(&s, lands);
    assert_int_equal(sample_word(last, 0x40000), 0);
    sample_chip_run(&s, lands + 1);
    assert_int_equal(sample_word(last, 0x40000), 8);
    sample_chip_finish(&s);
    sample_chip_close(&s);
}

// --- atomics, registers, own tile ------------------------------------------------------
static void add(struct tile *from, uint64_t to, uint32_t by, uint32_t more, uint32_t width)
{
    sample_noc_issue(from, (struct sample_command){.buffer = TT_NOC_BUFFER_ATOMIC,
                                                   .control = TT_NOC_ATOMIC | more,
                                                   .target = to,
                                                   .reply = TT_NOC_ATOMIC_RESULT,
                                                   .length = 1 << 12 | width << 2,
                                                   .data = by});
}

TEST(an_atomic_adds_and_answers_with_the_old_value)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *from = sample_tile(&s, 0, 0), *to = sample_tile(&s, 3, 3);
    sample_set_word(to, 0x40004, 0xFFFFFFFE);
    add(from, sample_address(to, 0x40004), 5, TT_NOC_RESPONSE, 31);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(to, 0x40004), 3);
    assert_int_equal(sample_word(from, TT_NOC_ATOMIC_RESULT), 0xFFFFFFFE);
    assert_int_equal(sample_counter(from, 0, TT_NOC_ATOMIC_RESPONSES), 1);
    sample_set_word(to, 0x40004, 0xAB0F);
    add(from, sample_address(to, 0x40004), 3, 0, 7); // wraps in 8 bits, posted
    add(sample_tile(&s, 1, 0), sample_address(to, 0x40004), 0xF0, 0, 7);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(to, 0x40004), 0xAB02);
    assert_int_equal(sample_counter(from, 0, TT_NOC_ATOMIC_RESPONSES), 1);
    sample_chip_close(&s);
}

TEST(a_multicast_atomic_is_answered_by_every_receiver)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *from = sample_tile(&s, 0, 0);
    add(from, rectangle(from, sample_tile(&s, 3, 3), 0x40000), 2,
        TT_NOC_RESPONSE | TT_NOC_MULTICAST, 31);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(from, 0x40000), 0);
    assert_int_equal(sample_word(sample_tile(&s, 3, 3), 0x40000), 2);
    assert_int_equal(sample_counter(from, 0, TT_NOC_ATOMIC_RESPONSES), 15);
    sample_chip_close(&s);
}

TEST(counters_of_circular_buffers_can_be_reached_over_the_noc)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *from = sample_tile(&s, 0, 0), *to = sample_tile(&s, 3, 3);
    uint32_t received =
        TT_STREAMS + 5 * TT_STREAM_STRIDE + 4 * s.chip->layout->cb_received_word;
    to->received[5] = 10;
    add(from, sample_address(to, received), 4, TT_NOC_RESPONSE, 31);
    sample_chip_finish(&s);
    assert_int_equal(to->received[5], 14);
    sample_noc_read(from, 0, sample_address(to, received), 0x40000, 4);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(from, 0x40000), 14);
    sample_noc_issue(from, (struct sample_command){.control = TT_NOC_WRITE | TT_NOC_INLINE,
                                                   .target = sample_address(to, received),
                                                   .data = 3});
    sample_chip_finish(&s);
    assert_int_equal(to->received[5], 3);
    sample_chip_close(&s);
}

TEST(a_register_that_is_not_there_is_a_fault_of_the_target)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *from = sample_tile(&s, 0, 0), *to = sample_tile(&s, 3, 3);
    sample_noc_read(from, 0, sample_address(to, 0xFFC00000), 0x40000, 4);
    sample_chip_run(&s, 2000);
    assert_int_equal(to->fault.kind, FAULT_UNMAPPED);
    assert_int_equal(to->fault.address, 0xFFC00000);
    sample_chip_close(&s);
}

// --- the same however time is cut ------------------------------------------------------
static uint64_t busy_hash(const char *config)
{
    struct sample_chip s;
    sample_chip_open(&s, config);
    const struct tt_layout *l = s.chip->layout;
    for (uint32_t round = 0; round < 40; round++) {
        for (int i = 0; i < s.chip->n_workers; i++) {
            struct tile *tile = &s.chip->tiles[i];
            uint64_t chance = sim_random(1, round, (uint64_t)i);
            struct tile *to = &s.chip->tiles[chance % (unsigned)s.chip->n_workers];
            unsigned noc = chance >> 32 & 1;
            uint32_t at = 0x40000 + round * 64, busy;
            sample_set_word(tile, at, (uint32_t)chance);
            assert_true(niu_read(tile, noc, l->noc_cmd_ctrl, 0, &busy));
            if (!busy)
                sample_noc_write(tile, noc, at, sample_address(to, 0x80000 + round * 64),
                                 64, TT_NOC_RESPONSE);
            uint64_t bank = sample_bank_address(&s, noc, (int)(chance >> 40 & 3), at);
            assert_true(
                niu_read(tile, noc, l->noc_buffer_stride + l->noc_cmd_ctrl, 0, &busy));
            if (!busy)
                sample_noc_read(tile, noc, chance >> 33 & 1 ? bank : sample_address(to, at),
                                at, 1024);
        }
        sample_chip_run(&s, (round + 1) * 96);
    }
    sample_chip_run(&s, 50000);
    assert_int_equal(noc_in_flight(s.chip), 0);
    uint64_t hash = noc_hash(s.chip, noc_packets(s.chip));
    for (int i = 0; i < s.chip->n_workers; i++)
        for (uint32_t at = 0x40000; at < 0x90000; at += 4)
            hash = noc_mix(hash, sample_word(&s.chip->tiles[i], at));
    sample_chip_close(&s);
    return hash;
}

TEST(results_do_not_depend_on_the_length_of_windows)
{
    uint64_t hash = busy_hash("board=n150 quantum=8");
    assert_int_equal(busy_hash("board=n150 quantum=16"), hash);
    assert_int_equal(busy_hash("board=n150 quantum=32"), hash);
}

// --- ground truth ----------------------------------------------------------------------
struct told {
    uint64_t issue, complete, number;
    unsigned n;
};

static void note_truth(void *context, const ttdev_truth_event *event)
{
    struct told *told = context;
    told->n++;
    if (event->kind == TTDEV_TRUTH_NOC_ISSUE) {
        told->issue = event->cycle;
        told->number = event->argument;
        assert_int_equal(event->pc, 64); // bytes
    } else if (event->kind == TTDEV_TRUTH_DRAM_WRITE) {
        assert_int_equal(event->pc, 64);
    } else {
        assert_int_equal(event->kind, TTDEV_TRUTH_NOC_COMPLETE);
        assert_int_equal(event->argument, told->number);
        told->complete = event->cycle;
    }
}

TEST(issue_and_landing_are_told_with_their_cycles)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150 boot_cycles=1000");
    struct told told = {0};
    s.cluster.truth = note_truth;
    s.cluster.truth_context = &told;
    s.chip->has_truth = true;
    struct tile *from = sample_tile(&s, 0, 0);
    sample_noc_read(from, 0, sample_address(sample_tile(&s, 3, 3), 0x40000), 0x50000, 64);
    sample_chip_finish(&s);
    assert_int_equal(told.n, 2);
    assert_int_equal(told.issue, 1002);
    assert_int_equal(told.complete, 1002 + 270 + 3);
    told = (struct told){0};
    uint64_t now = s.chip->now;
    sample_noc_write(from, 0, 0x40000, sample_bank_address(&s, 0, 4, 64), 64, 0);
    sample_chip_finish(&s);
    assert_int_equal(told.n, 3); // the bank tells of it, too
    assert_int_equal(told.issue, 1002 + now);
    assert_int_equal(told.complete, 1002 + now + 40 + 10 * 4 + 3); // 1-1 to 5-1
    sample_chip_close(&s);
}

// --- what goes between L1 and a NoC -----------------------------------------------------
static void beats_are(const struct tile *tile, unsigned noc, const uint64_t want[BEATS])
{
    for (int i = 0; i < BEATS; i++) {
        assert_int_equal(tile->noc_beats[noc][i], want[i]);
        assert_int_equal(tile->noc_beats[1 - noc][i], 0);
    }
}

// In flits of 32 bytes on Wormhole, 64 on Blackhole; registers are not in L1, and the data
// of an inline write come from one.
TEST(flits_between_l1_and_a_noc_are_counted_at_both_ends)
{
    static const char *const configs[] = {"board=n150", "board=p150"};
    for (int arch = 0; arch < TT_ARCHES; arch++)
        for (unsigned noc = 0; noc < 2; noc++) {
            struct sample_chip s;
            sample_chip_open(&s, configs[arch]);
            struct tile *from = sample_tile(&s, 1, 1), *to = sample_tile(&s, 3, 4);
            uint64_t flit = arch == TT_WORMHOLE ? 32 : 64, word = 1;
            uint64_t read = (1000 + flit - 1) / flit, written = (320 + flit - 1) / flit;
            sample_noc_read(from, noc, sample_address(to, 0x40000), 0x50000, 1000);
            sample_chip_finish(&s);
            sample_noc_read(from, noc, sample_address(to, TT_WALL_CLOCK_L), 0x51000, 4);
            sample_chip_finish(&s);
            sample_noc_read(from, noc, sample_bank_address(&s, noc, 3, 0x400000), 0x52000,
                            2048);
            sample_chip_finish(&s);
            sample_noc_write(from, noc, 0x40000, sample_address(to, 0x50000), 320,
                             TT_NOC_RESPONSE);
            sample_chip_finish(&s);
            struct sample_command command = {.noc = noc,
                                             .control = TT_NOC_WRITE | TT_NOC_INLINE,
                                             .target = sample_address(to, 0x60000),
                                             .data = 7};
            sample_noc_issue(from, command);
            sample_chip_finish(&s);
            command.control = TT_NOC_ATOMIC | TT_NOC_RESPONSE;
            command.reply = TT_NOC_ATOMIC_RESULT;
            command.length = 1 << 12 | 31 << 2;
            sample_noc_issue(from, command);
            sample_chip_finish(&s);
            assert_int_equal(sample_word(to, 0x60000), 14);
            beats_are(
                from, noc,
                (uint64_t[BEATS]){[BEAT_OUT_OWN] = written,
                                  [BEAT_IN_ASKED] = read + word + 2048 / flit + word});
            beats_are(
                to, noc,
                (uint64_t[BEATS]){
                    [BEAT_OUT_ASKED] = read, [BEAT_IN_WRITTEN] = written + word + word});
            sample_chip_close(&s);
        }
}
