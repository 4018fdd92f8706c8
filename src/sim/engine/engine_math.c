// engine_math.c - tile arithmetic. Sums run in a fixed order per element, so vector
// registers of any width give the same bits; functions are computed in double with + - *
// / only and rounded once at the end.
#include "sim/engine/engine_math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "ttprof/engine_ops.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// --- matrix product --------------------------------------------------------------------
// Four column vectors at a time. The sums are named variables because gcc would keep an
// array in memory; the vector width is the host's because gcc splits wider ones badly.
typedef float lanes4 __attribute__((vector_size(16)));

#define MATMUL(name, lanes, attributes)                                                    \
    attributes static void name(float *dst, const float *a, const float *b)                \
    {                                                                                      \
        const size_t n = sizeof(lanes) / sizeof(float);                                    \
        for (size_t i = 0; i < TILE_ELEMENTS; i += 4 * n) {                                \
            const float *left = a + i / TILE_SIDE * TILE_SIDE;                             \
            lanes sums0, sums1, sums2, sums3, right;                                       \
            memcpy(&sums0, dst + i, sizeof right);                                         \
            memcpy(&sums1, dst + i + n, sizeof right);                                     \
            memcpy(&sums2, dst + i + 2 * n, sizeof right);                                 \
            memcpy(&sums3, dst + i + 3 * n, sizeof right);                                 \
            for (size_t k = 0; k < TILE_SIDE; k++) {                                       \
                const float *row = b + i % TILE_SIDE + k * TILE_SIDE;                      \
                memcpy(&right, row, sizeof right);                                         \
                sums0 += left[k] * right;                                                  \
                memcpy(&right, row + n, sizeof right);                                     \
                sums1 += left[k] * right;                                                  \
                memcpy(&right, row + 2 * n, sizeof right);                                 \
                sums2 += left[k] * right;                                                  \
                memcpy(&right, row + 3 * n, sizeof right);                                 \
                sums3 += left[k] * right;                                                  \
            }                                                                              \
            memcpy(dst + i, &sums0, sizeof right);                                         \
            memcpy(dst + i + n, &sums1, sizeof right);                                     \
            memcpy(dst + i + 2 * n, &sums2, sizeof right);                                 \
            memcpy(dst + i + 3 * n, &sums3, sizeof right);                                 \
        }                                                                                  \
    }

MATMUL(matmul_narrow, lanes4, )

#if defined(__x86_64__)
typedef float lanes8 __attribute__((vector_size(32)));
MATMUL(matmul_wide, lanes8, __attribute__((target("avx2"))))

void math_matmul(float *dst, const float *a, const float *b)
{
    if (__builtin_cpu_supports("avx2"))
        matmul_wide(dst, a, b);
    else
        matmul_narrow(dst, a, b);
}
#else
void math_matmul(float *dst, const float *a, const float *b)
{
    matmul_narrow(dst, a, b);
}
#endif

// --- two operands ----------------------------------------------------------------------
// Steps in b per row and per column of a.
struct stride {
    size_t row, column;
};
static const struct stride broadcast_strides[] = {
    [TT_BROADCAST_NONE] = {TILE_SIDE, 1},
    [TT_BROADCAST_ROW] = {0, 1},
    [TT_BROADCAST_COLUMN] = {TILE_SIDE, 0},
    [TT_BROADCAST_SCALAR] = {0, 0},
};

void math_binary(float *dst, const float *a, const float *b, int operation,
                 uint32_t broadcast)
{
    struct stride stride = broadcast_strides[broadcast];
    for (size_t row = 0; row < TILE_SIDE; row++)
        for (size_t column = 0; column < TILE_SIDE; column++) {
            float left = a[row * TILE_SIDE + column];
            float right = b[row * stride.row + column * stride.column];
            dst[row * TILE_SIDE + column] = operation == BINARY_ADD   ? left + right
                                            : operation == BINARY_SUB ? left - right
                                                                      : left * right;
        }
}

// --- reduction -------------------------------------------------------------------------
static float larger(float a, float b)
{
    return a > b || a != a ? a : b;
}

// One line of `a`: n elements, `step` apart.
static float line_reduce(const float *a, size_t n, size_t step, bool is_max)
{
    float result = a[0];
    for (size_t i = 1; i < n; i++)
        result = is_max ? larger(result, a[i * step]) : result + a[i * step];
    return result;
}

static void reduce_store(float *dst, float value, float scale, bool is_max, bool is_fresh)
{
    float scaled = value * scale;
    if (!is_max)
        *dst += scaled;
    else
        *dst = is_fresh ? scaled : larger(*dst, scaled);
}

void math_reduce(float *dst, const float *a, float scale, int dimension, bool is_max,
                 bool is_fresh)
{
    if (dimension == REDUCE_SCALAR) {
        float lines[TILE_SIDE];
        for (size_t row = 0; row < TILE_SIDE; row++)
            lines[row] = line_reduce(a + row * TILE_SIDE, TILE_SIDE, 1, is_max);
        reduce_store(dst, line_reduce(lines, TILE_SIDE, 1, is_max), scale, is_max,
                     is_fresh);
        return;
    }
    size_t line = dimension == REDUCE_ROW ? TILE_SIDE : 1;
    size_t step = dimension == REDUCE_ROW ? 1 : TILE_SIDE;
    for (size_t i = 0; i < TILE_SIDE; i++)
        reduce_store(dst + i * line, line_reduce(a + i * line, TILE_SIDE, step, is_max),
                     scale, is_max, is_fresh);
}

