// test_stall.c - nothing is lost: RISCs wait for the host, which takes their words. On
// memory instead of a device.
#include <errno.h>

#include "sample_access.h"
#include "test.h"

enum { REGION = 24000 }; // bytes: 500 programs

struct bench {
    struct fake *f;
    struct collection c;
    struct readout *r;
};

static void bench_new(struct bench *b, int n_chips)
{
    struct err e = {0};
    b->f = fake_new(n_chips, 2, 0);
    b->f->region_bytes = REGION;
    memset(&b->c, 0, sizeof b->c);
    profiler_options_default(&b->c.options);
    b->c.options.is_enabled = true;
    b->c.options.overflow = OVERFLOW_STALL;
    b->r = readout_open(&b->f->access, &b->c, &e);
    if (!b->r)
        fail_msg("%s", e.text);
}

static void bench_free(struct bench *b)
{
    readout_close(b->r);
    collection_free(&b->c);
    fake_free(b->f);
}

static uint32_t address_of(struct bench *b, size_t core, int risc)
{
    return fake_control(b->f, 0, core)[TT_CONTROL_DRAM_ADDRESS_OF(risc)];
}

// One more chunk for the RISC's region, whose buffer is by the address word.
static void push(struct bench *b, size_t core, int risc, uint32_t program)
{
    uint32_t *control = fake_control(b->f, 0, core);
    int buffer = address_of(b, core, risc) != 32;
    uint32_t *end = &control[TT_CONTROL_HOST_END + risc];
    assert_true(*end + 12 <= REGION / 4);
    fake_chunk(fake_region(b->f, 0, core, risc, buffer) + *end, (int)core, risc, program,
               100ull * program);
    *end += 12;
}

static int quiet(struct bench *b, int chip)
{
    return b->f->quiet(b->f->quiet_context, chip);
}

TEST(a_full_region_is_taken_while_the_other_one_fills)
{
    struct bench b;
    struct err e = {0};
    bench_new(&b, 1);
    uint32_t second = 32 + REGION * TT_RISCS * FAKE_CORES_PER_BANK;
    assert_int_equal(quiet(&b, 0), 0);
    uint32_t program = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 500; i++)
            push(&b, 1, 3, ++program);
        fake_control(b.f, 0, 1)[TT_CONTROL_DRAM_ADDRESS_OF(3)] = TT_STALLED_DRAM;
        assert_int_equal(quiet(&b, 0), 1);
        assert_int_equal(address_of(&b, 1, 3), round % 2 ? 32 : second);
        assert_int_equal(fake_control(b.f, 0, 1)[TT_CONTROL_HOST_END + 3], 6000);
        fake_control(b.f, 0, 1)[TT_CONTROL_HOST_END + 3] = 0; // the device's answer
        assert_int_equal(quiet(&b, 0), 0);
    }
    push(&b, 1, 3, ++program);
    assert_true(readout_chip(b.r, 0, READ_NORMAL, &e));
    uint32_t next = 1;
    for (size_t i = 0; i < b.c.blocks.n; i++) {
        const struct word_block *block = &b.c.blocks.v[i];
        assert_int_equal(block->risc, 3);
        for (size_t k = 0; k < block->n; k += 12)
            assert_int_equal(block->words[k + TT_CHUNK_ID_LL], next++);
    }
    assert_int_equal(next, 1502);
    assert_int_equal(b.c.chips.v[0].riscs[1][3].stalls, 3);
    assert_in_range(b.c.chips.v[0].riscs[1][3].stall_ns, 3000, 30000);
    assert_int_equal(address_of(&b, 1, 3), 32); // reset
    assert_int_equal(fake_findings(&b.c), 0);
    bench_free(&b);
}

TEST(what_a_read_out_took_in_between_is_not_taken_again)
{
    struct bench b;
    struct err e = {0};
    bench_new(&b, 1);
    uint32_t program = 0, next = 1;
    b.f->chips[0].is_busy[1] = true;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 500; i++) {
            push(&b, 1, 0, ++program);
            b.f->chips[0].wait_rc = -ETIMEDOUT;
            if (i == 100)
                assert_true(readout_chip(b.r, 0, READ_NORMAL, &e));
        }
        fake_control(b.f, 0, 1)[TT_CONTROL_DRAM_ADDRESS_OF(0)] = TT_STALLED_DRAM;
        assert_int_equal(quiet(&b, 0), 1);
        fake_control(b.f, 0, 1)[TT_CONTROL_HOST_END] = 0;
    }
    assert_true(readout_chip(b.r, 0, READ_LAST, &e));
    for (size_t i = 0; i < b.c.blocks.n; i++) {
        const struct word_block *block = &b.c.blocks.v[i];
        for (size_t k = 0; block->source == BLOCK_DRAM && k < block->n; k += 12)
            assert_int_equal(block->words[k + TT_CHUNK_ID_LL], next++);
    }
    assert_int_equal(next, 1001);
    bench_free(&b);
}

