// cmd_timeline.c - `ttprof timeline`: its options and help.
#include "app/timeline/timeline.h"
#include "cli/command.h"
#include "present/timeline/timeline.h"

#define AT(field) .at = offsetof(struct timeline_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, AT(output), .arg = "FILE", .group = "Options",
     .help = "output page (default: timeline.html)"},
    {.name = "process", .kind = OPTION_LIST, AT(processes), .arg = "PID",
     .help = "only this process; repeatable"},
    {.name = "no-device", .kind = OPTION_FLAG, AT(no_device),
     .help = "only the host, even if the run has a device log"},
    {.name = "max-zones", .kind = OPTION_INT, AT(max_zones), .arg = "N",
     .help = "maximum number of zones in full detail on the page (default 1000000)"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof timeline generated/profiler/runs/2026_11_16_10_20_30 -o page.html",
     "host threads and devices on one axis"},
    {"ttprof timeline generated/profiler -o page.html", "the newest run of a folder"},
    {"ttprof timeline generated/profiler/.logs -o device.html", "devices only"},
};

static const struct timeline_values defaults = {.output = "timeline.html",
                                                .max_zones = TIMELINE_MAX_ZONES};

static int run_timeline(const void *values, struct words words, struct err *e)
{
    return timeline_command(values, words, e);
}

const struct command cmd_timeline = {
    .name = "timeline",
    .args = "[RUN]",
    .what = "make an interactive page with host threads and devices on one axis",
    .about =
        "RUN is the folder of a run ('ttprof run' prints it), a folder with several runs, of which the newest is used, or a device log or its folder. The default is the profiler folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or generated/profiler. A run in progress is shown up to now.\n\nAll rows share one axis in ns. Clock models place the devices on it, with the error that the page states; without --sync-host-device the devices are shown but not aligned.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .reads_input = true,
    .run = run_timeline,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
