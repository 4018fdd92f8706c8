// cmd_profile.c - `ttprof profile`: its options and help.
#include "app/profile/profile.h"
#include "app/run/options.h"
#include "cli/command.h"

#define AT(field) offsetof(struct profile_values, field)
static const struct option options[] = {
    // clang-format off
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .at = AT(output), .arg = "FILE", .group = "Options",
     .help = "name of the table in results/perf (default device_ops_perf_trace.csv)"},
    {.name = "port", .letter = 'p', .kind = OPTION_INT, .at = AT(port), .arg = "PORT",
     .help = "set TRACY_PORT for the command; 8086 means a free port, as without this option"},
    {.name = "ignore-exit-code", .kind = OPTION_FLAG, .at = AT(ignore_exit_code),
     .help = "exit with 0 whatever the command's exit code is, like the reference"},
    {.name = "quiet", .kind = OPTION_FLAG, .at = AT(quiet), .help = "print errors only"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof profile \"pytest -svv tests/models/mnist/test_mnist.py\"",
     "write the device ops of a test to results/perf/device_ops_perf_trace.csv"},
    {"ttprof profile -o mlp.csv \"ttprof sim run mlp\"", "the same on the software device"},
};

static const struct profile_values defaults = {.run_options = &run_option_table,
                                               .output = "device_ops_perf_trace.csv",
                                               .port = RUN_NOT_GIVEN};

static int run_profile(const void *values, struct words words, struct err *e)
{
    return profile_command(values, words, e);
}

const struct command cmd_profile = {
    .name = "profile",
    .args = "\"COMMAND\"",
    .what = "run a shell command and write its device ops with the compiler's labels",
    .about =
        "Runs COMMAND through the shell and records it like 'ttprof run -r'. The ops "
        "report of the run (or the device report, if no ops were recorded) becomes a table "
        "in results/perf, with three more columns from the compiler's messages: LOC, "
        "CONST_EVAL_OP and PROGRAM_METADATA. It replaces tt-torch's tt_profile.",
    .exit_status =
        "That of the command, 128 + N if signal N ended it, 0 with --ignore-exit-code. 1 "
        "if the table cannot be written; 2 for a bad command line; 3 if ttprof was "
        "interrupted.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = SIZE_MAX,
    .run = run_profile,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
