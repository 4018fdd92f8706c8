// test_prefetch_kernel.c - all three kernels of fast dispatch, fed by queue entries: the
// way of an entry, buffers of every kind that wrap, data from DRAM, traces, refusals.
#include <errno.h>

#include "sample_dispatch.h"

static const char *const boards[] = {"board=n150", "board=p150"};
enum { BOARDS = 2, AT = 0x60000, TEXT_AT = 0x90000 }; // L1 of the workers that is free

// --- commands --------------------------------------------------------------------------
static cmd header(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    cmd w = {0};
    cmd_put_header(&w, w0, w1, w2, w3);
    return w;
}
static void relay(cmd *entry, cmd command)
{
    cmd_relay(entry, TT_CMD_RELAY_INLINE, TT_RELAY_TO_DISPATCHER, &command);
}
static void relay_go(cmd *entry, cmd command)
{
    cmd_relay(entry, TT_CMD_RELAY_INLINE, TT_RELAY_TO_SUBORDINATE, &command);
}
static cmd linear(const struct tile *to, uint32_t address, uint32_t seed, uint32_t bytes)
{
    cmd w = header(TT_CMD_WRITE_LINEAR, rig_xy(to), address, bytes);
    cmd_put_bytes(&w, seed, bytes);
    return w;
}
static void put_linear(cmd *entry, const struct tile *to, uint32_t seed, uint32_t bytes)
{
    relay(entry, linear(to, AT, seed, bytes));
}
static void terminate(struct rig *s)
{
    cmd entry = {0};
    relay(&entry, header(TT_CMD_DISPATCH_TERMINATE, 0, 0, 0));
    relay_go(&entry, header(TT_CMD_DISPATCH_TERMINATE, 0, 0, 0));
    cmd_put_header(&entry, TT_CMD_TERMINATE, 0, 0, 0);
    rig_enqueue(s, &entry, 0);
    assert_int_equal(ttdev_wait(s->t, 0, 10000000), 0);
    rig_close(s);
}
static void finish(struct rig *s, uint32_t commands) // of the dispatcher
{
    rig_until(s, s->dispatcher, TT_DISPATCH_DONE, commands);
    rig_pass(s);
}

// --- entries ---------------------------------------------------------------------------
TEST(the_prefetcher_executes_entries_and_tells_the_host)
{
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b], .has_prefetcher = true});
        rig_until(&s, s.prefetcher, TT_PREFETCH_NEXT, s.buffers + TT_PREFETCH_QUEUE);
        for (uint32_t i = 0; i < 6; i++) {
            cmd entry = {0};
            put_linear(&entry, rig_core(&s, (int)i, 0), i, 100 * i + 4);
            put_linear(&entry, rig_core(&s, (int)i, 1), i + 50, 3000 * i + 4);
            rig_enqueue(&s, &entry, 0);
        }
        finish(&s, 12);
        for (uint32_t i = 0; i < 6; i++) {
            assert_pattern(rig_core(&s, (int)i, 0), AT, i, 100 * i + 4);
            assert_pattern(rig_core(&s, (int)i, 1), AT, i + 50, 3000 * i + 4);
            assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_QUEUE + 4 * i), 0);
        }
        assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_NEXT),
                         s.buffers + TT_PREFETCH_QUEUE + 4 * 6);
        assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_CONSUMED), s.issued);
        assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_DONE), 12);
        terminate(&s);
    }
}

