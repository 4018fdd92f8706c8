// cmd_ops_diff.c - are two tables of ops the same? `ttprof ops-diff`.
#include <sys/stat.h>

#include "app/ops/folders.h"
#include "cli/command.h"
#include "present/reports/ops_diff_text.h"

struct diff_values {
    int64_t most;
    bool ids_only;
};

static bool exists(const char *path, bool is_folder)
{
    struct stat s;
    return stat(path, &s) == 0 && (S_ISDIR(s.st_mode) != 0) == is_folder;
}

// The runtime's report in a profiler's folder.
static const char *device_report_in(const char *folder, struct arena *a, struct err *e)
{
    static const char *const places[] = {"/.logs", "", "/logs"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path =
            arena_printf(a, "%s%s/cpp_device_perf_report.csv", folder, places[i]).p;
        if (exists(path, false))
            return path;
    }
    (void)err_set(e, ERR_IO,
                  "%s: no cpp_device_perf_report.csv here or in .logs; name the table to "
                  "compare with",
                  folder);
    return NULL;
}

static bool find_tables(struct words words, const char *path[2], struct arena *a,
                        struct err *e)
{
    const char *first = words.n ? words.v[0] : command_artifacts_root(a);
    if (words.n == 1 && !exists(first, true))
        return err_set(e, ERR_USAGE,
                       "'%s' is not a folder; name two tables, or a folder with a report "
                       "and a device report",
                       first);
    path[0] = ops_report_find(first, a, e);
    if (!path[0])
        return false;
    path[1] =
        words.n > 1 ? ops_report_find(words.v[1], a, e) : device_report_in(first, a, e);
    return path[1] != NULL;
}

static int run_ops_diff(const void *values, struct words words, struct err *e)
{
    const struct diff_values *v = values;
    struct ops_diff_options o = {.most = (size_t)v->most, .is_ids_only = v->ids_only};
    struct arena a = {0};
    struct ops_diff d = {0};
    struct buf b = {0};
    const char *path[2] = {0};
    int code = 0;
    if (v->most < 1)
        (void)err_set(e, ERR_USAGE, "--max-differences must be positive");
    else if (find_tables(words, path, &a, e) && ops_diff(&d, path[0], path[1], &o, e)) {
        ops_diff_text(&d, &b);
        code = command_print(&b, e);
        for (int i = 0; i < 2; i++)
            command_findings("ops-diff", &d.side[i].diag, false, e);
        if (!code && d.n_differences)
            code = err_exit_code(ERR_FAILED);
    }
    ops_diff_free(&d);
    arena_free(&a);
    return code;
}

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
    .run = run_ops_diff,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
