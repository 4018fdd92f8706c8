// append.brisc.c - appends a number to a list: a count, then so many words. Arguments:
// where the list is, and the number.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    volatile uint32_t *list = TTK_L1(volatile uint32_t, get_arg_val(0));
    uint32_t n = list[0];
    list[1 + n] = get_arg_val(1);
    list[0] = n + 1;
}
