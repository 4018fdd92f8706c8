// test_engine.c - queues, register files and timing of the compute engine.
#include <math.h>
#include <string.h>

#include "sample_tile.h"
#include "sim/engine/engine.h"
#include "test.h"

enum { A = 0x40000, B = 0x41000, C = 0x42000, BF16 = TT_FORMAT_BFLOAT16 };
enum { UNPACK = ENGINE_UNPACK, MATH = ENGINE_MATH, PACK = ENGINE_PACK };

static float value_a(int row, int column)
{
    return (float)((row * 7 + column * 3) % 13 - 6);
}
static float value_b(int row, int column)
{
    return (float)((row * 5 + column * 11) % 17 - 8) / 4;
}
static float value_one(int row, int column)
{
    (void)row, (void)column;
    return 1;
}

// One result tile: the sources, an operation, the result at C. All written at cycle 0.
static void one_tile(struct sample_tile *sample, uint32_t unpack, uint32_t math,
                     uint32_t m2, uint32_t m3)
{
    sample_tile_enqueue(sample, UNPACK, 0, unpack, A, BF16, B, BF16);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, math, 0, m2, m3, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 0, C, BF16, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_RELEASE, 0, 0, 0, 0);
    tile_run(&sample->tile, 2000);
}

static struct sample_tile *sample_with_tiles(void)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    sample_tile_put(sample, A, BF16, value_a);
    sample_tile_put(sample, B, BF16, value_b);
    return sample;
}

TEST(a_product_takes_the_cycles_of_the_table)
{
    struct sample_tile *sample = sample_with_tiles();
    uint64_t end;
    one_tile(sample, TT_UNPACK_AB, TT_MATH_MATMUL, 4, 0);
    assert_int_equal(sample_tile_start(sample, UNPACK, 0, &end), 0);
    assert_int_equal(end, 4 + 52); // 4096 bytes, 80 a cycle
    assert_int_equal(sample_tile_start(sample, MATH, 0, &end), 56 + 5 + 4);
    assert_int_equal(end, 65 + 64);
    assert_int_equal(sample_tile_start(sample, PACK, 0, &end), 129 + 5);
    assert_int_equal(end, 134 + 4 + 32);
    sample_tile_free(sample);
}

TEST(a_product_is_what_it_should_be)
{
    struct sample_tile *sample = sample_with_tiles();
    one_tile(sample, TT_UNPACK_AB, TT_MATH_MATMUL, 1, 0);
    for (int row = 0; row < 32; row += 5)
        for (int column = 0; column < 32; column += 3) {
            double sum = 0;
            for (int k = 0; k < 32; k++)
                sum += (double)(value_a(row, k) * value_b(k, column));
            REAL_IS((double)sample_tile_get(sample, C, BF16, row, column), sum);
        }
    sample_tile_free(sample);
}

// Two products with one SrcA: the second tile of B is unpacked alone, at 64 bytes a cycle
// instead of 80 for both.
TEST(a_source_that_is_kept_is_not_unpacked_again)
{
    struct sample_tile *sample = sample_with_tiles();
    uint64_t end;
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_B, 0, 0, A, BF16);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_MATMUL, 0, 1, TT_KEEP_A, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_MATMUL, 1, 1, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 1, C, BF16, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_RELEASE, 0, 0, 0, 0);
    tile_run(&sample->tile, 2000);
    assert_int_equal(sample_tile_start(sample, UNPACK, 1, &end), 56);
    assert_int_equal(end, 56 + 4 + 32);
    assert_int_equal(sample_tile_start(sample, MATH, 1, &end), 92 + 5 + 4);
    for (int row = 0; row < 32; row += 5) {
        double sum = 0;
        for (int k = 0; k < 32; k++)
            sum += (double)(value_a(row, k) * value_a(k, 7));
        REAL_IS((double)sample_tile_get(sample, C, BF16, row, 7), sum);
    }
    sample_tile_free(sample);
}

