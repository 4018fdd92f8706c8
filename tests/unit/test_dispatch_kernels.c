// test_dispatch_kernels.c - the dispatcher and its subordinate: every command, buffers that
// wrap, and what they refuse. The test is their prefetcher.
#include <errno.h>

#include "sample_dispatch.h"

static const char *const boards[] = {"board=n150", "board=p150"};
enum { BOARDS = 2, AT = 0x60000 }; // AT: L1 of the workers that is free

// --- commands --------------------------------------------------------------------------
static cmd header(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    cmd w = {0};
    cmd_put_header(&w, w0, w1, w2, w3);
    return w;
}
static cmd linear(const struct tile *to, uint32_t address, uint32_t seed, uint32_t bytes)
{
    cmd w = header(TT_CMD_WRITE_LINEAR, rig_xy(to), address, bytes);
    cmd_put_bytes(&w, seed, bytes);
    return w;
}
static void execute(struct rig *s, cmd command)
{
    uint32_t done = rig_credit(s, s->dispatcher, TT_DISPATCH_DONE);
    rig_send(s, &command);
    rig_until(s, s->dispatcher, TT_DISPATCH_DONE, done + 1);
    rig_pass(s); // what it sent has arrived
}
static void terminate(struct rig *s)
{
    cmd end = header(TT_CMD_DISPATCH_TERMINATE, 0, 0, 0);
    cmd go_end = header(TT_CMD_DISPATCH_TERMINATE, 0, 0, 0);
    rig_send(s, &end);
    rig_send_go(s, &go_end);
    assert_int_equal(ttdev_wait(s->t, 0, 1000000), 0);
    rig_close(s);
}

// --- writes ----------------------------------------------------------------------------
// Longer than a packet and a page; the second ones cross the end of the buffer.
TEST(the_dispatcher_writes_to_one_core)
{
    static const uint32_t sizes[] = {16, 4, 2052, 4096, 8192, 9000, 20000, 28000, 32000};
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b], .pages = 8, .block = 2});
        for (uint32_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
            uint32_t bytes = sizes[i % (sizeof sizes / sizeof *sizes)];
            struct tile *to = rig_core(&s, (int)i % 7, 3);
            execute(&s, linear(to, AT, i, bytes));
            assert_pattern(to, AT, i, bytes);
        }
        terminate(&s);
    }
}

// --- packed writes ---------------------------------------------------------------------
struct packed {
    uint32_t flags, type, n, bytes, offset;
};
static cmd packed(const struct rig *s, struct packed p, uint32_t seed)
{
    cmd w = header(
        tt_command(TT_CMD_WRITE_PACKED, p.flags | p.type << TT_PACKED_TYPE_SHIFT, p.n),
        p.bytes, AT, p.offset);
    for (uint32_t i = 0; i < p.n; i++)
        if (p.flags & TT_PACKED_MULTICAST) {
            cmd_put(&w, rig_rectangle(s, 0, (int)i, 3, (int)i));
            cmd_put(&w, 4);
        } else {
            cmd_put(&w, rig_xy(rig_core(s, (int)i % 8, (int)i / 8)));
        }
    cmd_pad(&w, TT_COMMAND_BYTES);
    for (uint32_t i = 0; i < (p.flags & TT_PACKED_ONE_DATUM ? 1 : p.n); i++)
        cmd_put_bytes(&w, seed + i, p.bytes);
    return w;
}
static void assert_packed(const struct rig *s, struct packed p, uint32_t seed,
                          uint32_t offset)
{
    for (uint32_t i = 0; i < p.n; i++) {
        uint32_t pattern = seed + (p.flags & TT_PACKED_ONE_DATUM ? 0 : i);
        if (!(p.flags & TT_PACKED_MULTICAST)) {
            assert_pattern(rig_core(s, (int)i % 8, (int)i / 8), AT + offset, pattern,
                           p.bytes);
            continue;
        }
        for (int x = 0; x < 4; x++)
            assert_pattern(rig_core(s, x, (int)i), AT + offset, pattern, p.bytes);
        assert_int_not_equal(rig_word(rig_core(s, 4, (int)i), AT + offset),
                             cmd_pattern(pattern, 0));
    }
}

