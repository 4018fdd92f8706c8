// sgd.compute.c - weights plus gradient times a factor. Packing adds to what lies in L1, so
// that weights of fp32 lose nothing on the way through the engine.
#include "steps.h"

void kernel_main(void)
{
    uint32_t factor = get_common_arg_val(0);
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("SGD");
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        copy_tile(1, 0, 1);
        ttk_sfpu(TT_SFPU_SCALE, 1, factor);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
        cb_reserve_back(CB_OUT, 1);
        tile_regs_wait();
        ttk_pack_at(0, CB_OUT, 0, 0);
        ttk_pack_at(1, CB_OUT, 0, 1);
        tile_regs_release();
        cb_push_back(CB_OUT, 1);
    }
}
