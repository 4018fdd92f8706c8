// zones.all.c - records a given number of zones and counts them.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t zones = get_arg_val(0), log = get_arg_val(1);
    uint32_t count = *TTK_L1(uint32_t, log);
    for (uint32_t i = 0; i < zones; i++) {
        DeviceZoneScopedN("TEST-FULL");
        __asm__ volatile(".rept 8\nnop\n.endr");
        count++;
    }
    *TTK_L1(uint32_t, log) = count;
}
