// cmd_info.c - `ttprof info`: its options and help.
#include "app/info/info.h"
#include "cli/command.h"

static const struct option options[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .at = offsetof(struct info_values, json),
     .help = "print as JSON",
     .group = "Options"},
};

static const struct example examples[] = {
    {"ttprof info profile_log_device.csv", "show what is in the log"},
    {"ttprof info generated/profiler", "show what the newest run recorded"},
};

static const struct info_values defaults = {0};

static int run_info(const void *values, struct words words, struct err *e)
{
    return info_command(values, words, e);
}

const struct command cmd_info = {
    .name = "info",
    .args = "LOG|RUN",
    .what = "summarise a device log or a run folder on one screen",
    .about =
        "Shows size, rows, chip and clock of a device log, and for each device its cores, "
        "RISCs, ops, time span and odd data; '-' is stdin. For a folder of 'ttprof run' it "
        "shows processes, threads, events and losses.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 1,
    .most_words = 1,
    .reads_input = true,
    .run = run_info,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
