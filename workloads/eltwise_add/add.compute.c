// add.compute.c - one tile of each operand in, their sum out.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t tiles = get_arg_val(0);
    for (uint32_t i = 0; i < tiles; i++) {
        DeviceZoneScopedN("ADD");
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        tile_regs_acquire();
        add_tiles(0, 1, 0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
