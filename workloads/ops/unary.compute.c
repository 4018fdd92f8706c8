// unary.compute.c - up to two functions of every element.
#include "pack_result.h"

void kernel_main(void)
{
    uint32_t outputs = get_arg_val(0);
    for (uint32_t i = 0; i < outputs; i++) {
        DeviceZoneScopedN("UNARY");
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        for (uint32_t step = 1; step < 5; step += 2)
            if (get_common_arg_val(step) < TT_SFPU_FUNCTIONS)
                ttk_sfpu(get_common_arg_val(step), 0, get_common_arg_val(step + 1));
        tile_regs_commit();
        cb_pop_front(0, 1);
        pack_result();
    }
}
