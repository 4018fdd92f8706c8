// options.h - the options of `ttprof run`, as given and as settled.
#ifndef TTP_APP_RUN_OPTIONS_H
#define TTP_APP_RUN_OPTIONS_H

#include "base/text/err.h"

#include "app/options.h"

#define RUN_NOT_GIVEN INT64_MIN // of a number

struct run_values {
    // what is run
    bool module, no_follow, no_capture_tool;
    const char *interpreter;
    // Python
    bool partial, lines, no_python;
    struct option_list python_include, python_exclude;
    int64_t python_depth;
    // outputs
    bool report, verbose, quiet, process_logs_only;
    const char *output_folder, *name_append, *child_functions, *tools_folder;
    struct option_list analysis_types;
    // exit code
    bool check_exit_code, ignore_exit_code;
    // device
    bool no_device, no_op_info_cache, dispatch_cores, sum, accumulate, no_runtime_analysis;
    bool sync, trace_only, memory, mid_run_dump, no_files, no_push, noc_traces;
    int64_t op_support_count;
    const char *counters, *level, *overflow;
    bool watermark;
    // window
    const char *start_at, *stop_at, *snapshot_on;
    int64_t skip;
    double seconds; // --for; 0: not given
    // recorder
    const char *policy, *ring_size, *max_size;
    bool flight;
    // live
    bool listen;
    int64_t port, web_app_port;
};

extern const struct run_values run_defaults;
bool run_option_is_given(const struct option *o, const struct run_values *v);

// Parsed values of the text options.
struct run_settings {
    uint32_t policy; // enum tt_policy
    uint32_t ring_bytes;
    uint64_t most_bytes;     // 0: no limit
    int snapshot_signal;     // 0: none
    uint32_t counter_groups; // bits
    int port;                // 0: none
};

// Rejects invalid values and conflicting options: exit code 2 or 1.
bool run_options_check(const struct run_values *v, struct err *e);
// The same for what matters only if something is run. Reports what it settles.
bool run_options_settle(const struct run_values *v, struct run_settings *s, struct err *e);

// counters.c: the groups of --profiler-capture-perf-counters.
bool run_counters_settle(const struct run_values *v, struct run_settings *s, struct err *e);

// "USR1", "SIGUSR1", "10"; 0: no such signal.
int run_parse_signal(const char *text);

#endif
