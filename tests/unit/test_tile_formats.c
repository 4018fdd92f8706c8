// test_tile_formats.c - tiles as they lie in L1.
#include <math.h>
#include <string.h>

#include "sim/engine/engine_math.h"
#include "test.h"
#include "ttprof/engine_ops.h"

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Distinct numbers that all formats but bfp8 hold exactly.
static void number(float *tile)
{
    for (int i = 0; i < TILE_ELEMENTS; i++) {
        int row = i / TILE_SIDE, column = i % TILE_SIDE;
        tile[i] = (float)(column % 2 ? -row : row) + (float)column / 8;
    }
}

TEST(a_tile_has_the_size_of_its_format)
{
    assert_int_equal(tile_format_bytes(TT_FORMAT_FLOAT32), 4096);
    assert_int_equal(tile_format_bytes(TT_FORMAT_BFLOAT16), 2048);
    assert_int_equal(tile_format_bytes(TT_FORMAT_BFP8), 1088);
    assert_int_equal(tile_format_bytes(1), 0);
    assert_int_equal(tile_format_bytes(0xFFFFFFFF), 0);
}

TEST(faces_lie_one_after_the_other_in_rows_of_16)
{
    float in[TILE_ELEMENTS];
    for (int i = 0; i < TILE_ELEMENTS; i++)
        in[i] = (float)i;
    uint8_t bytes[4096];
    tile_pack(bytes, in, TT_FORMAT_FLOAT32);
    float flat[TILE_ELEMENTS];
    memcpy(flat, bytes, sizeof flat);
    REAL_IS((double)flat[1], 1);
    REAL_IS((double)flat[16], 32);            // face (0,0), row 1
    REAL_IS((double)flat[256], 16);           // face (0,1)
    REAL_IS((double)flat[512], 16 * 32);      // face (1,0)
    REAL_IS((double)flat[768], 16 * 32 + 16); // face (1,1)
    REAL_IS((double)flat[1023], 1023);
}

TEST(fp32_tiles_come_back_as_they_were)
{
    float in[TILE_ELEMENTS], out[TILE_ELEMENTS];
    uint8_t bytes[4096];
    number(in);
    in[5] = float_of(0x00000001); // denormal
    in[6] = float_of(0x80000000);
    tile_pack(bytes, in, TT_FORMAT_FLOAT32);
    tile_unpack(out, bytes, TT_FORMAT_FLOAT32);
    assert_memory_equal(in, out, sizeof in);
}

TEST(bf16_rounds_to_nearest_with_ties_to_even)
{
    static const uint32_t cases[][2] = {
        {0x3F800000, 0x3F80}, {0x3F807FFF, 0x3F80}, {0x3F808000, 0x3F80},
        {0x3F808001, 0x3F81}, {0x3F818000, 0x3F82}, {0xBF818000, 0xBF82},
        {0x7F7FFFFF, 0x7F80}, {0x7F800000, 0x7F80}, {0xFF800000, 0xFF80},
        {0x7F800001, 0x7FC0}, {0xFFC00123, 0x7FC0}, {0x80000000, 0x8000},
        {0x00008000, 0x0000}, {0x00018000, 0x0002},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float in[TILE_ELEMENTS] = {float_of(cases[i][0])};
        uint8_t bytes[2048];
        uint16_t half;
        tile_pack(bytes, in, TT_FORMAT_BFLOAT16);
        memcpy(&half, bytes, sizeof half);
        assert_int_equal(half, cases[i][1]);
        tile_round_bf16(in);
        assert_int_equal(bits_of(in[0]), cases[i][1] << 16);
    }
}

TEST(bf16_tiles_come_back_as_they_were)
{
    float in[TILE_ELEMENTS], out[TILE_ELEMENTS];
    uint8_t bytes[2048];
    number(in);
    tile_round_bf16(in);
    tile_pack(bytes, in, TT_FORMAT_BFLOAT16);
    tile_unpack(out, bytes, TT_FORMAT_BFLOAT16);
    assert_memory_equal(in, out, sizeof in);
}

