// test_counters.c - performance counter registers over the engine's busy times.
#include "sample_tile.h"
#include "test.h"

enum { A = 0x40000, B = 0x41000, C = 0x42000, BF16 = TT_FORMAT_BFLOAT16 };
enum { UNPACK = ENGINE_UNPACK, MATH = ENGINE_MATH, PACK = ENGINE_PACK };
// Register blocks: period, mode, start; then outputs.
struct registers {
    uint32_t control, out;
};
static const struct registers fpu = {0x018, 0x120}, unpack = {0x00C, 0x108},
                              pack = {0x0F0, 0x110}, l1 = {0x030, 0x118},
                              threads = {0x000, 0x100};

static void control(struct sample_tile *sample, struct registers r, uint32_t value,
                    uint64_t cycle)
{
    tile_run(&sample->tile, cycle);
    assert_true(counters_write(&sample->tile, r.control + 8, 0, cycle));
    assert_true(counters_write(&sample->tile, r.control + 8, value, cycle));
}

static uint32_t count(struct sample_tile *sample, struct registers r, uint32_t select,
                      uint64_t cycle)
{
    uint32_t value;
    tile_run(&sample->tile, cycle);
    assert_true(counters_write(&sample->tile, r.control + 4, select << 8, cycle));
    assert_true(counters_read(&sample->tile, r.control + 4, cycle, &value));
    assert_int_equal(value, select << 8);
    assert_true(counters_read(&sample->tile, r.out + 4, cycle, &value));
    return value;
}

static uint32_t reference(struct sample_tile *sample, struct registers r, uint64_t cycle)
{
    uint32_t value;
    assert_true(counters_read(&sample->tile, r.out, cycle, &value));
    return value;
}

// One product in HiFi4: unpack 0..56, sources valid at 61, FPU 65..129, pack 134..170.
static struct sample_tile *sample_product(int arch)
{
    static const struct registers all[] = {
        {0x018, 0}, {0x00C, 0}, {0x0F0, 0}, {0x030, 0}, {0x000, 0}};
    struct sample_tile *sample = sample_tile_new(arch);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        control(sample, all[i], 1, 0);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_MATMUL, 0, 4, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 0, C, BF16, 0);
    return sample;
}

TEST(busy_counters_are_exact_in_the_middle_of_an_operation)
{
    struct sample_tile *sample = sample_product(TT_WORMHOLE);
    assert_int_equal(count(sample, unpack, 7, 10), 10);
    assert_int_equal(count(sample, unpack, 8, 10), 10);
    assert_int_equal(count(sample, unpack, 6, 10), 6); // without the issue
    assert_int_equal(count(sample, fpu, 0, 65), 0);
    assert_int_equal(count(sample, unpack, 3, 66), 1);
    assert_int_equal(count(sample, fpu, 0, 66), 1);
    assert_int_equal(count(sample, fpu, 0, 100), 35);
    assert_int_equal(count(sample, fpu, 257, 100), 35);
    assert_int_equal(count(sample, fpu, 1, 100), 0);
    assert_int_equal(count(sample, fpu, 0, 500), 64);
    assert_int_equal(reference(sample, fpu, 500), 500);
    assert_int_equal(count(sample, unpack, 7, 500), 56);
    assert_int_equal(count(sample, unpack, 5, 500), 52);
    assert_int_equal(count(sample, pack, 18, 500), 36);
    assert_int_equal(count(sample, pack, 11, 500), 32);
    sample_tile_free(sample);
}

TEST(waiting_counts_while_it_lasts)
{
    static const uint32_t select_a[] = {33, 29}, select_b[] = {36, 30};
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        struct sample_tile *sample = sample_product(arch);
        assert_int_equal(count(sample, threads, select_a[arch], 30), 30);
        assert_int_equal(count(sample, threads, 26, 30), 30);
        assert_int_equal(count(sample, threads, select_a[arch], 500), 61);
        assert_int_equal(count(sample, threads, select_b[arch], 500), 61);
        assert_int_equal(count(sample, threads, 24, 500), 0);
        assert_int_equal(count(sample, threads, 25, 500), 61);
        assert_int_equal(count(sample, threads, 26, 500), 134);
        sample_tile_free(sample);
    }
}

TEST(an_unpack_only_operand_leaves_the_other_unpacker_idle)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    control(sample, unpack, 1, 0);
    control(sample, fpu, 1, 0);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_A, A, BF16, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COPY, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_SFPU, 0, TT_SFPU_EXP, 0, 0);
    assert_int_equal(count(sample, unpack, 7, 900), 36);
    assert_int_equal(count(sample, unpack, 8, 900), 0);
    assert_int_equal(count(sample, unpack, 3, 900), 2);
    assert_int_equal(count(sample, fpu, 0, 900), 16);
    assert_int_equal(count(sample, fpu, 1, 900), 384);
    assert_int_equal(count(sample, fpu, 257, 900), 400);
    sample_tile_free(sample);
}

TEST(counters_stand_between_stop_and_start)
{
    struct sample_tile *sample = sample_product(TT_WORMHOLE);
    control(sample, fpu, 2, 90);
    assert_int_equal(count(sample, fpu, 0, 500), 25);
    assert_int_equal(reference(sample, fpu, 500), 90);
    control(sample, fpu, 1, 600); // and clear
    assert_int_equal(count(sample, fpu, 0, 650), 0);
    assert_int_equal(reference(sample, fpu, 650), 50);
    sample_tile_free(sample);
}

TEST(only_a_rising_bit_starts_or_stops)
{
    struct sample_tile *sample = sample_product(TT_WORMHOLE);
    tile_run(&sample->tile, 100);
    assert_true(counters_write(&sample->tile, fpu.control + 8, 1, 100)); // was 1
    assert_int_equal(count(sample, fpu, 0, 200), 64);
    assert_int_equal(reference(sample, fpu, 200), 200);
    sample_tile_free(sample);
}

TEST(noc_beats_are_those_of_the_first_bank)
{
    struct sample_tile *sample = sample_tile_new(TT_BLACKHOLE);
    sample->tile.noc_beats[0] = 1000;
    control(sample, l1, 1, 0);
    for (uint32_t i = 0; i < 4; i++)
        sample->tile.noc_beats[i] += 10 + i;
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(count(sample, l1, 4 + i, 10), 10 + i);
    assert_int_equal(count(sample, l1, 0, 10), 0);
    assert_true(counters_write(&sample->tile, 0x218, 0x10, 10));
    assert_int_equal(count(sample, l1, 4, 10), 0);
    uint32_t mux;
    assert_true(counters_read(&sample->tile, 0x218, 10, &mux));
    assert_int_equal(mux, 0x10);
    sample_tile_free(sample);
}

TEST(other_debug_registers_are_not_counters)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    uint32_t value;
    assert_false(counters_read(&sample->tile, 0x1B0, 0, &value));
    assert_false(counters_write(&sample->tile, 0x24, 0, 0));
    assert_true(counters_write(&sample->tile, 0x104, 77, 0)); // an output: ignored
    assert_true(counters_read(&sample->tile, 0x104, 0, &value));
    assert_int_equal(value, 0);
    sample_tile_free(sample);
}
