// send.brisc.c - one block to one core, to all others one by one, and to all by multicast.
#include "ttprof/kernel.h"

enum {
    ARG_BLOCK,
    ARG_BYTES,
    ARG_TO_ONE,
    ARG_TO_EACH,
    ARG_TO_ALL,
    ARG_LOG,
    ARG_CORES,
    ARG_CORNERS, // first x, y, last x, y
    ARG_PLACES = ARG_CORNERS + 4,
};

static inline uint64_t place(uint32_t core, uint32_t address)
{
    uint32_t xy = get_arg_val(ARG_PLACES + core);
    return get_noc_addr(xy & 0xFFFF, xy >> 16, address);
}

static inline void log_time(uint32_t index, uint32_t start)
{
    *TTK_L1(uint32_t, get_arg_val(ARG_LOG) + 4 * index) = ttk_cycles_low() - start;
}

void kernel_main(void)
{
    uint32_t block = get_arg_val(ARG_BLOCK), bytes = get_arg_val(ARG_BYTES);
    uint32_t cores = get_arg_val(ARG_CORES);
    {
        DeviceZoneScopedN("UNICAST-ONE");
        uint32_t start = ttk_cycles_low();
        noc_async_write(block, place(cores - 1, get_arg_val(ARG_TO_ONE)), bytes);
        noc_async_write_barrier();
        log_time(0, start);
    }
    {
        DeviceZoneScopedN("UNICAST-EACH");
        uint32_t start = ttk_cycles_low();
        for (uint32_t i = 0; i < cores; i++)
            noc_async_write(block, place(i, get_arg_val(ARG_TO_EACH)), bytes);
        noc_async_write_barrier();
        log_time(1, start);
    }
    {
        DeviceZoneScopedN("MULTICAST");
        uint32_t start = ttk_cycles_low();
        uint64_t all =
            get_noc_multicast_addr(get_arg_val(ARG_CORNERS), get_arg_val(ARG_CORNERS + 1),
                                   get_arg_val(ARG_CORNERS + 2),
                                   get_arg_val(ARG_CORNERS + 3), get_arg_val(ARG_TO_ALL));
        noc_async_write_multicast(block, all, bytes, cores);
        noc_async_write_barrier();
        log_time(2, start);
    }
}
