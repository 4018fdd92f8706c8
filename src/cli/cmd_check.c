// cmd_check.c - `ttprof check`: its options and help.
#include <math.h>

#include "app/check/check.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct check_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "column", .kind = OPTION_LIST, AT(columns), .arg = "NAME", .group = "Measurement",
     .help = "column to sum, as 'DEVICE KERNEL' for 'DEVICE KERNEL DURATION [ns]'; repeatable (default DEVICE FW, DEVICE KERNEL and DEVICE BRISC KERNEL)"},
    {.name = "batch-size", .kind = OPTION_INT, AT(batch), .arg = "N",
     .help = "samples per iteration, for samples per second (default 1)"},
    {.name = "op", .kind = OPTION_TEXT, AT(op), .arg = "NAME",
     .help = "only this op: its full code, else its end after '::', else a part of it"},
    {.name = "signposts", .kind = OPTION_FLAG, AT(signposts),
     .help = "only rows between the first signposts 'start' and 'stop'"},
    {.name = "warmup", .kind = OPTION_INT, AT(warmup), .arg = "N",
     .help = "skip the first N rows, devices in turn"},
    {.name = "detailed", .kind = OPTION_FLAG, AT(detailed),
     .help = "mean, minimum, maximum and deviation over rows instead of sums over tables"},
    {.name = "per-op", .kind = OPTION_FLAG, AT(per_op),
     .help = "the same for each op"},

    {.name = "expected", .kind = OPTION_LIST, AT(expected), .arg = "KEY=VALUE", .group = "Expectations",
     .help = "expected value of a metric; a plain value stands for '" CHECK_USUAL_KEY "'; repeatable"},
    {.name = "margin", .kind = OPTION_REAL, AT(margin), .arg = "F",
     .help = "allowed relative deviation (default 0.015)"},
    {.name = "measured", .kind = OPTION_REAL, AT(measured), .arg = "S",
     .help = "end to end: measured time in seconds"},
    {.name = "expected-time", .kind = OPTION_REAL, AT(expected_time), .arg = "S",
     .help = "expected time in seconds; 0.8 to 1.0 times this passes"},

    {.name = "report", .kind = OPTION_FILE, AT(report), .arg = "FOLDER", .group = "Files",
     .help = "write device_perf_<model>_<comments>_<date>.csv to FOLDER"},
    {.name = "model", .kind = OPTION_TEXT, AT(model), .arg = "NAME",
     .help = "model name for the report"},
    {.name = "setting", .kind = OPTION_TEXT, AT(setting), .arg = "TEXT",
     .help = "setting for the report (default: the comments)"},
    {.name = "comments", .kind = OPTION_TEXT, AT(comments), .arg = "TEXT",
     .help = "comments for the name of the report"},
    {.name = "date", .kind = OPTION_TEXT, AT(date), .arg = "DATE",
     .help = "date for file names (default today, as 2026_11_16)"},
    {.name = "merge", .kind = OPTION_FLAG, AT(merge),
     .help = "merge report files, or folders of them, into one table and check it"},
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, AT(output), .arg = "FILE",
     .help = "name of the merged table (default Models_Device_Perf_<date>.csv)"},
    {.name = "json", .kind = OPTION_FLAG, AT(json),
     .help = "print the metrics as JSON"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found, too"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof check ops_perf_results.csv --batch-size 8",
     "durations and samples per second"},
    {"ttprof check run1.csv run2.csv --expected 'AVG DEVICE KERNEL SAMPLES/S=1800'",
     "two iterations, compared with an expected value"},
    {"ttprof check generated/profiler --expected 4200000 --report out --model resnet",
     "the newest table of a folder, and a report file for CI"},
    {"ttprof check --merge out", "merge the report files of several models"},
};

static const struct check_values defaults = {
    .batch = 1, .margin = 0.015, .measured = NAN, .expected_time = NAN, .comments = ""};

static int run_check(const void *values, struct words words, struct err *e)
{
    return check_command(values, words, e);
}

const struct command cmd_check = {
    .name = "check",
    .args = "[CSV|FOLDER...]",
    .what = "compare durations and samples per second with expected values, for CI",
    .about =
        "Sums the durations of a table of ops (ops_perf_results_*.csv), converts them to "
        "samples per second and compares both with expected values. Several tables are "
        "several iterations of one model, with mean, minimum and maximum over them. For a "
        "folder, the newest table is used.\n\nA value that is too good fails as well: the "
        "expectation is out of date.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 0,
    .most_words = SIZE_MAX,
    .reads_input = true,
    .run = run_check,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
