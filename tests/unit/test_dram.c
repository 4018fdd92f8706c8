// test_dram.c - DRAM banks: memory, limits, and what a channel can deliver.
#include <string.h>
#include <sys/mman.h>

#include "sample_chip.h"
#include "sim/noc/noc_parts.h"

TEST(what_was_never_written_reads_zero)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=p150");
    uint8_t data[100];
    memset(data, 1, sizeof data);
    assert_true(dram_read(s.chip, 7, s.chip->bank_bytes - 100, data, 100));
    for (int i = 0; i < 100; i++)
        assert_int_equal(data[i], 0);
    sample_chip_close(&s);
}

// Across a chunk's end, at the end of the bank, and outside.
static void use_memory(struct chip *chip)
{
    uint8_t data[300], got[300];
    for (int i = 0; i < 300; i++)
        data[i] = (uint8_t)(i * 7);
    assert_true(dram_write(chip, 2, 65536 - 100, data, 300));
    assert_true(dram_write(chip, 3, chip->bank_bytes - 300, data, 300));
    assert_true(dram_read(chip, 2, 65536 - 100, got, 300));
    assert_memory_equal(got, data, 300);
    assert_true(dram_read(chip, 3, chip->bank_bytes - 300, got, 300));
    assert_memory_equal(got, data, 300);
    assert_false(dram_write(chip, 3, chip->bank_bytes - 299, data, 300));
    assert_false(dram_read(chip, chip->n_banks, 0, got, 1));
    assert_false(dram_read(chip, 0, UINT64_MAX - 10, got, 300));
    assert_true(dram_read(chip, 0, chip->bank_bytes, got, 0));
}

TEST(a_bank_keeps_what_is_written)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    use_memory(s.chip);
    sample_chip_close(&s);
}

TEST(a_bank_works_the_same_without_a_mapping)
{
    struct sample_chip mapped, chunked;
    sample_chip_open(&mapped, "board=n150");
    sample_chip_open(&chunked, "board=n150");
    for (int i = 0; i < chunked.chip->n_banks; i++) {
        struct lazy *memory = &chunked.chip->noc->banks[i].memory;
        (void)munmap(memory->map, memory->bytes);
        memory->map = NULL;
        memory->chunks = mem_alloc(sizeof *memory->chunks * (memory->bytes >> 16));
    }
    use_memory(mapped.chip);
    use_memory(chunked.chip);
    assert_int_equal(noc_hash(mapped.chip, 1), noc_hash(chunked.chip, 1));
    sample_chip_close(&mapped);
    sample_chip_close(&chunked);
}

TEST(the_hash_depends_on_contents_and_not_on_their_history)
{
    struct sample_chip a, b;
    sample_chip_open(&a, "board=n150");
    sample_chip_open(&b, "board=n150");
    uint32_t one = 1, zero = 0;
    assert_int_equal(noc_hash(a.chip, 0), noc_hash(b.chip, 0));
    assert_true(dram_write(a.chip, 1, 4096, &one, 4));
    assert_true(dram_write(a.chip, 5, 1 << 20, &one, 4));
    assert_int_not_equal(noc_hash(a.chip, 0), noc_hash(b.chip, 0));
    assert_true(dram_write(b.chip, 5, 1 << 20, &one, 4));
    assert_true(dram_write(b.chip, 1, 4096, &one, 4));
    assert_true(dram_write(b.chip, 8, 0, &zero, 4));
    assert_int_equal(noc_hash(a.chip, 0), noc_hash(b.chip, 0));
    sample_chip_close(&a);
    sample_chip_close(&b);
}

TEST(the_cap_limits_what_may_be_touched)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150 dram_cap=131072");
    uint32_t word = 5;
    assert_true(dram_write(s.chip, 0, 0, &word, 4));
    assert_true(dram_write(s.chip, 0, 100, &word, 4));
    assert_true(dram_write(s.chip, 1, 0, &word, 4));
    assert_false(dram_write(s.chip, 2, 0, &word, 4));
    assert_true(dram_read(s.chip, 2, 0, &word, 4)); // reading touches nothing
    struct tile *tile = sample_tile(&s, 0, 0);
    sample_noc_write(tile, 0, 0x40000, sample_bank_address(&s, 0, 3, 64), 64, 0);
    sample_chip_run(&s, 1000);
    assert_int_equal(tile->fault.kind, FAULT_DRAM_CAP);
    sample_chip_close(&s);
}

TEST(both_views_of_a_controller_are_reached_through_any_of_its_tiles)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0);
    sample_set_word(tile, 0x40000, 11);
    // 0-0 belongs to the first controller; its second view starts at 1 GiB.
    sample_noc_write(tile, 0, 0x40000, (1ull << 30) + 0x80, 64, TT_NOC_RESPONSE);
    sample_chip_finish(&s);
    uint32_t got = 0;
    assert_true(dram_read(s.chip, 1, 0x80, &got, 4));
    assert_int_equal(got, 11);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 1);
    sample_chip_close(&s);
}

