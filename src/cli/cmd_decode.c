// cmd_decode.c - `ttprof decode`: its options and help.
#include "app/decode/decode.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct decode_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "output-folder", .letter = 'o', .kind = OPTION_FILE, AT(folder), .arg = "FOLDER",
     .help = "write files to FOLDER/.logs (default: .logs in the folder of the dump)"},
    {.name = "cpp-report", .kind = OPTION_FLAG, AT(cpp_report),
     .help = "also write cpp_device_perf_report.csv"},
    {.name = "json", .kind = OPTION_FLAG, AT(json),
     .help = "print the summary as JSON"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof decode dump -o out",
     "write the log and the other files of the run to out/.logs"},
    {"ttprof device out/.logs/profile_log_device.csv -o out/report",
     "then show the statistics of the log"},
};

static const struct decode_values defaults = {0};

static int run_decode(const void *values, struct words words, struct err *e)
{
    return decode_command(values, words, e);
}

const struct command cmd_decode = {
    .name = "decode",
    .args = "DIR",
    .what = "make a device log from raw dumps of device memory",
    .about =
        "Reads a folder of raw dumps (dump.json, control vectors, L1 vectors, DRAM banks, "
        "zone names), as --dump-raw of a run leaves them, and writes what the run itself "
        "would have written: profile_log_device.csv and related files. No device is "
        "needed. Further read-outs of the same run are in DIR/readout_2 and so on.\n\nA "
        "missing or damaged file affects only its core or bank: it is counted, explained, "
        "and written to profiler_health.json.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 1,
    .most_words = 1,
    .reads_input = true,
    .run = run_decode,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