// Elements of A at (2, 3): 4; of B at (2, 3): 0.25, (0, 3): 2, (0, 0): -2. Row 0 of A has
// the sum -4 and every column the maximum 6.
TEST(operations_have_their_costs_and_results)
{
    static const struct {
        uint32_t unpack, math, phases, how, cost;
        int row, column; // of the result
        double want;
    } cases[] = {
        {TT_UNPACK_AB, TT_MATH_ADD, 0, TT_BROADCAST_NONE, 8, 2, 3, 4.25},
        {TT_UNPACK_AB, TT_MATH_SUB, 0, TT_BROADCAST_ROW, 8, 2, 3, 2},
        {TT_UNPACK_AB, TT_MATH_MUL, 3, TT_BROADCAST_SCALAR, 24, 2, 3, -8},
        {TT_UNPACK_A, TT_MATH_COPY, 0, 0, 16, 2, 3, 4},
        {TT_UNPACK_A_TRANSPOSED, TT_MATH_COPY, 0, 0, 16, 3, 2, 4},
        {TT_UNPACK_AB, TT_MATH_REDUCE_ROW, 2, 0, 32, 0, 0, 8},
        {TT_UNPACK_AB, TT_MATH_REDUCE_COLUMN, 1, 1, 16, 0, 0, -12},
        {TT_UNPACK_AB, TT_MATH_REDUCE_SCALAR, 4, 1, 80, 0, 0, -12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample_tile *sample = sample_with_tiles();
        one_tile(sample, cases[i].unpack, cases[i].math, cases[i].phases, cases[i].how);
        uint64_t end, start = sample_tile_start(sample, MATH, 0, &end);
        assert_int_equal(end - start, cases[i].cost);
        REAL_IS((double)sample_tile_get(sample, C, BF16, cases[i].row, cases[i].column),
                cases[i].want);
        sample_tile_free(sample);
    }
}

TEST(the_second_matrix_can_be_unpacked_transposed)
{
    struct sample_tile *sample = sample_with_tiles();
    one_tile(sample, TT_UNPACK_AB_TRANSPOSED, TT_MATH_ADD, 0, 0);
    REAL_IS((double)sample_tile_get(sample, C, BF16, 2, 9),
            (double)(value_a(2, 9) + value_b(9, 2)));
    sample_tile_free(sample);
}

TEST(vector_functions_take_their_time)
{
    static const uint32_t costs[TT_SFPU_FUNCTIONS] = {
        [TT_SFPU_RELU] = 128,    [TT_SFPU_ABS] = 128,         [TT_SFPU_NEG] = 128,
        [TT_SFPU_SQUARE] = 128,  [TT_SFPU_SQRT] = 320,        [TT_SFPU_RECIPROCAL] = 320,
        [TT_SFPU_EXP] = 384,     [TT_SFPU_GELU] = 288,        [TT_SFPU_TANH] = 288,
        [TT_SFPU_SIGMOID] = 288, [TT_SFPU_GELU_EXACT] = 1100, [TT_SFPU_RSQRT] = 320,
        [TT_SFPU_SCALE] = 128,   [TT_SFPU_OFFSET] = 128,
    };
    for (uint32_t function = 0; function < TT_SFPU_FUNCTIONS; function++) {
        struct sample_tile *sample = sample_with_tiles();
        uint64_t end, start;
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_SFPU, 7, function, 0x40000000, 0);
        tile_run(&sample->tile, 2000);
        start = sample_tile_start(sample, MATH, 0, &end);
        assert_int_equal(end - start, costs[function]);
        sample_tile_free(sample);
    }
}

TEST(formats_cost_by_their_bytes)
{
    static const struct {
        uint32_t format, unpack, pack;
    } cases[] = {{TT_FORMAT_FLOAT32, 64, 64}, {BF16, 32, 32}, {TT_FORMAT_BFP8, 17, 17}};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t accumulate = 0; accumulate < 3; accumulate++) {
            static const uint32_t factor[] = {1, 2, 5};
            struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
            uint64_t end, start;
            sample_tile_put(sample, A, cases[i].format, value_a);
            sample_tile_put(sample, C, cases[i].format, value_one);
            sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_A, A, cases[i].format, 0, 0);
            sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
            sample_tile_enqueue(sample, MATH, 0, TT_MATH_COPY, 0, 0, 0, 0);
            sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
            sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
            sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 0, C, cases[i].format,
                                accumulate);
            tile_run(&sample->tile, 2000);
            start = sample_tile_start(sample, UNPACK, 0, &end);
            assert_int_equal(end - start, 4 + cases[i].unpack);
            start = sample_tile_start(sample, PACK, 0, &end);
            assert_int_equal(end - start, 4 + cases[i].pack * factor[accumulate]);
            REAL_IS((double)sample_tile_get(sample, C, cases[i].format, 2, 3),
                    (double)value_a(2, 3) + (accumulate ? 1 : 0));
            sample_tile_free(sample);
        }
}

