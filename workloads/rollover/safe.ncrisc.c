// safe.ncrisc.c - reads the high half on both sides of the low one, and again when they
// differ.
#include "clock.h"

static inline uint64_t read_safe(volatile uint32_t *scratch)
{
    uint64_t now = ttk_cycles();
    *scratch = 0x80000000u | (uint32_t)(now >> 32 & 0xFFF);
    return now;
}

void kernel_main(void)
{
    DeviceZoneScopedN("SAFE-CLOCK");
    watch_clock(read_safe);
}
