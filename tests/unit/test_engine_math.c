// test_engine_math.c - arithmetic of the compute engine: exact where it must be, and close
// to the host's functions elsewhere.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/engine/engine_math.h"
#include "test.h"
#include "ttprof/engine_ops.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Numbers between -4 and 4 with all mantissa bits in use.
static void scatter(float *tile, uint32_t seed)
{
    for (int i = 0; i < TILE_ELEMENTS; i++) {
        seed = seed * 1664525 + 1013904223;
        tile[i] = (float)(int32_t)seed * 0x1p-29F;
    }
}

static uint64_t hash_of(const float *tile)
{
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < TILE_ELEMENTS; i++)
        hash = (hash ^ bits_of(tile[i])) * 1099511628211u;
    return hash;
}

TEST(a_matrix_product_adds_in_the_order_of_k)
{
    float a[TILE_ELEMENTS], b[TILE_ELEMENTS], dst[TILE_ELEMENTS], want[TILE_ELEMENTS];
    scatter(a, 1);
    scatter(b, 2);
    scatter(dst, 3);
    memcpy(want, dst, sizeof dst);
    for (int i = 0; i < TILE_SIDE; i++)
        for (int j = 0; j < TILE_SIDE; j++)
            for (int k = 0; k < TILE_SIDE; k++) {
                volatile float product = a[i * TILE_SIDE + k] * b[k * TILE_SIDE + j];
                want[i * TILE_SIDE + j] += product;
            }
    math_matmul(dst, a, b);
    assert_memory_equal(dst, want, sizeof want);
}

static void check_hash(const char *name, const float *tile, uint64_t want)
{
    if (hash_of(tile) != want)
        fail_msg("%s: 0x%016llx", name, (unsigned long long)hash_of(tile));
}

// The numbers were the same with gcc and clang, at all levels of optimisation, with and
// without wide vector registers.
TEST(results_have_the_same_bits_on_every_host)
{
    static const struct {
        const char *name;
        uint32_t function;
        uint64_t hash;
    } functions[] = {
        {"exp", TT_SFPU_EXP, 0x1104e16cb3462795},
        {"gelu", TT_SFPU_GELU, 0x7ac8dd4423f39ed1},
        {"tanh", TT_SFPU_TANH, 0x72785b9dc206a788},
        {"sigmoid", TT_SFPU_SIGMOID, 0x0e3115bfc54e975e},
        {"exact gelu", TT_SFPU_GELU_EXACT, 0xf8d5d40347092f96},
    };
    float a[TILE_ELEMENTS], b[TILE_ELEMENTS], dst[TILE_ELEMENTS] = {0};
    scatter(a, 4);
    scatter(b, 5);
    math_matmul(dst, a, b);
    check_hash("product", dst, 0x46b24b92cdde847a);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        memcpy(dst, a, sizeof dst);
        math_sfpu(dst, functions[i].function, 0);
        check_hash(functions[i].name, dst, functions[i].hash);
    }
}

TEST(a_second_operand_can_be_a_row_a_column_or_a_number)
{
    static const struct {
        uint32_t broadcast;
        int row, column; // of b for element (3, 5)
    } cases[] = {{TT_BROADCAST_NONE, 3, 5},
                 {TT_BROADCAST_ROW, 0, 5},
                 {TT_BROADCAST_COLUMN, 3, 0},
                 {TT_BROADCAST_SCALAR, 0, 0}};
    float a[TILE_ELEMENTS], b[TILE_ELEMENTS], dst[TILE_ELEMENTS];
    scatter(a, 6);
    scatter(b, 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float left = a[3 * TILE_SIDE + 5];
        float right = b[cases[i].row * TILE_SIDE + cases[i].column];
        math_binary(dst, a, b, BINARY_ADD, cases[i].broadcast);
        assert_int_equal(bits_of(dst[3 * TILE_SIDE + 5]), bits_of(left + right));
        math_binary(dst, a, b, BINARY_SUB, cases[i].broadcast);
        assert_int_equal(bits_of(dst[3 * TILE_SIDE + 5]), bits_of(left - right));
        math_binary(dst, a, b, BINARY_MUL, cases[i].broadcast);
        assert_int_equal(bits_of(dst[3 * TILE_SIDE + 5]), bits_of(left * right));
    }
}

TEST(sums_are_scaled_and_added_to_what_is_there)
{
    float a[TILE_ELEMENTS], dst[TILE_ELEMENTS] = {0};
    for (int i = 0; i < TILE_ELEMENTS; i++) {
        int row = i / TILE_SIDE;
        a[i] = (float)(row + 1);
    }
    math_reduce(dst, a, 0.5F, REDUCE_ROW, false, true);
    math_reduce(dst, a, 0.5F, REDUCE_ROW, false, false);
    REAL_IS((double)dst[0], 32);
    REAL_IS((double)dst[992], 32 * 32);
    REAL_IS((double)dst[1], 0);
    memset(dst, 0, sizeof dst);
    math_reduce(dst, a, 1, REDUCE_COLUMN, false, true);
    REAL_IS((double)dst[0], 528);
    REAL_IS((double)dst[31], 528);
    REAL_IS((double)dst[TILE_SIDE], 0);
    memset(dst, 0, sizeof dst);
    math_reduce(dst, a, 0x1p-10F, REDUCE_SCALAR, false, true);
    REAL_IS((double)dst[0], 16.5);
    REAL_IS((double)dst[1], 0);
}