static float value_long(int row, int column)
{
    (void)row, (void)column;
    return 1 + 0x1p-20F;
}

TEST(fp32_passes_through_an_fp32_dst_and_is_rounded_for_arithmetic)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    sample_tile_put(sample, A, TT_FORMAT_FLOAT32, value_long);
    sample_tile_put(sample, B, TT_FORMAT_FLOAT32, value_long);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_A, A, TT_FORMAT_FLOAT32, 0, 0);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, TT_FORMAT_FLOAT32, B,
                        TT_FORMAT_FLOAT32);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_FORMAT, 1, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COPY, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_MUL, 3, 1, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 0, C, TT_FORMAT_FLOAT32, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 3, C + 4096, TT_FORMAT_FLOAT32, 0);
    tile_run(&sample->tile, 2000);
    REAL_IS((double)sample_tile_get(sample, C, TT_FORMAT_FLOAT32, 0, 0), 1 + 0x1p-20);
    REAL_IS((double)sample_tile_get(sample, C + 4096, TT_FORMAT_FLOAT32, 0, 0), 1);
    sample_tile_free(sample);
}

TEST(a_bf16_dst_keeps_fp32_until_it_is_packed)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    sample_tile_put(sample, A, TT_FORMAT_FLOAT32, value_long);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_A, A, TT_FORMAT_FLOAT32, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COPY, 7, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 7, C, TT_FORMAT_FLOAT32, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 7, C + 4096, BF16, 0);
    tile_run(&sample->tile, 2000);
    REAL_IS((double)sample_tile_get(sample, C, TT_FORMAT_FLOAT32, 0, 0), 1 + 0x1p-20);
    REAL_IS((double)sample_tile_get(sample, C + 4096, BF16, 0, 0), 1);
    sample_tile_free(sample);
}

static float value_fine(int row, int column)
{
    (void)column;
    return row ? 0x1p-10F : 1;
}

// The sum of 32 products, each 1 + 31/1024.
static float many_products(uint32_t dst_format)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    sample_tile_put(sample, A, BF16, value_one);
    sample_tile_put(sample, B, BF16, value_fine);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_FORMAT, dst_format, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    uint64_t cycle = 0;
    for (int i = 0; i < 32; i++, cycle += 100) {
        sample_tile_enqueue(sample, UNPACK, cycle, TT_UNPACK_AB, A, BF16, B, BF16);
        sample_tile_enqueue(sample, MATH, cycle, TT_MATH_MATMUL, 2, 1, 0, 0);
    }
    sample_tile_enqueue(sample, MATH, cycle, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, cycle, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, cycle, TT_PACK_TILE, 2, C, TT_FORMAT_FLOAT32, 0);
    tile_run(&sample->tile, cycle + 1000);
    float sum = sample_tile_get(sample, C, TT_FORMAT_FLOAT32, 5, 5);
    sample_tile_free(sample);
    return sum;
}

TEST(a_long_sum_keeps_its_digits_in_either_format_of_dst)
{
    REAL_IS((double)many_products(1), 32.96875);
    REAL_IS((double)many_products(0), 32.96875);
}

TEST(sources_are_double_buffered)
{
    struct sample_tile *sample = sample_with_tiles();
    for (int i = 0; i < 4; i++)
        sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    tile_run(&sample->tile, 1000);
    assert_int_equal(sample_tile_start(sample, UNPACK, 1, NULL), 56); // the second bank
    assert_int_equal(sample_tile_read(sample, UNPACK, TT_ENGINE_FREE, 1000), 14);
    sample_tile_enqueue(sample, MATH, 1000, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 1000, TT_MATH_MATMUL, 0, 4, 0, 0);
    sample_tile_enqueue(sample, MATH, 1000, TT_MATH_MATMUL, 0, 4, 0, 0);
    tile_run(&sample->tile, 2000);
    uint64_t end;
    assert_int_equal(sample_tile_start(sample, MATH, 0, &end), 1004);
    assert_int_equal(end, 1068);
    assert_int_equal(sample_tile_start(sample, UNPACK, 2, NULL),
                     1068); // a bank is free again
    assert_int_equal(sample_tile_start(sample, MATH, 1, &end), 1072);
    assert_int_equal(end, 1136);
    assert_int_equal(sample_tile_start(sample, UNPACK, 3, NULL), 1136);
    sample_tile_free(sample);
}