// Three words in the queue, a ring of 20 KiB, an issue region of 40 KiB, 8 pages and 2 of
// the subordinate's: all wrap many times, at other moments.
TEST(all_buffers_of_the_prefetcher_wrap)
{
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[b],
                                          .has_prefetcher = true,
                                          .pages = 8,
                                          .block = 2,
                                          .go_pages = 2,
                                          .entries = 3,
                                          .ring = 20 << 10,
                                          .issue_bytes = 40 << 10});
        enum { ENTRIES = 150, SLOTS = 8, SLOT = 0x8000 };
        uint32_t random = 1, commands = 0, sent = 0, seeds[SLOTS] = {0}, sizes[SLOTS] = {0};
        for (uint32_t i = 0; i < ENTRIES; i++) {
            cmd entry = {0};
            while (entry.n == 0 || random >> 28 < 8) {
                random = random * 1664525 + 1013904223;
                uint32_t slot = random >> 20 & 7, bytes = 4 + (random >> 8 & 0x7FC);
                if (random >> 30 == 0)
                    bytes += 8000;
                if (entry.n * 4 + bytes > 18 << 10)
                    break;
                relay(&entry,
                      linear(rig_core(&s, 2, 2), AT + SLOT * slot, ++commands, bytes));
                seeds[slot] = commands;
                sizes[slot] = bytes;
            }
            if (i % 4 == 0) {
                relay(&entry, header(TT_CMD_NOTIFY, 0, 0, 0));
                relay_go(&entry,
                         header(TT_CMD_SEND_GO,
                                tt_go_word(TT_GO_RESET_READ_PTR_FROM_HOST, i & 63, 1, 1), 0,
                                TT_COMPLETION_STREAM));
                commands++;
                sent++;
            }
            rig_enqueue(&s, &entry, i % 7 == 0 ? TT_ENTRY_STALLS : 0);
        }
        finish(&s, commands);
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            assert_pattern(rig_core(&s, 2, 2), AT + SLOT * slot, seeds[slot], sizes[slot]);
        assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_CONSUMED), s.issued);
        assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_GO_FREED), sent);
        assert_true(s.issued > 10 * s.size.issue_bytes);
        terminate(&s);
    }
}

// The dispatcher waits, and then the subordinate: no more than their pages are filled.
TEST(the_prefetcher_waits_for_pages)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0],
                                      .has_prefetcher = true,
                                      .pages = 8,
                                      .block = 2,
                                      .go_pages = 2});
    cmd entry = {0};
    relay(&entry,
          header(tt_command(TT_CMD_WAIT, TT_WAIT_COUNTER, TT_COMPLETION_STREAM), 0, 1, 0));
    for (uint32_t i = 0; i < 20; i++)
        relay(&entry, linear(rig_core(&s, 0, 0), AT + 64 * i, i, 64));
    for (uint32_t i = 0; i < 5; i++)
        relay_go(&entry, header(TT_CMD_SEND_GO, 0, 2, TT_COMPLETION_STREAM));
    for (uint32_t i = 0; i < 5; i++)
        relay(&entry, header(TT_CMD_NOTIFY, 0, 0, 0));
    rig_enqueue(&s, &entry, 0);
    rig_pass(&s);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_DONE), 8);
    assert_int_equal(s.prefetcher->risc[TT_BRISC].state, RISC_PARKED);
    rig_add_completions(&s, TT_COMPLETION_STREAM, 1);
    rig_pass(&s);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_DONE), 21 + 2);
    for (uint32_t i = 0; i < 20; i++)
        assert_pattern(rig_core(&s, 0, 0), AT + 64 * i, i, 64);
    // The notifications are behind what waits, so the test notifies.
    rig_add_completions(&s, TT_COMPLETION_STREAM, 1);
    rig_set(&s, s.dispatcher, TT_DISPATCH_NOTIFIED, 5);
    rig_until(&s, s.prefetcher, TT_PREFETCH_GO_FREED, 5);
    finish(&s, 21 + 5);
    terminate(&s);
}

