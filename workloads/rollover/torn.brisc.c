// torn.brisc.c - reads the clock's halves as the first profilers did: the high one, which
// goes into a marker's first word, then the low one. The counter may roll over in between.
#include "clock.h"

static inline uint64_t read_torn(volatile uint32_t *scratch)
{
    uint32_t high = TTK_REGISTER(TT_WALL_CLOCK_HIGH);
    *scratch = 0x80000000u | (high & 0xFFF);
    uint32_t low = TTK_REGISTER(TT_WALL_CLOCK_L);
    return (uint64_t)high << 32 | low;
}

void kernel_main(void)
{
    DeviceZoneScopedN("TORN-CLOCK");
    watch_clock(read_torn);
}
