// fault_eth.erisc.c - mistakes of an Ethernet core, as in fault.all.c.
#include "fault.h"

static __attribute__((noinline)) void send_nothing(void)
{
    eth_send(TTL_eth_buffers, TTL_eth_buffers, 0);
}
static __attribute__((noinline)) void send_from_nowhere(void)
{
    eth_send(TTL_eth_l1_bytes - 16, TTL_eth_buffers, 32);
}
static __attribute__((noinline)) void wait_for_word(void)
{
    while (*TTK_L1(volatile uint32_t, TTL_eth_buffers) == 0)
        ;
}

void kernel_main(void)
{
    switch (get_arg_val(0)) {
    case FAULT_CASE_send_nothing: send_nothing(); break;
    case FAULT_CASE_send_from_nowhere: send_from_nowhere(); break;
    case FAULT_CASE_wait_for_word: wait_for_word(); break;
    }
}