TEST(the_dispatcher_writes_packed_data_to_many_cores)
{
    static const struct packed commands[] = {
        {0, TT_PACKED_ARGUMENTS, 64, 20, 0},
        {0, TT_PACKED_ARGUMENTS, 64, 160, 0},
        {0, TT_PACKED_SEMAPHORES, 1, 16, 0},
        {TT_PACKED_ONE_DATUM, TT_PACKED_EVENT, 5, 16, 0},
        {TT_PACKED_ONE_DATUM, TT_PACKED_EVENT, 64, 4096, 0},
        {TT_PACKED_MULTICAST, TT_PACKED_LAUNCH, 7, 144, 0},
        {TT_PACKED_MULTICAST | TT_PACKED_ONE_DATUM, TT_PACKED_LAUNCH, 3, 144, 0},
        {0, TT_PACKED_ARGUMENTS, 7, 4000, 0},
    };
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b], .pages = 8, .block = 2});
        for (uint32_t round = 0; round < 5; round++)
            for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
                uint32_t seed = round * 1000 + (uint32_t)i * 100;
                execute(&s, packed(&s, commands[i], seed));
                assert_packed(&s, commands[i], seed, 0);
            }
        terminate(&s);
    }
}

TEST(write_offsets_apply_to_packed_writes)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0]});
    struct packed first = {0, TT_PACKED_ARGUMENTS, 3, 32, 0}, second = first;
    second.offset = 7;
    cmd w = header(tt_command(TT_CMD_SET_WRITE_OFFSET, 8, 0), 4711, 0, 0);
    for (uint32_t i = 0; i < 8; i++)
        cmd_put(&w, 0x1000 * i + 0x100);
    execute(&s, w);
    execute(&s, packed(&s, first, 10));
    execute(&s, packed(&s, second, 20));
    assert_packed(&s, first, 10, 0x100);
    assert_packed(&s, second, 20, 0x7100);
    // Those that are not given stay.
    w = header(tt_command(TT_CMD_SET_WRITE_OFFSET, 1, 0), 4712, 0, 0);
    cmd_put(&w, 0x40);
    execute(&s, w);
    execute(&s, packed(&s, first, 30));
    execute(&s, packed(&s, second, 40));
    assert_packed(&s, first, 30, 0x40);
    assert_packed(&s, second, 40, 0x7100);
    terminate(&s);
}

// Two rectangles with three pieces each: the second piece is longer than a packet.
static cmd large(const struct rig *s, uint32_t seed)
{
    static const uint32_t sizes[] = {32, 18000, 404};
    cmd w = header(tt_command(TT_CMD_WRITE_PACKED_LARGE, TT_LARGE_TEXT, 6), 2, 0, 0);
    for (uint32_t i = 0; i < 6; i++) {
        int y = 4 * (int)(i / 3);
        cmd_put(&w, rig_rectangle(s, 0, y, 7, y + 3));
        cmd_put(&w, AT + 0x8000 * (i % 3));
        cmd_put(&w, sizes[i % 3]);
        cmd_put(&w, 32 | (i % 3 == 2 ? TT_LARGE_UNLINK : 0));
    }
    for (uint32_t i = 0; i < 6; i++)
        cmd_put_bytes(&w, seed + i, sizes[i % 3]);
    return w;
}
static void assert_large(const struct rig *s, uint32_t seed)
{
    static const uint32_t sizes[] = {32, 18000, 404};
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            for (uint32_t i = 0; i < 3; i++)
                assert_pattern(rig_core(s, x, y), AT + 0x8000 * i,
                               seed + (y < 4 ? 0 : 3) + i, sizes[i]);
}

TEST(the_dispatcher_multicasts_large_data)
{
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b], .pages = 16, .block = 4});
        for (uint32_t seed = 0; seed < 60; seed += 10) {
            execute(&s, large(&s, seed));
            assert_large(&s, seed);
        }
        terminate(&s);
    }
}

// Packets of 144 bytes that the dispatcher sent, and how often they arrived.
struct seen {
    const struct tile *dispatcher;
    uint64_t packet;
    uint32_t sent, arrived, arrived_before; // before: when the last one was issued
};
static void see_packets(void *context, const ttdev_truth_event *event)
{
    struct seen *seen = context;
    bool is_its =
        event->x == seen->dispatcher->noc0.x && event->y == seen->dispatcher->noc0.y;
    if (event->kind == TTDEV_TRUTH_NOC_ISSUE && is_its && event->pc == 144) {
        seen->packet = event->argument;
        seen->sent++;
        seen->arrived_before = seen->arrived;
        seen->arrived = 0;
    }
    if (event->kind == TTDEV_TRUTH_NOC_COMPLETE && event->argument == seen->packet)
        seen->arrived++;
}

