// reduce.compute.c - rows or columns of tiles reduced to one, then a function.
#include "steps.h"

void kernel_main(void)
{
    uint32_t inner = get_common_arg_val(0), pool = get_common_arg_val(1);
    uint32_t dimension = get_common_arg_val(2);
    ttk_set_fidelity(get_common_arg_val(3));
    cb_wait_front(1, 1);
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("REDUCE");
        tile_regs_acquire();
        for (uint32_t step = 0; step < inner; step++) {
            cb_wait_front(0, 1);
            ttk_reduce_tile(pool, dimension, 0, 1, 0, 0, 0);
            cb_pop_front(0, 1);
        }
        step_functions(4, 1);
        tile_regs_commit();
        step_pack(CB_OUT);
    }
    cb_pop_front(1, 1);
}
