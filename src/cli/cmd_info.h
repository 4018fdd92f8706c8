// cmd_info.h - the two halves of `ttprof info`: device logs and run folders.
#ifndef TTP_CLI_CMD_INFO_H
#define TTP_CLI_CMD_INFO_H

#include <stdbool.h>

#include "base/text/err.h"

int info_run(const char *path, bool as_json, struct err *e); // cmd_info_run.c

#endif
