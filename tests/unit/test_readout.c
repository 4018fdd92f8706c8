// test_readout.c - what a read-out reads, writes and says, on memory instead of a device.
#include <errno.h>

#include "sample_access.h"
#include "test.h"

struct bench {
    struct fake *f;
    struct collection c;
    struct readout *r;
};

static void bench_options(struct bench *b)
{
    memset(&b->c, 0, sizeof b->c);
    profiler_options_default(&b->c.options);
    b->c.options.is_enabled = true;
    b->c.options.level = TT_LEVEL_ALL;
}

static void bench_open(struct bench *b)
{
    struct err e = {0};
    b->r = readout_open(&b->f->access, &b->c, &e);
    if (!b->r)
        fail_msg("%s", e.text);
    for (int c = 0; c < b->f->n_chips; c++)
        memset(b->f->chips[c].n_resets, 0, sizeof b->f->chips[c].n_resets);
}

static void bench_new(struct bench *b, size_t n_workers, size_t n_eth)
{
    b->f = fake_new(1, n_workers, n_eth);
    bench_options(b);
    bench_open(b);
}

static void bench_read(struct bench *b, int chip)
{
    struct err e = {0};
    if (!readout_chip(b->r, chip, READ_NORMAL, &e))
        fail_msg("%s", e.text);
}

static void bench_free(struct bench *b)
{
    readout_close(b->r);
    collection_free(&b->c);
    fake_free(b->f);
}

static str said(const struct bench *b)
{
    return buf_view(readout_warnings(b->r));
}

static struct core_health *core_health(struct bench *b, size_t core)
{
    return &b->c.chips.v[0].core_health[core];
}

static struct risc_health *risc_health(struct bench *b, size_t core, int risc)
{
    return &b->c.chips.v[0].riscs[core][risc];
}

// --- opening ---------------------------------------------------------------------------

TEST(opening_writes_the_control_vector_of_every_core)
{
    struct bench b = {.f = fake_new(1, 3, 1)};
    bench_options(&b);
    b.c.options.sum = true;
    for (size_t i = 0; i < 4; i++)
        memset(fake_control(b.f, 0, i), 0xAB, sizeof(uint32_t[TT_CONTROL_WORDS]));
    bench_open(&b);
    for (size_t i = 0; i < 4; i++) {
        uint32_t want[TT_CONTROL_WORDS] = {
            [TT_CONTROL_MAGIC] = 0x31505454,
            [TT_CONTROL_FLAGS] = TT_LEVEL_ALL | TT_FLAG_SUM,
            [TT_CONTROL_REGION_BYTES] = 64000,
            [47] = 32,
            [TT_CONTROL_DRAM_ADDRESS] = 32,
            [TT_CONTROL_FLAT_ID] = (uint32_t)i,
            [TT_CONTROL_CORES_PER_BANK] = FAKE_CORES_PER_BANK,
            [60] = 32,
            [61] = 32,
            [62] = 32,
            [63] = 32,
        };
        assert_memory_equal(fake_control(b.f, 0, i), want, sizeof want);
    }
    assert_int_equal(b.c.chips.n, 1);
    assert_int_equal(b.c.chips.v[0].mhz, 1000);
    assert_int_equal(b.c.chips.v[0].max_compute_cores, 80);
    assert_in_range(b.c.chips.v[0].clock_at_open, 1000000, 1000010);
    bench_free(&b);
}