// A command that needs all pages while some in front of it were not given back yet.
TEST(a_command_may_be_as_long_as_the_dispatch_buffer)
{
    for (uint32_t before = 0; before < 8; before++) {
        struct rig s;
        rig_open(&s,
                 (struct rig_options){
                     .config = boards[0], .has_prefetcher = true, .pages = 16, .block = 4});
        uint32_t bytes = 16 * TT_DISPATCH_PAGE - TT_COMMAND_BYTES;
        cmd entry = {0};
        for (uint32_t i = 0; i < before; i++)
            put_linear(&entry, rig_core(&s, 0, 0), i, 16);
        put_linear(&entry, rig_core(&s, 1, 0), 100, bytes);
        put_linear(&entry, rig_core(&s, 2, 0), 101, 16);
        rig_enqueue(&s, &entry, 0);
        cmd next = {0};
        put_linear(&next, rig_core(&s, 3, 0), 102, bytes);
        rig_enqueue(&s, &next, 0);
        finish(&s, before + 3);
        assert_pattern(rig_core(&s, 1, 0), AT, 100, bytes);
        assert_pattern(rig_core(&s, 2, 0), AT, 101, 16);
        assert_pattern(rig_core(&s, 3, 0), AT, 102, bytes);
        terminate(&s);
    }
}

// --- data from DRAM --------------------------------------------------------------------
static uint32_t dram_buffers(const struct rig *s)
{
    ttdev_info info;
    assert_int_equal(ttdev_get_info(s->t, 0, &info), 0);
    return (uint32_t)info.dram_buffers;
}
// Text of so many bytes, from DRAM, to all cores of a rectangle.
static void put_text(struct rig *s, cmd *entry, uint32_t seed, uint32_t bytes)
{
    int bank = (int)seed % 5;
    uint32_t at = dram_buffers(s) + 0x20000 * seed;
    cmd data = {0};
    cmd_put_bytes(&data, seed, bytes);
    assert_int_equal(ttdev_dram_write(s->t, 0, bank, at, data.v, bytes), 0);
    vec_free(&data);
    cmd w = header(tt_command(TT_CMD_WRITE_PACKED_LARGE, TT_LARGE_TEXT, 1), 0, 0, 0);
    cmd_put_header(&w, rig_rectangle(s, 0, 0, 3, 3), TEXT_AT, bytes, 16 | TT_LARGE_UNLINK);
    cmd_relay(entry, TT_CMD_RELAY_INLINE_NOFLUSH, TT_RELAY_TO_DISPATCHER, &w);
    cmd_put_header(entry, TT_CMD_RELAY_LINEAR, (uint32_t)bank, at, bytes);
}

TEST(kernel_text_comes_from_dram)
{
    static const uint32_t sizes[] = {
        16,         4096 - 32, 4096 - 16, 8192,
        16384 + 48, 40000,     65536,     100000 + 48 - 100000 % 16,
        126 * 1024};
    for (int b = 0; b < BOARDS; b++) {
        struct rig s;
        rig_open(&s,
                 (struct rig_options){
                     .config = boards[b], .has_prefetcher = true, .pages = 32, .block = 8});
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            cmd entry = {0};
            put_text(&s, &entry, i, sizes[i]);
            rig_enqueue(&s, &entry, 0);
            finish(&s, i + 1);
            for (int x = 0; x < 4; x++)
                assert_pattern(rig_core(&s, x, 3 - x), TEXT_AT, i, sizes[i]);
        }
        terminate(&s);
    }
}

// --- stalls ----------------------------------------------------------------------------
TEST(the_prefetcher_stalls_until_the_dispatcher_says_so)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0], .has_prefetcher = true});
    cmd entry = {0};
    relay(&entry, header(tt_command(TT_CMD_WAIT, TT_WAIT_COUNTER | TT_WAIT_SYNC,
                                    TT_COMPLETION_STREAM),
                         0, 7, 0));
    cmd_put_header(&entry, TT_CMD_STALL, 0, 0, 0);
    put_linear(&entry, rig_core(&s, 0, 0), 5, 16);
    rig_enqueue(&s, &entry, 0);
    rig_pass(&s);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_DONE), 1);
    assert_int_equal(s.prefetcher->risc[TT_BRISC].state, RISC_PARKED);
    rig_add_completions(&s, TT_COMPLETION_STREAM, 7);
    finish(&s, 2);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_DONE), 3);
    assert_pattern(rig_core(&s, 0, 0), AT, 5, 16);
    terminate(&s);
}