// Rectangles one after the other: each multicast waits until the one before has arrived.
TEST(the_dispatcher_sends_no_multicast_before_the_last_has_arrived)
{
    for (int is_large = 0; is_large < 2; is_large++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[0]});
        struct seen seen = {.dispatcher = s.dispatcher};
        assert_int_equal(ttdev_truth(s.t, see_packets, &seen), 0);
        struct packed p = {TT_PACKED_MULTICAST, TT_PACKED_LAUNCH, 2, 144, 0};
        cmd w = packed(&s, p, 1);
        if (is_large) {
            vec_free(&w);
            w = header(tt_command(TT_CMD_WRITE_PACKED_LARGE, TT_LARGE_CONFIG, 2), 0, 0, 0);
            for (int i = 0; i < 2; i++)
                cmd_put_header(&w, rig_rectangle(&s, 0, i, 3, i), AT, 144,
                               4 | TT_LARGE_UNLINK);
            cmd_put_bytes(&w, 1, 144);
            cmd_put_bytes(&w, 2, 144);
        }
        execute(&s, w);
        assert_packed(&s, p, 1, 0);
        assert_int_equal(seen.sent, 2);
        assert_int_equal(seen.arrived_before, 4);
        terminate(&s);
    }
}

// The second page comes much later than the first, and the rest later still; what is in
// front of the command is given back meanwhile, though it is less than a block.
TEST(the_dispatcher_waits_for_the_rest_of_a_command)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0], .pages = 16, .block = 4});
    execute(&s, linear(rig_core(&s, 0, 0), AT, 1, 9000)); // 3 pages
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_FREED), 0);
    cmd w = large(&s, 100);
    uint32_t bytes = (uint32_t)w.n * 4;
    rig_put(&s, &w, 0, TT_DISPATCH_PAGE);
    rig_count(&s, 1);
    rig_until(&s, s.prefetcher, TT_PREFETCH_FREED, 3);
    assert_pattern(rig_core(&s, 3, 3), AT, 100, 32);
    rig_put(&s, &w, TT_DISPATCH_PAGE, TT_DISPATCH_PAGE);
    rig_count(&s, 2);
    rig_pass(&s);
    assert_int_equal(rig_credit(&s, s.dispatcher, TT_DISPATCH_DONE), 1);
    rig_put(&s, &w, 2 * TT_DISPATCH_PAGE, bytes - 2 * TT_DISPATCH_PAGE);
    rig_count(&s, 10);
    s.taken += 10;
    rig_until(&s, s.dispatcher, TT_DISPATCH_DONE, 2);
    rig_pass(&s);
    assert_large(&s, 100);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_FREED), 13);
    vec_free(&w);
    terminate(&s);
}

TEST(pages_go_back_in_blocks)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0]});
    for (uint32_t i = 0; i < 100; i++) {
        execute(&s, linear(rig_core(&s, 0, 0), AT, i, 16));
        assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_FREED),
                         (i + 1) / 32 * 32);
    }
    terminate(&s);
}

// --- to the host -----------------------------------------------------------------------
static uint32_t host_word(const struct rig *s, uint32_t offset)
{
    uint32_t word;
    assert_true(pcie_host_read(s->chip, 0, TT_COMPLETION + offset, &word, 4));
    return word;
}
// Byte `at` of all records, in a region of `bytes`.
static uint32_t record_word(const struct rig *s, uint32_t at)
{
    return host_word(s, TT_COMPLETION_DATA +
                            at % (s->size.completion_bytes - TT_COMPLETION_DATA));
}

static cmd record(uint32_t number, uint32_t bytes)
{
    cmd w = header(tt_command(TT_CMD_WRITE_HOST, number % 2, 0), bytes, 0, 0);
    cmd_put_bytes(&w, number, bytes);
    return w;
}
static void assert_record(const struct rig *s, uint32_t at, uint32_t number, uint32_t bytes)
{
    assert_int_equal(record_word(s, at), tt_command(TT_CMD_WRITE_HOST, number % 2, 0));
    assert_int_equal(record_word(s, at + 4), bytes);
    for (uint32_t k = 0; k < bytes / 4; k++)
        assert_int_equal(record_word(s, at + 16 + 4 * k), cmd_pattern(number, k));
}