// The RISC waits as soon as it has sent its words; they reach DRAM some time later.
TEST(words_that_land_late_are_waited_for)
{
    struct bench b;
    struct err e = {0};
    bench_new(&b, 1);
    for (uint32_t program = 1; program <= 500; program++)
        push(&b, 1, 3, program);
    fake_control(b.f, 0, 1)[TT_CONTROL_DRAM_ADDRESS_OF(3)] = TT_STALLED_DRAM;
    b.f->landing_ns = b.f->host_ns + 9000;
    assert_int_equal(quiet(&b, 0), 1);
    fake_control(b.f, 0, 1)[TT_CONTROL_HOST_END + 3] = 0;
    assert_true(readout_chip(b.r, 0, READ_NORMAL, &e));
    uint32_t next = 1;
    for (size_t i = 0; i < b.c.blocks.n; i++)
        for (size_t k = 0; k < b.c.blocks.v[i].n; k += 12)
            assert_int_equal(b.c.blocks.v[i].words[k + TT_CHUNK_ID_LL], next++);
    assert_int_equal(next, 501);
    bench_free(&b);
}

TEST(a_full_vector_is_taken_and_its_risc_goes_on_where_it_was)
{
    struct bench b;
    struct err e = {0};
    bench_new(&b, 1);
    uint32_t *control = fake_control(b.f, 0, 0), *words = fake_l1(b.f, 0, 0, 4);
    fake_chunk(words, 0, 0, 9, 100);
    words[TT_CHUNK_ID_LH] = 3 << TT_IDENTITY_TRACE_SHIFT; // not stamped, a replay
    words[511] = 0x1234;
    control[TT_CONTROL_DEVICE_END + 4] = 512;
    control[TT_CONTROL_DRAM_ADDRESS_OF(4)] = TT_STALLED_L1;
    assert_int_equal(quiet(&b, 0), 1);
    assert_int_equal(control[TT_CONTROL_DEVICE_END + 4], 0);
    assert_int_equal(address_of(&b, 0, 4), 32);
    // Who decodes now must not take the half of a program for a whole one.
    assert_int_equal(b.c.blocks.n, 0);
    assert_true(readout_chip(b.r, 0, READ_NORMAL, &e));
    assert_int_equal(b.c.blocks.n, 1);
    const struct word_block *block = &b.c.blocks.v[0];
    assert_int_equal(block->source, BLOCK_L1);
    assert_int_equal(block->n, 512);
    assert_int_equal(block->words[511], 0x1234);
    assert_int_equal(block->words[TT_CHUNK_ID_LH], 3 << TT_IDENTITY_TRACE_SHIFT | 4);
    assert_int_equal(quiet(&b, 0), 0);
    bench_free(&b);
}

TEST(a_stall_of_another_chip_is_served_too)
{
    struct bench b;
    bench_new(&b, 2);
    fake_launch(b.f, 1, 1, -1, false);
    uint32_t *word = &fake_control(b.f, 1, 0)[TT_CONTROL_DRAM_ADDRESS_OF(0)];
    *word = TT_STALLED_DRAM;
    assert_int_equal(quiet(&b, 0), 1);
    assert_int_not_equal(*word, TT_STALLED_DRAM);
    bench_free(&b);
}

TEST(a_core_that_cannot_be_written_is_not_served_for_ever)
{
    struct bench b;
    bench_new(&b, 1);
    fake_control(b.f, 0, 0)[TT_CONTROL_DRAM_ADDRESS_OF(0)] = TT_STALLED_DRAM;
    b.f->chips[0].is_dead[0] = true;
    assert_int_equal(quiet(&b, 0), 0);
    assert_int_equal(quiet(&b, 7), 0);
    bench_free(&b);
}