TEST(math_works_on_one_half_while_pack_empties_the_other)
{
    struct sample_tile *sample = sample_with_tiles();
    for (int i = 0; i < 3; i++) {
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_SFPU, 0, TT_SFPU_OFFSET, 0x3F800000,
                            0);
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    }
    tile_run(&sample->tile, 1000);
    assert_int_equal(sample_tile_start(sample, MATH, 1, NULL),
                     136); // without waiting for pack
    assert_string_equal(engine_waits_for(sample->tile.engine, MATH), "a free half of Dst");
    sample_tile_enqueue(sample, PACK, 1000, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 1000, TT_PACK_TILE, 0, C, BF16, 0);
    sample_tile_enqueue(sample, PACK, 1000, TT_PACK_RELEASE, 0, 0, 0, 0);
    tile_run(&sample->tile, 2000);
    assert_int_equal(sample_tile_start(sample, MATH, 2, NULL), 1036 + 4);
    assert_null(engine_waits_for(sample->tile.engine, MATH));
    // The half was cleared: 0 + 1, not 1 + 1.
    for (int i = 0; i < 2; i++) {
        sample_tile_enqueue(sample, PACK, 2000, TT_PACK_WAIT, 0, 0, 0, 0);
        sample_tile_enqueue(sample, PACK, 2000, TT_PACK_TILE, 0, C, BF16, 0);
        sample_tile_enqueue(sample, PACK, 2000, TT_PACK_RELEASE, 0, 0, 0, 0);
    }
    tile_run(&sample->tile, 3000);
    REAL_IS((double)sample_tile_get(sample, C, BF16, 31, 31), 1);
    assert_true(engine_is_idle(sample->tile.engine));
    sample_tile_free(sample);
}

TEST(a_full_queue_stalls_the_risc_until_an_entry_ends)
{
    struct sample_tile *sample = sample_with_tiles();
    for (int i = 0; i < 16; i++)
        sample_tile_enqueue(sample, UNPACK, 10, TT_UNPACK_A, A, BF16, 0, 0);
    assert_int_equal(sample_tile_read(sample, UNPACK, TT_ENGINE_FREE, 10), 0);
    assert_int_equal(sample_tile_read(sample, MATH, TT_ENGINE_FREE, 10), 16);
    assert_int_equal(sample_tile_read(sample, UNPACK, TT_ENGINE_IDLE, 10), 0);
    assert_int_equal(sample_tile_write(sample, UNPACK, 4, A, 12),
                     REGISTER_OK); // arguments go in
    assert_int_equal(sample_tile_write(sample, UNPACK, 0, TT_UNPACK_A, 12), REGISTER_STALL);
    struct risc *risc = &sample->tile.risc[TT_TRISC0];
    risc->state = RISC_STALLED;
    risc->clock = 12;
    // The RISC has no code to run: look at it in the moment it goes on.
    while (risc->state == RISC_STALLED && sample->tile.now < 100)
        tile_run(&sample->tile, sample->tile.now + 1);
    assert_int_equal(risc->clock, 10 + 36);
    risc->state = RISC_RESET;
    assert_int_equal(sample_tile_write(sample, UNPACK, 0, TT_UNPACK_A, 46), REGISTER_OK);
    assert_int_equal(sample_tile_read(sample, UNPACK, TT_ENGINE_FREE, 46), 0);
    sample_tile_free(sample);
}

TEST(a_buffer_is_popped_when_its_tiles_have_been_read)
{
    struct sample_tile *sample = sample_with_tiles();
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_POP, 3, 2, 0, 0);
    tile_run(&sample->tile, 56);
    assert_int_equal(sample->tile.acked[3], 0);
    tile_run(&sample->tile, 57);
    assert_int_equal(sample->tile.acked[3], 2);
    sample_tile_free(sample);
}

