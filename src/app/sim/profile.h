// profile.h - the profiler around a run on the software device.
#ifndef TTP_APP_SIM_PROFILE_H
#define TTP_APP_SIM_PROFILE_H

#include "app/sim/config.h"
#include "collect/readout/options.h"
#include "ttprof/profiler.h"

// What the command line says; the environment says the rest.
struct sim_profile {
    bool profile;
    bool sync, noc_traces, sum, accumulate, dispatch, trace_only, mid_run, cpp_report;
    bool watermark, flush_zones, no_files;
    const char *folder, *counters, *level, *overflow, *riscs, *dump_raw;
    int64_t op_support_count; // INT64_MIN: not said
};

// The profiler of one run.
struct profiled {
    const char *command; // "sim run", for messages
    struct profiler_options options;
    struct tt_access access;
    ttprof_profiler *profiler; // NULL: not profiled
};

// Options of the environment and of the command line, settled; warnings are told. Changes
// the device's configuration to what they need, before it is opened.
bool profiled_prepare(struct profiled *p, const char *command, const struct sim_profile *v,
                      ttdev_cfg *cfg, struct err *e);
// On the open device, before anything is launched. `timeout_ns`: how long a read waits.
bool profiled_open(struct profiled *p, ttdev *t, uint64_t timeout_ns, struct err *e);
// Reads what the device has so far; a hook of struct run. The context is a struct profiled.
void profiled_read(void *profiled);
// Reads what is left, writes the files, tells where they are. The device is still open.
bool profiled_close(struct profiled *p, struct err *e);

#endif
