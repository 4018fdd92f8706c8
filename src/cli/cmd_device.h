// cmd_device.h - what `ttprof device` makes of a log, for other commands.
#ifndef TTP_CLI_CMD_DEVICE_H
#define TTP_CLI_CMD_DEVICE_H

#include "cli/command.h"

struct device_report {
    const char *log, *folder;    // the folder is made
    struct option_list analyses; // by name; none: all
    const char *skip;            // files not to write, as in --skip
};

// Statistics, page and tables of a log, into a folder; nothing is printed but findings.
// Names of analyses that there are not are told, and passed over.
bool device_report_write(const struct device_report *d, struct err *e);

#endif