TEST(every_nan_leaves_as_the_same_one)
{
    float in[TILE_ELEMENTS] = {float_of(0xFFC12345)};
    uint8_t bytes[4096];
    uint32_t word;
    tile_pack(bytes, in, TT_FORMAT_FLOAT32);
    memcpy(&word, bytes, sizeof word);
    assert_int_equal(word, 0x7FC00000);
}

TEST(bfp8_rows_share_the_largest_exponent)
{
    float in[TILE_ELEMENTS] = {0};
    in[0] = 1;
    in[1] = -3;                 // exponent 128, mantissa 1.1
    in[16] = 0.5F;              // face (0,1), row 0
    in[17 * TILE_SIDE + 3] = 8; // face (1,0), row 1
    uint8_t bytes[1088];
    tile_pack(bytes, in, TT_FORMAT_BFP8);
    assert_int_equal(bytes[0], 128);
    assert_int_equal(bytes[1], 0);
    assert_int_equal(bytes[16], 126);
    assert_int_equal(bytes[33], 130);
    assert_int_equal(bytes[64 + 0], 0x20); // half of the leading one
    assert_int_equal(bytes[64 + 1], 0x80 | 0x60);
    assert_int_equal(bytes[64 + 256], 0x40);
    assert_int_equal(bytes[64 + 512 + 16 + 3], 0x40);
    float out[TILE_ELEMENTS];
    tile_unpack(out, bytes, TT_FORMAT_BFP8);
    assert_memory_equal(in, out, sizeof in);
}

TEST(bfp8_rounds_to_nearest_even_and_stays_below_the_next_exponent)
{
    float in[TILE_ELEMENTS] = {0};
    in[0] = 64;                        // the step of this row is 1
    in[1] = 2.5F;                      // tie, to even
    in[2] = 3.5F;                      // tie, to even
    in[3] = float_of(0x40200001);      // just above 2.5
    in[4] = 127.9F;                    // would be 128
    in[5] = -0.4F;                     // no negative zero
    in[6] = 0.5F;                      // tie, to zero
    in[7] = float_of(0x3F000001);      // just above 0.5
    in[8] = -0.25F + -0x1p-20F - 0.5F; // -0.75...
    uint8_t bytes[1088];
    tile_pack(bytes, in, TT_FORMAT_BFP8);
    const uint8_t want[] = {64, 2, 4, 3, 127, 0, 0, 1, 0x81};
    assert_memory_equal(bytes + 64, want, sizeof want);
}

TEST(bfp8_holds_the_ends_of_the_range)
{
    float in[TILE_ELEMENTS] = {0}, out[TILE_ELEMENTS];
    uint8_t bytes[1088];
    in[0] = -INFINITY;
    in[1] = 1;
    in[TILE_SIDE] = float_of(0x00800000); // the smallest normal number
    in[64] = float_of(0x007FFFFF);        // a denormal counts as zero
    in[96] = float_of(0x7F7F0000);        // near the largest
    tile_pack(bytes, in, TT_FORMAT_BFP8);
    tile_unpack(out, bytes, TT_FORMAT_BFP8);
    assert_int_equal(bits_of(out[0]), 0xFF800000);
    assert_int_equal(bits_of(out[1]), 0);
    assert_int_equal(bits_of(out[TILE_SIDE]), 0x00800000);
    assert_int_equal(bits_of(out[64]), 0);
    assert_int_equal(bits_of(out[96]), 0x7F7E0000);
}

TEST(a_transposed_tile_has_rows_and_columns_exchanged)
{
    float in[TILE_ELEMENTS], out[TILE_ELEMENTS];
    number(in);
    memcpy(out, in, sizeof in);
    tile_transpose(out);
    for (int i = 0; i < TILE_ELEMENTS; i++)
        assert_int_equal(bits_of(out[i]),
                         bits_of(in[i % TILE_SIDE * TILE_SIDE + i / TILE_SIDE]));
    tile_transpose(out);
    assert_memory_equal(in, out, sizeof in);
}
