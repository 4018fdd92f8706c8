// matmul.compute.c - each output tile is a sum of products of tiles.
#include "pack_result.h"

void kernel_main(void)
{
    uint32_t outputs = get_arg_val(0), inner = get_common_arg_val(0);
    for (uint32_t i = 0; i < outputs; i++) {
        DeviceZoneScopedN("MATMUL");
        tile_regs_acquire();
        for (uint32_t step = 0; step < inner; step++) {
            cb_wait_front(0, 1);
            cb_wait_front(1, 1);
            matmul_tiles(0, 1, 0, 0, 0);
            cb_pop_front(0, 1);
            cb_pop_front(1, 1);
        }
        tile_regs_commit();
        pack_result();
    }
}
