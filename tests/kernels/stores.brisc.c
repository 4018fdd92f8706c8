// stores.brisc.c - two words to each of the two addresses that it is given.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        volatile uint32_t *to = TTK_L1(volatile uint32_t, get_arg_val(i));
        to[0] = 1;
        to[1] = 2;
    }
}
