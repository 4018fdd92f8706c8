// cmd_csvexport.c - `ttprof csvexport`, also as `tracy-csvexport`: the options of that
// tool.
#include <unistd.h>

#include "cli/command.h"
#include "cli/zones_variant.h"

static const struct option options[] = {
    // clang-format off
    {.name = "filter", .letter = 'f', .kind = OPTION_TEXT, ZONES_AT(filter), .arg = "TEXT", .group = "Zones",
     .help = "only zones with this in their names, in any case"},
    {.name = "case", .letter = 'c', .kind = OPTION_FLAG, ZONES_AT(is_case),
     .help = "match case"},
    {.name = "self", .letter = 'e', .kind = OPTION_FLAG, ZONES_AT(self),
     .help = "self times, without nested zones"},

    CSVEXPORT_FORMS("Forms"),
    {.name = "version", .letter = 'V', .kind = OPTION_FLAG, ZONES_AT(version),
     .help = "print the version and exit"},

    CSVEXPORT_FORK("tt-metal's 0.10"),
    CSVEXPORT_UPSTREAM("Upstream 0.14"),
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof csvexport trace.tracy", "statistics of all zones"},
    {"ttprof csvexport -u -e trace.tracy", "every zone as a row, with its self time"},
    {"ttprof csvexport -m -s ';' trace.tracy", "messages"},
    {"ttprof csvexport -u -x EnqueueProgram -p TT_DNN trace.tracy",
     "children with the text of the op around them, in files of 0.10"},
};

static const struct zones_values defaults = {.pid = -1,
                                             .rank = -1,
                                             .percentiles = "",
                                             .filter = "",
                                             .separator = ",",
                                             .csvexport = true};

static const struct command *csvexport_variant(int argc, char **argv)
{
    static struct option upstream[sizeof options / sizeof *options];
    static struct command other;
    return zones_choose(&cmd_csvexport, argc, argv, &other, upstream);
}

static int run_csvexport(const void *values, struct words words, struct err *e)
{
    const struct zones_values *v = values;
    if (v->version)
        return cmd_version.run(NULL, words, e);
    if (!words.n)
        (void)err_set(e, ERR_USAGE, "name a .tracy file or a run; see --help");
    else if (access(words.v[0], R_OK) != 0)
        (void)err_set(e, ERR_IO, "Could not open file %s", words.v[0]);
    else
        return zones_command(v, words, e);
    return err_exit_code(e->code);
}

const struct command cmd_csvexport = {
    .name = "csvexport",
    .args = "FILE",
    .what = "write zones, messages and plots as tracy-csvexport does",
    .about =
        "Writes statistics of zones, every zone, messages, plots or device zones of a "
        ".tracy file in the forms of tracy-csvexport. FILE may also be the folder of a "
        "run.\n\nFiles of both generations are read. Where a letter means two things the "
        "file decides: -p is --special-parent and -t is --parent for files of tt-metal's "
        "0.10 and for runs, --plot and --truncated_mean for files of upstream 0.14. "
        "--fork and --upstream override it.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .also = "tracy-csvexport",
    .has_compatible_exit = true,
    .usage_exit = 1,
    .exit_status = "0 if the table was written, 1 otherwise.",
    .reads_input = true,
    .variant = csvexport_variant,
    .run = run_csvexport,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
