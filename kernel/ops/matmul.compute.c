// matmul.compute.c - each output tile is a sum of products of tiles, in the order of the
// inner dimension; a bias comes first, a function last.
#include "blocks.h"

static void add_bias(const struct subblock *s, uint32_t width)
{
    cb_wait_front(CB_BIAS, width);
    for (uint32_t i = 0; i < s->rows; i++)
        for (uint32_t j = 0; j < s->columns; j++)
            matmul_tiles(CB_ONES, CB_BIAS, 0, j, i * width + j);
    cb_pop_front(CB_BIAS, width);
}

static void add_products(const struct subblock *s, uint32_t height, uint32_t width)
{
    uint32_t inner = get_common_arg_val(MATMUL_K);
    uint32_t block = get_common_arg_val(MATMUL_BLOCK_K);
    for (uint32_t first = 0; first < inner; first += block) {
        uint32_t n = at_most(block, inner - first);
        cb_wait_front(CB_A, height * block);
        cb_wait_front(CB_B, width * block);
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < s->rows; i++)
                for (uint32_t j = 0; j < s->columns; j++)
                    matmul_tiles(CB_A, CB_B, i * block + k, k * width + j, i * width + j);
        cb_pop_front(CB_A, height * block);
        cb_pop_front(CB_B, width * block);
    }
}

static void apply_function(const struct subblock *s, uint32_t width)
{
    uint32_t function = get_common_arg_val(MATMUL_FUNCTION);
    if (function >= TT_SFPU_FUNCTIONS)
        return;
    for (uint32_t i = 0; i < s->rows; i++)
        for (uint32_t j = 0; j < s->columns; j++)
            ttk_sfpu(function, i * width + j, 0);
}

static void pack_tiles(const struct subblock *s, uint32_t height, uint32_t width)
{
    cb_reserve_back(CB_RESULT, height * width);
    tile_regs_wait();
    for (uint32_t i = 0; i < s->rows; i++)
        for (uint32_t j = 0; j < s->columns; j++)
            ttk_pack_at(i * width + j, CB_RESULT, i * width + j, 0);
    tile_regs_release();
    cb_push_back(CB_RESULT, height * width);
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
            add_bias(&s, blocks.sub_w);
        add_products(&s, blocks.sub_h, blocks.sub_w);
        apply_function(&s, blocks.sub_w);
        tile_regs_commit();
        pack_tiles(&s, blocks.sub_h, blocks.sub_w);
    }
}