// Seven pages of records: one of three pages often goes on at the region's start.
TEST(the_dispatcher_writes_records_to_the_host)
{
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b],
                                          .pages = 8,
                                          .block = 2,
                                          .completion_bytes = 8 * TT_COMPLETION_PAGE});
        uint32_t at = 0;
        for (uint32_t i = 0; i < 30; i++) {
            uint32_t bytes = i % 3 == 2 ? 9000 : 16, pages = i % 3 == 2 ? 3 : 1;
            execute(&s, record(i, bytes));
            assert_record(&s, at, i, bytes);
            at += pages * TT_COMPLETION_PAGE;
            assert_int_equal(host_word(&s, TT_COMPLETION_COUNT), at);
            assert_int_equal(rig_credit(&s, s.dispatcher, TT_DISPATCH_WRITTEN), at);
            rig_set(&s, s.dispatcher, TT_DISPATCH_READ, at);
        }
        terminate(&s);
    }
}

TEST(the_dispatcher_waits_for_room_in_the_completion_region)
{
    enum { PAGES = 7, PAGE = TT_COMPLETION_PAGE };
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0],
                                      .completion_bytes = (PAGES + 1) * PAGE});
    for (uint32_t i = 0; i < PAGES; i++)
        execute(&s, record(i, 16));
    cmd w = record(PAGES, 5000); // two pages
    rig_send(&s, &w);
    rig_pass(&s);
    assert_int_equal(host_word(&s, TT_COMPLETION_COUNT), PAGES * PAGE);
    rig_set(&s, s.dispatcher, TT_DISPATCH_READ, PAGE); // one is not enough
    rig_pass(&s);
    assert_int_equal(host_word(&s, TT_COMPLETION_COUNT), PAGES * PAGE);
    assert_record(&s, 0, 0, 16);
    rig_set(&s, s.dispatcher, TT_DISPATCH_READ, 2 * PAGE);
    rig_until(&s, s.dispatcher, TT_DISPATCH_DONE, PAGES + 1);
    rig_pass(&s);
    assert_int_equal(host_word(&s, TT_COMPLETION_COUNT), (PAGES + 2) * PAGE);
    assert_record(&s, PAGES * PAGE, PAGES, 5000);
    assert_record(&s, 2 * PAGE, 2, 16);
    terminate(&s);
}

// --- waits -----------------------------------------------------------------------------
static cmd wait_for(uint32_t flags, uint32_t stream, uint32_t address, uint32_t count)
{
    return header(tt_command(TT_CMD_WAIT, flags, stream), address, count, 0);
}

TEST(the_dispatcher_waits_for_memory_and_tells_the_prefetcher)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0]});
    uint32_t word = s.buffers + TT_DISPATCH_EVENTS;
    cmd w = wait_for(TT_WAIT_MEMORY | TT_WAIT_SYNC | TT_WAIT_BARRIER, 0, word, 5);
    rig_send(&s, &w);
    rig_set(&s, s.dispatcher, TT_DISPATCH_EVENTS, 4);
    rig_pass(&s);
    assert_int_equal(rig_credit(&s, s.dispatcher, TT_DISPATCH_DONE), 0);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_SYNC), 0);
    rig_set(&s, s.dispatcher, TT_DISPATCH_EVENTS, 6);
    rig_until(&s, s.prefetcher, TT_PREFETCH_SYNC, 1);
    execute(&s, wait_for(TT_WAIT_MEMORY, 0, word, 6)); // without sync
    execute(&s, header(TT_CMD_DISPATCH_END_BUF, 0, 0, 0));
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_SYNC), 2);
    terminate(&s);
}

TEST(the_dispatcher_waits_for_a_completion_counter_and_clears_it)
{
    enum { STREAM = TT_COMPLETION_STREAM + 3 };
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b]});
        cmd w = wait_for(TT_WAIT_COUNTER, STREAM, 0, 64);
        rig_add_completions(&s, STREAM, 63);
        rig_send(&s, &w);
        rig_pass(&s);
        assert_int_equal(rig_credit(&s, s.dispatcher, TT_DISPATCH_DONE), 0);
        rig_add_completions(&s, STREAM, 1);
        rig_until(&s, s.dispatcher, TT_DISPATCH_DONE, 1);
        assert_int_equal(rig_completions(&s, STREAM), 64);
        // 17 bits: it has wrapped when the count is reached.
        rig_add_completions(&s, STREAM, (1 << 17) - 64 - 10);
        w = wait_for(TT_WAIT_COUNTER | TT_WAIT_CLEAR, STREAM, 0, (1 << 17) + 20);
        rig_send(&s, &w);
        rig_pass(&s);
        assert_int_equal(rig_credit(&s, s.dispatcher, TT_DISPATCH_DONE), 1);
        rig_add_completions(&s, STREAM, 31);
        rig_until(&s, s.dispatcher, TT_DISPATCH_DONE, 2);
        rig_pass(&s);
        assert_int_equal(rig_completions(&s, STREAM), 0);
        terminate(&s);
    }
}

