// read_matmul.ncrisc.c - reads the tiles of both inputs and of the bias.
#include "blocks.h"
#include "edge.h"
#include "operand.h"

static struct operand a, b, bias;

// A tile with ones in column 0: times a row, it gives that row 32 times.
static void make_ones(void)
{
    cb_reserve_back(CB_ONES, 1);
    tile_of_columns(get_write_ptr(CB_ONES), 1);
    cb_push_back(CB_ONES, 1);
}

// Only the first row of a bias counts; the others are multiplied by zero, but may be
// anything.
static void read_bias(const struct subblock *s)
{
    uint32_t pages = get_common_arg_val(MATMUL_SUB_W), to;
    cb_reserve_back(CB_BIAS, pages);
    to = get_write_ptr(CB_BIAS);
    for (uint32_t i = 0; i < s->columns; i++)
        operand_read(&bias, s->column + i, to + i * bias.page_bytes);
    noc_async_read_barrier();
    for (uint32_t i = 0; i < s->columns; i++)
        edge_fill(to + i * bias.page_bytes, bias.page_bytes, 1 | 32 << 8);
    cb_push_back(CB_BIAS, pages);
}

static void read_a(const struct subblock *s, uint32_t inner, uint32_t first, uint32_t n)
{
    uint32_t block = get_common_arg_val(MATMUL_BLOCK_K), to = get_write_ptr(CB_A);
    uint32_t page = s->batch * get_common_arg_val(MATMUL_A_BATCH) + s->row * inner + first;
    for (uint32_t i = 0; i < s->rows; i++)
        for (uint32_t k = 0; k < n; k++)
            operand_read(&a, page + i * inner + k, to + (i * block + k) * a.page_bytes);
}

static void read_b(const struct subblock *s, uint32_t first, uint32_t n)
{
    uint32_t across = get_common_arg_val(MATMUL_N), to = get_write_ptr(CB_B);
    uint32_t width = get_common_arg_val(MATMUL_SUB_W);
    uint32_t page =
        s->batch * get_common_arg_val(MATMUL_B_BATCH) + first * across + s->column;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < s->columns; j++)
            operand_read(&b, page + k * across + j, to + (k * width + j) * b.page_bytes);
}

// The last tiles of the inner dimension, at index k of the tiles read.
static void fill_edges(const struct subblock *s, uint32_t k)
{
    uint32_t block = get_common_arg_val(MATMUL_BLOCK_K);
    uint32_t width = get_common_arg_val(MATMUL_SUB_W);
    for (uint32_t i = 0; i < s->rows; i++)
        edge_fill(get_write_ptr(CB_A) + (i * block + k) * a.page_bytes, a.page_bytes,
                  get_common_arg_val(MATMUL_EDGE_A));
    for (uint32_t j = 0; j < s->columns; j++)
        edge_fill(get_write_ptr(CB_B) + (k * width + j) * b.page_bytes, b.page_bytes,
                  get_common_arg_val(MATMUL_EDGE_B));
}

static void read_factors(const struct subblock *s)
{
    uint32_t inner = get_common_arg_val(MATMUL_K);
    uint32_t block = get_common_arg_val(MATMUL_BLOCK_K);
    for (uint32_t first = 0; first < inner; first += block) {
        uint32_t n = at_most(block, inner - first);
        cb_reserve_back(CB_A, get_common_arg_val(MATMUL_SUB_H) * block);
        cb_reserve_back(CB_B, get_common_arg_val(MATMUL_SUB_W) * block);
        read_a(s, inner, first, n);
        read_b(s, first, n);
        noc_async_read_barrier();
        if (first + n == inner)
            fill_edges(s, n - 1);
        cb_push_back(CB_A, get_common_arg_val(MATMUL_SUB_H) * block);
        cb_push_back(CB_B, get_common_arg_val(MATMUL_SUB_W) * block);
    }
}

void kernel_main(void)
{
    struct blocks blocks = blocks_start();
    struct subblock s;
    bool has_bias = get_common_arg_val(MATMUL_HAS_BIAS);
    a = operand_at(MATMUL_OPERANDS);
    b = operand_at(MATMUL_OPERANDS + OPERAND_WORDS);
    bias = operand_at(MATMUL_OPERANDS + 2 * OPERAND_WORDS);
    if (has_bias)
        make_ones();
    while (blocks_next(&blocks, &s)) {
        DeviceZoneScopedN("READ");
        if (has_bias)
            read_bias(&s);
        read_factors(&s);
    }
}
