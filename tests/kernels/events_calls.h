// events_calls.h - every call that records an event, once; the same for C and C++.
#include "events.h"

#ifdef __cplusplus
#define ARGUMENT(i) get_arg_val<uint32_t>(i)
#else
#define ARGUMENT(i) get_arg_val(i)
#endif

void kernel_main(void)
{
    uint32_t x = ARGUMENT(EVENTS_X), y = ARGUMENT(EVENTS_Y);
    uint32_t x_end = ARGUMENT(EVENTS_X_END), y_end = ARGUMENT(EVENTS_Y_END);
    uint32_t cores = ARGUMENT(EVENTS_CORES), buffer = ARGUMENT(EVENTS_BUFFER);
    uint32_t page = ARGUMENT(EVENTS_PAGE), semaphore = ARGUMENT(EVENTS_SEMAPHORE);
    uint64_t other = get_noc_addr(x, y, buffer), its = get_noc_addr(x, y, semaphore);
    uint64_t all = get_noc_multicast_addr(x, y, x_end, y_end, buffer);
    uint64_t all_of_them = get_noc_multicast_addr(x, y, x_end, y_end, semaphore);
    volatile uint32_t *own = TTK_L1(volatile uint32_t, semaphore);
#ifdef __cplusplus
    const InterleavedAddrGen<true> tiles = {ARGUMENT(EVENTS_DRAM), 2048};
#else
    const InterleavedAddrGen tiles = {ARGUMENT(EVENTS_DRAM), 2048, 0};
#endif
    noc_async_read(other, buffer + 4096, 64);
    noc_async_read_tile(page, tiles, buffer);
    noc_async_read_barrier();
    noc_async_write(buffer, other, 10240);
    noc_async_write_tile(page, tiles, buffer);
    noc_async_writes_flushed();
    noc_async_write_posted(buffer, other, 33);
    noc_async_posted_writes_flushed();
    noc_async_write_barrier();
    noc_async_write_multicast(buffer, all, 256, cores);
    noc_semaphore_set(own, 1);
    noc_semaphore_wait(own, 1);
    noc_semaphore_wait_min(own, 1);
    noc_semaphore_set_remote(semaphore, its);
    noc_semaphore_set_multicast(semaphore, all_of_them, cores);
    noc_semaphore_inc(its, 1);
    noc_async_atomic_barrier();
    noc_semaphore_inc_multicast(all_of_them, 1, cores);
    noc_inline_dw_write(its, 5);
    noc_async_full_barrier();

    noc_async_read_set_state(other);
    noc_async_read_with_state(buffer, buffer + 4096, 64);
    noc_async_read_set_trid(3);
    noc_async_read_one_packet_set_state(other, 128);
    noc_async_read_one_packet_with_state(buffer, buffer + 4096);
    noc_async_read_one_packet_with_state_with_trid(buffer, 256, buffer + 4096, 3);
    noc_async_read_barrier_with_trid(3);
    noc_async_read_set_trid(0);
    noc_async_write_one_packet_set_state(other, 96);
    noc_async_write_one_packet_with_state(buffer, buffer + 512);
    noc_async_write_set_trid(0);
    noc_async_write_one_packet_with_trid(buffer, other, 160, 4);
    noc_async_write_flushed_with_trid(4);
    noc_async_write_barrier_with_trid(4);
    noc_async_write_barrier();
}
