// read.ncrisc.c - reads a tile of ones, then the tiles to be summed.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    uint32_t tiles = get_arg_val(0), first = get_arg_val(1), end = first + get_arg_val(2);
    cb_reserve_back(1, 1);
    noc_async_read_tile(0, get_arg_val(3), get_write_ptr(1));
    noc_async_read_barrier();
    cb_push_back(1, 1);
    for (uint32_t tile = first; tile < end; tile++) {
        DeviceZoneScopedN("READ");
        cb_reserve_back(0, 1);
        noc_async_read_tile(tile, tiles, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
