// gather.ncrisc.c - writes the tiles of this chip's part to their place in the whole
// tensor, here and on the other chip.
#include "exchange.h"

void kernel_main(void)
{
    uint32_t at = get_arg_val(0), end = at + get_arg_val(1);
    uint32_t own = get_common_arg_val(EXCHANGE_OWN), tile = get_write_ptr(CB_TILE);
    struct operand part = operand_at(EXCHANGE_OPERANDS);
    struct operand whole = operand_at(EXCHANGE_OPERANDS + OPERAND_WORDS);
    struct walk w;
    exchange_open();
    walk_start(&w, EXCHANGE_SIZES, at);
    for (; at < end; at++, walk_next(&w)) {
        DeviceZoneScopedN("GATHER");
        uint32_t page = own + walk_page(&w, EXCHANGE_STRIDES);
        operand_read(&part, at, tile);
        noc_async_read_barrier();
        operand_write(&whole, page, tile);
        exchange_send(&whole, page, tile);
        noc_async_writes_flushed();
    }
    noc_async_write_barrier();
}
