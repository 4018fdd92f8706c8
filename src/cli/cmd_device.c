// cmd_device.c - `ttprof device`: the command and its options.
#include "app/device/device.h"
#include "cli/command.h"

static int run_device(const void *values, struct words words, struct err *e)
{
    const struct device_values *v = values;
    struct arena a = {0};
    if (!device_values_check(v, e))
        return err_exit_code(e->code);
    if (words.n && v->log) {
        (void)err_set(e, ERR_USAGE, "two logs given: '%s' and '%s'; name one", words.v[0],
                      v->log);
        return err_exit_code(e->code);
    }
    const char *root = command_artifacts_root(&a);
    const char *log = words.n ? words.v[0]
                      : v->log
                          ? v->log
                          : arena_printf(&a, "%s/.logs/profile_log_device.csv", root).p;
    const char *folder =
        v->folder ? v->folder : arena_printf(&a, "%s/output/device", root).p;
    device_report(v, log, folder, e);
    arena_free(&a);
    return err_exit_code(e->code);
}

#define AT(field) .at = offsetof(struct device_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "device-input-log", .letter = 'd', .kind = OPTION_FILE, AT(log), .arg = "FILE", .group = "Input and output",
     .help = "same as LOG; kept for compatibility with process_device_log.py"},
    {.name = "output-folder", .letter = 'o', .kind = OPTION_FILE, AT(folder), .arg = "FOLDER",
     .help = "output folder (default: output/device in the profiler folder)"},
    {.name = "skip", .kind = OPTION_TEXT, AT(skip), .arg = "PARTS",
     .help = "files not to write, separated by commas: stats, health, perf-report, op-to-op, rearranged, html, log, tarball, analysis-data, chrome-trace"},
    {.name = "print-only", .kind = OPTION_FLAG, AT(print_only),
     .help = "write no files"},
    {.name = "no-print-stats", .kind = OPTION_FLAG, AT(no_print_stats),
     .help = "write files, print no statistics"},
    {.name = "no-artifacts", .kind = OPTION_FLAG, AT(no_artifacts),
     .help = "write no archive"},
    {.name = "analysis-data", .kind = OPTION_CHOICE, AT(analysis_data), .choices = "compact full",
     .help = "also write device_analysis_data.json: statistics only, or every marker (17 times the size of the log)"},
    {.name = "chrome-trace", .kind = OPTION_FLAG, AT(chrome_trace),
     .help = "also write device_chrome_tracing.json"},
    {.name = "html-zones", .kind = OPTION_INT, AT(html_zones), .arg = "N",
     .help = "maximum number of zones in full detail on the page (default 1000000)"},

    {.name = "setup", .letter = 's', .kind = OPTION_TEXT, AT(setup), .arg = "NAME", .group = "Analyses",
     .help = "analyses to run: a built-in setup, or a file (NAME.ini)"},
    {.name = "percentiles", .kind = OPTION_FLAG, AT(percentiles),
     .help = "add standard deviation and percentiles 50, 90, 95 and 99"},
    {.name = "no-op-detection", .kind = OPTION_FLAG, AT(no_op_detection),
     .help = "no statistics per op"},
    {.name = "incomplete-ops", .kind = OPTION_FLAG, AT(incomplete_ops),
     .help = "include ops that lack a firmware start or end"},
    {.name = "mhz", .kind = OPTION_INT, AT(mhz), .arg = "N",
     .help = "clock of the chip, overrides the log"},
    {.name = "compat", .kind = OPTION_FLAG, AT(compat),
     .help = "per-core op-to-op times and the Chrome trace in cycles, as the reference writes them"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found"},

    {.name = "device", .kind = OPTION_TEXT, AT(selection.device), .arg = "GLOB", .group = "Filters",
     .help = "only these devices; join patterns with |"},
    {.name = "core", .kind = OPTION_TEXT, AT(selection.core), .arg = "GLOB",
     .help = "only these cores, as x,y: '1,*'"},
    {.name = "risc", .kind = OPTION_TEXT, AT(selection.risc), .arg = "GLOB",
     .help = "only these processors: 'TRISC_*|BRISC'"},
    {.name = "zone", .kind = OPTION_TEXT, AT(selection.zone), .arg = "GLOB",
     .help = "only zones with these names"},
    {.name = "op", .kind = OPTION_TEXT, AT(selection.op), .arg = "GLOB",
     .help = "only ops with these run host ids"},
    {.name = "run-id", .kind = OPTION_TEXT, AT(selection.run_range), .arg = "A-B",
     .help = "only run host ids in a range: 1024-4099, 1024- or -4099"},
    {.name = "from", .kind = OPTION_TEXT, AT(selection.from), .arg = "CYCLE",
     .help = "only ops that start at or after this time; +N counts from the first marker of the device"},
    {.name = "to", .kind = OPTION_TEXT, AT(selection.to), .arg = "CYCLE",
     .help = "only ops that end at or before this time"},

    {.name = "no-plots", .kind = OPTION_FLAG, AT(no_plots), .group = "Old names",
     .help = "no device_perf.html, same as --skip html"},
    {.name = "no-webapp", .kind = OPTION_FLAG, AT(no_webapp),
     .help = "no effect: no server is started"},
    {.name = "port", .letter = 'p', .kind = OPTION_INT, AT(port), .arg = "N",
     .help = "no effect"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof device profile_log_device.csv -o out",
     "print all statistics, write all files to out"},
    {"ttprof device profile_log_device.csv.zst --print-only --percentiles",
     "statistics with percentiles, no files"},
    {"ttprof device profile_log_device.csv -o out --core '1,*' --zone '*-KERNEL'",
     "only the kernels in the first column of cores"},
    {"ttprof device profile_log_device.csv -o out -s my_zones.ini", "your own analyses"},
};

const struct command cmd_device = {
    .name = "device",
    .args = "[LOG|RUN]",
    .what = "make statistics, timeline and tables from a device log",
    .about =
        "Reads profile_log_device.csv of any version, plain or compressed with gzip or "
        "zstd, and makes statistics, an interactive timeline, durations per op, times "
        "between ops, and an archive of all files. The default LOG is the one in the "
        "profiler folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or "
        "generated/profiler; '-' is stdin. RUN is the folder of a run: logs of all its "
        "processes are read.\n\nOdd data never stops the work: it is "
        "counted, explained at the end, and written to profiler_health.json.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .reads_input = true,
    .run = run_device,
    .defaults = &device_defaults,
    .values_size = sizeof device_defaults,
};
