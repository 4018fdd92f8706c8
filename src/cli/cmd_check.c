// cmd_check.c - is a model as fast as it should be? `ttprof check`.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/file/git.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "app/ops/folders.h"
#include "cli/command.h"
#include "present/reports/check_report.h"

struct check_values {
    struct option_list columns, expected;
    const char *op, *model, *setting, *comments, *date, *report, *output;
    bool signposts, detailed, per_op, merge, json, strict;
    int64_t warmup, batch;
    double margin, measured, expected_time;
};

struct check_job {
    const struct check_values *v;
    struct arena arena;
    struct check check;
    struct err *e;
};

#define USUAL_KEY "AVG DEVICE KERNEL DURATION [ns]"

static const char *date_of(const struct check_values *v, struct arena *a)
{
    if (v->date)
        return v->date;
    char text[32];
    time_t now = time(NULL);
    struct tm local;
    (void)localtime_r(&now, &local);
    (void)strftime(text, sizeof text, "%Y_%m_%d", &local);
    return arena_str(a, str_of(text)).p;
}

static bool check_values(const struct check_values *v, struct words words, struct err *e)
{
    bool has_times = !isnan(v->measured) || !isnan(v->expected_time);
    if (!(v->margin >= 0 && v->margin <= 1))
        return err_set(e, ERR_USAGE, "--margin must be between 0 and 1");
    if (v->batch < 1)
        return err_set(e, ERR_USAGE, "--batch-size must be positive, got %lld",
                       (long long)v->batch);
    if (v->warmup < 0)
        return err_set(e, ERR_USAGE, "--warmup must not be negative, got %lld",
                       (long long)v->warmup);
    if (isnan(v->measured) != isnan(v->expected_time))
        return err_set(e, ERR_USAGE,
                       "--measured and --expected-time must be given together");
    if (has_times && (v->measured < 0 || !(v->expected_time > 0)))
        return err_set(e, ERR_USAGE,
                       "--measured and --expected-time are seconds and must be positive");
    if (has_times && (words.n || v->merge || v->expected.n))
        return err_set(e, ERR_USAGE,
                       "--measured cannot be combined with tables, --merge or --expected");
    if (v->merge && !words.n)
        return err_set(e, ERR_USAGE,
                       "--merge needs report files; name them after the option");
    if (v->columns.n > CHECK_COLUMNS_MOST)
        return err_set(e, ERR_USAGE, "--column can be given at most %d times",
                       CHECK_COLUMNS_MOST);
    if ((v->model || v->setting) && !v->report)
        return err_set(e, ERR_USAGE, "--model and --setting need --report FOLDER");
    if (v->report &&
        (!v->model || !*v->model || strchr(v->model, '/') || strchr(v->comments, '/')))
        return err_set(
            e, ERR_USAGE,
            "--report needs --model NAME; NAME and --comments must not contain '/'");
    return true;
}

// --- tables ---

// KEY=VALUE, or a value for the metric that model tests look at.
static bool expect(struct check_job *j, const char *text)
{
    const char *equals = strrchr(text, '=');
    str key = equals ? str_trim((str){text, (size_t)(equals - text)}) : S(USUAL_KEY);
    double value;
    if (!num_real(str_of(equals ? equals + 1 : text), &value) || !isfinite(value))
        return err_set(j->e, ERR_USAGE, "--expected: '%s' is not KEY=NUMBER", text);
    if (check_expect(&j->check, key, value, j->v->margin))
        return true;
    struct buf b = {0};
    for (size_t i = 0; i < j->check.metrics.n; i++)
        buf_printf(&b, "%s%.*s", i ? ", " : "", STR(j->check.metrics.v[i].name));
    (void)err_set(j->e, ERR_USAGE, "--expected: unknown metric '%.*s'; valid metrics: %.*s",
                  STR(key), STR(buf_view(&b)));
    buf_free(&b);
    return false;
}

static bool write_report(struct check_job *j)
{
    const struct check_values *v = j->v;
    const char *path;
    struct check_report r = {.model = v->model,
                             .setting = v->setting ? v->setting : v->comments,
                             .comments = v->comments,
                             .date = date_of(v, &j->arena),
                             .batch = v->batch};
    if (!folder_make(v->report, j->e) ||
        !check_report_write(&j->check, &r, v->report, &j->arena, &path, j->e))
        return false;
    log_line("check: report: %s", path);
    return true;
}

static bool show(struct check_job *j)
{
    struct grid g;
    struct out o;
    if (!out_open(&o, "-", j->e))
        return false;
    check_grid(&g, &j->check);
    if (j->v->json)
        check_json(&j->check, &g, &o);
    else
        grid_text(&g, 0, false, &o.b);
    grid_free(&g);
    return out_close(&o, j->e);
}

static bool judge(struct check_job *j)
{
    size_t n_failed = 0;
    for (size_t i = 0; i < j->check.metrics.n; i++) {
        struct buf b = {0};
        if (!j->check.metrics.v[i].is_outside)
            continue;
        check_put_outside(&b, &j->check.metrics.v[i]);
        log_line("check: %.*s", STR(buf_view(&b)));
        buf_free(&b);
        n_failed++;
    }
    return !n_failed || err_set(j->e, ERR_FAILED,
                                "Some performance metrics are outside of expected range, "
                                "see above for details.");
}

