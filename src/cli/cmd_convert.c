// cmd_convert.c - `ttprof convert`: its options and help.
#include "app/convert/convert.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct convert_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "format", .kind = OPTION_CHOICE, AT(format), .choices = "0.10 0.14",
     .help = "version of the file: 0.10 for tt-metal's tools, 0.14 for upstream's (default: as the input; 0.10 for a run)"},
    {.name = "compression", .kind = OPTION_CHOICE, AT(compression), .choices = "lz4 zstd",
     .help = "how the file is packed (default: lz4 for 0.10, zstd for 0.14)"},
    {.name = "level", .kind = OPTION_INT, AT(level), .arg = "N",
     .help = "level of zstd, 1 to 22 (default 3)"},
    {.name = "streams", .kind = OPTION_INT, AT(streams), .arg = "N",
     .help = "streams of a 0.14 file, 1 to 255 (default 4)"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found, or something could not be kept"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof convert generated/profiler/runs/2026_11_16_10_20_30 run.tracy",
     "a run for the Tracy GUI of tt-metal"},
    {"ttprof convert fork.tracy upstream.tracy --format 0.14",
     "a capture of tt-metal for upstream's GUI"},
    {"ttprof convert one.tracy one/", "a run folder with the process of the file"},
    {"ttprof convert big.tracy small.tracy --compression zstd --level 19",
     "the same trace in a smaller file"},
};

static const struct convert_values defaults = {0};

static int run_convert(const void *values, struct words words, struct err *e)
{
    return convert_command(values, words, e);
}

const struct command cmd_convert = {
    .name = "convert",
    .args = "IN OUT",
    .what = "write a run or a .tracy file as a .tracy file, or that as a run",
    .about =
        "Writes OUT, a .tracy file that the tools of Tracy open. IN is the folder of a run, "
        "a profiler folder, whose newest run is used, or a .tracy file of either version: "
        "then everything that both versions can hold is kept, callstacks, images, context "
        "switches and symbols included, and the rest is counted.\n\n"
        "If OUT ends in /, a .tracy file becomes a run folder.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 2,
    .most_words = 2,
    .reads_input = true,
    .run = run_convert,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
