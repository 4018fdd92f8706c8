// trisc.c - firmware of the three compute RISCs: unpack (0), math (1), pack (2).
#include "firmware.h"

enum { SYNC = TTL_sync_bytes + TTK_RISC - 1 };

#ifdef TTK_TRISC0
// The counters of all circular buffers are zero when a program starts.
static inline void clear_cb_counters(void)
{
    for (uint32_t cb = 0; cb < TTL_n_circular_buffers; cb++) {
        TTK_REGISTER(TTK_CB_RECEIVED(cb)) = 0;
        TTK_REGISTER(TTK_CB_ACKED(cb)) = 0;
    }
}
#endif

// Resets the Dst format that an earlier kernel chose.
static inline void reset_engine(void)
{
#ifdef TTK_TRISC1
    TTK_REGISTER(TT_ENGINE + TT_ENGINE_ARG) = 0;
    TTK_REGISTER(TT_ENGINE + TT_ENGINE_OPCODE) = TT_MATH_FORMAT;
#endif
}

static inline void run_program(void)
{
    uint32_t launch = fw_launch();
    hook_program_start();
    fw_set_state(launch, 0);
    fw_set_cbs(launch);
    hook_counters_start();
    reset_engine();
    fw_run_kernel(launch);
    while (!TTK_REGISTER(TT_ENGINE + TT_ENGINE_IDLE)) // wait for what the kernel enqueued
        ;
    hook_counters_stop();
    hook_program_end();
}

void firmware_main(void)
{
    fw_clear_local();
    hook_boot();
    for (;;) {
        FW_BYTE(SYNC) = TT_SYNC_DONE;
        uint32_t signal = fw_wait_change(SYNC, TT_SYNC_DONE);
#ifdef TTK_TRISC0
        if (signal == TT_SYNC_INIT_REGISTERS) {
            clear_cb_counters();
            continue;
        }
#endif
        if (signal == TT_SYNC_GO)
            run_program();
    }
}
