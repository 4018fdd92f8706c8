// zones_two.ncrisc.c - see zones_one; its second location is one of that image.
#include "zones.h"

void kernel_main(void)
{
    volatile uint32_t *out = TTK_L1(volatile uint32_t, get_arg_val(0));
    out[0] = ZONE_WORD("zone_a", "second 10", "two.h", 20, 0);
    out[1] = ZONE_WORD("zone_b", "first 791", "one.h", 10, 5);
}
