// mix.h - a kernel whose result depends on everything it has been given, and on all that
// ran before it: arguments, common arguments, a circular buffer and a semaphore.
//
// Arguments: the words it changes (where, how many), a number, and the circular buffer. It
// has MIX_KIB KiB of text, most of which is never executed.
#ifndef TTP_TESTS_MIX_H
#define TTP_TESTS_MIX_H

#include "pad.h"
#include "ttprof/kernel.h"

static __attribute__((noinline)) void mix_pad(void)
{
    PAD(MIX_KIB * 256);
}

void kernel_main(void)
{
    uint32_t at = get_arg_val(0), n = get_arg_val(1), x = get_arg_val(2);
    uint32_t cb = get_arg_val(3);
    mix_pad();
    x = x * 31 + get_common_arg_val(0);
    x = x * 31 + get_common_arg_val(1);
    x = x * 31 + *TTK_L1(volatile uint32_t, get_semaphore(0));
    x = x * 31 + get_tile_size(cb);
    for (uint32_t i = 0; i < n; i++) {
        volatile uint32_t *word = TTK_L1(volatile uint32_t, at + 4 * i);
        *word = *word * 1664525 + (x = x * 1013904223 + 1);
    }
}

#endif