TEST(nothing_is_fetched_behind_an_entry_that_stalls)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0], .has_prefetcher = true});
    cmd entry = {0}, next = {0};
    relay(&entry, header(tt_command(TT_CMD_WAIT, TT_WAIT_COUNTER | TT_WAIT_SYNC,
                                    TT_COMPLETION_STREAM),
                         0, 1, 0));
    cmd_put_header(&entry, TT_CMD_STALL, 0, 0, 0);
    rig_enqueue(&s, &entry, TT_ENTRY_STALLS);
    put_linear(&next, rig_core(&s, 0, 0), 5, 16);
    rig_enqueue(&s, &next, 0);
    rig_pass(&s);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_NEXT),
                     s.buffers + TT_PREFETCH_QUEUE + 4);
    rig_add_completions(&s, TT_COMPLETION_STREAM, 1);
    finish(&s, 2);
    assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_NEXT),
                     s.buffers + TT_PREFETCH_QUEUE + 8);
    terminate(&s);
}

// --- traces ----------------------------------------------------------------------------
enum { TRACE_SLOTS = 8, TRACE_CORES = 48, TRACE_MOST = TRACE_SLOTS * TRACE_CORES };

struct sample_trace {
    uint32_t address, shift, pages;
    uint32_t writes, commands; // of the dispatcher: those that write, all
    uint32_t seed;
};

static const struct tile *trace_core(const struct rig *s, uint32_t i)
{
    return rig_core(s, (int)(i % 8), (int)(i / 8 % 6));
}
static uint32_t trace_slot(uint32_t i)
{
    return AT + 0x2000 * (i / TRACE_CORES);
}
static uint32_t trace_bytes(uint32_t i)
{
    return i % 4 == 3 ? 5000 : 4 + 52 * (i % 50);
}

// Writes to DRAM a trace with commands of all sizes, at least so many bytes.
static struct sample_trace put_trace(struct rig *s, uint32_t seed, uint32_t shift,
                                     uint32_t bytes)
{
    struct sample_trace t = {
        .address = dram_buffers(s) + 0x200000, .shift = shift, .seed = seed};
    uint32_t banks = (uint32_t)s->chip->n_banks, page = 1u << shift;
    cmd w = {0};
    for (; w.n * 4 < bytes; t.writes++) {
        relay(&w, linear(trace_core(s, t.writes), trace_slot(t.writes), seed + t.writes,
                         trace_bytes(t.writes)));
        if (t.writes % 16 != 15)
            continue;
        relay(&w, header(TT_CMD_NOTIFY, 0, 0, 0));
        relay_go(&w,
                 header(TT_CMD_SEND_GO, tt_go_word(TT_GO_RESET_READ_PTR_FROM_HOST, 1, 1, 1),
                        0, TT_COMPLETION_STREAM));
        t.commands++;
    }
    assert_true(t.writes <= TRACE_MOST);
    put_text(s, &w, 3, 20000);
    cmd end = header(TT_CMD_DISPATCH_END_BUF, 0, 0, 0);
    cmd_relay(&w, TT_CMD_EXEC_BUF_END, TT_RELAY_TO_DISPATCHER, &end);
    t.commands += t.writes + 2;
    cmd_pad(&w, page);
    t.pages = (uint32_t)(w.n * 4 / page);
    for (uint32_t i = 0; i < t.pages; i++)
        assert_int_equal(ttdev_dram_write(s->t, 0, (int)(i % banks),
                                          t.address + i / banks * page,
                                          (const uint8_t *)w.v + (size_t)i * page, page),
                         0);
    vec_free(&w);
    return t;
}

