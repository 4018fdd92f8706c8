// reference.c - expected results of the runtime's ops.
#include "workloads/reference.h"

#include <math.h>
#include <string.h>

#include "ttprof/runtime.h"

size_t shape4_volume(struct shape4 s)
{
    return (size_t)s.n[0] * s.n[1] * s.n[2] * s.n[3];
}

// --- matrix products -------------------------------------------------------------------
// Sums in fp32, in order of the inner dimension, bias first: as the engine adds.
void reference_matmul(float *out, const float *a, const float *b, const float *bias,
                      struct reference_matmul s)
{
    for (size_t batch = 0; batch < s.batches; batch++) {
        const float *left = a + batch * s.rows * s.inner;
        const float *right = b + (s.is_b_shared ? 0 : batch * s.inner * s.columns);
        for (size_t i = 0; i < s.rows; i++) {
            float *restrict sums = out + (batch * s.rows + i) * s.columns;
            for (size_t j = 0; j < s.columns; j++)
                sums[j] = bias ? bias[j] : 0;
            for (size_t k = 0; k < s.inner; k++)
                for (size_t j = 0; j < s.columns; j++)
                    sums[j] += left[i * s.inner + k] * right[k * s.columns + j];
        }
    }
}

// --- elementwise -----------------------------------------------------------------------
static double gelu(double x)
{
    const double root = 0.79788456080286536; // of 2 / pi
    return 0.5 * x * (1 + tanh(root * (x + 0.044715 * x * x * x)));
}

float reference_unary(int function, float value)
{
    double x = (double)value;
    switch ((enum ttrt_unary)function) {
    case TTRT_RELU: return value > 0 ? value : 0;
    case TTRT_ABS: return fabsf(value);
    case TTRT_NEG: return -value;
    case TTRT_SQUARE: return value * value;
    case TTRT_SQRT: return sqrtf(value);
    case TTRT_RECIPROCAL: return 1 / value;
    case TTRT_EXP: return (float)exp(x);
    case TTRT_GELU: return (float)gelu(x);
    case TTRT_TANH: return (float)tanh(x);
    case TTRT_SIGMOID: return (float)(1 / (1 + exp(-x)));
    case TTRT_RSQRT: return (float)(1 / sqrt(x));
    case TTRT_UNARIES: break;
    }
    return value;
}

float reference_binary_value(int function, float a, float b)
{
    return function == TTRT_ADD ? a + b : function == TTRT_SUB ? a - b : a * b;
}

void reference_binary(float *out, int function, const float *a, struct shape4 shape,
                      const float *b, struct shape4 of_b)
{
    size_t stride[4], next = 1;
    for (int i = 3; i >= 0; i--) {
        stride[i] = of_b.n[i] > 1 ? next : 0;
        next *= of_b.n[i];
    }
    for (size_t i = 0; i < shape4_volume(shape); i++) {
        size_t rest = i, at = 0;
        for (int d = 3; d >= 0; d--) {
            at += rest % shape.n[d] * stride[d];
            rest /= shape.n[d];
        }
        out[i] = reference_binary_value(function, a[i], b[at]);
    }
}

// --- along rows ------------------------------------------------------------------------
void reference_softmax(float *out, const float *a, size_t rows, size_t columns,
                       double scale)
{
    for (size_t i = 0; i < rows; i++) {
        const float *row = a + i * columns;
        double most = -INFINITY, sum = 0;
        for (size_t j = 0; j < columns; j++)
            most = fmax(most, (double)row[j]);
        for (size_t j = 0; j < columns; j++)
            sum += exp(scale * ((double)row[j] - most));
        for (size_t j = 0; j < columns; j++)
            out[i * columns + j] = (float)(exp(scale * ((double)row[j] - most)) / sum);
    }
}

struct moments {
    double mean, inverse; // 1 / deviation
};

static struct moments moments_of(const float *row, size_t n, double epsilon)
{
    double mean = 0, variance = 0;
    for (size_t j = 0; j < n; j++)
        mean += (double)row[j] / (double)n;
    for (size_t j = 0; j < n; j++)
        variance += ((double)row[j] - mean) * ((double)row[j] - mean) / (double)n;
    return (struct moments){mean, 1 / sqrt(variance + epsilon)};
}

void reference_layernorm(float *out, const float *a, size_t rows, size_t columns,
                         const float *gamma, const float *beta, double epsilon)
{
    for (size_t i = 0; i < rows; i++) {
        struct moments m = moments_of(a + i * columns, columns, epsilon);
        for (size_t j = 0; j < columns; j++) {
            double normal = ((double)a[i * columns + j] - m.mean) * m.inverse;
            out[i * columns + j] = (float)(normal * (gamma ? (double)gamma[j] : 1) +
                                           (beta ? (double)beta[j] : 0));
        }
    }
}