TEST(a_region_that_does_not_fit_is_an_error_that_names_the_largest_count)
{
    struct bench b = {.f = fake_new(1, 1, 0)};
    struct err e = {0};
    bench_options(&b);
    b.c.options.program_count = 3000;
    b.f->dram_bytes = 48ull * 2345 * TT_RISCS * FAKE_CORES_PER_BANK + 47;
    assert_null(readout_open(&b.f->access, &b.c, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    STR_IS(str_of(e.text),
           "device 0: a profiler region of 144000 bytes per RISC does not fit: every DRAM "
           "bank reserves 4502447 bytes for it; set "
           "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT to 2345 or less");
    assert_null(b.f->event);
    collection_free(&b.c);
    memset(&e, 0, sizeof e);
    bench_options(&b);
    b.c.options.program_count = 2345;
    bench_open(&b);
    bench_free(&b);
}

TEST(two_buffers_must_fit_where_nothing_may_be_lost)
{
    struct bench b = {.f = fake_new(1, 1, 0)};
    struct err e = {0};
    bench_options(&b);
    b.c.options.overflow = OVERFLOW_STALL;
    b.f->dram_bytes = 2ull * 24000 * TT_RISCS * FAKE_CORES_PER_BANK;
    bench_open(&b); // 500 programs
    assert_non_null(b.f->quiet);
    readout_close(b.r);
    assert_null(b.f->quiet);
    b.f->dram_bytes--;
    assert_null(readout_open(&b.f->access, &b.c, &e));
    b.r = NULL;
    bench_free(&b);
}

// --- what is read ----------------------------------------------------------------------

TEST(one_small_op_on_80_cores_reads_43776_bytes)
{
    struct bench b;
    bench_new(&b, 80, 16);
    for (size_t i = 0; i < 80; i++)
        for (int risc = 0; risc < TT_RISCS; risc++)
            fake_run(b.f, 0, i, risc, 7, 5000 + i);
    bench_read(&b, 0);
    assert_int_equal(readout_bytes(b.r), 96 * 256 + 80 * 5 * 48);
    assert_int_equal(readout_bytes(b.r), 43776);
    assert_int_equal(b.c.blocks.n, 400);
    for (size_t i = 0; i < b.c.blocks.n; i++) {
        const struct word_block *block = &b.c.blocks.v[i];
        uint32_t want[12];
        fake_chunk(want, (int)block->core, block->risc, 7, 5000 + block->core);
        assert_int_equal(block->n, 12);
        assert_int_equal(block->source, BLOCK_DRAM);
        assert_memory_equal(block->words, want, sizeof want);
        assert_true(block->clock >= 1000000);
    }
    // Nothing was lost, and only cores that were used are written to.
    assert_int_equal(fake_findings(&b.c), 0);
    for (size_t i = 0; i < 96; i++)
        assert_int_equal(b.f->chips[0].n_resets[i], i < 80);
    STR_IS(said(&b), "");
    bench_free(&b);
}

TEST(a_reset_core_is_as_after_opening_and_gives_nothing_twice)
{
    struct bench b;
    bench_new(&b, 1, 0);
    uint32_t before[TT_CONTROL_WORDS];
    memcpy(before, fake_control(b.f, 0, 0), sizeof before);
    fake_run(b.f, 0, 0, 0, 1, 100);
    fake_control(b.f, 0, 0)[TT_CONTROL_NOC_X] = 18;
    bench_read(&b, 0);
    assert_memory_equal(fake_control(b.f, 0, 0), before, sizeof before);
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 1);
    fake_run(b.f, 0, 0, 0, 2, 200);
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 2);
    assert_int_equal(b.c.blocks.v[1].words[TT_CHUNK_ID_LL], 2);
    assert_int_equal(b.c.blocks.v[1].readout, 2);
    assert_int_equal(b.c.n_readouts, 3);
    assert_int_equal(core_health(&b, 0)->flushes, 2);
    assert_int_equal(core_health(&b, 0)->flush_cycles, 200);
    assert_int_equal(core_health(&b, 0)->flush_max, 100);
    bench_free(&b);
}

TEST(an_ethernet_core_has_one_risc)
{
    struct bench b;
    bench_new(&b, 1, 1);
    fake_run(b.f, 0, 1, 0, 1, 100);
    fake_control(b.f, 0, 1)[TT_CONTROL_HOST_END + 1] = 12; // no such RISC
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 1);
    assert_int_equal(b.c.blocks.v[0].core, 1);
    bench_free(&b);
}

TEST(the_clock_does_not_tear)
{
    struct bench b;
    bench_new(&b, 1, 0);
    uint64_t clock = 0;
    b.f->chips[0].clock = 0x1FFFFFFFFu - 1;
    assert_true(readout_clock(&b.f->access, 0, &clock));
    assert_in_range(clock, 0x1FFFFFFFFu, 0x200000003u);
    assert_int_equal(readout_bytes(b.r), 0);
    bench_free(&b);
}

// --- losses ----------------------------------------------------------------------------

