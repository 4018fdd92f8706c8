// blocks.h - how a matrix product is divided; shared by all kernels of its program.
//
// The result tiles form blocks of PER_M x PER_N, which are distributed over the cores; a
// block consists of subblocks of SUB_H x SUB_W, which fit into Dst. For each subblock,
// BLOCK_K tiles of the inner dimension are read at a time. What does not divide evenly is
// cut off at the end; circular buffers always step by whole subblocks.
#ifndef BLOCKS_H
#define BLOCKS_H

#include "ttprof/kernel.h"

enum { // common arguments
    MATMUL_M,
    MATMUL_N,
    MATMUL_K,
    MATMUL_PER_M,
    MATMUL_PER_N,
    MATMUL_SUB_H,
    MATMUL_SUB_W,
    MATMUL_BLOCK_K,
    MATMUL_A_BATCH, // tiles between two matrices
    MATMUL_B_BATCH, // 0: one for all
    MATMUL_EDGE_A,  // of the last tile of the inner dimension
    MATMUL_EDGE_B,
    MATMUL_HAS_BIAS,
    MATMUL_FIDELITY,
    MATMUL_FUNCTION, // of the result; TT_SFPU_FUNCTIONS: none
    MATMUL_OPERANDS, // reader: a, b, bias; writer: the result
};
enum { CB_A, CB_B, CB_ONES, CB_BIAS, CB_RESULT = 16 };

struct blocks {
    uint32_t m, n, per_m, per_n, sub_h, sub_w;
    uint32_t block, end, row, column; // the next subblock, within its block
};

// A subblock: its position in the result and its actual size.
struct subblock {
    uint32_t batch, row, column, rows, columns;
};

static inline struct blocks blocks_start(void)
{
    uint32_t first = get_arg_val(0);
    return (struct blocks){.m = get_common_arg_val(MATMUL_M),
                           .n = get_common_arg_val(MATMUL_N),
                           .per_m = get_common_arg_val(MATMUL_PER_M),
                           .per_n = get_common_arg_val(MATMUL_PER_N),
                           .sub_h = get_common_arg_val(MATMUL_SUB_H),
                           .sub_w = get_common_arg_val(MATMUL_SUB_W),
                           .block = first,
                           .end = first + get_arg_val(1)};
}

static inline uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline bool blocks_next(struct blocks *s, struct subblock *b)
{
    if (s->block == s->end)
        return false;
    uint32_t down = (s->m + s->per_m - 1) / s->per_m;
    uint32_t across = (s->n + s->per_n - 1) / s->per_n;
    uint32_t top = s->block / across % down * s->per_m;
    uint32_t left = s->block % across * s->per_n;
    uint32_t rows = at_most(s->per_m, s->m - top);
    uint32_t columns = at_most(s->per_n, s->n - left);
    *b = (struct subblock){.batch = s->block / across / down,
                           .row = top + s->row,
                           .column = left + s->column,
                           .rows = at_most(s->sub_h, rows - s->row),
                           .columns = at_most(s->sub_w, columns - s->column)};
    s->column += s->sub_w;
    if (s->column < columns)
        return true;
    s->column = 0;
    s->row += s->sub_h;
    if (s->row < rows)
        return true;
    s->row = 0;
    s->block++;
    return true;
}

#endif
