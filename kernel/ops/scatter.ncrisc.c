// scatter.ncrisc.c - sends the other chip its part of a sum, waits for the tiles from
// there, and passes both terms of this chip's part to the compute kernel.
#include "exchange.h"

static struct operand whole, scratch;

static void send_all(uint32_t at, uint32_t end)
{
    uint32_t far = get_common_arg_val(EXCHANGE_FAR), tile = get_write_ptr(CB_TILE);
    struct walk w;
    walk_start(&w, EXCHANGE_SIZES, at);
    for (; at < end; at++, walk_next(&w)) {
        DeviceZoneScopedN("SEND");
        operand_read(&whole, far + walk_page(&w, EXCHANGE_STRIDES), tile);
        noc_async_read_barrier();
        exchange_send(&scratch, at, tile);
    }
}

// The same core of the other chip waits for these tiles. The flag takes the same route, so
// it arrives last.
static void send_flag(void)
{
    uint32_t flag = get_semaphore(get_common_arg_val(EXCHANGE_FLAG));
    uint32_t from = get_write_ptr(CB_FABRIC) + 128;
    *TTK_L1(volatile uint32_t, from) = 1;
    fabric_write(get_common_arg_val(EXCHANGE_PEER), ttk_noc_address_here(flag), from, 16);
    DeviceZoneScopedN("WAIT");
    noc_semaphore_wait(TTK_L1(ttk_semaphore, flag), 1);
}

void kernel_main(void)
{
    uint32_t at = get_arg_val(0), end = at + get_arg_val(1);
    uint32_t own = get_common_arg_val(EXCHANGE_OWN);
    whole = operand_at(EXCHANGE_OPERANDS);
    scratch = operand_at(EXCHANGE_OPERANDS + OPERAND_WORDS);
    exchange_open();
    send_all(at, end);
    send_flag();
    struct walk w;
    walk_start(&w, EXCHANGE_SIZES, at);
    for (; at < end; at++, walk_next(&w)) {
        DeviceZoneScopedN("READ");
        cb_reserve_back(CB_TILE, 1);
        cb_reserve_back(CB_OTHER, 1);
        operand_read(&whole, own + walk_page(&w, EXCHANGE_STRIDES), get_write_ptr(CB_TILE));
        operand_read(&scratch, at, get_write_ptr(CB_OTHER));
        noc_async_read_barrier();
        cb_push_back(CB_TILE, 1);
        cb_push_back(CB_OTHER, 1);
    }
}
