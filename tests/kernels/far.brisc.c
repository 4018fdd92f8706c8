// far.brisc.c - 2500 words to a core of another chip, at the own address + 0x8000.
//
// Arguments: L1 address of the words, virtual x and y of the Ethernet tile that leads
// there, device number, virtual x and y of the core.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t at = get_arg_val(0), data = at + 256;
    for (uint32_t i = 0; i < 2500; i++)
        *TTK_L1(uint32_t, data + 4 * i) = 0x5000 + i;
    fabric_open(get_arg_val(1), get_arg_val(2), at);
    fabric_write(get_arg_val(3), get_noc_addr(get_arg_val(4), get_arg_val(5), at + 0x8000),
                 data, 10000);
}
