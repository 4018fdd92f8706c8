// placed.h - the devices of a run with their clocks, so that host and devices are on one
// axis: for the timeline and for .tracy files.
#ifndef TTP_APP_DEVICE_PLACED_H
#define TTP_APP_DEVICE_PLACED_H

#include "analyse/host/attachments.h"
#include "collect/sync/device_clocks.h"
#include "trace/trace.h"

struct placed {
    const char *command; // for messages
    struct trace trace;
    struct attachments attachments; // of a run with several logs
    struct device_clocks clocks;
};

// A device log, with paired zones and the clocks next to it. Without them its devices are
// there too, but not aligned. False: the log cannot be read.
bool placed_read_log(struct placed *p, const char *path, struct err *e);
// All devices of a run folder. False: it has none; an unreadable log is reported.
bool placed_read_devices(struct placed *p, const char *run);
void placed_free(struct placed *p);

#endif
