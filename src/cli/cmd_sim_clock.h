// cmd_sim_clock.h - the clock of a recorded run on the software device.
#ifndef TTP_CLI_CMD_SIM_CLOCK_H
#define TTP_CLI_CMD_SIM_CLOCK_H

#include "sim/ttdev.h"

// Host events of this process are stamped by the device's host clock from here on. Does
// nothing when nothing is recorded. One device at a time.
void sim_clock_start(const ttdev *t);
// Before the device is closed. Its clock goes on with the pace of the real one: back on the
// real clock, events could come before those that the device's clock was ahead with.
void sim_clock_stop(void);

#endif
