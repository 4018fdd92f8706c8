// cmd_ops.c - the ops report: `ttprof ops`.
#include <stdio.h>

#include "base/text/log.h"

#include "app/ops/parts.h"
#include "cli/command.h"
#include "present/reports/ops_csv.h"

struct ops_values {
    const char *ops_folder, *output_folder, *name_append;
    bool date, no_date;
    bool device_only, force_legacy, noc_traces, unmatched, compat, strict, quiet;
    struct option_list analyses;
    const char *children, *add;
    const char *csv, *json, *html;
    const char *merged; // table of a run with other counters
    bool no_artifacts, tarball;
    int64_t print;
};

static const struct {
    const char *name;
    unsigned more;
} additions[] = {{"state", OPS_CSV_STATE},
                 {"net", OPS_CSV_NET},
                 {"seed", OPS_CSV_SEED},
                 {"site", OPS_CSV_SITE}};

static bool take_additions(const struct ops_values *v, unsigned *more, struct err *e)
{
    str list = str_of(v->add);
    while (list.n) {
        str name = str_trim(str_cut(&list, ','));
        bool is_known = false;
        for (size_t i = 0; i < sizeof additions / sizeof *additions; i++)
            if (str_is(name, additions[i].name)) {
                *more |= additions[i].more;
                is_known = true;
            }
        if (!is_known)
            return err_set(e, ERR_USAGE,
                           "--add: unknown columns '%.*s'; valid: state, net, seed, site",
                           STR(name));
    }
    return true;
}

// A folder of reports, unless only single files were requested.
static bool wants_folder(const struct ops_values *v)
{
    bool has_files = v->csv || v->json || v->html;
    return !has_files || v->output_folder || v->name_append;
}

static bool check_values(const struct ops_values *v, struct err *e)
{
    const char *outputs[] = {v->csv, v->json, v->html};
    const size_t n = sizeof outputs / sizeof *outputs;
    if (out_is_stdout(v->csv) + out_is_stdout(v->json) + out_is_stdout(v->html) > 1)
        return err_set(e, ERR_USAGE,
                       "only one of --csv -, --json - and --html - can go to stdout");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (outputs[i] && outputs[k] && !out_is_stdout(outputs[i]) &&
                file_is_same(outputs[i], outputs[k]))
                return err_set(
                    e, ERR_USAGE,
                    "'%s' would be written twice; use a different file for each output",
                    outputs[i]);
    if (v->print < 0)
        return err_set(e, ERR_USAGE, "--print must not be negative, got %lld",
                       (long long)v->print);
    if (v->date && v->no_date)
        return err_set(e, ERR_USAGE, "--date and --no-date exclude each other");
    if (v->merged && (out_is_stdout(v->csv) || (!v->csv && !wants_folder(v))))
        return err_set(e, ERR_USAGE,
                       "--merge-counters needs a table in a file; add --csv FILE");
    if (v->tarball && v->no_artifacts)
        return err_set(e, ERR_USAGE, "--tarball and --no-artifacts exclude each other");
    if (v->name_append && strchr(v->name_append, '/'))
        return err_set(
            e, ERR_USAGE,
            "--name-append: '%s' must not contain '/'; it becomes part of file names",
            v->name_append);
    return ops_check_analyses(&v->analyses, e);
}

// Outputs must not overwrite inputs.
static bool check_inputs(const struct ops_values *v, const struct ops_files *f,
                         struct err *e)
{
    const char *outputs[] = {v->csv, v->json, v->html};
    const char *inputs[] = {f->times, f->data, f->device_log, f->cpp_report, f->tracy};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
            if (outputs[i] && inputs[k] && !out_is_stdout(outputs[i]) &&
                file_is_same(outputs[i], inputs[k]))
                return err_set(e, ERR_USAGE, "'%s' is an input; choose another output file",
                               outputs[i]);
    return true;
}

static int run_ops(const void *values, struct words words, struct err *e)
{
    const struct ops_values *v = values;
    struct arena a = {0};
    struct ops_files files;
    struct ops_job job = {.logs = words.n         ? words.v[0]
                                  : v->ops_folder ? v->ops_folder
                                                  : command_artifacts_root(&a),
                          .device_only = v->device_only,
                          .force_legacy = v->force_legacy,
                          .with_noc = v->noc_traces,
                          .analyses = v->analyses,
                          .children = v->children,
                          .compat = v->compat,
                          .name_append = v->name_append,
                          .no_date = v->no_date,
                          .csv = v->csv,
                          .json = v->json,
                          .html = v->html,
                          .merged = v->merged,
                          .with_unmatched = v->unmatched,
                          .no_artifacts = v->no_artifacts,
                          .with_tarball = v->tarball,
                          .print_rows = v->print,
                          .quiet = v->quiet,
                          .strict = v->strict};
    const char *csv = NULL;
    if (words.n && v->ops_folder)
        (void)err_set(e, ERR_USAGE,
                      "unexpected argument '%s'; --ops-folder names the folder already",
                      words.v[0]);
    else if (check_values(v, e) && take_additions(v, &job.more, e) &&
             ops_files_find(&files, job.logs, &a, e) && check_inputs(v, &files, e)) {
        if (wants_folder(v))
            job.root = v->output_folder ? v->output_folder : files.root;
        (void)ops_report_write(&job, &a, &csv, e);
    }
    arena_free(&a);
    return err_exit_code(e->code);
}