static void run_tables(struct check_job *j, struct words words)
{
    const struct check_values *v = j->v;
    struct check_options o = {.n_columns = v->columns.n,
                              .op = v->op,
                              .has_signposts = v->signposts,
                              .warmup = v->warmup,
                              .is_detailed = v->detailed || v->per_op,
                              .is_per_op = v->per_op,
                              .batch = v->batch};
    memcpy(o.columns, v->columns.v, v->columns.n * sizeof *o.columns);
    size_t n = words.n ? words.n : 1;
    const char **paths = push_many(&j->arena, const char *, n);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        paths[i] = ops_report_find(words.n ? words.v[i] : NULL, &j->arena, j->e);
        ok = paths[i] != NULL;
    }
    if (!ok || !check_tables(&j->check, paths, n, &o, j->e))
        return;
    for (size_t i = 0; i < j->check.notes.list.n; i++)
        log_line("check: %.*s", STR(j->check.notes.list.v[i].text));
    for (size_t i = 0; i < v->expected.n; i++)
        if (!expect(j, v->expected.v[i]))
            return;
    if (!show(j) || (v->report && !write_report(j)))
        return;
    (void)judge(j);
    command_findings("check", &j->check.diag, v->strict, j->e);
}

// --- report files ---

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Files as they are; of folders their device_perf_*.csv, by name.
static const char **report_files(struct check_job *j, struct words words, size_t *n)
{
    VEC(const char *) list = {0};
    for (size_t i = 0; i < words.n; i++) {
        DIR *d = opendir(words.v[i]);
        size_t first = list.n;
        if (!d) {
            vec_push(&list, words.v[i]);
            continue;
        }
        for (struct dirent *entry; (entry = readdir(d));)
            if (str_starts(str_of(entry->d_name), S("device_perf_")) &&
                str_ends(str_of(entry->d_name), S(".csv")))
                vec_push(&list,
                         arena_printf(&j->arena, "%s/%s", words.v[i], entry->d_name).p);
        (void)closedir(d);
        if (list.n > first)
            qsort(list.v + first, list.n - first, sizeof *list.v, by_name);
    }
    *n = list.n;
    const char **files = push_many(&j->arena, const char *, list.n + 1);
    if (list.n)
        memcpy(files, list.v, list.n * sizeof *files);
    vec_free(&list);
    return files;
}

static void run_merge(struct check_job *j, struct words words)
{
    struct check_merge m = {0};
    size_t n, n_failed = 0;
    const char **files = report_files(j, words, &n);
    const char *path = j->v->output ? j->v->output
                                    : arena_printf(&j->arena, "Models_Device_Perf_%s.csv",
                                                   date_of(j->v, &j->arena))
                                          .p;
    struct git_head head = {0};
    bool has_head = git_head_of(".", &head);
    if (!n) {
        (void)err_set(
            j->e, ERR_IO,
            "%s: no device_perf_*.csv found; name report files or a folder that has some",
            words.v[0]);
        return;
    }
    if (check_merge_read(&m, files, n, j->e) &&
        check_merge_write(&m,
                          !has_head      ? "unknown"
                          : *head.branch ? head.branch
                                         : "detached HEAD",
                          has_head ? head.commit : "unknown", path, j->e)) {
        check_merge_judge(&m);
        for (size_t i = 0; i < m.findings.n; i++) {
            log_line("check: %.*s", STR(m.findings.v[i].text));
            n_failed += m.findings.v[i].is_failure;
        }
        if (strcmp(path, "-") != 0)
            log_line("check: %zu report%s merged: %s", n, n == 1 ? "" : "s", path);
        if (n_failed)
            (void)err_set(j->e, ERR_FAILED,
                          "%zu value%s outside of expected range, see above for details",
                          n_failed, n_failed == 1 ? " is" : "s are");
    }
    check_merge_free(&m);
}

// --- end to end ---

static void run_times(struct check_job *j)
{
    double measured = j->v->measured, expected = j->v->expected_time;
    double most = CHECK_TIME_MOST * expected, least = CHECK_TIME_LEAST * expected;
    struct buf b = {0};
    switch (check_time(measured, expected)) {
    case CHECK_PASS:
        buf_printf(&b, "PASS: %.4f s (within tolerance: %.4f - %.4f)\n", measured, least,
                   most);
        break;
    case CHECK_REGRESSION:
        (void)err_set(j->e, ERR_FAILED,
                      "%.4f s > %.4f s (%.1f %% worse than expected: performance "
                      "regression)",
                      measured, most, 100 * (measured - expected) / expected);
        break;
    case CHECK_BASELINE:
        (void)err_set(j->e, ERR_FAILED,
                      "%.4f s < %.4f s (%.1f %% better than expected: update baseline)",
                      measured, least, 100 * (expected - measured) / expected);
        break;
    }
    (void)command_print(&b, j->e);
}

static int run_check(const void *values, struct words words, struct err *e)
{
    struct check_job j = {.v = values, .e = e};
    if (!check_values(j.v, words, e))
        return 2;
    if (!isnan(j.v->measured))
        run_times(&j);
    else if (j.v->merge)
        run_merge(&j, words);
    else
        run_tables(&j, words);
    check_free(&j.check);
    arena_free(&j.arena);
    return 0;
}

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
     .help = "expected value of a metric; a plain value stands for '" USUAL_KEY "'; repeatable"},
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
    .run = run_check,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
