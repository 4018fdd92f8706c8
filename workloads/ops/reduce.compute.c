// reduce.compute.c - rows of tiles reduced into column 0, times a scale.
#include "pack_result.h"

void kernel_main(void)
{
    uint32_t outputs = get_arg_val(0), inner = get_common_arg_val(0);
    uint32_t pool = get_common_arg_val(1);
    for (uint32_t i = 0; i < outputs; i++) {
        DeviceZoneScopedN("REDUCE");
        tile_regs_acquire();
        for (uint32_t step = 0; step < inner; step++) {
            cb_wait_front(0, 1);
            cb_wait_front(1, 1);
            ttk_reduce_tile(pool, REDUCE_ROW, 0, 1, 0, 0, 0);
            cb_pop_front(0, 1);
            cb_pop_front(1, 1);
        }
        tile_regs_commit();
        pack_result();
    }
}