TEST(a_maximum_of_negative_numbers_is_negative)
{
    float a[TILE_ELEMENTS], dst[TILE_ELEMENTS] = {0};
    for (int i = 0; i < TILE_ELEMENTS; i++) {
        int row = i / TILE_SIDE, column = i % TILE_SIDE;
        a[i] = (float)(-1 - row - column);
    }
    math_reduce(dst, a, 1, REDUCE_ROW, true, true);
    REAL_IS((double)dst[0], -1);
    REAL_IS((double)dst[64], -3);
    a[0] = 7;
    a[64] = -9;
    math_reduce(dst, a, 1, REDUCE_ROW, true, false);
    REAL_IS((double)dst[0], 7);
    REAL_IS((double)dst[64], -3);
    memset(dst, 0, sizeof dst);
    math_reduce(dst, a, 2, REDUCE_SCALAR, true, true);
    REAL_IS((double)dst[0], 14);
}

static double reference_gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}
static double reference_gelu_exact(double x)
{
    return 0.5 * x * erfc(-x / sqrt(2));
}
static double reference_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double reference_rsqrt(double x)
{
    return 1 / sqrt(x);
}

// Every bf16 number between the bounds, both signs if `low` is below zero.
static void compare(uint32_t function, double (*reference)(double), float low, float high)
{
    for (uint32_t half = 0; half < 0x10000; half += TILE_ELEMENTS) {
        float in[TILE_ELEMENTS], out[TILE_ELEMENTS];
        for (uint32_t i = 0; i < TILE_ELEMENTS; i++)
            in[i] = out[i] = float_of((half + i) << 16);
        math_sfpu(out, function, 0);
        for (int i = 0; i < TILE_ELEMENTS; i++) {
            if (!(in[i] >= low && in[i] <= high))
                continue;
            double want = reference((double)in[i]);
            double error = fabs((double)out[i] - want);
            // Two units in the last place of a float, far below one of bf16.
            if (error > fabs(want) * 0x1p-22 + 0x1p-149)
                fail_msg("function %u of %a: %a, not %a", function, (double)in[i],
                         (double)out[i], want);
        }
    }
}

TEST(functions_agree_with_the_host_s)
{
    compare(TT_SFPU_EXP, exp, -103, 88);
    compare(TT_SFPU_TANH, tanh, -100, 100);
    compare(TT_SFPU_SIGMOID, reference_sigmoid, -87, 100);
    compare(TT_SFPU_GELU, reference_gelu, -3, 100);
    compare(TT_SFPU_GELU_EXACT, reference_gelu_exact, -12, 100);
    compare(TT_SFPU_SQRT, sqrt, 0, 1e38F);
    compare(TT_SFPU_RSQRT, reference_rsqrt, 1e-38F, 1e38F);
}

TEST(functions_have_limits_at_the_ends)
{
    static const struct {
        uint32_t function, in, out;
    } cases[] = {
        {TT_SFPU_EXP, 0x7F800000, 0x7F800000},
        {TT_SFPU_EXP, 0xFF800000, 0},
        {TT_SFPU_EXP, 0x42C80000, 0x7F800000},
        {TT_SFPU_EXP, 0xC2DC0000, 0},
        {TT_SFPU_EXP, 0x80000000, 0x3F800000},
        {TT_SFPU_TANH, 0x7F800000, 0x3F800000},
        {TT_SFPU_TANH, 0xFF800000, 0xBF800000},
        {TT_SFPU_TANH, 0x80000000, 0x80000000},
        {TT_SFPU_SIGMOID, 0x7F800000, 0x3F800000},
        {TT_SFPU_SIGMOID, 0xFF800000, 0},
        {TT_SFPU_GELU, 0x7F800000, 0x7F800000},
        {TT_SFPU_GELU, 0xFF800000, 0},
        {TT_SFPU_GELU_EXACT, 0x7F800000, 0x7F800000},
        {TT_SFPU_GELU_EXACT, 0xFF800000, 0},
        {TT_SFPU_RECIPROCAL, 0, 0x7F800000},
        {TT_SFPU_RSQRT, 0, 0x7F800000},
        {TT_SFPU_RELU, 0xC0000000, 0},
        {TT_SFPU_RELU, 0x80000000, 0},
        {TT_SFPU_ABS, 0xC0000000, 0x40000000},
        {TT_SFPU_NEG, 0x40000000, 0xC0000000},
        {TT_SFPU_SQUARE, 0xC0000000, 0x40800000},
        {TT_SFPU_SCALE, 0x40000000, 0x40400000},
        {TT_SFPU_OFFSET, 0x40000000, 0x40600000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float tile[TILE_ELEMENTS] = {float_of(cases[i].in)};
        math_sfpu(tile, cases[i].function, 1.5F);
        if (bits_of(tile[0]) != cases[i].out)
            fail_msg("function %u of %08x: %08x, not %08x", cases[i].function, cases[i].in,
                     bits_of(tile[0]), cases[i].out);
    }
}

TEST(functions_of_no_number_are_no_number)
{
    for (uint32_t function = 0; function < TT_SFPU_FUNCTIONS; function++) {
        float tile[TILE_ELEMENTS] = {NAN};
        math_sfpu(tile, function, 1);
        assert_true(tile[0] != tile[0]);
    }
}
