// blocks.h - how a matrix product is divided; shared by all kernels of its program.
//
// The result tiles form blocks of PER_M x PER_N, which are distributed over the cores; a
// block consists of subblocks of SUB_H x SUB_W, which fit into Dst, row by row. The inner
// dimension is read BLOCK_K tiles at a time.
//
// A subblock needs a strip of SUB_H rows of a and one of SUB_W columns of b. Where L1 has
// room, a strip of a stays for all subblocks of its row (KEEP_A) and the strips of b stay
// for the whole block (KEEP_B); otherwise each subblock gets its strips anew.
//
// Circular buffers always step by whole subblocks, and where anything stays or several
// cores share their operands, by whole blocks: then subblocks beyond the end of the result,
// which have no rows or no columns, take part as well. Otherwise they are left out.
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
    MATMUL_KEEP_A,
    MATMUL_KEEP_B,
    MATMUL_IS_SHARED, // each operand is read once and multicast: multicast.h
    MATMUL_OPERANDS,  // reader: a, b, bias; writer: the result
};
enum { CB_A, CB_B, CB_ONES, CB_BIAS, CB_RESULT = 16 };

struct blocks {
    uint32_t m, n, per_m, per_n, sub_h, sub_w;
    bool is_whole;                    // with subblocks beyond the end
    uint32_t block, end, row, column; // the next subblock, within its block
};

// A subblock: its position in the result and its actual size.
struct subblock {
    uint32_t batch, row, column, rows, columns;
    uint32_t strip;                 // of b, within the block
    bool is_top, is_left;           // strips that stay come with the first row and column
    bool is_bottom_right, is_right; // and go with the last
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
                           .is_whole = get_common_arg_val(MATMUL_KEEP_A) ||
                                       get_common_arg_val(MATMUL_KEEP_B) ||
                                       get_common_arg_val(MATMUL_IS_SHARED),
                           .block = first,
                           .end = first + get_arg_val(1)};
}

static inline uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Of `size` from `first` on, what is left before the end.
static inline uint32_t before_end(uint32_t first, uint32_t size, uint32_t end)
{
    return first < end ? at_most(size, end - first) : 0;
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
    uint32_t last_row = s->is_whole ? s->per_m : rows;
    uint32_t last_column = s->is_whole ? s->per_n : columns;
    *b = (struct subblock){.batch = s->block / across / down,
                           .row = top + s->row,
                           .column = left + s->column,
                           .rows = before_end(s->row, s->sub_h, rows),
                           .columns = before_end(s->column, s->sub_w, columns),
                           .strip = s->column / s->sub_w,
                           .is_top = s->row == 0,
                           .is_left = s->column == 0};
    s->column += s->sub_w;
    if (s->column < last_column)
        return true;
    b->is_right = true;
    s->column = 0;
    s->row += s->sub_h;
    if (s->row < last_row)
        return true;
    b->is_bottom_right = true;
    s->row = 0;
    s->block++;
    return true;
}

#endif