// An entry that replays it, and one behind.
static void replay(struct rig *s, const struct sample_trace *t, uint32_t number)
{
    cmd entry = {0}, next = {0};
    put_linear(&entry, rig_core(s, 6, 7), number, 16);
    cmd_put_header(&entry, TT_CMD_EXEC_BUF, t->address, t->shift, t->pages);
    rig_enqueue(s, &entry, TT_ENTRY_STALLS);
    put_linear(&next, rig_core(s, 7, 7), number, 16);
    rig_enqueue(s, &next, 0);
}
static void assert_replayed(const struct rig *s, const struct sample_trace *t,
                            uint32_t number)
{
    for (uint32_t i = 0; i < t->writes; i++)
        assert_pattern(trace_core(s, i), trace_slot(i), t->seed + i, trace_bytes(i));
    for (int x = 0; x < 4; x++)
        assert_pattern(rig_core(s, x, 3 - x), TEXT_AT, 3, 20000);
    assert_pattern(rig_core(s, 6, 7), AT, number, 16);
    assert_pattern(rig_core(s, 7, 7), AT, number, 16);
}

// The last two rings hold less than the trace; in the last a chunk is a page.
TEST(the_prefetcher_replays_traces_from_dram)
{
    static const struct {
        uint32_t ring, shift, bytes;
    } cases[] = {
        {0, 11, 30000},         {0, 10, 300000},        {0, 13, 5000},
        {48 << 10, 11, 400000}, {20 << 10, 12, 100000},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct rig s;
        rig_open(&s, (struct rig_options){.config = boards[i % 2],
                                          .has_prefetcher = true,
                                          .pages = 32,
                                          .block = 8,
                                          .ring = cases[i / 2].ring});
        uint32_t commands = 0;
        for (uint32_t n = 0; n < 3; n++) {
            struct sample_trace t =
                put_trace(&s, 1000 * n, cases[i / 2].shift, cases[i / 2].bytes);
            replay(&s, &t, n);
            finish(&s, commands += t.commands + 2);
            assert_replayed(&s, &t, n);
            assert_int_equal(rig_credit(&s, s.prefetcher, TT_PREFETCH_CONSUMED), s.issued);
        }
        terminate(&s);
    }
}

// --- the same for any way to run it ----------------------------------------------------
static uint64_t hash_of_run(const char *config)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = config, .has_prefetcher = true});
    struct sample_trace t = put_trace(&s, 0, 11, 60000);
    replay(&s, &t, 5);
    finish(&s, t.commands + 2);
    assert_replayed(&s, &t, 5);
    uint64_t hash = ttdev_state_hash(s.t, 0);
    terminate(&s);
    return hash;
}

TEST(dispatch_kernels_do_the_same_for_any_quantum_threads_and_parking)
{
    uint64_t hash = hash_of_run("board=n150");
    assert_true(hash == hash_of_run("board=n150 quantum=8 park=off"));
    assert_true(hash == hash_of_run("board=n150 quantum=32 threads=2"));
}

// --- refusals --------------------------------------------------------------------------
static void refuse(const uint32_t w[4], uint32_t flags, const char *text)
{
    struct rig s;
    rig_open(&s, (struct rig_options){.config = boards[0],
                                      .has_prefetcher = true,
                                      .pages = 8,
                                      .block = 2,
                                      .ring = 40 << 10});
    cmd entry = header(w[0], w[1], w[2], w[3]);
    for (int i = 0; i < 8; i++)
        cmd_put_header(&entry, TT_CMD_RELAY_INLINE, 16, 32, 0);
    rig_enqueue(&s, &entry, flags);
    rig_expect_fault(&s, text);
    rig_close(&s);
}

