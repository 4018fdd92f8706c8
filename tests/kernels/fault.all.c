// fault.all.c - one mistake a run, by number: what the device must say about each stands in
// tests/unit/test_faults.c.
#include "fault.h"

#include "ttprof/dispatch_words.h"

#define MISTAKE static __attribute__((noinline)) void

MISTAKE illegal(void)
{
    __asm__ volatile(".4byte 0xFFFFFFFF");
}
// Nothing here concerns others, so the device may execute it ahead of time.
MISTAKE illegal_after_work(void)
{
    for (uint32_t i = 0; i < 1500; i++)
        __asm__ volatile("");
    __asm__ volatile(".4byte 0");
}
MISTAKE illegal_after_stores(void)
{
    for (uint32_t i = 0; i < 100; i++)
        *TTK_L1(volatile uint32_t, FAULT_BUFFER) = i;
    __asm__ volatile(".4byte 0");
}
MISTAKE jump_astray(void)
{
    ((void (*)(void))0x30000)();
}
MISTAKE load_unmapped(void)
{
    (void)*TTK_L1(volatile uint32_t, 0xFFB80000);
}
MISTAKE store_unmapped(void)
{
    *TTK_L1(volatile uint32_t, 0xFFFF0000) = 1;
}
MISTAKE store_part_of_register(void)
{
    *TTK_L1(volatile uint8_t, TT_WALL_CLOCK_L) = 1;
}
MISTAKE store_outside_l1(void)
{
    *TTK_L1(volatile uint32_t, TTL_l1_bytes) = 1;
}
MISTAKE load_misaligned(void)
{
    __asm__ volatile("lw a0, 2(%0)" ::"r"(FAULT_BUFFER) : "a0");
}
MISTAKE store_misaligned(void)
{
    __asm__ volatile("sh zero, 1(%0)" ::"r"(FAULT_BUFFER));
}

MISTAKE overflow_stack(uint32_t depth)
{
    volatile uint32_t room[12];
    room[0] = depth;
    if (room[0])
        overflow_stack(depth + 1);
    room[1] = depth;
}

MISTAKE wait_for_page(void)
{
    while (TTK_REGISTER(TTK_CB_RECEIVED(FAULT_CB)) == TTK_REGISTER(TTK_CB_ACKED(FAULT_CB)))
        ;
}
MISTAKE wait_for_word(void)
{
    while (*TTK_L1(volatile uint32_t, FAULT_BUFFER) == 0)
        ;
}
MISTAKE loop_for_ever(void)
{
    for (;;)
        __asm__ volatile("");
}
MISTAKE stop_here(void)
{
    __asm__ volatile("ebreak");
}
// Busy, but not for ever: the host stops waiting before it ends.
MISTAKE take_long(void)
{
    ttk_delay(1000000);
}

#if TTK_IS_DATA_MOVEMENT
MISTAKE noc_to_nowhere(void)
{
    noc_async_read(get_noc_addr(0, 2, 0), FAULT_BUFFER, 32);
}
MISTAKE noc_behind_l1(void)
{
    noc_async_write(FAULT_BUFFER, ttk_noc_address_here(TTL_l1_bytes - 16), 32);
}
MISTAKE noc_from_behind_l1(void)
{
    noc_async_write(TTL_l1_bytes - 16, ttk_noc_address_here(FAULT_BUFFER), 32);
}
MISTAKE noc_behind_bank(void)
{
    noc_async_read(ttk_bank_address(0, 0x3FFFFFF0), FAULT_BUFFER + 16, 32);
}
MISTAKE noc_too_long(void)
{
    noc_async_read_one_packet(ttk_noc_address_here(FAULT_BUFFER), FAULT_BUFFER + 0x10000,
                              TTL_noc_max_packet + 32);
}
MISTAKE noc_skewed(void)
{
    noc_async_read(ttk_noc_address_here(FAULT_BUFFER), FAULT_BUFFER + 0x108, 32);
}
MISTAKE noc_to_no_register(void)
{
    noc_async_write(FAULT_BUFFER, ttk_noc_address_here(0xFFB80000), 4);
    loop_for_ever();
}
// The PCIe tile of a Wormhole chip.
static uint64_t host_address(uint32_t local)
{
    return get_noc_addr(0, 3, local);
}
MISTAKE host_atomic(void)
{
    noc_semaphore_inc(host_address(0x40), 1);
}
MISTAKE host_multicast(void)
{
    noc_async_write_multicast(FAULT_BUFFER, get_noc_multicast_addr(0, 3, 0, 3, 0x80), 32,
                              1);
}
MISTAKE host_behind_end(void)
{
    noc_async_read(host_address(0x02000000), FAULT_BUFFER, 32);
}
MISTAKE dispatch_command(void)
{
    TTK_REGISTER(TT_DEBUG_DISPATCH) = (uint32_t)TT_DISPATCH_UNKNOWN << 24 | 77;
}
MISTAKE dispatch_reason(void)
{
    TTK_REGISTER(TT_DEBUG_DISPATCH) = 99u << 24 | 3;
}
MISTAKE dram_too_much(void)
{
    for (uint32_t at = 0;; at += 0x10000)
        noc_async_write(FAULT_BUFFER, ttk_bank_address(0, 0x100000 + at), 32);
}
MISTAKE push_across_end(void)
{
    cb_push_back(FAULT_CB, 3);
    cb_push_back(FAULT_CB, 3);
}
MISTAKE reserve_too_many(void)
{
    cb_reserve_back(FAULT_CB, 5);
}
MISTAKE wait_for_semaphore(void)
{
    noc_semaphore_wait(TTK_L1(volatile uint32_t, get_semaphore(1)), 3);
}
MISTAKE wait_for_answer(void)
{
    ttk_noc_wait_counter(TT_NOC_WRITE_ACKS, ttk_noc.acks + 1);
}
#else
MISTAKE bad_operation(void)
{
    ttk_engine(99);
}
// Seventeen operations for which nothing is unpacked: the last store finds the queue full.
MISTAKE overfill_queue(void)
{
    ttk_engine(TT_MATH_ACQUIRE);
    for (;;)
        ttk_engine_2(TT_MATH_COPY, 0, 1);
}
#endif

#define CASE(name)                                                                         \
    case FAULT_CASE_##name: name(); break;

void kernel_main(void)
{
    switch (get_arg_val(0)) {
        CASE(illegal)
        CASE(illegal_after_work)
        CASE(illegal_after_stores)
        CASE(jump_astray)
        CASE(load_unmapped)
        CASE(store_unmapped)
        CASE(store_part_of_register)
        CASE(store_outside_l1)
        CASE(load_misaligned)
        CASE(store_misaligned)
        CASE(wait_for_page)
        CASE(wait_for_word)
        CASE(loop_for_ever)
        CASE(stop_here)
        CASE(take_long)
    case FAULT_CASE_overflow_stack: overflow_stack(1); break;
#if TTK_IS_DATA_MOVEMENT
        CASE(noc_to_nowhere)
        CASE(noc_behind_l1)
        CASE(noc_from_behind_l1)
        CASE(noc_behind_bank)
        CASE(noc_too_long)
        CASE(noc_skewed)
        CASE(noc_to_no_register)
        CASE(host_atomic)
        CASE(host_multicast)
        CASE(host_behind_end)
        CASE(dispatch_command)
        CASE(dispatch_reason)
        CASE(dram_too_much)
        CASE(push_across_end)
        CASE(reserve_too_many)
        CASE(wait_for_semaphore)
        CASE(wait_for_answer)
#else
        CASE(bad_operation)
        CASE(overfill_queue)
#endif
    }
}
