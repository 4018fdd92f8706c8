// sum.compute.c - row sums of the own tiles, then the sums of other cores added one by one.
#include "ttprof/kernel.h"

enum { TILES = 0, ONES = 1, PARTIAL = 2, RECEIVED = 3, RESULT = 16 };

static void pack_to(uint32_t cb)
{
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

static void sum_own(uint32_t tiles)
{
    DeviceZoneScopedN("ROW-SUMS");
    cb_wait_front(ONES, 1);
    tile_regs_acquire();
    for (uint32_t i = 0; i < tiles; i++) {
        cb_wait_front(TILES, 1);
        reduce_tile(TILES, ONES, 0, 0, 0);
        cb_pop_front(TILES, 1);
    }
    tile_regs_commit();
    cb_pop_front(ONES, 1);
}

void kernel_main(void)
{
    uint32_t tiles = get_arg_val(0), levels = get_arg_val(1);
    sum_own(tiles);
    pack_to(levels ? PARTIAL : RESULT);
    for (uint32_t level = 0; level < levels; level++) {
        DeviceZoneScopedN("ADD-LEVEL");
        cb_wait_front(PARTIAL, 1);
        cb_wait_front(RECEIVED, 1);
        tile_regs_acquire();
        add_tiles(PARTIAL, RECEIVED, 0, 0, 0);
        tile_regs_commit();
        cb_pop_front(PARTIAL, 1);
        cb_pop_front(RECEIVED, 1);
        pack_to(level + 1 < levels ? PARTIAL : RESULT);
    }
}
