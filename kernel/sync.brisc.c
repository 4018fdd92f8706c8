// sync.brisc.c - timestamps the host's words with the chip's clock. Words and arguments:
// include/ttprof/sync_words.h.
#include "ttprof/sync_words.h"

// A pure poll, so that the software device can park the RISC between samples.
static uint32_t wait_for_word(const volatile uint32_t *mailbox)
{
    uint32_t word;
    do {
        ttk_fence();
        word = *mailbox;
    } while (word == 0);
    return word;
}

static void store_sample(uint32_t number, uint64_t clock, uint32_t word)
{
    volatile uint32_t *vector = TTK_L1(volatile uint32_t, TTL_profiler_buffers);
    volatile uint32_t *sample = &vector[TT_SYNC_SAMPLE(number)];
    sample[TT_SAMPLE_HIGH] = (uint32_t)(clock >> 32);
    sample[TT_SAMPLE_LOW] = (uint32_t)clock;
    sample[TT_SAMPLE_HOST] = word;
    sample[TT_SAMPLE_NUMBER] = number;
}

void kernel_main(void)
{
    volatile uint32_t *control = TTK_L1(volatile uint32_t, TTL_profiler_control);
    uint32_t most = get_arg_val(0);
    control[TT_CONTROL_PROFILER_DONE] = 1; // nothing of this run is pushed
    control[TT_CONTROL_FW_RESET_H] = 0;
    for (uint32_t number = 1; most == 0 || number <= most; number++) {
        uint32_t word = wait_for_word(&control[TT_CONTROL_FW_RESET_L]);
        uint64_t clock = ttk_cycles();
        if (word != TT_SYNC_STOP)
            store_sample(number, clock, word);
        control[TT_CONTROL_FW_RESET_L] = 0;
        if (word == TT_SYNC_STOP)
            return;
        control[TT_CONTROL_FW_RESET_H] = number;
    }
}
