// cmd_report.c - `ttprof report`: its options and help.
#include "app/report/report.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct report_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "start-signpost", .kind = OPTION_TEXT, AT(perf.start_signpost), .arg = "NAME", .group = "Which ops",
     .help = "keep ops after the first signpost NAME"},
    {.name = "end-signpost", .kind = OPTION_TEXT, AT(perf.end_signpost), .arg = "NAME",
     .help = "keep ops before the first signpost NAME (the second, if NAME is also the start)"},
    {.name = "signpost", .kind = OPTION_TEXT, AT(perf.start_signpost), .arg = "NAME",
     .help = "same as --start-signpost"},
    {.name = "ignore-signposts", .kind = OPTION_FLAG, AT(perf.ignore_signposts),
     .help = "use the whole file; by default it starts after the first row with the name of the last signpost"},
    {.name = "print-signposts", .kind = OPTION_FLAG, AT(perf.print_signposts),
     .help = "show signposts as rows"},
    {.name = "id-range", .kind = OPTION_TEXT, AT(id_range), .arg = "A-B",
     .help = "keep rows with these IDs: 5-10, 31- or -12"},
    {.name = "no-host-ops", .kind = OPTION_FLAG, AT(perf.no_host_ops),
     .help = "leave out ops that ran on the host"},
    {.name = "no-merge-devices", .kind = OPTION_FLAG, AT(perf.no_merge_devices),
     .help = "keep one row per device; by default the slowest stands for all"},
    {.name = "tracing-mode", .kind = OPTION_FLAG, AT(perf.tracing_mode),
     .help = "keep the order of the file instead of sorting by host time"},
    {.name = "arch", .kind = OPTION_TEXT, AT(perf.arch), .arg = "NAME",
     .help = "chip to compare with, if the file does not name it; 'ttprof arch' lists them"},

    {.name = "sort", .kind = OPTION_TEXT, AT(sort), .arg = "COLUMN", .group = "Display",
     .help = "sort by a column: numbers descending, text ascending"},
    {.name = "top", .kind = OPTION_INT, AT(top), .arg = "N",
     .help = "show the first N rows, by default the longest; shares remain those of all rows"},
    {.name = "min-percentage", .kind = OPTION_REAL, AT(perf.min_percentage), .arg = "F",
     .help = "print rows below this share of the time in grey (default 0.5)"},
    {.name = "no-advice", .kind = OPTION_FLAG, AT(no_advice),
     .help = "no advice, neither as a section nor as a CSV column"},
    {.name = "raw-op-codes", .kind = OPTION_FLAG, AT(raw_op_codes),
     .help = "add the original op codes as a CSV column"},
    {.name = "color", .kind = OPTION_FLAG, AT(color),
     .help = "use colors even if not on a terminal"},
    {.name = "no-color", .kind = OPTION_FLAG, AT(no_color),
     .help = "never use colors; overrides --color"},

    {.name = "group-by", .kind = OPTION_CHOICE, AT(group_by), .choices = "op memory category", .group = "Stacked report",
     .help = "grouping (default memory: op and memory layout of input 0)"},
    {.name = "no-summary", .kind = OPTION_FLAG, AT(no_summary),
     .help = "no stacked report"},
    {.name = "summary-file", .kind = OPTION_FILE, AT(summary_file), .arg = "BASE",
     .help = "write the stacked report to BASE.csv and BASE.png"},
    {.name = "classic-colors", .kind = OPTION_FLAG, AT(classic_colors),
     .help = "color the picture by group instead of by category"},

    {.name = "csv", .kind = OPTION_FILE, AT(csv), .arg = "FILE", .group = "Files and documents",
     .help = "write the table as CSV instead of printing it, and the stacked report next to it"},
    {.name = "json", .kind = OPTION_FLAG, AT(json),
     .help = "print the whole report as JSON; messages go to stderr"},
    {.name = "html", .kind = OPTION_FILE, AT(html), .arg = "FILE",
     .help = "write the whole report as a self-contained page: sortable table, charts, advice"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found"},

    {.name = "no-stacked-report", .kind = OPTION_FLAG, AT(no_stacked_report), .group = "Old names",
     .help = "same as --no-summary"},
    {.name = "stacked-csv", .kind = OPTION_FILE, AT(stacked_csv), .arg = "BASE",
     .help = "same as --summary-file, which takes precedence"},
    {.name = "no-stack-by-in0", .kind = OPTION_FLAG, AT(no_stack_by_in0),
     .help = "no effect"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof report ops_perf_results.csv",
     "table, advice and stacked report on the terminal"},
    {"ttprof report ops_perf_results.csv --html report.html",
     "the same as an interactive page"},
    {"ttprof report ops_perf_results.csv --top 10 --no-advice", "the ten longest ops"},
    {"ttprof report host0.csv host1.csv --csv all.csv", "one run on two hosts, as CSV"},
};

static const struct report_values defaults = {.perf = {.min_percentage = 0.5},
                                              .group_by = "memory"};

static int run_report(const void *values, struct words words, struct err *e)
{
    return report_command(values, words, e);
}

const struct command cmd_report = {
    .name = "report",
    .args = "CSV...",
    .what = "make the performance report: bounds, advice and summaries",
    .about =
        "Reads the table of ops that tt-metal writes (ops_perf_results_*.csv) and shows "
        "what each op cost, how close it came to peak, and what to try next. Several files "
        "are several hosts of one run; '-' is stdin.\n\nOdd data never stops the report: "
        "it is counted, its cells stay empty, and a line on stderr says what was found, "
        "where first, and what to do.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 1,
    .most_words = SIZE_MAX,
    .also = "tt-perf-report",
    .has_compatible_exit = true,
    .reads_input = true,
    .run = run_report,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
