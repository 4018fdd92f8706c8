// left.brisc.c - gets tiles of the left matrix, then writes the block of the product.
#include "operand.h"

void kernel_main(void)
{
    uint32_t columns = get_arg_val(ARG_PRODUCT_COLUMNS);
    uint32_t tile = get_arg_val(ARG_PRODUCT_FIRST);
    operand_move(0);
    DeviceZoneScopedN("WRITE-PRODUCT");
    for (uint32_t row = 0; row < get_arg_val(ARG_PRODUCT_ROWS); row++) {
        cb_wait_front(16, columns);
        uint32_t from = get_read_ptr(16);
        for (uint32_t column = 0; column < columns; column++) {
            noc_async_write_tile(tile + column, get_arg_val(ARG_PRODUCT), from);
            from += get_tile_size(16);
        }
        noc_async_writes_flushed();
        cb_pop_front(16, columns);
        tile += get_arg_val(ARG_STEPS); // the matrices are square
    }
    noc_async_write_barrier();
}
