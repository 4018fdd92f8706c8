// transpose.compute.c - rows and columns of a tile exchanged.
#include "steps.h"

void kernel_main(void)
{
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("TRANSPOSE");
        cb_wait_front(0, 1);
        tile_regs_acquire();
        transpose_wh_tile(0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        step_pack(CB_OUT);
    }
}
