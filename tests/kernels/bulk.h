// bulk.h - a kernel of BULK_KIB KiB of text, most of which is never executed.
//
// Arguments: cycles it takes; where it adds 1 to a word at its end, and a number that must
// still be there then: what it has been given must not change while it runs.
#ifndef TTP_TESTS_BULK_H
#define TTP_TESTS_BULK_H

#include "pad.h"
#include "ttprof/kernel.h"

static __attribute__((noinline)) void bulk(void)
{
    PAD(BULK_KIB * 256 - 128);
}

void kernel_main(void)
{
    uint32_t cycles = get_arg_val(0), at = get_arg_val(1), number = get_arg_val(2);
    bulk();
    ttk_delay(cycles);
    if (get_arg_val(0) != cycles || get_arg_val(1) != at || get_arg_val(2) != number)
        __asm__ volatile("ebreak");
    *TTK_L1(volatile uint32_t, at) += 1;
}

#endif
