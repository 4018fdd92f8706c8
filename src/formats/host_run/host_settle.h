// host_settle.h - what a process left in its rings when it ended without a word (_exit, a
// signal, exec) goes where it would have gone: events into the stream, losses into the
// table. The rings, which are large, are removed.
//
// As with the recorder itself, whoever is killed in here leaves files that can be read.
#ifndef TTP_FORMATS_HOST_RUN_HOST_SETTLE_H
#define TTP_FORMATS_HOST_RUN_HOST_SETTLE_H

#include "base/data/vec.h"
#include "base/text/err.h"

struct host_left {
    char *process;     // P
    VEC(char *) rings; // names of files
};
// `host`: the folder of the files. The process must have ended. False: files stay as they
// are.
bool host_settle(const char *host, const struct host_left *left, struct err *e);

#endif
