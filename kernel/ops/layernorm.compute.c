// layernorm.compute.c - (x - mean) / sqrt(variance + epsilon), along rows; then times gamma
// plus beta.
#include "row_steps.h"

// Sums of rows times 1 / n; for the variance also epsilon and the root.
static void mean_of(uint32_t cb, uint32_t tiles, bool is_variance)
{
    cb_wait_front(cb, tiles);
    tile_regs_acquire();
    reduce_rows(SUM, cb, tiles, CB_SCALER);
    ttk_sfpu(TT_SFPU_SCALE, 0, get_common_arg_val(ROW_SCALE));
    if (is_variance) {
        ttk_sfpu(TT_SFPU_OFFSET, 0, get_common_arg_val(ROW_EPSILON));
        ttk_sfpu(TT_SFPU_RSQRT, 0, 0);
    }
    tile_regs_commit();
    step_pack(CB_FACTOR);
    cb_wait_front(CB_FACTOR, 1);
}

static void centre(uint32_t tiles)
{
    mean_of(CB_ROW, tiles, false);
    for (uint32_t i = 0; i < tiles; i++) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(CB_ROW, CB_FACTOR, i, 0, 0);
        tile_regs_commit();
        row_pack(is_masked(i, tiles), CB_VALUES);
    }
    cb_pop_front(CB_FACTOR, 1);
    cb_pop_front(CB_ROW, tiles);
}

// Through the buffer of one tile: `from` has the result so far.
static void affine(uint32_t opcode, uint32_t with, uint32_t tile, uint32_t to)
{
    cb_wait_front(CB_ONE_TILE, 1);
    step_binary(opcode, CB_ONE_TILE, 0, with, tile, TT_BROADCAST_ROW, to);
    cb_pop_front(CB_ONE_TILE, 1);
}

static void scale(uint32_t tiles, bool has_gamma, bool has_beta)
{
    for (uint32_t i = 0; i < tiles; i++) {
        step_binary(TT_MATH_MUL, CB_VALUES, i, CB_FACTOR, 0, TT_BROADCAST_COLUMN,
                    has_gamma || has_beta ? CB_ONE_TILE : CB_OUT);
        if (has_gamma)
            affine(TT_MATH_MUL, CB_GAMMA, i, has_beta ? CB_ONE_TILE : CB_OUT);
        if (has_beta)
            affine(TT_MATH_ADD, CB_BETA, i, CB_OUT);
    }
}

void kernel_main(void)
{
    uint32_t tiles = get_common_arg_val(ROW_TILES);
    bool has_gamma = get_common_arg_val(ROW_HAS_GAMMA);
    bool has_beta = get_common_arg_val(ROW_HAS_BETA);
    row_start();
    if (has_gamma)
        cb_wait_front(CB_GAMMA, tiles);
    if (has_beta)
        cb_wait_front(CB_BETA, tiles);
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("LAYERNORM");
        centre(tiles);
        cb_wait_front(CB_VALUES, tiles);
        for (uint32_t i = 0; i < tiles; i++)
            step_binary(TT_MATH_MUL, CB_VALUES, i, CB_VALUES, i, TT_BROADCAST_NONE,
                        CB_SQUARES);
        mean_of(CB_SQUARES, tiles, true);
        cb_pop_front(CB_SQUARES, tiles);
        scale(tiles, has_gamma, has_beta);
        cb_pop_front(CB_FACTOR, 1);
        cb_pop_front(CB_VALUES, tiles);
    }
}
