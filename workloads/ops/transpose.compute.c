// transpose.compute.c - rows and columns of a tile exchanged.
#include "pack_result.h"

void kernel_main(void)
{
    uint32_t outputs = get_arg_val(0);
    for (uint32_t i = 0; i < outputs; i++) {
        DeviceZoneScopedN("TRANSPOSE");
        cb_wait_front(0, 1);
        tile_regs_acquire();
        transpose_wh_tile(0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        pack_result();
    }
}
