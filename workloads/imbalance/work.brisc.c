// work.brisc.c - as many rounds of 52 cycles as this core was given.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t rounds = get_arg_val(0), log = get_arg_val(1);
    DeviceZoneScopedN("WORK");
    uint32_t start = ttk_cycles_low();
    __asm__ volatile("1:\n.rept 50\nnop\n.endr\naddi %0, %0, -1\nbnez %0, 1b"
                     : "+r"(rounds));
    *TTK_L1(uint32_t, log) = ttk_cycles_low() - start;
}
