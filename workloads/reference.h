// reference.h - the runtime's ops as plain host computations, row by row.
//
// Inputs are values as the device holds them. Matrix products and elementwise ops give what
// the engine gives before rounding; the others are computed in double.
#ifndef TTP_WORKLOADS_REFERENCE_H
#define TTP_WORKLOADS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

struct shape4 {
    uint32_t n[4]; // W, Z, Y, X
};
size_t shape4_volume(struct shape4 s);

// a x b + bias (or NULL) of `batches` matrices; b has one per batch, or one for all.
struct reference_matmul {
    uint32_t batches, rows, inner, columns;
    int is_b_shared;
};
void reference_matmul(float *out, const float *a, const float *b, const float *bias,
                      struct reference_matmul size);
float reference_unary(int function, float x);                 // enum ttrt_unary
float reference_binary_value(int function, float a, float b); // enum ttrt_binary
// b has the dimensions of a, or 1.
void reference_binary(float *out, int function, const float *a, struct shape4 shape,
                      const float *b, struct shape4 shape_b);
void reference_softmax(float *out, const float *a, size_t rows, size_t columns,
                       double scale);
void reference_layernorm(float *out, const float *a, size_t rows, size_t columns,
                         const float *gamma, const float *beta, double epsilon);
// pool: enum ttrt_pool; dim: enum ttrt_dim. The dimension becomes 1.
void reference_reduce(float *out, const float *a, struct shape4 shape, int pool, int dim);
void reference_transpose(float *out, const float *a, struct shape4 shape);
// Ids outside the table give zeros.
void reference_embedding(float *out, const uint32_t *ids, size_t n, const float *table,
                         size_t rows, size_t columns);
// Part 0 .. 2 of [sequence, 3 heads depth] -> [heads, sequence, depth]
void reference_split_heads(float *out, const float *qkv, int part, size_t sequence,
                           size_t heads, size_t depth);
void reference_concat_heads(float *out, const float *a, struct shape4 shape);

void reference_gelu_backward(float *out, const float *gradient, const float *a, size_t n);
void reference_softmax_backward(float *out, const float *gradient, const float *result,
                                size_t rows, size_t columns);
void reference_layernorm_backward(float *out, const float *gradient, const float *a,
                                  size_t rows, size_t columns, double epsilon);

// This chip's part of two chips' tensors: `outer` blocks of `inner` values.
void reference_gather(float *out, const float *const *parts, size_t chips, size_t outer,
                      size_t inner);

#endif