TEST(the_prefetcher_refuses_what_it_cannot_execute)
{
    static const char unknown[] = "no such command", count[] = "a count over its limit";
    static const char size[] = "a size of 0 or over its limit";
    const struct {
        uint32_t w[4], flags;
        const char *text;
    } refusals[] = {
        {{0}, 0, unknown},
        {{99}, 0, "dispatch command 99: no such command"},
        {{tt_command(TT_CMD_RELAY_INLINE, 2, 0), 16, 32}, 0, "no such target of a relay"},
        {{TT_CMD_RELAY_INLINE, 0, 16}, 0, size},
        {{TT_CMD_RELAY_INLINE, 16, 16}, 0, size},
        {{TT_CMD_RELAY_INLINE, 16, 40}, 0, size},
        {{TT_CMD_RELAY_INLINE, 16, 1024}, 0, size}, // behind the entry
        {{TT_CMD_RELAY_INLINE, 0xFFFFFFF0, 0}, 0, size},
        {{tt_command(TT_CMD_RELAY_INLINE, 1, 0), 257, 288}, 0, size},
        {{TT_CMD_RELAY_INLINE_NOFLUSH, 20, 48}, 0, size},
        {{TT_CMD_RELAY_LINEAR, 12, 0, 16}, 0, count}, // banks
        {{TT_CMD_RELAY_LINEAR, 0, 0, 0}, 0, size},
        {{TT_CMD_RELAY_LINEAR, 0, 0, 20}, 0, size},
        {{tt_command(TT_CMD_RELAY_LINEAR, 1, 0), 1 << 4 | 1 << 10, 0, 20}, 0, size},
        {{TT_CMD_RELAY_LINEAR, 0, 0, 8 * 4096 + 16}, 0, size},
        {{tt_command(TT_CMD_RELAY_PAGED, 0, 12), 0, 64, 1}, 0, count}, // banks
        {{TT_CMD_RELAY_PAGED, 0, 64, 0}, 0, count},
        {{TT_CMD_RELAY_PAGED, 0, 64, TT_PAGED_MOST + 1}, 0, count},
        {{TT_CMD_RELAY_PAGED, 0, 0, 1}, 0, size},
        {{TT_CMD_RELAY_PAGED, 0, 40, 1}, 0, size},
        {{TT_CMD_RELAY_PAGED, 0, TT_PAGED_BYTES_MOST + 16, 1}, 0, size},
        {{TT_CMD_RELAY_PAGED, 0, 8 * 4096 + 16, 1}, 0, size},
        {{TT_CMD_EXEC_BUF, 0, 11, 1}, 0, unknown}, // the entry does not stall
        {{TT_CMD_EXEC_BUF, 0, 9, 1}, TT_ENTRY_STALLS, size},
        {{TT_CMD_EXEC_BUF, 0, 14, 1}, TT_ENTRY_STALLS, size},
        {{TT_CMD_EXEC_BUF, 0, 11, 0}, TT_ENTRY_STALLS, size},
        {{TT_CMD_EXEC_BUF, 0, 11, 1 << 20}, TT_ENTRY_STALLS, size},
        {{TT_CMD_EXEC_BUF, 0, 11, 1}, TT_ENTRY_STALLS, unknown}, // DRAM is empty
        {{TT_CMD_EXEC_BUF_END, 16, 32}, 0, unknown},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        refuse(refusals[i].w, refusals[i].flags, refusals[i].text);
}

TEST(the_prefetcher_refuses_queue_words_of_no_entry)
{
    static const uint32_t sizes[] = {TT_ENTRY_STALLS, 3, TT_ENTRY_MOST / 16 + 4,
                                     (20 << 10) / 16 + 4, 0x7FFFFFFC};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct rig s;
        rig_open(&s, (struct rig_options){
                         .config = boards[0], .has_prefetcher = true, .ring = 20 << 10});
        rig_set(&s, s.prefetcher, TT_PREFETCH_QUEUE, sizes[i]);
        rig_expect_fault(&s, "dispatch command 0: a size of 0 or over its limit");
        rig_close(&s);
    }
}