#define AT(field) .at = offsetof(struct ops_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "ops-folder", .letter = 'i', .kind = OPTION_FILE, AT(ops_folder), .arg = "FOLDER", .group = "Input",
     .help = "same as FOLDER; kept for compatibility with process_ops_logs.py of 2023"},
    {.name = "output-folder", .letter = 'o', .kind = OPTION_FILE, AT(output_folder), .arg = "FOLDER", .group = "Report folder",
     .help = "where to create reports/ (default: next to the logs)"},
    {.name = "name-append", .letter = 'n', .kind = OPTION_TEXT, AT(name_append), .arg = "NAME",
     .help = "append NAME to folder and file names"},
    {.name = "date", .kind = OPTION_FLAG, AT(date),
     .help = "add the time to these names (default)"},
    {.name = "no-date", .kind = OPTION_FLAG, AT(no_date),
     .help = "leave the time out: reports/ops_perf_results.csv, which is overwritten"},
    {.name = "no-artifacts", .kind = OPTION_FLAG, AT(no_artifacts),
     .help = "no copies of the logs and no archive"},
    {.name = "tarball", .kind = OPTION_FLAG, AT(tarball),
     .help = "make an archive of the logs even above 256 MiB"},

    {.name = "csv", .kind = OPTION_FILE, AT(csv), .arg = "FILE", .group = "Single files",
     .help = "write the table to FILE; --csv, --json or --html alone write no folder"},
    {.name = "json", .kind = OPTION_FILE, AT(json), .arg = "FILE",
     .help = "write rows with cell states, coverage and findings as JSON"},
    {.name = "html", .kind = OPTION_FILE, AT(html), .arg = "FILE",
     .help = "write the same as a self-contained page to sort and filter"},
    {.name = "print", .kind = OPTION_INT, AT(print), .arg = "N",
     .help = "print the N longest ops (default 10; 0: totals only)"},
    {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet),
     .help = "print findings only"},

    {.name = "add", .kind = OPTION_TEXT, AT(add), .arg = "LIST", .group = "Table",
     .help = "add columns, separated by commas: state (of rows and cells), net (latency without the profiler's own time), seed (those of 2023), site (the line of the program that called the op)"},
    {.name = "unmatched", .kind = OPTION_FLAG, AT(unmatched),
     .help = "add rows for measurements without a host op at the end"},
    {.name = "child-functions", .kind = OPTION_TEXT, AT(children), .arg = "LIST",
     .help = "zones, separated by commas, whose time inside each op becomes a column"},
    {.name = "analyze-noc-traces", .kind = OPTION_FLAG, AT(noc_traces),
     .help = "fill the NoC and DRAM columns from noc_trace_*.json"},
    {.name = "merge-counters", .kind = OPTION_FILE, AT(merged), .arg = "FILE",
     .help = "add the columns that only this other report has, from a run with other hardware counters"},

    {.name = "device-only", .kind = OPTION_FLAG, AT(device_only), .group = "Source of the numbers",
     .help = "use the device log only, even if there are host ops"},
    {.name = "force-legacy-device-logs", .kind = OPTION_FLAG, AT(force_legacy),
     .help = "use the device log even if the runtime's device report exists"},
    {.name = "device-analysis-types", .letter = 'a', .kind = OPTION_LIST, AT(analyses), .arg = "NAME",
     .help = "only these analyses of the device log; repeatable"},
    {.name = "compat", .kind = OPTION_FLAG, AT(compat),
     .help = "as process_ops_logs.py: per-core op-to-op times in cycles, and whole replays (trace profiler) as times of the ops with their numbers"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found or an op was not measured"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof ops", "report on the last profile, in generated/profiler/reports"},
    {"ttprof ops generated/profiler/.logs -o out -n my_model",
     "write the table and the logs to out/reports/my_model/<time>"},
    {"ttprof ops RUN --csv ops.csv --html ops.html", "write only the table and a page"},
    {"ttprof ops profile_log_device.csv --csv -", "report on a device log alone"},
};

static const struct ops_values defaults = {.print = 10};

const struct command cmd_ops = {
    .name = "ops",
    .args = "[FOLDER]",
    .what = "make the ops report: host and device times per op",
    .about =
        "Joins the ops of the host with device measurements by id, and writes "
        "ops_perf_results_<time>.csv like tt-metal. FOLDER is a profiler folder, its "
        ".logs, the folder of a run, any folder with these files, a folder of the op "
        "profiler of 2023, or a profile_log_device.csv. The default is the profiler folder: "
        "$TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or "
        "generated/profiler.\n\nYou always get a report. Every op that the program "
        "requested has a row; what was not measured is empty, and a state says why (--add "
        "state, --json, --html). A line per device says how much was measured.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .reads_input = true,
    .run = run_ops,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
