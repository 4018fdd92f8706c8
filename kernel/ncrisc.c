// ncrisc.c - firmware of the NCRISC, the second data-movement RISC of a core.
#include "firmware.h"

enum { SYNC = TTL_sync_bytes };

void firmware_main(void)
{
    fw_clear_local();
    hook_boot();
    for (;;) {
        FW_BYTE(SYNC) = TT_SYNC_DONE;
        (void)fw_wait_change(SYNC, TT_SYNC_DONE);
        uint32_t launch = fw_launch();
        hook_program_start();
        // The network not used by BRISC.
        fw_set_state(launch, FW_BYTE(launch + TT_LAUNCH_BRISC_NOC) ^ 1);
        fw_set_cbs(launch);
        fw_run_kernel(launch);
        hook_program_end();
    }
}
