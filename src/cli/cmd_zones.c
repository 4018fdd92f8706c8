// cmd_zones.c - `ttprof zones`: its options and help.
#include "cli/command.h"
#include "cli/zones_variant.h"

static const struct option options[] = {
    // clang-format off
    {.name = "by", .kind = OPTION_CHOICE, ZONES_AT(by), .choices = "thread process", .group = "Display",
     .help = "one row per zone and thread, or per zone and process"},
    {.name = "sort", .kind = OPTION_TEXT, ZONES_AT(sort), .arg = "COLUMN",
     .help = "sort by a column (default Total): numbers descending, text ascending"},
    {.name = "top", .kind = OPTION_INT, ZONES_AT(top), .arg = "N",
     .help = "show only the first N rows"},
    {.name = "percentiles", .kind = OPTION_TEXT, ZONES_AT(percentiles), .arg = "LIST",
     .help = "percentiles, separated by commas (default 50,90,99)"},
    {.name = "self", .letter = 'e', .kind = OPTION_FLAG, ZONES_AT(self),
     .help = "min, mean, max and percentiles of self times, without nested zones"},
    {.name = "open", .kind = OPTION_FLAG, ZONES_AT(open),
     .help = "include zones without an end, up to the last time their process was known to be alive"},

    {.name = "filter", .letter = 'f', .kind = OPTION_TEXT, ZONES_AT(filter), .arg = "TEXT", .group = "Filters",
     .help = "only zones with this in their names, in any case"},
    {.name = "case", .letter = 'c', .kind = OPTION_FLAG, ZONES_AT(is_case),
     .help = "match case"},
    {.name = "min-duration", .kind = OPTION_REAL, ZONES_AT(min_duration), .arg = "US",
     .help = "only zones that lasted at least this many microseconds"},
    {.name = "process", .kind = OPTION_INT, ZONES_AT(pid), .arg = "PID",
     .help = "only this process"},
    {.name = "rank", .kind = OPTION_INT, ZONES_AT(rank), .arg = "N",
     .help = "only processes of this rank"},

    {.name = "csv", .kind = OPTION_FILE, ZONES_AT(csv), .arg = "FILE", .group = "Files and documents",
     .help = "write the table as CSV instead of printing it"},
    {.name = "json", .kind = OPTION_FLAG, ZONES_AT(json),
     .help = "print the table as JSON"},
    {.name = "strict", .kind = OPTION_FLAG, ZONES_AT(strict),
     .help = "exit with 1 if odd data was found, including lost events and open zones"},

    {.name = "csvexport", .kind = OPTION_FLAG, ZONES_AT(csvexport), .group = "tracy-csvexport formats",
     .help = "statistics"},
    CSVEXPORT_FORMS(NULL),
    CSVEXPORT_FORK(NULL),
    CSVEXPORT_UPSTREAM(NULL),
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof zones", "statistics of the newest run in generated/profiler"},
    {"ttprof zones generated/profiler/runs/2026_11_16_10_20_30 --by thread --top 20",
     "the 20 longest zones of single threads"},
    {"ttprof zones RUN -f matmul --self", "self times of zones with matmul in their names"},
    {"ttprof zones RUN -u -o zones.csv", "every zone as a row, like csvexport -u"},
    {"ttprof zones RUN -m -s ';'", "messages and signposts, like csvexport -m"},
};

static const struct zones_values defaults = {
    .pid = -1, .rank = -1, .percentiles = "50,90,99", .filter = "", .separator = ","};

static const struct command *zones_variant(int argc, char **argv)
{
    static struct option upstream[sizeof options / sizeof *options];
    static struct command other;
    return zones_choose(&cmd_zones, argc, argv, &other, upstream);
}

static int run_zones(const void *values, struct words words, struct err *e)
{
    return zones_command(values, words, e);
}

const struct command cmd_zones = {
    .name = "zones",
    .args = "[RUN]",
    .what = "show statistics of host zones",
    .about =
        "Shows for each zone how often it ran and how long it took, from the recording of "
        "a run, also during the run and after a crash. RUN is the folder of a run, one of "
        "its snapshots, a .tracy file, or a profiler folder, whose newest run is used. The "
        "default is the profiler folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or "
        "generated/profiler.\n\nLost events, zones without an end and damaged files never "
        "stop the work: they are counted and explained at the end.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .reads_input = true,
    .variant = zones_variant,
    .run = run_zones,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
