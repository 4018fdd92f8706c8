// matmul.compute.c - each output tile is a sum of products of tiles, in the order of the
// inner dimension; a bias comes first, a function last.
#include "blocks.h"

// The tiles of a subblock have no gaps in Dst.
static void add_bias(const struct blocks *blocks, const struct subblock *s)
{
    cb_wait_front(CB_BIAS, blocks->sub_w);
    for (uint32_t i = 0; i < s->rows; i++)
        for (uint32_t j = 0; j < s->columns; j++)
            matmul_tiles(CB_ONES, CB_BIAS, 0, j, i * s->columns + j);
    cb_pop_front(CB_BIAS, blocks->sub_w);
}

static void add_products(const struct blocks *blocks, const struct subblock *s)
{
    uint32_t inner = get_common_arg_val(MATMUL_K);
    uint32_t block = get_common_arg_val(MATMUL_BLOCK_K);
    bool keep_a = get_common_arg_val(MATMUL_KEEP_A);
    bool keep_b = get_common_arg_val(MATMUL_KEEP_B);
    uint32_t step_a = blocks->sub_h * block, step_b = blocks->sub_w * block;
    uint32_t steps = (inner + block - 1) / block;
    uint32_t at_a = 0, at_b = keep_b ? s->strip * steps * step_b : 0;
    for (uint32_t first = 0; first < inner; first += block) {
        if (!keep_a || s->is_left)
            cb_wait_front(CB_A, at_a + step_a);
        if (!keep_b || s->is_top)
            cb_wait_front(CB_B, at_b + step_b);
        if (s->rows && s->columns)
            for (uint32_t k = 0; k < at_most(block, inner - first); k++)
                matmul_block(CB_A, CB_B, at_a + k, at_b + k * blocks->sub_w, 0, false,
                             s->columns, s->rows, block);
        if (keep_a)
            at_a += step_a;
        else
            cb_pop_front(CB_A, step_a);
        if (keep_b)
            at_b += step_b;
        else
            cb_pop_front(CB_B, step_b);
    }
    if (keep_a && s->is_right)
        cb_pop_front(CB_A, at_a);
    if (keep_b && s->is_bottom_right)
        cb_pop_front(CB_B, at_b);
}

static void apply_function(const struct subblock *s)
{
    uint32_t function = get_common_arg_val(MATMUL_FUNCTION);
    if (function >= TT_SFPU_FUNCTIONS)
        return;
    for (uint32_t i = 0; i < s->rows * s->columns; i++)
        ttk_sfpu(function, i, 0);
}

static void pack_tiles(const struct blocks *blocks, const struct subblock *s)
{
    uint32_t pages = blocks->sub_h * blocks->sub_w;
    cb_reserve_back(CB_RESULT, pages);
    tile_regs_wait();
    for (uint32_t i = 0; i < s->rows; i++)
        for (uint32_t j = 0; j < s->columns; j++)
            ttk_pack_at(i * s->columns + j, CB_RESULT, i * blocks->sub_w + j, 0);
    tile_regs_release();
    cb_push_back(CB_RESULT, pages);
}

void kernel_main(void)
{
    struct blocks blocks = blocks_start();
    struct subblock s;
    bool has_bias = get_common_arg_val(MATMUL_HAS_BIAS);
    ttk_set_fidelity(get_common_arg_val(MATMUL_FIDELITY));
    if (has_bias)
        cb_wait_front(CB_ONES, 1);
    while (blocks_next(&blocks, &s)) {
        DeviceZoneScopedN("MATMUL");
        tile_regs_acquire();
        if (has_bias)
            add_bias(&blocks, &s);
        add_products(&blocks, &s);
        apply_function(&s);
        tile_regs_commit();
        pack_tiles(&blocks, &s);
    }
}
