// factor.h - an input of a matrix product, as a core gets it: step by step, alone or
// together with others.
#ifndef FACTOR_H
#define FACTOR_H

#include "blocks.h"
#include "multicast.h"

struct factor {
    bool is_b, is_kept, is_shared;
    uint32_t inner, block; // tiles of the inner dimension, and of a step
    uint32_t cb, pages;    // of a step
    struct multicast shared;
};

// `arguments`: of what cores share, the grid's corner and the first semaphore.
static inline void factor_start(struct factor *f, const struct blocks *blocks, bool is_b,
                                uint32_t arguments)
{
    f->is_b = is_b;
    f->is_kept = get_common_arg_val(is_b ? MATMUL_KEEP_B : MATMUL_KEEP_A);
    f->is_shared = get_common_arg_val(MATMUL_IS_SHARED);
    f->inner = get_common_arg_val(MATMUL_K);
    f->block = get_common_arg_val(MATMUL_BLOCK_K);
    f->cb = is_b ? CB_B : CB_A;
    f->pages = get_common_arg_val(is_b ? MATMUL_SUB_W : MATMUL_SUB_H) * f->block;
    if (!f->is_shared)
        return;
    uint32_t across = (blocks->n + blocks->per_n - 1) / blocks->per_n;
    uint32_t down = (blocks->m + blocks->per_m - 1) / blocks->per_m;
    struct core core = {blocks->block % across, blocks->block / across};
    uint32_t semaphore = get_common_arg_val(arguments + 1);
    multicast_start(&f->shared, get_common_arg_val(arguments), core, is_b,
                    is_b ? down : across, semaphore + (is_b ? MULTICAST_SEMAPHORES : 0));
}

// Whether the subblock needs tiles that are not here yet.
static inline bool factor_is_new(const struct factor *f, const struct subblock *s)
{
    return !f->is_kept || (f->is_b ? s->is_top : s->is_left);
}

#endif