TEST(a_dram_read_takes_the_noc_figure_and_the_dram_latency)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 2); // NOC0 1-3: another row and column than 5-1
    uint32_t word = 42;
    assert_true(dram_write(s.chip, 4, 0x1000, &word, 4));
    sample_noc_read(tile, 0, sample_bank_address(&s, 0, 4, 0x1000), 0x40000, 2048);
    uint64_t lands = 2 + 270 + 120 + 89; // accept, NoC, DRAM, 2048 bytes at 23.2
    sample_chip_run(&s, lands);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_READ_RESPONSES), 0);
    sample_chip_run(&s, lands + 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_READ_RESPONSES), 1);
    assert_int_equal(sample_word(tile, 0x40000), 42);
    sample_chip_close(&s);
}

TEST(a_dram_write_is_there_before_its_acknowledgement)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0); // NOC0 1-1, four hops from 5-1
    sample_set_word(tile, 0x40000, 21);
    sample_noc_write(tile, 0, 0x40000, sample_bank_address(&s, 0, 4, 0), 2048,
                     TT_NOC_RESPONSE);
    uint64_t lands = 2 + 40 + 10 * 4 + 86; // 2048 bytes at 24.0
    uint32_t got = 0;
    sample_chip_run(&s, lands);
    assert_true(dram_read(s.chip, 4, 0, &got, 4));
    assert_int_equal(got, 0);
    sample_chip_run(&s, lands + 1);
    assert_true(dram_read(s.chip, 4, 0, &got, 4));
    assert_int_equal(got, 21);
    uint64_t back = lands + 120 + 40 + 10 * 6; // DRAM, then on around the torus
    sample_chip_run(&s, back);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 0);
    sample_chip_run(&s, back + 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 1);
    sample_chip_close(&s);
}

// --- contention ------------------------------------------------------------------------
struct reader {
    struct tile *tile;
    uint64_t from;
    uint32_t issued;
};

// Bytes per cycle of cores that keep 8 reads of 2 KiB in flight each.
static double read_rate(struct sample_chip *s, struct reader *readers, size_t n)
{
    const struct tt_layout *l = s->chip->layout;
    uint32_t busy_at = l->noc_buffer_stride + l->noc_cmd_ctrl, before = 0, after = 0;
    enum { BYTES = 2048, WARM = 5000, CYCLES = 20000 };
    for (int half = 0; half < 2; half++) {
        uint64_t end = s->chip->now + (half ? CYCLES : WARM);
        while (s->chip->now < end) {
            for (size_t i = 0; i < n; i++) {
                struct reader *r = &readers[i];
                uint32_t busy, done = sample_counter(r->tile, 0, TT_NOC_READ_RESPONSES);
                assert_true(niu_read(r->tile, 0, busy_at, 0, &busy));
                if (!busy && r->issued - done < 8)
                    sample_noc_read(r->tile, 0, r->from + r->issued++ % 64 * BYTES, 0x40000,
                                    BYTES);
            }
            sample_chip_run(s, s->chip->now + 16);
        }
        for (size_t i = 0; i < n; i++)
            *(half ? &after : &before) +=
                sample_counter(readers[i].tile, 0, TT_NOC_READ_RESPONSES);
    }
    sample_chip_finish(s);
    return (double)(after - before) * BYTES / CYCLES;
}

TEST(one_channel_gives_the_same_however_many_cores_read_it)
{
    static const size_t counts[] = {1, 12, 48};
    for (int k = 0; k < 3; k++) {
        struct sample_chip s;
        sample_chip_open(&s, "board=n150");
        struct reader readers[48];
        for (size_t i = 0; i < counts[k]; i++)
            readers[i] = (struct reader){.tile = &s.chip->tiles[i],
                                         .from = sample_bank_address(&s, 0, 5, 0)};
        double rate = read_rate(&s, readers, counts[k]);
        assert_true(rate > 21.8 && rate < 22.4);
        sample_chip_close(&s);
    }
}

// Every bank is read by one core: the one beside it, or some other.
static double rate_of_twelve(bool is_near)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=galaxy");
    struct reader readers[12];
    for (int b = 0; b < 12; b++) {
        unsigned beside = s.chip->banks[b].node[0] + 1u;
        readers[b] = (struct reader){.tile = is_near ? noc_tile(s.chip, beside)
                                                     : &s.chip->tiles[b * 37 % 80],
                                     .from = sample_bank_address(&s, 0, b, 0)};
    }
    double rate = read_rate(&s, readers, 12);
    sample_chip_close(&s);
    return rate;
}

TEST(cores_beside_their_channels_get_nearly_all_that_dram_has)
{
    double near = rate_of_twelve(true), elsewhere = rate_of_twelve(false);
    assert_true(near > 260 && near < 266);
    assert_true(elsewhere < 0.9 * near); // ways share links
}
