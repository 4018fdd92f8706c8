// steps.h - building blocks of compute kernels. A step takes tiles out of circular buffers,
// works on them in Dst and packs one tile into another buffer.
#ifndef STEPS_H
#define STEPS_H

#include "ttprof/kernel.h"

enum { CB_OUT = 16 };

static inline void step_pack(uint32_t cb)
{
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

// Up to `n` functions of the vector unit: pairs of common arguments from `at` on, function
// and parameter. TT_SFPU_FUNCTIONS: none.
static inline void step_functions(uint32_t at, uint32_t n)
{
    for (; n; n--, at += 2)
        if (get_common_arg_val(at) < TT_SFPU_FUNCTIONS)
            ttk_sfpu(get_common_arg_val(at), 0, get_common_arg_val(at + 1));
}

// out = a (op) b; the tiles stay where they are.
static inline void step_binary(uint32_t opcode, uint32_t a, uint32_t tile_a, uint32_t b,
                               uint32_t tile_b, uint32_t broadcast, uint32_t out)
{
    tile_regs_acquire();
    ttk_binary(opcode, a, b, tile_a, tile_b, 0, broadcast);
    tile_regs_commit();
    step_pack(out);
}

// Column 0 of Dst becomes the sum or the greatest of every row of `n` tiles. Buffer
// `scaler` has a tile whose first value is 1.
static inline void reduce_rows(uint32_t pool, uint32_t cb, uint32_t n, uint32_t scaler)
{
    for (uint32_t i = 0; i < n; i++)
        ttk_reduce_tile(pool, REDUCE_ROW, cb, scaler, i, 0, 0);
}

#endif