// --- other shapes ----------------------------------------------------------------------
void reference_reduce(float *out, const float *a, struct shape4 shape, int pool, int dim)
{
    size_t length = shape.n[dim], inner = dim == TTRT_DIM_X ? 1 : shape.n[3];
    size_t outer = shape4_volume(shape) / length / inner;
    for (size_t i = 0; i < outer; i++)
        for (size_t j = 0; j < inner; j++) {
            const float *line = a + i * length * inner + j;
            double result = (double)line[0];
            for (size_t k = 1; k < length; k++) {
                double value = (double)line[k * inner];
                result = pool == TTRT_MAX ? fmax(result, value) : result + value;
            }
            out[i * inner + j] =
                (float)(pool == TTRT_MEAN ? result / (double)length : result);
        }
}

void reference_transpose(float *out, const float *a, struct shape4 shape)
{
    size_t rows = shape.n[2], columns = shape.n[3], matrix = rows * columns;
    for (size_t i = 0; i < shape4_volume(shape); i++) {
        size_t row = i % matrix / columns, column = i % columns;
        out[i / matrix * matrix + column * rows + row] = a[i];
    }
}

void reference_embedding(float *out, const uint32_t *ids, size_t n, const float *table,
                         size_t rows, size_t columns)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < columns; j++)
            out[i * columns + j] = ids[i] < rows ? table[ids[i] * columns + j] : 0;
}

void reference_split_heads(float *out, const float *qkv, int part, size_t sequence,
                           size_t heads, size_t depth)
{
    for (size_t h = 0; h < heads; h++)
        for (size_t s = 0; s < sequence; s++)
            memcpy(out + (h * sequence + s) * depth,
                   qkv + ((s * 3 + (size_t)part) * heads + h) * depth, depth * sizeof *out);
}

void reference_concat_heads(float *out, const float *a, struct shape4 shape)
{
    size_t heads = shape.n[1], sequence = shape.n[2], depth = shape.n[3];
    for (size_t w = 0; w < shape.n[0]; w++)
        for (size_t h = 0; h < heads; h++)
            for (size_t s = 0; s < sequence; s++)
                memcpy(out + ((w * sequence + s) * heads + h) * depth,
                       a + ((w * heads + h) * sequence + s) * depth, depth * sizeof *out);
}

// --- gradients -------------------------------------------------------------------------
void reference_gelu_backward(float *out, const float *gradient, const float *a, size_t n)
{
    const double root = 0.79788456080286536; // of 2 / pi
    for (size_t i = 0; i < n; i++) {
        double x = (double)a[i], t = tanh(root * (x + 0.044715 * x * x * x));
        double slope =
            0.5 * (1 + t) + 0.5 * x * (1 - t * t) * root * (1 + 0.134145 * x * x);
        out[i] = (float)((double)gradient[i] * slope);
    }
}

void reference_softmax_backward(float *out, const float *gradient, const float *result,
                                size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        const float *g = gradient + i * columns, *y = result + i * columns;
        double sum = 0;
        for (size_t j = 0; j < columns; j++)
            sum += (double)g[j] * (double)y[j];
        for (size_t j = 0; j < columns; j++)
            out[i * columns + j] = (float)((double)y[j] * ((double)g[j] - sum));
    }
}

void reference_layernorm_backward(float *out, const float *gradient, const float *a,
                                  size_t rows, size_t columns, double epsilon)
{
    double n = (double)columns;
    for (size_t i = 0; i < rows; i++) {
        const float *g = gradient + i * columns, *x = a + i * columns;
        struct moments m = moments_of(x, columns, epsilon);
        double mean = 0, along = 0;
        for (size_t j = 0; j < columns; j++) {
            mean += (double)g[j] / n;
            along += (double)g[j] * ((double)x[j] - m.mean) * m.inverse / n;
        }
        for (size_t j = 0; j < columns; j++) {
            double normal = ((double)x[j] - m.mean) * m.inverse;
            out[i * columns + j] =
                (float)(((double)g[j] - mean - normal * along) * m.inverse);
        }
    }
}

// --- chips -----------------------------------------------------------------------------
void reference_gather(float *out, const float *const *parts, size_t chips, size_t outer,
                      size_t inner)
{
    for (size_t i = 0; i < outer; i++)
        for (size_t chip = 0; chip < chips; chip++)
            memcpy(out + (i * chips + chip) * inner, parts[chip] + i * inner,
                   inner * sizeof *out);
}
