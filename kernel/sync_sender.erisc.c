// sync_sender.erisc.c - one end of a link whose clocks are compared: sends messages and
// measures how long the answers take.
#include "sync_link.h"

void kernel_main(void)
{
    struct sync_link link = sync_link_start();
    for (uint32_t round = 0; round <= link.rounds; round++) {
        uint32_t sent = ttk_cycles_low();
        sync_link_send(&link, round);
        sync_link_wait(&link, round);
        uint32_t answered = ttk_cycles_low();
        sync_link_keep(&link, round, sent, answered - sent);
    }
    eth_send_barrier();
}
