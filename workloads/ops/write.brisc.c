// write.brisc.c - takes output tiles first .. first + count - 1 away.
#include "ttprof/kernel.h"

enum { OUTPUT, ROWS, COLUMNS, STRIDES };

void kernel_main(void)
{
    uint32_t first = get_arg_val(0), end = first + get_arg_val(1);
    uint32_t rows = get_common_arg_val(ROWS), columns = get_common_arg_val(COLUMNS);
    for (uint32_t output = first; output < end; output++) {
        DeviceZoneScopedN("WRITE");
        uint32_t tile = output / columns / rows * get_common_arg_val(STRIDES) +
                        output / columns % rows * get_common_arg_val(STRIDES + 1) +
                        output % columns * get_common_arg_val(STRIDES + 2);
        cb_wait_front(16, 1);
        noc_async_write_tile(tile, get_common_arg_val(OUTPUT), get_read_ptr(16));
        noc_async_writes_flushed();
        cb_pop_front(16, 1);
    }
    noc_async_write_barrier();
}
