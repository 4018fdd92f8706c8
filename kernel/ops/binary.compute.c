// binary.compute.c - sum, difference or product of two tiles, the second one broadcast.
#include "steps.h"

void kernel_main(void)
{
    uint32_t opcode = get_common_arg_val(0), broadcast = get_common_arg_val(1);
    ttk_set_fidelity(get_common_arg_val(2));
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("BINARY");
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        step_binary(opcode, 0, 0, 1, 0, broadcast, CB_OUT);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
}
