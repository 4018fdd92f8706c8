// binary.compute.c - sum, difference or product of two tiles, the second one broadcast.
#include "pack_result.h"

void kernel_main(void)
{
    uint32_t outputs = get_arg_val(0);
    uint32_t opcode = get_common_arg_val(1), broadcast = get_common_arg_val(2);
    for (uint32_t i = 0; i < outputs; i++) {
        DeviceZoneScopedN("BINARY");
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        tile_regs_acquire();
        ttk_binary(opcode, 0, 1, 0, 0, 0, broadcast);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
        pack_result();
    }
}