// --- go signals ------------------------------------------------------------------------
static cmd go(uint32_t word, uint32_t count, uint32_t stream)
{
    return header(TT_CMD_SEND_GO, word, count, stream);
}
// What a worker got: the firmware answers in the upper byte.
static uint32_t went(const struct rig *s, int x, int y)
{
    return rig_word(rig_core(s, x, y), s->chip->layout->go_messages) & 0xFFFFFF;
}

TEST(the_subordinate_sends_go_after_the_notification_and_the_completions)
{
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b], .go_pages = 3});
        for (uint32_t i = 1; i <= 10; i++) {
            uint32_t word = tt_go_word(TT_GO_RESET_READ_PTR_FROM_HOST, i, i + 1, 7);
            cmd w = go(word, 64 * i, TT_COMPLETION_STREAM);
            rig_send_go(&s, &w);
            for (uint32_t half = 0; half < 2; half++) { // in either order
                rig_pass(&s);
                assert_int_not_equal(went(&s, 0, 0), word & 0xFFFFFF);
                assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_GO_FREED), i - 1);
                if (half == i % 2)
                    execute(&s, header(tt_command(TT_CMD_NOTIFY, i % 2, 0), 0, 0, 0));
                else
                    rig_add_completions(&s, TT_COMPLETION_STREAM, 64);
            }
            rig_until(&s, s.prefetcher, TT_PREFETCH_GO_FREED, i);
            rig_pass(&s);
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++)
                    assert_int_equal(went(&s, x, y), word & 0xFFFFFF);
            assert_int_equal(went(&s, s.prefetcher->logical.x, s.prefetcher->logical.y), 0);
        }
        terminate(&s);
    }
}

TEST(the_subordinate_sends_go_to_ethernet_tiles_of_a_list)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = "board=n300"});
    const struct tile *eth[4];
    int n = 0;
    for (int i = s.chip->n_workers; n < 4; i++)
        eth[n++] = &s.chip->tiles[i];
    cmd w = header(TT_CMD_GO_NOC_DATA, 4, 0, 0);
    for (int i = 0; i < 4; i++)
        cmd_put(&w, rig_xy(eth[i]));
    rig_send_go(&s, &w);
    uint32_t word = tt_go_word(TT_GO_RESET_READ_PTR_FROM_HOST, 1, 2, 3);
    w = header(tt_command(TT_CMD_SEND_GO, 2, 1), word, 0,
               TT_COMPLETION_STREAM | TT_GO_NO_MULTICAST);
    rig_send_go(&s, &w);
    execute(&s, header(TT_CMD_NOTIFY, 0, 0, 0));
    rig_until(&s, s.prefetcher, TT_PREFETCH_GO_FREED, 2);
    rig_pass(&s);
    for (int i = 0; i < 4; i++)
        assert_int_equal(rig_word(eth[i], s.chip->layout->eth_go_messages) & 0xFFFFFF,
                         i == 1 || i == 2 ? word & 0xFFFFFF : 0);
    assert_int_equal(went(&s, 0, 0), 0);
    terminate(&s);
}

// --- waiting costs nothing -------------------------------------------------------------
// A wait that reads one word and does nothing else is skipped, however long it takes.
static void assert_parked(const struct rig *s, const struct tile *tile, int risc)
{
    rig_pass((struct rig *)s);
    assert_int_equal(tile->risc[risc].state, RISC_PARKED);
    assert_int_equal(tile->risc[risc].park.n_words, 1);
}

TEST(waiting_dispatch_kernels_are_parked)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0],
                                      .has_prefetcher = true,
                                      .completion_bytes = 2 * TT_COMPLETION_PAGE});
    const struct tile *d = s.dispatcher;
    assert_parked(&s, s.prefetcher, TT_BRISC); // for the host
    assert_parked(&s, d, TT_BRISC);            // for a page
    assert_parked(&s, d, TT_NCRISC);
    cmd w = go(0, 1, TT_COMPLETION_STREAM);
    rig_send_go(&s, &w);
    assert_parked(&s, d, TT_NCRISC); // for the notification
    execute(&s, header(TT_CMD_NOTIFY, 0, 0, 0));
    assert_parked(&s, d, TT_NCRISC); // for the counter
    w = wait_for(TT_WAIT_COUNTER, TT_COMPLETION_STREAM, 0, 1);
    rig_send(&s, &w);
    assert_parked(&s, d, TT_BRISC); // for the counter
    rig_add_completions(&s, TT_COMPLETION_STREAM, 1);
    execute(&s, record(0, 16));
    w = record(1, 16);
    rig_send(&s, &w);
    assert_parked(&s, d, TT_BRISC); // for room on the host
    rig_close(&s);
}

