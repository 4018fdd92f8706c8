// tree.brisc.c - the tree: receives the sums of the levels below, then hands the own sum
// up.
#include "ttprof/kernel.h"

enum { RECEIVED = 3, RESULT = 16 };
enum {
    ARG_LEVELS,
    ARG_FIRST_SEMAPHORE,
    ARG_LOG,
    ARG_IS_ROOT,
    ARG_X,
    ARG_Y,
    ARG_SLOT,
    ARG_BUFFER,
    ARG_OUTPUT
};

static void receive(uint32_t level)
{
    uint32_t start = ttk_cycles_low();
    {
        DeviceZoneScopedN("WAIT-LEVEL");
        uint32_t there = get_semaphore(get_arg_val(ARG_FIRST_SEMAPHORE) + level);
        noc_semaphore_wait(TTK_L1(ttk_semaphore, there), 1);
    }
    *TTK_L1(uint32_t, get_arg_val(ARG_LOG) + 4 * level) = ttk_cycles_low() - start;
    cb_push_back(RECEIVED, 1); // the sender has written it into place
}

void kernel_main(void)
{
    uint32_t levels = get_arg_val(ARG_LEVELS);
    for (uint32_t level = 0; level < levels; level++)
        receive(level);
    cb_wait_front(RESULT, 1);
    if (get_arg_val(ARG_IS_ROOT)) {
        noc_async_write_tile(0, get_arg_val(ARG_OUTPUT), get_read_ptr(RESULT));
    } else {
        DeviceZoneScopedN("SEND");
        uint32_t x = get_arg_val(ARG_X), y = get_arg_val(ARG_Y);
        uint32_t slot = get_arg_val(ARG_SLOT); // the level at which it is received
        uint32_t there = get_semaphore(get_arg_val(ARG_FIRST_SEMAPHORE) + slot);
        uint32_t to = get_arg_val(ARG_BUFFER) + slot * TTK_PLAIN_TILE;
        noc_async_write(get_read_ptr(RESULT), get_noc_addr(x, y, to), TTK_PLAIN_TILE);
        noc_semaphore_inc(get_noc_addr(x, y, there), 1);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
    cb_pop_front(RESULT, 1);
}
