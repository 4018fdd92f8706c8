// cmd_flame.c - `ttprof flame`: its options and help.
#include "app/flame/flame.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct flame_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, AT(output), .arg = "FILE", .group = "Files and documents",
     .help = "output page (default: flame.html, unless --folded is given)"},
    {.name = "folded", .kind = OPTION_FILE, AT(folded), .arg = "FILE",
     .help = "a line per stack with its self time in ns, for other flame graph tools; '-': stdout"},
    {.name = "by", .kind = OPTION_CHOICE, AT(by), .choices = "thread process all", .group = "Display",
     .help = "what is kept apart (default: thread)"},
    {.name = "max-frames", .kind = OPTION_INT, AT(max_frames), .arg = "N",
     .help = "maximum number of frames on the page, the widest (default 50000)"},
    {.name = "process", .kind = OPTION_INT, AT(pid), .arg = "PID", .group = "Filters",
     .help = "only this process"},
    {.name = "rank", .kind = OPTION_INT, AT(rank), .arg = "N",
     .help = "only processes of this rank"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict), .group = "Options",
     .help = "exit with 1 if odd data was found, including lost events and open zones"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof flame -o flame.html", "the newest run in generated/profiler"},
    {"ttprof flame RUN --by all", "one graph of all threads together"},
    {"ttprof flame RUN --folded - | flamegraph.pl >flame.svg", "another tool's picture"},
};

static const struct flame_values defaults = {
    .by = "thread", .pid = -1, .rank = -1, .max_frames = FLAME_MAX_FRAMES};

static int run_flame(const void *values, struct words words, struct err *e)
{
    return flame_command(values, words, e);
}

const struct command cmd_flame = {
    .name = "flame",
    .args = "[RUN]",
    .what = "make a flame graph of host zones",
    .about =
        "Merges the zones of a run by stack and draws them: a box is as wide as the time "
        "spent in it, the boxes below it are what it called. The page needs no network. RUN "
        "is the folder of a run, one of its snapshots, a .tracy file, or a profiler folder, "
        "whose newest run is used. The default is the profiler folder: "
        "$TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or generated/profiler.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .reads_input = true,
    .run = run_flame,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
