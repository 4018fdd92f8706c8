// softmax.compute.c - exp(scale (x - greatest)) / sum, along rows.
#include "row_steps.h"

static void greatest(uint32_t tiles)
{
    tile_regs_acquire();
    reduce_rows(MAX, CB_ROW, tiles, CB_SCALER);
    tile_regs_commit();
    step_pack(CB_FACTOR);
}

static void powers(uint32_t tiles)
{
    cb_wait_front(CB_FACTOR, 1);
    for (uint32_t i = 0; i < tiles; i++) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(CB_ROW, CB_FACTOR, i, 0, 0);
        ttk_sfpu(TT_SFPU_SCALE, 0, get_common_arg_val(ROW_SCALE));
        ttk_sfpu(TT_SFPU_EXP, 0, 0);
        tile_regs_commit();
        row_pack(is_masked(i, tiles), CB_VALUES);
    }
    cb_pop_front(CB_FACTOR, 1);
    cb_pop_front(CB_ROW, tiles);
}

static void one_by_sum(uint32_t tiles)
{
    cb_wait_front(CB_VALUES, tiles);
    tile_regs_acquire();
    reduce_rows(SUM, CB_VALUES, tiles, CB_SCALER);
    ttk_sfpu(TT_SFPU_RECIPROCAL, 0, 0);
    tile_regs_commit();
    step_pack(CB_FACTOR);
}

void kernel_main(void)
{
    uint32_t tiles = get_common_arg_val(ROW_TILES);
    row_start();
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("SOFTMAX");
        cb_wait_front(CB_ROW, tiles);
        greatest(tiles);
        powers(tiles);
        one_by_sum(tiles);
        cb_wait_front(CB_FACTOR, 1);
        for (uint32_t i = 0; i < tiles; i++)
            step_binary(TT_MATH_MUL, CB_VALUES, i, CB_FACTOR, 0, TT_BROADCAST_COLUMN,
                        CB_OUT);
        cb_pop_front(CB_FACTOR, 1);
        cb_pop_front(CB_VALUES, tiles);
    }
}
