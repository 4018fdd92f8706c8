// write.brisc.c - writes the sums.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t c = get_arg_val(0), first = get_arg_val(1), end = first + get_arg_val(2);
    for (uint32_t tile = first; tile < end; tile++) {
        DeviceZoneScopedN("WRITE");
        cb_wait_front(16, 1);
        noc_async_write_tile(tile, c, get_read_ptr(16));
        noc_async_writes_flushed();
        cb_pop_front(16, 1);
    }
    noc_async_write_barrier();
}