// --- refusals --------------------------------------------------------------------------
struct refusal {
    uint32_t w[4];
    const char *text;
};

static void refuse(const struct refusal *r, bool is_go)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0], .pages = 8, .block = 2});
    cmd w = header(r->w[0], r->w[1], r->w[2], r->w[3]);
    cmd_pad(&w, TT_DISPATCH_GO_PAGE);
    if (is_go)
        rig_send_go(&s, &w);
    else
        rig_send(&s, &w);
    rig_expect_fault(&s, r->text);
    rig_close(&s);
}

TEST(the_dispatcher_refuses_what_it_cannot_execute)
{
    static const char unknown[] = "no such command", count[] = "a count over its limit";
    static const char size[] = "a size of 0 or over its limit";
    const struct refusal refusals[] = {
        {{0}, unknown},
        {{TT_CMD_SEND_GO}, unknown},
        {{0xFFFFFFFF}, unknown},
        {{TT_CMD_WRITE_LINEAR, 0, AT, 0}, size},
        {{TT_CMD_WRITE_LINEAR, 0, AT, 8 * 4096 - 15}, size},
        {{TT_CMD_WRITE_LINEAR, 0, AT, 0xFFFFFFF4}, size},
        {{TT_CMD_WRITE_HOST, 0}, size},
        {{TT_CMD_WRITE_HOST, 8 * 4096 - 15}, size},
        {{TT_CMD_WRITE_HOST, 0xFFFFFFF4}, size},
        {{tt_command(TT_CMD_WRITE_PAGED, 0, 12), AT, 64, 1}, count}, // banks
        {{TT_CMD_WRITE_PAGED, AT, 16, TT_PAGED_MOST + 1}, count},
        {{TT_CMD_WRITE_PAGED, AT, 64, 0}, size},
        {{TT_CMD_WRITE_PAGED, AT, 0, 1}, size},
        {{TT_CMD_WRITE_PAGED, AT, 40, 1}, size},
        {{TT_CMD_WRITE_PAGED, AT, 8 * 4096, 1}, size},
        {{TT_CMD_WRITE_PAGED, AT, TT_PAGED_BYTES_MOST + 16, 1}, size},
        {{tt_command(TT_CMD_WRITE_PACKED, 0, 0), 16, AT, 0}, count},
        {{tt_command(TT_CMD_WRITE_PACKED, 0, 1021), 16, AT, 0}, count},
        {{tt_command(TT_CMD_WRITE_PACKED, 1, 511), 16, AT, 0}, count},
        {{tt_command(TT_CMD_WRITE_PACKED, 0, 1), 16, AT, 8}, count},
        {{tt_command(TT_CMD_WRITE_PACKED, 0, 1), 0, AT, 0}, size},
        {{tt_command(TT_CMD_WRITE_PACKED, 0, 1), 4097, AT, 0}, size},
        {{tt_command(TT_CMD_WRITE_PACKED, 0, 8), 4096, AT, 0}, size},
        {{tt_command(TT_CMD_WRITE_PACKED_LARGE, 1, 0), 0}, count},
        {{tt_command(TT_CMD_WRITE_PACKED_LARGE, 1, 36), 0}, count},
        {{tt_command(TT_CMD_WRITE_PACKED_LARGE, 1, 1), 8}, count},
        {{tt_command(TT_CMD_WRITE_PACKED_LARGE, 1, 1), 0}, size}, // of its entry
        {{tt_command(TT_CMD_SET_WRITE_OFFSET, 9, 0)}, count},
        {{tt_command(TT_CMD_WAIT, TT_WAIT_COUNTER, 64)}, count},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        refuse(&refusals[i], false);
    const struct refusal of_go[] = {
        {{TT_CMD_NOTIFY}, unknown},
        {{TT_CMD_GO_NOC_DATA, 33}, count},
        {{tt_command(TT_CMD_SEND_GO, 1, 32)}, count},
        {{TT_CMD_SEND_GO, 0, 0, 64}, count},
    };
    for (size_t i = 0; i < sizeof of_go / sizeof *of_go; i++)
        refuse(&of_go[i], true);
}
