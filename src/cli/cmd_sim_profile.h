// cmd_sim_profile.h - the options of `--profile`, for commands that run a device.
#ifndef TTP_CLI_CMD_SIM_PROFILE_H
#define TTP_CLI_CMD_SIM_PROFILE_H

#include "app/sim/profile.h"
#include "cli/command.h"

// For a table of options; `values` holds a struct sim_profile named `profile`.
#define PROFILE_AT(values, field) offsetof(values, profile.field)
#define SIM_PROFILE_OPTIONS(values)                                                        \
    {.name = "profile",                                                                    \
     .kind = OPTION_FLAG,                                                                  \
     .at = PROFILE_AT(values, profile),                                                    \
     .help = "record a profile, like TT_METAL_DEVICE_PROFILER=1",                          \
     .group = "Profile ('ttprof doctor' shows the variables in effect)"},                  \
        {.name = "output-folder",                                                          \
         .letter = 'o',                                                                    \
         .kind = OPTION_FILE,                                                              \
         .at = PROFILE_AT(values, folder),                                                 \
         .arg = "FOLDER",                                                                  \
         .help = "write files to its .logs/ (default: generated/profiler)"},               \
        {.name = "sync-host-device",                                                       \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, sync),                                                   \
         .help = "sync the clocks at the start and at the end"},                           \
        {.name = "collect-noc-traces",                                                     \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, noc_traces),                                             \
         .help = "record NoC events as noc_trace_*.json"},                                 \
        {.name = "profiler-capture-perf-counters",                                         \
         .kind = OPTION_TEXT,                                                              \
         .at = PROFILE_AT(values, counters),                                               \
         .arg = "GROUP,...",                                                               \
         .help = "hardware counters: fpu, pack, unpack, l1_0 .. l1_4, instrn, or all"},    \
        {.name = "enable-sum-profiling",                                                   \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, sum),                                                    \
         .help = "enable sum zones"},                                                      \
        {.name = "enable-accumulate-profiling",                                            \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, accumulate),                                             \
         .help = "several programs in one L1 buffer; no program ids"},                     \
        {.name = "profile-dispatch-cores",                                                 \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, dispatch),                                               \
         .help = "also profile dispatch cores"},                                           \
        {.name = "device-trace-profiler",                                                  \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, trace_only),                                             \
         .help = "record only whole trace replays"},                                       \
        {.name = "dump-device-data-mid-run",                                               \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, mid_run),                                                \
         .help = "read whenever a core nears full, and write files at every read"},        \
        {.name = "cpp-report",                                                             \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, cpp_report),                                             \
         .help = "also write cpp_device_perf_report.csv"},                                 \
        {.name = "op-support-count",                                                       \
         .kind = OPTION_INT,                                                               \
         .at = PROFILE_AT(values, op_support_count),                                       \
         .arg = "N",                                                                       \
         .help =                                                                           \
             "programs that fit in the device's buffers between two reads; default "       \
             "1000"},                                                                      \
        {.name = "level",                                                                  \
         .kind = OPTION_CHOICE,                                                            \
         .at = PROFILE_AT(values, level),                                                  \
         .choices = "off coarse all",                                                      \
         .help = "coarse: firmware and kernel zones only"},                                \
        {.name = "riscs",                                                                  \
         .kind = OPTION_TEXT,                                                              \
         .at = PROFILE_AT(values, riscs),                                                  \
         .arg = "LIST",                                                                    \
         .help = "RISCs that record, as BRISC,TRISC_1 (default all)"},                     \
        {.name = "overflow",                                                               \
         .kind = OPTION_CHOICE,                                                            \
         .at = PROFILE_AT(values, overflow),                                               \
         .choices = "drop stall",                                                          \
         .help =                                                                           \
             "when buffers are full: drop markers, or stall until they are read (default " \
             "drop; stall with --dump-device-data-mid-run)"},                              \
        {.name = "watermark",                                                              \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, watermark),                                              \
         .help = "read between programs before the buffers are full"},                     \
        {.name = "flush-zones",                                                            \
         .kind = OPTION_FLAG,                                                              \
         .at = PROFILE_AT(values, flush_zones),                                            \
         .help = "record the profiler's own pushes as zones"},                             \
        {.name = "dump-raw",                                                               \
         .kind = OPTION_FILE,                                                              \
         .at = PROFILE_AT(values, dump_raw),                                               \
         .arg = "FOLDER",                                                                  \
         .help = "write raw device words for 'ttprof decode'"},                            \
    {                                                                                      \
        .name = "disable-device-data-dump-to-files", .kind = OPTION_FLAG,                  \
        .at = PROFILE_AT(values, no_files), .help = "read and check, but write no files"   \
    }

#define SIM_PROFILE_DEFAULTS                                                               \
    {                                                                                      \
        .op_support_count = INT64_MIN                                                      \
    }

#endif