TEST(dropped_markers_are_warned_of_once_in_the_words_of_the_reference)
{
    struct bench b;
    bench_new(&b, 2, 1);
    uint32_t *control = fake_control(b.f, 0, 1);
    fake_run(b.f, 0, 1, 0, 1, 100);
    fake_run(b.f, 0, 1, 3, 1, 100);
    control[TT_CONTROL_DROPPED] = 1 << 3 | 1 << 4; // of the last one nothing is there
    fake_run(b.f, 0, 2, 0, 1, 100);
    fake_control(b.f, 0, 2)[TT_CONTROL_DROPPED] = 1;
    bench_read(&b, 0);
    STR_IS(said(&b),
           "Profiler DRAM buffers were full, markers were dropped! device 0, worker core "
           "19, 18, Risc TRISC_1,  bufferEndIndex = 12 and 1 more RISC. Please either "
           "decrease the number of ops being profiled or run read device profiler more "
           "often\n");
    assert_true(b.c.chips.v[0].is_lossy);
    assert_true(risc_health(&b, 1, 3)->is_lossy);
    assert_false(risc_health(&b, 1, 0)->is_lossy);
    bench_free(&b);
}

TEST(losses_add_up_and_the_first_one_stays)
{
    struct bench b;
    bench_new(&b, 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t *control = fake_control(b.f, 0, 0);
        fake_run(b.f, 0, 0, 2, i + 1, 100 + i);
        control[TT_CONTROL_L1_DROPPED + 2] = 10;
        control[TT_CONTROL_DRAM_DROPPED + 2] = 1;
        control[TT_CONTROL_FIRST_DROP_L + 2] = 500 + i;
        control[TT_CONTROL_FIRST_DROP_H + 2] = 1;
        bench_read(&b, 0);
    }
    const struct risc_health *h = risc_health(&b, 0, 2);
    assert_int_equal(h->l1_dropped, 30);
    assert_int_equal(h->dram_dropped, 3);
    assert_true(h->first_drop == (1ull << 32 | 500));
    assert_int_equal(fake_findings(&b.c), 33);
    assert_true(core_health(&b, 0)->is_counted);
    bench_free(&b);
}

// --- what goes wrong -------------------------------------------------------------------

TEST(a_core_that_cannot_be_read_costs_itself_only)
{
    struct bench b;
    bench_new(&b, 3, 0);
    for (size_t i = 0; i < 3; i++)
        fake_run(b.f, 0, i, 0, 1, 100);
    b.f->chips[0].is_dead[1] = true;
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 2);
    assert_true(core_health(&b, 1)->is_damaged);
    assert_false(core_health(&b, 0)->is_damaged);
    STR_IS(said(&b), "device 0: cannot read 1 cores\n");
    bench_free(&b);
}

TEST(a_bank_that_cannot_be_read_gives_missing_words)
{
    struct bench b;
    bench_new(&b, 9, 0);
    fake_run(b.f, 0, 0, 0, 1, 100);
    fake_run(b.f, 0, 8, 0, 1, 100);
    b.f->chips[0].is_dead_bank[1] = true;
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 2);
    assert_int_equal(b.c.blocks.v[0].n, 12);
    assert_int_equal(b.c.blocks.v[1].n, 0);
    assert_int_equal(b.c.blocks.v[1].n_missing, 12);
    assert_true(core_health(&b, 8)->is_damaged);
    bench_free(&b);
}

