// erisc.c - firmware of an Ethernet tile's only RISC: the same loop as BRISC's, but there
// are no other RISCs to start.
#include "firmware.h"

// Kernel text overwrites the bank table, so it is copied to local RAM, where a worker has
// its CB descriptors.
static inline void keep_bank_table(void)
{
    for (uint32_t at = 0; at < TT_BANK_TABLE_OFFSETS + 4 * TTL_n_dram_views; at += 4)
        TTK_STATE(TT_STATE_WORDS + at / 4) = FW_WORD(TTL_bank_table + at);
}

static void run_program(void)
{
    uint32_t launch = fw_launch();
    hook_program_start();
    hook_program_id((FW_WORD(launch + TT_LAUNCH_ENABLES) & 1) != 0,
                    FW_WORD(launch + TT_LAUNCH_HOST_ID));
    if (fw_is_enabled(launch, 0)) {
        fw_set_state(launch, FW_BYTE(launch + TT_LAUNCH_BRISC_NOC));
        fw_run_kernel(launch);
    }
    hook_program_end();
}

void firmware_main(void)
{
    fw_clear_local();
    keep_bank_table();
    FW_WORD(FW_READ_POINTER) = 0;
    hook_boot();
    FW_BYTE(FW_GO_SIGNAL) = TT_GO_DONE;
    fw_serve(run_program);
}
