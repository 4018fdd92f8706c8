// stage.brisc.c - one stage: takes a page from the stage before, works on it, hands it on.
// The first stage takes from DRAM, the last one writes there.
#include "ttprof/kernel.h"

enum {
    ARG_STAGE,
    ARG_STAGES,
    ARG_PAGES,
    ARG_WORK, // cycles a page
    ARG_BUFFER,
    ARG_DEPTH,
    ARG_PAGE, // L1, for the own page
    ARG_LOG,
    ARG_FILLED,
    ARG_FREED,
    ARG_BEFORE_X,
    ARG_BEFORE_Y,
    ARG_AFTER_X,
    ARG_AFTER_Y,
    ARG_INPUT,
    ARG_OUTPUT,
};
enum { PAGE_BYTES = 256 };
enum { LOG_WAIT, LOG_WORK, LOG_RESERVE, LOGS };

static void work(uint32_t from, uint32_t to, uint32_t add, uint32_t cycles)
{
    DeviceZoneScopedN("WORK");
    uint32_t start = ttk_cycles_low();
    for (uint32_t i = 0; i < PAGE_BYTES; i += 4)
        *TTK_L1(uint32_t, to + i) = *TTK_L1(uint32_t, from + i) + add;
    while (ttk_cycles_low() - start < cycles)
        ;
}

void kernel_main(void)
{
    uint32_t stage = get_arg_val(ARG_STAGE), last = get_arg_val(ARG_STAGES) - 1;
    uint32_t page = get_arg_val(ARG_PAGE), spent[LOGS] = {0};
    InterleavedAddrGen input = {get_arg_val(ARG_INPUT), PAGE_BYTES, 0};
    InterleavedAddrGen output = {get_arg_val(ARG_OUTPUT), PAGE_BYTES, 0};
    remote_cb before =
        remote_cb_open(get_arg_val(ARG_BEFORE_X), get_arg_val(ARG_BEFORE_Y),
                       get_arg_val(ARG_BUFFER), get_arg_val(ARG_DEPTH), PAGE_BYTES,
                       get_arg_val(ARG_FILLED), get_arg_val(ARG_FREED));
    remote_cb after =
        remote_cb_open(get_arg_val(ARG_AFTER_X), get_arg_val(ARG_AFTER_Y),
                       get_arg_val(ARG_BUFFER), get_arg_val(ARG_DEPTH), PAGE_BYTES,
                       get_arg_val(ARG_FILLED), get_arg_val(ARG_FREED));
    for (uint32_t i = 0; i < get_arg_val(ARG_PAGES); i++) {
        uint32_t start = ttk_cycles_low(), from = page;
        if (stage == 0) {
            DeviceZoneScopedN("READ");
            noc_async_read_tile(i, input, page);
            noc_async_read_barrier();
        } else {
            DeviceZoneScopedN("WAIT-FRONT");
            remote_cb_wait_front(&before, 1);
            from = remote_cb_read_ptr(&before);
        }
        uint32_t taken = ttk_cycles_low();
        work(from, page, stage + 1, get_arg_val(ARG_WORK));
        if (stage)
            remote_cb_pop_front(&before, 1);
        uint32_t done = ttk_cycles_low();
        if (stage < last) {
            DeviceZoneScopedN("RESERVE-BACK");
            remote_cb_reserve_back(&after, 1);
            remote_cb_push_back(&after, page, 1);
        } else {
            DeviceZoneScopedN("WRITE");
            noc_async_write_tile(i, output, page);
        }
        noc_async_writes_flushed();
        spent[LOG_WAIT] += taken - start;
        spent[LOG_WORK] += done - taken;
        spent[LOG_RESERVE] += ttk_cycles_low() - done;
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
    for (uint32_t i = 0; i < LOGS; i++)
        *TTK_L1(uint32_t, get_arg_val(ARG_LOG) + 4 * i) = spent[i];
}
