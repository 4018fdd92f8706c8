// engine_math.h - arithmetic on row-major tiles of 32 x 32 floats, and tile formats in
// L1. Results are bit-identical on every host: no fused operations, nothing from libm
// except sqrt, and a single NaN value in results.
#ifndef TTP_SIM_ENGINE_ENGINE_MATH_H
#define TTP_SIM_ENGINE_ENGINE_MATH_H

#include <stdbool.h>
#include <stdint.h>

enum { TILE_SIDE = 32, TILE_FACE = 16, TILE_ELEMENTS = TILE_SIDE * TILE_SIDE };

// --- engine_formats.c ------------------------------------------------------------------
uint32_t tile_format_bytes(uint32_t format); // 0 if there is no such format
void tile_unpack(float *out, const uint8_t *in, uint32_t format);
void tile_pack(uint8_t *out, const float *in, uint32_t format);
void tile_transpose(float *tile);
void tile_round_bf16(float *tile); // to nearest, ties to even

// --- engine_math.c ---------------------------------------------------------------------
// dst += a x b; products are added in order of k.
void math_matmul(float *dst, const float *a, const float *b);
enum binary_kind { BINARY_ADD, BINARY_SUB, BINARY_MUL };
// `broadcast` of b: TT_BROADCAST_*.
void math_binary(float *dst, const float *a, const float *b, int operation,
                 uint32_t broadcast);
enum reduce_kind { REDUCE_ROW, REDUCE_COLUMN, REDUCE_SCALAR };
// Scaled sums are added to dst; a maximum replaces a smaller value, or any value if dst
// is fresh.
void math_reduce(float *dst, const float *a, float scale, int dimension, bool is_max,
                 bool is_fresh);
void math_sfpu(float *tile, uint32_t function, float parameter); // TT_SFPU_*

#endif