TEST(absurd_control_words_are_clamped_and_told)
{
    static const struct {
        int word;
        uint32_t value;
        size_t words; // of the BRISC's block
    } cases[] = {
        {TT_CONTROL_HOST_END, 0xFFFFFFF0, 12000},
        {TT_CONTROL_HOST_END, 12001, 12000},
        {TT_CONTROL_DEVICE_END, 513, 12},
        {TT_CONTROL_MAGIC, 0x31505455, 12},
        {TT_CONTROL_FLAT_ID, 200, 12},
        {TT_CONTROL_REGION_BYTES, 48, 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        bench_new(&b, 2, 0);
        fake_run(b.f, 0, 0, 0, 1, 100);
        fake_run(b.f, 0, 1, 0, 1, 100);
        fake_control(b.f, 0, 0)[cases[i].word] = cases[i].value;
        bench_read(&b, 0);
        assert_int_equal(b.c.blocks.n, 2);
        assert_int_equal(b.c.blocks.v[0].n, cases[i].words);
        assert_true(core_health(&b, 0)->is_damaged);
        assert_false(core_health(&b, 1)->is_damaged);
        assert_int_equal(b.f->chips[0].n_resets[0], 1); // it is whole again
        assert_int_equal(fake_findings(&b.c), 1);
        bench_free(&b);
    }
}

TEST(a_program_that_does_not_end_gives_a_partial_run_and_its_core_stays)
{
    struct bench b;
    bench_new(&b, 2, 0);
    fake_run(b.f, 0, 0, 0, 1, 100);
    fake_run(b.f, 0, 1, 0, 1, 100); // its first program, in DRAM
    uint32_t *control = fake_control(b.f, 0, 1);
    memset(control + TT_CONTROL_DEVICE_END, 0, TT_RISCS * sizeof *control);
    control[TT_CONTROL_DEVICE_END + 1] = 16; // NCRISC is through, BRISC is not
    control[TT_CONTROL_L1_DROPPED] = 5;
    fake_l1(b.f, 0, 1, 0)[TT_CHUNK_CUSTOM] = 0x80001000;
    b.f->chips[0].wait_rc = -EDEADLK;
    b.f->chips[0].is_busy[1] = true;
    for (int i = 0; i < 2; i++) { // nothing moves: the second time brings nothing new
        bench_read(&b, 0);
        assert_int_equal(b.c.blocks.n, 7);
        assert_int_equal(risc_health(&b, 1, 0)->l1_dropped, 5);
    }
    static const struct {
        uint32_t core, risc, source, n;
    } want[] = {{0, 0, BLOCK_DRAM, 12},     {1, 0, BLOCK_DRAM, 12},
                {1, 0, BLOCK_PARTIAL, 512}, {1, 1, BLOCK_L1, 16},
                {1, 2, BLOCK_PARTIAL, 512}, {1, 3, BLOCK_PARTIAL, 512},
                {1, 4, BLOCK_PARTIAL, 512}};
    for (size_t i = 0; i < 7; i++) {
        const struct word_block *block = &b.c.blocks.v[i];
        assert_int_equal(block->core, want[i].core);
        assert_int_equal(block->risc, want[i].risc);
        assert_int_equal(block->source, want[i].source);
        assert_int_equal(block->n, want[i].n);
    }
    assert_int_equal(b.c.blocks.v[2].words[TT_CHUNK_CUSTOM], 0x80001000);
    // Nobody pushed these vectors, so that nobody stamped them.
    assert_int_equal(b.c.blocks.v[4].words[TT_CHUNK_ID_LH], 1 << 5 | 2);
    assert_true(core_health(&b, 1)->is_partial);
    assert_false(core_health(&b, 0)->is_partial);
    assert_int_equal(b.f->chips[0].n_resets[0], 1);
    assert_int_equal(b.f->chips[0].n_resets[1], 0);
    STR_IS(
        said(&b),
        "device 0: its programs did not end (deadlock): their profile is partial\ndevice "
        "0: its programs did not end (deadlock): their profile is partial\n");
    bench_free(&b);
}

TEST(a_core_that_ends_late_gives_the_rest_and_is_reset)
{
    struct bench b;
    bench_new(&b, 1, 0);
    fake_run(b.f, 0, 0, 0, 1, 100);
    b.f->chips[0].wait_rc = -ETIMEDOUT;
    b.f->chips[0].is_busy[0] = true;
    bench_read(&b, 0);
    collection_drop_blocks(&b.c);
    fake_run(b.f, 0, 0, 0, 2, 200);
    b.f->chips[0].wait_rc = 0;
    b.f->chips[0].is_busy[0] = false;
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 1);
    assert_int_equal(b.c.blocks.v[0].n, 12);
    assert_int_equal(b.c.blocks.v[0].words[TT_CHUNK_ID_LL], 2);
    assert_int_equal(b.f->chips[0].n_resets[0], 1);
    assert_int_equal(core_health(&b, 0)->flushes, 2); // the first was counted before
    bench_free(&b);
}

