// config.h - selects the software device: options over the environment over defaults.
#ifndef TTP_APP_SIM_CONFIG_H
#define TTP_APP_SIM_CONFIG_H

#include "base/text/err.h"

#include "sim/ttdev.h"

// Device options of the command line.
struct sim_device {
    const char *text, *arch;
    int64_t threads;
};

// Defaults, then the environment, then the options.
bool sim_config(const struct sim_device *device, ttdev_cfg *cfg, struct err *e);
// "BRISC", "trisc_0", "erisc" ... -> TT_BRISC ... TTDEV_ERISC.
bool sim_risc(const char *name, int *risc, struct err *e);
// Prints problems of images to stderr. t may be NULL.
void sim_tell_warnings(const char *command, ttdev *t);

#endif
