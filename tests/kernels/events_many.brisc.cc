// events_many.brisc.cc - many events of one kind: more than a vector holds, or a series of
// linked multicasts.
#include "events.h"

void kernel_main(void)
{
    uint32_t x = get_arg_val<uint32_t>(EVENTS_X), y = get_arg_val<uint32_t>(EVENTS_Y);
    uint32_t x_end = get_arg_val<uint32_t>(EVENTS_X_END);
    uint32_t y_end = get_arg_val<uint32_t>(EVENTS_Y_END);
    uint32_t cores = get_arg_val<uint32_t>(EVENTS_CORES);
    uint32_t buffer = get_arg_val<uint32_t>(EVENTS_BUFFER);
    uint32_t fill = get_arg_val<uint32_t>(EVENTS_FILL);
    uint32_t count = get_arg_val<uint32_t>(EVENTS_COUNT);
    bool linked = get_arg_val<uint32_t>(EVENTS_LINKED);
    uint64_t all = get_noc_multicast_addr(x, y, x_end, y_end, buffer);
    for (uint32_t i = 0; i < fill; i++)
        DeviceRecordEvent(7);
    for (uint32_t i = 0; i < count; i++)
        if (linked)
            noc_async_write_multicast(buffer, all, 64, cores, i + 1 < count);
        else
            noc_async_write(buffer, get_noc_addr(x, y, buffer), 64);
    noc_async_write_barrier();
}
