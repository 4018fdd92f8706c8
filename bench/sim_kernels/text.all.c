// text.all.c - a kernel that does nothing and is large: 3.2 KiB, 16 KiB for five RISCs.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    if (TTK_STATE(TT_STATE_LOGICAL) == UINT32_MAX) // never
        __asm__ volatile(".rept 780\n nop\n .endr");
}
