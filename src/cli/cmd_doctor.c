// cmd_doctor.c - `ttprof doctor`: its options and help.
#include "app/doctor/doctor.h"
#include "cli/command.h"

static const struct option options[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .at = offsetof(struct doctor_values, json),
     .help = "print as JSON",
     .group = "Options"},
};

static const struct example examples[] = {
    {"ttprof doctor", "show the profiler's settings and conflicts"},
    {"TT_METAL_PROFILER_SUM=1 ttprof doctor",
     "see the effect of a variable before a long run"},
};

static const struct doctor_values defaults = {0};

static int run_doctor(const void *values, struct words words, struct err *e)
{
    return doctor_command(values, words, e);
}

const struct command cmd_doctor = {
    .name = "doctor",
    .args = "",
    .what = "check variables, folders, tools and the machine, and say what to fix",
    .about =
        "Shows every profiler variable with its effective value and source, says whether "
        "the device profiler would start, and warns about unknown names. Then it checks "
        "this machine: whether events can be recorded, free space, the clock, tools, "
        "ports, and what earlier runs left behind. Each check is ok, a note or a problem, "
        "with a remedy. Nothing is changed. The exit code is 1 if variables conflict, a "
        "value is invalid, a folder is not writable, or a check finds a problem.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .run = run_doctor,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