TEST(a_buffer_is_pushed_when_its_tiles_have_been_written)
{
    struct sample_tile *sample = sample_with_tiles();
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 0, C, BF16, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_RELEASE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_PUSH, 16, 1, 0, 0);
    tile_run(&sample->tile, 41);
    assert_int_equal(sample->tile.received[16], 0);
    assert_int_equal(sample_tile_read(sample, PACK, TT_ENGINE_IDLE, 41), 0);
    tile_run(&sample->tile, 42); // 36 cycles of packing and 5 of latency
    assert_int_equal(sample->tile.received[16], 1);
    assert_int_equal(sample_tile_read(sample, PACK, TT_ENGINE_IDLE, 42), 1);
    sample_tile_free(sample);
}

TEST(a_pop_of_an_idle_queue_happens_at_once)
{
    struct sample_tile *sample = sample_tile_new(TT_BLACKHOLE);
    sample_tile_enqueue(sample, UNPACK, 7, TT_UNPACK_POP, 63, 1, 0, 0);
    assert_int_equal(sample->tile.acked[63], 1);
    assert_true(engine_is_idle(sample->tile.engine));
    sample_tile_free(sample);
}

TEST(without_numerics_only_time_passes)
{
    struct sample_tile *with = sample_with_tiles(), *without = sample_with_tiles();
    without->cluster.cfg.numerics = false;
    one_tile(with, TT_UNPACK_AB, TT_MATH_MATMUL, 2, 0);
    one_tile(without, TT_UNPACK_AB, TT_MATH_MATMUL, 2, 0);
    assert_int_equal(with->tile.truth.n, without->tile.truth.n);
    for (size_t i = 0; i < with->tile.truth.n; i++) {
        assert_int_equal(with->tile.truth.v[i].cycle, without->tile.truth.v[i].cycle);
        assert_int_equal(with->tile.truth.v[i].argument, without->tile.truth.v[i].argument);
    }
    REAL_IS((double)sample_tile_get(without, C, BF16, 0, 0), 0);
    assert_true(sample_tile_get(with, C, BF16, 0, 0) != 0);
    sample_tile_free(with);
    sample_tile_free(without);
}

TEST(a_reset_empties_the_queues_and_voids_what_was_under_way)
{
    struct sample_tile *sample = sample_with_tiles();
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    engine_reset(sample->tile.engine);
    assert_true(engine_is_idle(sample->tile.engine));
    one_tile(sample, TT_UNPACK_AB, TT_MATH_ADD, 0, 0);
    REAL_IS((double)sample_tile_get(sample, C, BF16, 1, 1),
            (double)(value_a(1, 1) + value_b(1, 1)));
    sample_tile_free(sample);
}

