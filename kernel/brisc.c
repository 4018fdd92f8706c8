// brisc.c - firmware of the BRISC, the master of its core. It answers the host's go signal,
// starts the other four RISCs and reports DONE when all have finished.
#include "firmware.h"

enum { SYNC_DM1 = TTL_sync_bytes, SYNC_TRISC0, SYNC_TRISC1, SYNC_TRISC2 };

// Waits until all four sync bytes say DONE: a pure poll.
static inline void wait_for_others(void)
{
    do {
        ttk_fence();
    } while (FW_WORD(TTL_sync_bytes) != 0);
}

static inline void start_others(uint32_t launch)
{
    if (fw_is_enabled(launch, TT_NCRISC))
        FW_BYTE(SYNC_DM1) = TT_SYNC_LOAD;
    for (uint32_t i = 0; i < 3; i++)
        if (fw_is_enabled(launch, TT_TRISC0 + i))
            FW_BYTE(SYNC_TRISC0 + i) = TT_SYNC_GO;
}

// DONE comes last: when the host sees it, all results of the program are in place.
static void run_program(void)
{
    uint32_t launch = fw_launch();
    hook_program_start();
    hook_program_id((FW_WORD(launch + TT_LAUNCH_ENABLES) & 0x1F) != 0,
                    FW_WORD(launch + TT_LAUNCH_HOST_ID));
    hook_counters_prepare();
    start_others(launch);
    if (fw_is_enabled(launch, TT_BRISC)) {
        fw_set_state(launch, FW_BYTE(launch + TT_LAUNCH_BRISC_NOC));
        fw_set_cbs(launch);
        fw_run_kernel(launch);
    }
    wait_for_others();
    hook_counters_read();
    FW_BYTE(SYNC_TRISC0) = TT_SYNC_INIT_REGISTERS;
    wait_for_others();
    hook_program_end();
}

void firmware_main(void)
{
    fw_clear_local();
    FW_WORD(FW_READ_POINTER) = 0;
    FW_WORD(TTL_sync_bytes) = 0x01010101u * TT_SYNC_INIT;
    TTK_REGISTER(TT_SOFT_RESET) = 0;
    hook_boot();
    wait_for_others();
    FW_BYTE(FW_GO_SIGNAL) = TT_GO_DONE;
    fw_serve(run_program);
}
