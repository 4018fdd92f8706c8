// cmd_sim.h - shared by the parts of `ttprof sim`: device options and workloads.
#ifndef TTP_CLI_CMD_SIM_H
#define TTP_CLI_CMD_SIM_H

#include "app/sim/config.h"
#include "cli/command.h"
#include "workloads/workloads.h"

// For a table of options; `values` holds a struct sim_device named `device`.
#define SIM_DEVICE_OPTIONS(values)                                                         \
    {.name = "device",                                                                     \
     .kind = OPTION_TEXT,                                                                  \
     .at = offsetof(values, device.text),                                                  \
     .arg = "KEYS",                                                                        \
     .help = "configuration of the device as 'key=value ...', overrides TTPROF_DEVICE",    \
     .group = "Device"},                                                                   \
        {.name = "arch",                                                                   \
         .kind = OPTION_CHOICE,                                                            \
         .at = offsetof(values, device.arch),                                              \
         .choices = "wormhole blackhole",                                                  \
         .help = "the chip (default wormhole)"},                                           \
    {                                                                                      \
        .name = "threads", .kind = OPTION_INT, .at = offsetof(values, device.threads),     \
        .arg = "N", .help = "host threads that run the chip; does not change results"      \
    }

const struct workload *sim_workload(const char *name, struct err *e);
// Settings that were not given are INT64_MIN.
bool sim_settings(const struct workload *w, int64_t setting[SETTINGS], struct err *e);
// Prints warnings and failures of the device.
void sim_tell_failures(const char *command, const struct run *r);

extern const struct command cmd_sim_list, cmd_sim_run, cmd_sim_info, cmd_sim_disasm,
    cmd_sim_trace, cmd_sim_images, cmd_sim_costs, cmd_sim_kernel;

#endif
