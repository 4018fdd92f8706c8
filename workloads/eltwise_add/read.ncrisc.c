// read.ncrisc.c - reads the tiles of both operands.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t a = get_arg_val(0), b = get_arg_val(1), first = get_arg_val(2);
    uint32_t end = first + get_arg_val(3);
    for (uint32_t tile = first; tile < end; tile++) {
        DeviceZoneScopedN("READ");
        cb_reserve_back(0, 1);
        cb_reserve_back(1, 1);
        noc_async_read_tile(tile, a, get_write_ptr(0));
        noc_async_read_tile(tile, b, get_write_ptr(1));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_push_back(1, 1);
    }
}
