// mix.h - a kernel whose result depends on everything it has been given, and on all that
// ran before it: arguments, common arguments, a circular buffer and a semaphore.
//
// Arguments: the words it changes (where, how many), a number, the circular buffer, and a
// place in DRAM (bank, address). Data movement kernels add MIX_BYTES from there to the
// words and write them back. It has MIX_KIB KiB of text, most of which is never executed.
#ifndef TTP_TESTS_MIX_H
#define TTP_TESTS_MIX_H

#include "pad.h"
#include "ttprof/kernel.h"

static __attribute__((noinline)) void mix_pad(void)
{
    PAD(MIX_KIB * 256);
}

enum { MIX_BYTES = 256, MIX_SPARE = 0x1000 }; // MIX_SPARE: from the words on

static void mix_read(uint32_t at)
{
#if TTK_IS_DATA_MOVEMENT
    uint32_t spare = at + MIX_SPARE;
    noc_async_read(ttk_bank_address(get_arg_val(4), get_arg_val(5)), spare, MIX_BYTES);
    noc_async_read_barrier();
    for (uint32_t i = 0; i < MIX_BYTES; i += 4)
        *TTK_L1(volatile uint32_t, at + i) += *TTK_L1(volatile uint32_t, spare + i);
#else
    (void)at;
#endif
}

static void mix_write(uint32_t at)
{
#if TTK_IS_DATA_MOVEMENT
    noc_async_write(at, ttk_bank_address(get_arg_val(4), get_arg_val(5)), MIX_BYTES);
    noc_async_write_barrier();
#else
    (void)at;
#endif
}

void kernel_main(void)
{
    uint32_t at = get_arg_val(0), n = get_arg_val(1), x = get_arg_val(2);
    uint32_t cb = get_arg_val(3);
    mix_pad();
    mix_read(at);
    x = x * 31 + get_common_arg_val(0);
    x = x * 31 + get_common_arg_val(1);
    x = x * 31 + *TTK_L1(volatile uint32_t, get_semaphore(0));
    x = x * 31 + get_tile_size(cb);
    for (uint32_t i = 0; i < n; i++) {
        volatile uint32_t *word = TTK_L1(volatile uint32_t, at + 4 * i);
        *word = *word * 1664525 + (x = x * 1013904223 + 1);
    }
    mix_write(at);
}

#endif
