// multiply.compute.c - a block of the product, in passes over as many rows as Dst holds.
// The first pass goes along with the arriving operands; they stay for the others.
#include "ttprof/kernel.h"

enum { LEFT = 0, RIGHT = 1, PRODUCT = 16 };

static void multiply_step(uint32_t step, uint32_t first_row, uint32_t rows)
{
    uint32_t block_y = get_arg_val(1), block_x = get_arg_val(2), dst = 0;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < block_x; j++)
            matmul_tiles(LEFT, RIGHT, step * block_y + first_row + i, step * block_x + j,
                         dst++);
}

void kernel_main(void)
{
    uint32_t steps = get_arg_val(0), block_y = get_arg_val(1), block_x = get_arg_val(2);
    uint32_t rows = get_arg_val(3);
    ttk_set_fidelity(get_arg_val(4));
    for (uint32_t row = 0; row < block_y; row += rows) {
        DeviceZoneScopedN("PASS");
        tile_regs_acquire();
        for (uint32_t step = 0; step < steps; step++) {
            cb_wait_front(LEFT, (step + 1) * block_y);
            cb_wait_front(RIGHT, (step + 1) * block_x);
            multiply_step(step, row, rows);
        }
        tile_regs_commit();
        cb_reserve_back(PRODUCT, rows * block_x);
        tile_regs_wait();
        for (uint32_t i = 0; i < rows * block_x; i++)
            pack_tile(i, PRODUCT);
        tile_regs_release();
        cb_push_back(PRODUCT, rows * block_x);
    }
    cb_pop_front(LEFT, steps * block_y);
    cb_pop_front(RIGHT, steps * block_x);
}