TEST(the_hash_sees_queues_sources_and_dst)
{
    struct sample_tile *sample = sample_with_tiles();
    uint64_t hash[4];
    struct engine *engine = sample->tile.engine;
    hash[0] = engine_hash(engine, 1);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    hash[1] = engine_hash(engine, 1);
    tile_run(&sample->tile, 100);
    hash[2] = engine_hash(engine, 1);
    sample_tile_enqueue(sample, MATH, 100, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 100, TT_MATH_ADD, 0, 0, 0, 0);
    tile_run(&sample->tile, 200);
    hash[3] = engine_hash(engine, 1);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_true(hash[i] != hash[k]);

    struct sample_tile *other = sample_with_tiles();
    other->tile.l1[B] ^= 1; // one bit of one operand
    sample_tile_enqueue(other, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    tile_run(&other->tile, 100);
    assert_true(engine_hash(other->tile.engine, 1) != hash[2]);
    sample_tile_free(sample);
    sample_tile_free(other);
}

static const struct misuse {
    const char *what;
    uint8_t thread;
    uint32_t words[5];
} misuses[] = {
    // clang-format off
    {"unknown operation in its queue",   UNPACK, {0}},
    {"unknown operation in its queue",   UNPACK, {TT_MATH_ACQUIRE}},
    {"unknown operation in its queue",   MATH,   {0xFFFFFFFF}},
    {"unknown tile format",              UNPACK, {TT_UNPACK_A, A, 1}},
    {"unknown tile format",              UNPACK, {TT_UNPACK_AB, A, BF16, B, 99}},
    {"the address of a tile is not a multiple of 16", UNPACK, {TT_UNPACK_A, A + 8, BF16}},
    {"the tile is outside L1",                  UNPACK, {TT_UNPACK_A, 1499136 - 2032, BF16}},
    {"the tile is outside L1",                  UNPACK, {TT_UNPACK_AB, A, BF16, 0xFFFFFFF0, BF16}},
    {"unknown circular buffer",          UNPACK, {TT_UNPACK_POP, 32, 1}},
    {"commit without acquire",                    MATH,   {TT_MATH_COMMIT}},
    {"a math operation without an acquired half of Dst", MATH, {TT_MATH_MATMUL, 0, 1}},
    {"unknown Dst format",            MATH,   {TT_MATH_FORMAT, 2}},
    {"pack without waiting for a half of Dst",    PACK,   {TT_PACK_TILE, 0, C, BF16, 0}},
    {"release without wait",                      PACK,   {TT_PACK_RELEASE}},
    {"unknown circular buffer",          PACK,   {TT_PACK_PUSH, 32, 1}},
    // After an acquire or a wait.
    {"acquire, but math already has a half of Dst", MATH, {TT_MATH_ACQUIRE}},
    {"the Dst format changes while math has a half of it", MATH, {TT_MATH_FORMAT, 1}},
    {"the Dst index is past the end of the half", MATH, {TT_MATH_MATMUL, 8, 1}},
    {"fidelity must have 1 to 4 phases",                MATH,   {TT_MATH_MATMUL, 0, 0}},
    {"fidelity must have 1 to 4 phases",                MATH,   {TT_MATH_MUL, 0, 5}},
    {"unknown sources to keep",          MATH,   {TT_MATH_MATMUL, 0, 1, 4}},
    {"unknown broadcast",                MATH,   {TT_MATH_ADD, 0, 1, 4}},
    {"unknown pooling",                  MATH,   {TT_MATH_REDUCE_ROW, 0, 1, 2}},
    {"unknown SFPU function",            MATH,   {TT_MATH_SFPU, 0, TT_SFPU_FUNCTIONS}},
    {"wait, but pack already has a half of Dst",  PACK,   {TT_PACK_WAIT}},
    {"unknown accumulation mode",      PACK,   {TT_PACK_TILE, 0, C, BF16, 3}},
    {"the tile is outside L1",                  PACK,   {TT_PACK_TILE, 0, 1499136, BF16}},
    {"the Dst index is past the end of the half", PACK, {TT_PACK_TILE, 8, C, BF16}},
    // clang-format on
};

TEST(misuse_is_a_fault_that_says_what_is_wrong)
{
    bool is_after = false;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        const struct misuse *m = &misuses[i];
        is_after = is_after || m->words[0] == TT_MATH_ACQUIRE;
        is_after = is_after && m->thread != UNPACK;
        struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
        if (is_after) {
            sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
            sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
        }
        if (m->thread == PACK && is_after)
            sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
        sample_tile_enqueue(sample, m->thread, 20, m->words[0], m->words[1], m->words[2],
                            m->words[3], m->words[4]);
        tile_run(&sample->tile, 100);
        assert_int_equal(sample->tile.fault.kind, FAULT_ENGINE);
        assert_string_equal(sample->tile.fault.what, m->what);
        assert_int_equal(sample->tile.fault.risc, TT_TRISC0 + m->thread);
        assert_true(sample->tile.fault.cycle >= 20);
        sample_tile_free(sample);
    }
}

TEST(an_fp32_dst_has_four_tiles_in_a_half)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_FORMAT, 1, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_SFPU, 3, TT_SFPU_RELU, 0, 0);
    assert_int_equal(sample->tile.fault.kind, FAULT_NONE);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_SFPU, 4, TT_SFPU_RELU, 0, 0);
    assert_string_equal(sample->tile.fault.what,
                        "the Dst index is past the end of the half");
    sample_tile_free(sample);
}

TEST(the_window_has_registers_for_the_three_threads_only)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    assert_int_equal(sample_tile_write(sample, 3, 4, 1, 0), REGISTER_MISSING);
    assert_int_equal(sample_tile_write(sample, 0, 36, 1, 0), REGISTER_MISSING);
    assert_int_equal(sample_tile_write(sample, 0, 32, 5, 0), REGISTER_OK);
    assert_int_equal(sample_tile_read(sample, 0, 32, 0), 5);
    assert_int_equal(sample_tile_read(sample, 1, 32, 0), 0);
    assert_int_equal(sample_tile_read(sample, 0, 0x100, 0), 0);
    sample_tile_free(sample);
}
