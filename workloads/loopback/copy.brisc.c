// copy.brisc.c - copies pages DRAM -> L1 -> DRAM one by one and keeps how long the reads
// took.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t from = get_arg_val(0), to = get_arg_val(1), pages = get_arg_val(2);
    uint32_t buffer = get_arg_val(3), log = get_arg_val(4);
    for (uint32_t page = 0; page < pages; page++) {
        uint32_t start = ttk_cycles_low();
        {
            DeviceZoneScopedN("READ-BARRIER");
            noc_async_read_tile(page, from, buffer);
            noc_async_read_barrier();
        }
        *TTK_L1(uint32_t, log + 4 * page) = ttk_cycles_low() - start;
        DeviceZoneScopedSumN1("WRITE-BARRIER"); // two zones a page would not all fit L1
        noc_async_write_tile(page, to, buffer);
        noc_async_write_barrier();
    }
}
