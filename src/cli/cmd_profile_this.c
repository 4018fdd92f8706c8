// cmd_profile_this.c - `ttprof profile-this`: its options and help.
#include "app/profile/profile_this.h"
#include "app/run/options.h"
#include "cli/command.h"

#define AT(field) offsetof(struct profile_this_values, field)
static const struct option options[] = {
    // clang-format off
    {.name = "command", .letter = 'c', .kind = OPTION_TEXT, .at = AT(command), .arg = "CMD", .group = "Options",
     .help = "command to run through the shell; required"},
    {.name = "output-folder", .letter = 'o', .kind = OPTION_FILE, .at = AT(output_folder), .arg = "FOLDER",
     .help = "artifacts folder (default: as for 'ttprof run')"},
    {.name = "name-append", .letter = 'n', .kind = OPTION_TEXT, .at = AT(name_append), .arg = "NAME",
     .help = "append NAME to the names of the report and its folder"},
    {.name = "stitch", .kind = OPTION_FLAG, .at = AT(stitch),
     .help = "run twice: host times from a run without device profiling, device times from one with it"},
    {.name = "device-only", .letter = 'd', .kind = OPTION_FLAG, .at = AT(device_only),
     .help = "run once with device profiling (default)"},
    {.name = "host-only", .letter = 'm', .kind = OPTION_FLAG, .at = AT(host_only),
     .help = "run once without device profiling"},
    {.name = "collect-noc-traces", .kind = OPTION_FLAG, .at = AT(noc_traces),
     .help = "also record NoC events and add their columns to the report"},
    {.name = "profiler-capture-perf-counters", .kind = OPTION_TEXT, .at = AT(counters), .arg = "LIST",
     .help = "groups of hardware counters, as for 'ttprof run'"},
    {.name = "op-support-count", .kind = OPTION_INT, .at = AT(op_support_count), .arg = "N",
     .help = "programs that fit in the device's buffers between two reads"},
    {.name = "ignore-exit-code", .kind = OPTION_FLAG, .at = AT(ignore_exit_code),
     .help = "exit with 0 whatever the command's exit code is, like the reference"},
    {.name = "quiet", .kind = OPTION_FLAG, .at = AT(quiet), .help = "print errors only"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof profile-this -c \"pytest tests/test_model.py\" -n model",
     "one run: ops report in reports/model"},
    {"ttprof profile-this --stitch -c \"ttprof sim run mlp\"",
     "two runs: host times without the cost of reading the device"},
};

static const struct profile_this_values defaults = {.run_options = &run_option_table,
                                                    .op_support_count = RUN_NOT_GIVEN};

static int run_profile_this(const void *values, struct words words, struct err *e)
{
    return profile_this_command(values, words, e);
}

const struct command cmd_profile_this = {
    .name = "profile-this",
    .args = "-c CMD",
    .what = "run a shell command once or twice and make its ops report",
    .about =
        "Runs CMD through the shell and records it like 'ttprof run -r'. Reading a device "
        "takes host time. With --stitch the command therefore runs twice, with and without "
        "device profiling, and the report combines the device times of the first run with "
        "the host times of the second. Ops are matched by name and tensors, in order; a "
        "message says if the runs differ. It replaces profile_this.py.",
    .exit_status =
        "That of the command (of the first run that failed), 128 + N if signal N ended it, "
        "0 with --ignore-exit-code. 1 if the report cannot be written; 2 for a bad command "
        "line; 3 if ttprof was interrupted.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = SIZE_MAX,
    .run = run_profile_this,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
