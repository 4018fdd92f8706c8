// sfpu.h - elementwise functions of a tile in Dst.
#ifndef TTPROF_KERNEL_SFPU_H
#define TTPROF_KERNEL_SFPU_H

#include "ttprof/kernel/compute.h"

TTK_INLINE void ttk_sfpu(uint32_t function, uint32_t dst, uint32_t parameter)
{
    ttk_math(TT_MATH_SFPU, dst, function, parameter);
}

// exp_tile(dst), exp_tile_init() and sfpu_exp(dst)
#ifdef __cplusplus
#define TTK_SFPU(name, function)                                                           \
    TTK_NOTHING(name##_tile_init)                                                          \
    template <auto... how> TTK_INLINE void name##_tile(uint32_t dst)                       \
    {                                                                                      \
        ttk_sfpu(function, dst, 0);                                                        \
    }                                                                                      \
    TTK_INLINE void sfpu_##name(uint32_t dst)                                              \
    {                                                                                      \
        ttk_sfpu(function, dst, 0);                                                        \
    }
#else
#define TTK_SFPU(name, function)                                                           \
    TTK_NOTHING(name##_tile_init)                                                          \
    TTK_INLINE void name##_tile(uint32_t dst)                                              \
    {                                                                                      \
        ttk_sfpu(function, dst, 0);                                                        \
    }                                                                                      \
    TTK_INLINE void sfpu_##name(uint32_t dst)                                              \
    {                                                                                      \
        ttk_sfpu(function, dst, 0);                                                        \
    }
#endif
TTK_SFPU(relu, TT_SFPU_RELU)
TTK_SFPU(abs, TT_SFPU_ABS)
TTK_SFPU(negative, TT_SFPU_NEG)
TTK_SFPU(neg, TT_SFPU_NEG)
TTK_SFPU(square, TT_SFPU_SQUARE)
TTK_SFPU(sqrt, TT_SFPU_SQRT)
TTK_SFPU(recip, TT_SFPU_RECIPROCAL)
TTK_SFPU(rsqrt, TT_SFPU_RSQRT)
TTK_SFPU(exp, TT_SFPU_EXP)
TTK_SFPU(gelu, TT_SFPU_GELU)
TTK_SFPU(gelu_exact, TT_SFPU_GELU_EXACT)
TTK_SFPU(tanh, TT_SFPU_TANH)
TTK_SFPU(sigmoid, TT_SFPU_SIGMOID)

// With an fp32 parameter, passed as its bits.
TTK_NOTHING(binop_with_scalar_tile_init)
TTK_INLINE void mul_unary_tile(uint32_t dst, uint32_t bits)
{
    ttk_sfpu(TT_SFPU_SCALE, dst, bits);
}
TTK_INLINE void add_unary_tile(uint32_t dst, uint32_t bits)
{
    ttk_sfpu(TT_SFPU_OFFSET, dst, bits);
}
TTK_INLINE void sfpu_scale(uint32_t dst, uint32_t bits)
{
    ttk_sfpu(TT_SFPU_SCALE, dst, bits);
}
TTK_INLINE void sfpu_offset(uint32_t dst, uint32_t bits)
{
    ttk_sfpu(TT_SFPU_OFFSET, dst, bits);
}

#endif
