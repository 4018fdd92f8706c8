// start.h - what runs before and after kernel_main. Part of every kernel image.
//
// The firmware calls the first address of the image's slot like a function without
// arguments; kernel and firmware share one stack.
#ifndef TTPROF_KERNEL_START_H
#define TTPROF_KERNEL_START_H

#include "ttprof/kernel/base.h"
#include "ttprof/kernel/markers.h"

#ifndef TTK_FIRMWARE
// Not inlined, so that reports can name it.
TTK_C_LINKAGE __attribute__((noinline)) void kernel_main(void);

// Set by the linker script (kernel/image.ld).
TTK_C_LINKAGE uint32_t ttk_data_from[], ttk_data[], ttk_bss[], ttk_bss_end[];
typedef void (*ttk_constructor)(void);
TTK_C_LINKAGE const ttk_constructor ttk_constructors[], ttk_constructors_end[];

TTK_C_LINKAGE __attribute__((section(".text.start"), used)) void _start(void)
{
    const uint32_t *from = ttk_data_from;
    uint32_t *to = ttk_data;
    while (to < ttk_bss)
        *to++ = *from++;
    while (to < ttk_bss_end)
        *to++ = 0;
    for (const ttk_constructor *c = ttk_constructors; c < ttk_constructors_end; c++)
        (*c)();
#if TTK_IS_DATA_MOVEMENT
    ttk_noc_start();
#endif
#ifdef TTK_ERISC
    ttk_eth_start();
#endif
#if TTK_PROFILE
    uint32_t zone = TTK_ENTER(ttk_kernel_enter, TTK_RISC_NAME "-KERNEL");
    kernel_main();
    ttk_kernel_leave(zone);
#else
    kernel_main();
#endif
}
#endif

#endif