TEST(there_is_always_something_whatever_bits_flip)
{
    uint64_t random = 1;
    for (int round = 0; round < 300; round++) {
        struct bench b;
        bench_new(&b, 4, 1);
        for (size_t i = 0; i < 5; i++)
            fake_run(b.f, 0, i, 0, 1, 100);
        for (int flips = 0; flips < 1 + round % 20; flips++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t *control = fake_control(b.f, 0, (random >> 33) % 5);
            control[(random >> 40) % TT_CONTROL_WORDS] ^= 1u << (random >> 59);
        }
        if (round % 3 == 0)
            b.f->chips[0].wait_rc = -EFAULT;
        b.f->chips[0].is_busy[round % 5] = true;
        b.f->chips[0].is_dead[(round / 5) % 5] = round % 7 == 0;
        bench_read(&b, 0);
        assert_true(b.c.blocks.n >= 3);
        bench_free(&b);
    }
}

// --- programs and traces ---------------------------------------------------------------

TEST(programs_traces_and_replays_are_remembered)
{
    struct bench b;
    struct err e = {0};
    bench_new(&b, 1, 0);
    fake_launch(b.f, 0, 9, -1, false);
    fake_trace(b.f, 0, TT_EVENT_TRACE_BEGIN, 5);
    fake_launch(b.f, 0, 3, 5, false);
    fake_launch(b.f, 0, 4, 5, false);
    assert_false(readout_chip(b.r, 0, READ_NORMAL, &e));
    STR_IS(str_of(e.text),
           "cannot read device profiler data while a trace is being recorded");
    assert_false(readout_all(b.r, READ_NORMAL, &e));
    fake_trace(b.f, 0, TT_EVENT_TRACE_END, 5);
    for (int i = 0; i < 2; i++) {
        fake_trace(b.f, 0, TT_EVENT_TRACE_REPLAY, 5);
        fake_launch(b.f, 0, 3, 5, true);
        fake_launch(b.f, 0, 4, 5, true);
    }
    bench_read(&b, 0);
    const struct chip_record *chip = &b.c.chips.v[0];
    assert_int_equal(chip->replayed.n, 2);
    assert_int_equal(chip->replayed.v[1], 5);
    assert_int_equal(chip->traces.n, 1);
    assert_int_equal(chip->traces.v[0].id, 5);
    assert_int_equal(chip->traces.v[0].programs.n, 2);
    assert_int_equal(chip->traces.v[0].programs.v[1], 4);
    assert_int_equal(chip->programs.n, 3);
    const struct program_record *p = collection_program(chip, 4);
    assert_non_null(p);
    STR_IS(b.c.strings.keys.v[p->name], "program");
    assert_null(collection_program(chip, 5));
    assert_false(readout_chip(b.r, 1, READ_NORMAL, &e));
    bench_free(&b);
}

TEST(zones_are_loaded_once)
{
    struct bench b;
    bench_new(&b, 1, 0);
    b.f->zones[0] = (struct tt_zone){17, 3, "LOAD", "reader.c"};
    b.f->n_zones = 1;
    bench_read(&b, 0);
    b.f->zones[1] = (struct tt_zone){18, 4, "STORE", "writer.c"};
    b.f->n_zones = 2;
    bench_read(&b, 0);
    assert_int_equal(b.c.names.v.n, 2);
    const struct zone_name *name = names_find(&b.c.names, 18);
    assert_non_null(name);
    STR_IS(name->name, "STORE");
    bench_free(&b);
}

// --- modes -----------------------------------------------------------------------------

// The device side of a launch: every RISC writes a whole vector.
static void fill(struct fake *f, int chip)
{
    for (size_t i = 0; i < f->chips[chip].n_cores; i++)
        for (int risc = 0; risc < f->chips[chip].cores[i].n_riscs; risc++)
            fake_control(f, chip, i)[TT_CONTROL_HOST_END + risc] += TT_CHUNK_WORDS;
}

TEST(the_watermark_reads_before_a_region_is_full)
{
    struct bench b = {.f = fake_new(1, 2, 0)};
    bench_options(&b);
    b.c.options.watermark = true;
    b.c.options.program_count = 100; // 1200 words: two launches fit
    b.f->region_bytes = 4800;
    bench_open(&b);
    for (uint32_t i = 1; i <= 20; i++) {
        fake_launch(b.f, 0, i, -1, false);
        fill(b.f, 0);
        assert_true(fake_control(b.f, 0, 0)[TT_CONTROL_HOST_END] <= 1200);
    }
    assert_int_equal(b.c.n_readouts, 9);
    bench_read(&b, 0);
    size_t words = 0;
    for (size_t i = 0; i < b.c.blocks.n; i++)
        words += b.c.blocks.v[i].n;
    assert_int_equal(words, 20 * 2 * TT_RISCS * TT_CHUNK_WORDS);
    bench_free(&b);
}

