// profile.h - the profiler around a run on the software device.
#ifndef TTP_APP_SIM_PROFILE_H
#define TTP_APP_SIM_PROFILE_H

#include "app/sim/config.h"
#include "collect/readout/options.h"
#include "ttprof/profiler.h"

// Options of the command line; the environment provides the rest.
struct sim_profile {
    bool profile;
    bool sync, noc_traces, sum, accumulate, dispatch, trace_only, mid_run, cpp_report;
    bool watermark, flush_zones, no_files;
    const char *folder, *counters, *level, *overflow, *riscs, *dump_raw;
    int64_t op_support_count; // INT64_MIN: not given
};

// The profiler of one run.
struct profiled {
    const char *command; // "sim run", for messages
    struct profiler_options options;
    struct tt_access access;
    ttprof_profiler *profiler; // NULL: not profiled
};

// Settles options of the environment and the command line and prints warnings. Adapts the
// device's configuration, so it must run before the device is opened.
bool profiled_prepare(struct profiled *p, const char *command, const struct sim_profile *v,
                      ttdev_cfg *cfg, struct err *e);
// Call on the open device before any launch. `timeout_ns`: how long a read waits.
bool profiled_open(struct profiled *p, ttdev *t, uint64_t timeout_ns, struct err *e);
// Reads what the device has so far; a hook of struct run. The context is a struct profiled.
void profiled_read(void *profiled);
// Reads the rest, writes the files and prints their paths. The device must still be open.
bool profiled_close(struct profiled *p, struct err *e);

#endif
