// zones_one.brisc.c - stores header words of its markers to the address that it is given.
// The text of "first 791" has the same hash as that of "second 10" in zones_two.
#include "zones.h"

void kernel_main(void)
{
    volatile uint32_t *out = TTK_L1(volatile uint32_t, get_arg_val(0));
    out[0] = ZONE_WORD("zone_a", "first 791", "one.h", 10, 0);
    out[1] = ZONE_WORD("zone_a", "first 791", "one.h", 10, 1);
    out[2] = ZONE_WORD("zone_b", "Gr\303\266\303\237e, mm", "one.h", 11, 3);
}