// --- functions -------------------------------------------------------------------------
// e^x for |x| <= 700, to a few double ulps: x = n ln 2 + r with |r| <= ln 2 / 2, then the
// Taylor series of r.
static double exp_double(double x)
{
    if (!(x > -700))
        return x != x ? x : 0;
    if (x > 700)
        return INFINITY;
    // ln 2 in two parts; the first ends in zero bits, so multiplying it by n is exact.
    const double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;
    int n = (int)(x * 0x1.71547652b82fep+0 + (x < 0 ? -0.5 : 0.5));
    static const double inverse[] = {1.0,      1.0,      1.0 / 2,  1.0 / 3, 1.0 / 4,
                                     1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8, 1.0 / 9,
                                     1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13};
    double r = x - n * high - n * low, sum = 1;
    for (int i = 13; i > 0; i--)
        sum = 1 + sum * r * inverse[i];
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

// Values beyond a float's range become infinite; C leaves that conversion undefined.
static float float_from(double x)
{
    if (x > 0x1.fffffefffffffp+127)
        return INFINITY;
    if (x < -0x1.fffffefffffffp+127)
        return -INFINITY;
    return (float)x;
}

static double sigmoid_double(double x)
{
    return 1 / (1 + exp_double(-x));
}

// erfc(z) for z >= 0. The series has only positive terms; for larger z the continued
// fraction keeps the digits of a small result.
static double erfc_double(double z)
{
    const double root_pi = 0x1.c5bf891b4ef6bp+0;
    double bell = exp_double(-z * z);
    if (z < 2.5) {
        double term = z, sum = z;
        for (int n = 1; n < 80 && term > sum * 0x1p-54; n++) {
            term *= 2 * z * z / (2 * n + 1);
            sum += term;
        }
        return 1 - 2 / root_pi * bell * sum;
    }
    double fraction = z;
    for (int n = 40; n > 0; n--)
        fraction = z + n / 2.0 / fraction;
    return bell / (root_pi * fraction);
}

static float sfpu_relu(float x)
{
    return x <= 0 ? 0 : x;
}

static float sfpu_neg(float x)
{
    return -x;
}

static float sfpu_square(float x)
{
    return x * x;
}

static float sfpu_reciprocal(float x)
{
    return 1 / x;
}

static float sfpu_rsqrt(float x)
{
    return float_from(1 / sqrt((double)x));
}

static float sfpu_exp(float x)
{
    return float_from(exp_double((double)x));
}

static float sfpu_sigmoid(float x)
{
    return float_from(sigmoid_double((double)x));
}

static float sfpu_tanh(float x)
{
    double v = (double)x;
    if (fabs(v) < 1e-3) // the difference below would lose digits
        return float_from(v * (1 - v * v / 3));
    return float_from(1 - 2 / (exp_double(2 * v) + 1));
}

// (1 + tanh u) / 2 is the sigmoid of 2u.
static float sfpu_gelu(float x)
{
    const double root_2_pi = 0x1.9884533d43651p-1; // of 2 / pi
    double v = (double)x, u = root_2_pi * (v + 0.044715 * v * v * v);
    return v < -50 ? 0 : float_from(v * sigmoid_double(2 * u));
}

static float sfpu_gelu_exact(float x)
{
    const double root_half = 0x1.6a09e667f3bcdp-1;
    double v = (double)x, z = v * root_half;
    if (v < -50)
        return 0;
    return float_from(0.5 * v * (z < 0 ? erfc_double(-z) : 2 - erfc_double(z)));
}

static float (*const sfpu_functions[TT_SFPU_FUNCTIONS])(float x) = {
    [TT_SFPU_RELU] = sfpu_relu,
    [TT_SFPU_ABS] = fabsf,
    [TT_SFPU_NEG] = sfpu_neg,
    [TT_SFPU_SQUARE] = sfpu_square,
    [TT_SFPU_SQRT] = sqrtf,
    [TT_SFPU_RECIPROCAL] = sfpu_reciprocal,
    [TT_SFPU_EXP] = sfpu_exp,
    [TT_SFPU_GELU] = sfpu_gelu,
    [TT_SFPU_TANH] = sfpu_tanh,
    [TT_SFPU_SIGMOID] = sfpu_sigmoid,
    [TT_SFPU_GELU_EXACT] = sfpu_gelu_exact,
    [TT_SFPU_RSQRT] = sfpu_rsqrt,
};

void math_sfpu(float *tile, uint32_t function, float parameter)
{
    for (size_t i = 0; i < TILE_ELEMENTS; i++)
        if (function == TT_SFPU_SCALE)
            tile[i] *= parameter;
        else if (function == TT_SFPU_OFFSET)
            tile[i] += parameter;
        else
            tile[i] = sfpu_functions[function](tile[i]);
}
