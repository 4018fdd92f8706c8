// arguments.all.c - stores what it finds as arguments, for each RISC behind each other: own
// ones, then common ones.
#include "ttprof/kernel.h"

enum { ARGUMENTS = 16, FROM = TTL_buffers + 0x1000 };

void kernel_main(void)
{
    uint32_t *at = TTK_L1(uint32_t, FROM + 2 * ARGUMENTS * 4 * TTK_RISC);
    for (uint32_t i = 0; i < ARGUMENTS; i++) {
        at[i] = get_arg_val(i);
        at[ARGUMENTS + i] = get_common_arg_val(i);
    }
}
