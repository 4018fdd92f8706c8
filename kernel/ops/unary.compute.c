// unary.compute.c - up to two functions of every value.
#include "steps.h"

void kernel_main(void)
{
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("UNARY");
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        step_functions(0, 2);
        tile_regs_commit();
        cb_pop_front(0, 1);
        step_pack(CB_OUT);
    }
}
