// work.brisc.c - does its part and ends.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    DeviceZoneScopedN("WORK");
    ttk_delay(1000);
}