// A replay from the device's memory counts as its programs, and is looked at before.
TEST(the_watermark_reads_before_a_replay_that_has_no_room)
{
    struct bench b = {.f = fake_new(1, 2, 0)};
    struct tt_event replay = {.kind = TT_EVENT_TRACE_REPLAY, .trace = 0, .n_programs = 2};
    bench_options(&b);
    b.c.options.watermark = true;
    b.c.options.program_count = 100; // 1200 words: two launches fit
    b.f->region_bytes = 4800;
    bench_open(&b);
    fake_launch(b.f, 0, 1, -1, false);
    fill(b.f, 0);
    for (uint32_t i = 1; i <= 5; i++) {
        b.f->event(b.f->event_context, &replay);
        assert_int_equal(b.c.n_readouts, i);
        assert_int_equal(fake_control(b.f, 0, 0)[TT_CONTROL_HOST_END], 0);
        fill(b.f, 0);
        fill(b.f, 0);
    }
    replay.n_programs = 3; // more than an empty region is sure to hold
    b.f->event(b.f->event_context, &replay);
    assert_int_equal(b.c.n_readouts, 6);
    assert_int_equal(b.c.n_drains, 6 + 6);
    assert_int_equal(b.c.chips.v[0].replayed.n, 6);
    bench_free(&b);
}

static void count_call(void *context)
{
    ++*(int *)context;
}

TEST(the_watermark_reads_in_stall_mode_too_and_tells_when)
{
    struct bench b = {.f = fake_new(1, 2, 0)};
    int n_told = 0;
    bench_options(&b);
    b.c.options.watermark = true;
    b.c.options.overflow = OVERFLOW_STALL;
    b.c.options.program_count = 100;
    b.f->region_bytes = 4800;
    bench_open(&b);
    readout_on_watermark(b.r, count_call, &n_told);
    for (uint32_t i = 1; i <= 20; i++) {
        fake_launch(b.f, 0, i, -1, false);
        fill(b.f, 0);
        assert_int_equal(n_told, b.c.n_readouts);
        assert_true(fake_control(b.f, 0, 0)[TT_CONTROL_HOST_END] <= 1200);
    }
    bench_read(&b, 0);
    assert_int_equal(n_told, 9);
    assert_int_equal(b.c.n_readouts, 10);
    bench_free(&b);
}

TEST(the_watermark_looks_seldom_and_not_into_traces)
{
    struct bench b = {.f = fake_new(1, 2, 0)};
    bench_options(&b);
    b.c.options.watermark = true;
    bench_open(&b); // 12000 words, 23 launches
    for (uint32_t i = 1; i <= 23; i++)
        fake_launch(b.f, 0, i, -1, false);
    assert_int_equal(readout_bytes(b.r), 0);
    fake_launch(b.f, 0, 24, -1, false); // a look at two cores: nothing was written
    assert_int_equal(readout_bytes(b.r), 2 * 20);
    fake_trace(b.f, 0, TT_EVENT_TRACE_BEGIN, 0);
    fill(b.f, 0);
    for (uint32_t i = 1; i <= 30; i++)
        fake_launch(b.f, 0, i, 0, false);
    assert_int_equal(readout_bytes(b.r), 2 * 20);
    fake_trace(b.f, 0, TT_EVENT_TRACE_END, 0);
    fake_launch(b.f, 0, 31, -1, false);
    assert_int_equal(readout_bytes(b.r), 4 * 20);
    assert_int_equal(b.c.n_readouts, 0);
    bench_free(&b);
}

TEST(the_watermark_looks_sooner_the_fuller_a_region_is)
{
    struct bench b = {.f = fake_new(1, 1, 0)};
    bench_options(&b);
    b.c.options.watermark = true;
    bench_open(&b);
    for (uint32_t i = 1; i <= 23; i++)
        fake_launch(b.f, 0, i, -1, false);
    fake_control(b.f, 0, 0)[TT_CONTROL_HOST_END + 2] = 10000; // three more fit
    for (uint32_t i = 24; i <= 26; i++)
        fake_launch(b.f, 0, i, -1, false);
    assert_int_equal(readout_bytes(b.r), 20);
    fake_launch(b.f, 0, 27, -1, false);
    assert_int_equal(readout_bytes(b.r), 2 * 20);
    bench_free(&b);
}

