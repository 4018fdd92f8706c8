// cmd_ops_diff.c - `ttprof ops-diff`: its options and help.
#include "app/ops/diff.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct diff_values, field)

static const struct option options[] = {
    {.name = "max-differences",
     .kind = OPTION_INT,
     AT(most),
     .arg = "N",
     .group = "Output",
     .help = "list at most N differences (default 20)"},
    {.name = "only-compare-op-ids",
     .kind = OPTION_FLAG,
     AT(ids_only),
     .help = "with a device report: compare op ids only, not measurements"},
};

static const struct example examples[] = {
    {"ttprof ops-diff before.csv after.csv", "compare two reports cell by cell"},
    {"ttprof ops-diff run1 run2 --max-differences 5",
     "compare the newest reports of two folders"},
    {"ttprof ops-diff ops_perf_results.csv cpp_device_perf_report.csv",
     "compare a report with the runtime's device report"},
    {"ttprof ops-diff generated/profiler", "the same for a profiler folder"},
};

static const struct diff_values defaults = {.most = 20};

static int run_ops_diff(const void *values, struct words words, struct err *e)
{
    return ops_diff_command(values, words, e);
}

const struct command cmd_ops_diff = {
    .name = "ops-diff",
    .args = "[A [B]]",
    .what = "compare two tables of ops and list the differences, for CI",
    .about =
        "Compares two ops reports (ops_perf_results_*.csv) cell by cell, on their common "
        "columns, with rows sorted by GLOBAL CALL COUNT and HOST START TS. For a folder, "
        "the newest report is used.\n\nIf one of them is the runtime's device report "
        "(cpp_device_perf_report.csv), the numbers of each execution are compared instead, "
        "matched by op, trace and replay. Without B, the report of folder A is compared "
        "with the device report in it.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 0,
    .most_words = 2,
    .reads_input = true,
    .run = run_ops_diff,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
