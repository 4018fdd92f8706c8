// host_settle.h - moves what a process left in its rings when it ended abruptly (_exit, a
// signal, exec) to where it belongs: events into the stream, losses into the table. The
// rings, which are large, are removed.
//
// Like the recorder itself, a process killed in here leaves readable files.
#ifndef TTP_FORMATS_HOST_RUN_HOST_SETTLE_H
#define TTP_FORMATS_HOST_RUN_HOST_SETTLE_H

#include "base/data/vec.h"
#include "base/text/err.h"

struct host_left {
    char *process;     // P
    VEC(char *) rings; // names of files
};
// `host`: the folder of the files. The process must have ended. False: nothing has changed.
bool host_settle(const char *host, const struct host_left *left, struct err *e);

#endif
