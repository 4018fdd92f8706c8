// sync_receiver.erisc.c - the other end of a link whose clocks are compared: timestamps
// each message and answers immediately.
#include "sync_link.h"

void kernel_main(void)
{
    struct sync_link link = sync_link_start();
    for (uint32_t round = 0; round <= link.rounds; round++) {
        sync_link_wait(&link, round);
        uint32_t came = ttk_cycles_low();
        sync_link_send(&link, round);
        uint32_t answered = ttk_cycles_low();
        sync_link_keep(&link, round, came, answered - came);
    }
    eth_send_barrier();
}
