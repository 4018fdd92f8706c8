// options.h - the profiler's settings: every TT_METAL_* and TTPROF_* variable it obeys,
// from one table. Dependencies and conflicts are checked after all are read.
#ifndef TTP_COLLECT_READOUT_OPTIONS_H
#define TTP_COLLECT_READOUT_OPTIONS_H

#include "base/data/arena.h"
#include "base/text/buf.h"
#include "base/text/err.h"

#include "ttprof/layout.h"

// OVERFLOW_AUTO is settled to one of the others.
enum profiler_overflow { OVERFLOW_DROP, OVERFLOW_STALL, OVERFLOW_AUTO };

struct profiler_options {
    bool is_enabled; // DEVICE_PROFILER, or something that implies it
    bool dispatch, sync, noc_events, noc_debug, memory, trace_only, trace_tracking;
    bool mid_run_dump, cpp_post_process, sum, accumulate;
    bool no_files, no_push; // DISABLE_DUMP_TO_FILES, DISABLE_PUSH_TO_TRACY
    bool mid_run_push, no_op_cache, slow_dispatch;
    bool debug_print;      // TT_METAL_DPRINT_*CORES: excludes profiling
    uint32_t counters;     // bits of enum tt_perf_group
    int64_t program_count; // PROGRAM_SUPPORT_COUNT; 0: default
    int level;             // TT_LEVEL_*
    int overflow;          // enum profiler_overflow
    uint32_t riscs;        // mask, 0 = all
    bool watermark, flush_zones;
    int64_t sync_spacing_us;
    bool sync_adaptive;
    char folder[512];     // artifacts folder, ends in '/'
    char logs[32];        // the logs folder in it; empty: .logs
    char noc_folder[512]; // empty: the logs folder
    char dump_raw[512];   // empty: none
};

void profiler_options_default(struct profiler_options *o);
// Reads the environment (`environ` form). False: a conflict or an invalid value. Warnings
// (one line each) go to `warnings`.
bool profiler_options_read(struct profiler_options *o, const char *const *environment,
                           struct buf *warnings, struct err *e);
// The same on top of the current options, with all problems as lines; returns their number.
// Not settled: the caller may set more.
size_t profiler_options_take(struct profiler_options *o, const char *const *environment,
                             struct buf *warnings, struct buf *problems);
// Sets one variable by name, as in an environment or a dump's list of options.
bool profiler_options_set(struct profiler_options *o, str variable, str value,
                          struct err *e);
// Applies dependencies and conflicts to options set in other ways.
bool profiler_options_settle(struct profiler_options *o, struct buf *warnings,
                             struct err *e);
// Appends conflicts between settled options, one line each; returns their number.
size_t profiler_conflicts(const struct profiler_options *o, struct buf *problems);

// Value of TT_CONTROL_FLAGS.
uint32_t profiler_flags(const struct profiler_options *o);
// What the region has room for, per program.
int64_t profiler_program_bytes(const struct profiler_options *o);
// Bytes of one RISC's DRAM region; raises too small counts with a warning (settled options
// are already raised).
uint32_t profiler_region_bytes(const struct profiler_options *o, struct buf *warnings);
// DRAM regions of each RISC: two in stall mode, one being filled while the other is read.
int profiler_region_buffers(const struct profiler_options *o);
// The image variant that the options need: 0 off, 1 prof, 2 full (enum ttdev_variant).
int profiler_variant(const struct profiler_options *o);
// "<folder>.logs/", or the folder of this attachment
void profiler_logs_folder(const struct profiler_options *o, char *out, size_t n);

// One line per setting: variable, effective value, its source (for doctor).
struct profiler_setting {
    const char *variable, *value, *source, *what; // source: "default", "environment", ...
};
enum { PROFILER_SETTINGS_MOST = 64 };
// Settled options; without an environment the sources are "default" and "given". Returns
// their number; texts live in the arena.
size_t profiler_settings(const struct profiler_options *o, const char *const *environment,
                         struct profiler_setting out[PROFILER_SETTINGS_MOST],
                         struct arena *a);

#endif