TEST(trace_only_mode_keeps_the_last_replay_in_l1)
{
    struct bench b = {.f = fake_new(1, 1, 1)};
    bench_options(&b);
    b.c.options.trace_only = true;
    bench_open(&b);
    fake_run(b.f, 0, 0, 0, 1, 100);
    fake_run(b.f, 0, 0, 1, 1, 100); // nobody uses it in this mode
    fake_run(b.f, 0, 1, 0, 1, 100);
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 3);
    assert_int_equal(b.c.blocks.v[0].source, BLOCK_DRAM);
    assert_int_equal(b.c.blocks.v[1].source, BLOCK_L1);
    assert_int_equal(b.c.blocks.v[1].n, 12);
    assert_int_equal(b.c.blocks.v[2].core, 1);
    assert_int_equal(b.c.blocks.v[2].source, BLOCK_DRAM);
    // The next replay pushes what is there: it says that it is old.
    assert_int_equal(fake_l1(b.f, 0, 0, 0)[TT_CHUNK_ID_HH], TT_MARKER_VALID);
    assert_int_equal(fake_l1(b.f, 0, 1, 0)[TT_CHUNK_ID_HH], 0);
    bench_free(&b);
}

TEST(accumulate_mode_is_read_from_dram_and_l1)
{
    struct bench b = {.f = fake_new(1, 1, 0)};
    bench_options(&b);
    b.c.options.accumulate = true;
    bench_open(&b);
    fake_run(b.f, 0, 0, 0, 0, 100);
    fake_run(b.f, 0, 0, 4, 0, 100);
    fake_control(b.f, 0, 0)[TT_CONTROL_DEVICE_END] = 0; // pushed just now
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 4);
    assert_int_equal(b.c.blocks.v[1].source, BLOCK_L1); // the push itself
    assert_int_equal(b.c.blocks.v[1].risc, 0);
    assert_int_equal(b.c.blocks.v[1].n, TT_CHUNK_CUSTOM);
    assert_int_equal(b.c.blocks.v[3].source, BLOCK_L1);
    assert_int_equal(b.c.blocks.v[3].risc, 4);
    bench_free(&b);
}

TEST(dispatch_cores_come_last_and_are_waited_for_at_the_end)
{
    struct bench b = {.f = fake_new(1, 3, 0)};
    struct err e = {0};
    bench_options(&b);
    b.f->chips[0].cores[0].kind = TT_CORE_DISPATCH;
    b.f->chips[0].cores[1].kind = TT_CORE_DISPATCH;
    bench_open(&b);
    for (size_t i = 0; i < 3; i++)
        fake_run(b.f, 0, i, 0, 1, 100);
    assert_true(readout_chip(b.r, 0, READ_ONLY_DISPATCH, &e));
    assert_int_equal(readout_bytes(b.r), 0); // not asked for
    b.c.options.dispatch = true;
    bench_read(&b, 0);
    assert_int_equal(b.c.blocks.n, 3);
    assert_int_equal(b.c.blocks.v[0].core, 2);
    assert_int_equal(b.c.blocks.v[1].core, 0);
    assert_int_equal(b.f->chips[0].n_resets[0], 0); // it runs
    fake_run(b.f, 0, 0, 0, 2, 200);
    fake_control(b.f, 0, 1)[TT_CONTROL_PROFILER_DONE] = 0;
    b.f->chips[0].is_busy[1] = true;
    uint64_t before = b.f->host_ns;
    assert_true(readout_chip(b.r, 0, READ_ONLY_DISPATCH, &e));
    assert_in_range(b.f->host_ns - before, 100000000, 101000000);
    STR_IS(said(&b), "Device profiling never finished on device 0, worker core 19, 18\n");
    assert_int_equal(b.c.blocks.n, 4); // only what is new
    assert_int_equal(b.c.blocks.v[3].n, 12);
    assert_int_equal(b.f->chips[0].n_resets[0], 1);
    assert_int_equal(b.f->chips[0].n_resets[1], 0);
    assert_false(core_health(&b, 1)->is_partial);
    bench_free(&b);
}
