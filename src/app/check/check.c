// check.c - compares a model's performance with expected values: `ttprof check`.
#include "app/check/check.h"

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

#include "app/app.h"
#include "app/ops/folders.h"
#include "present/reports/check_report.h"

struct check_job {
    const struct check_values *v;
    struct arena arena;
    struct check check;
    struct err *e;
};

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

// KEY=VALUE, or a value for CHECK_USUAL_KEY.
static bool expect(struct check_job *j, const char *text)
{
    const char *equals = strrchr(text, '=');
    str key = equals ? str_trim((str){text, (size_t)(equals - text)}) : S(CHECK_USUAL_KEY);
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

static bool print_metrics(struct check_job *j)
{
    struct grid g;
    struct out o;
    if (!j->v->json)
        out_print(&o, terminal_look(STDOUT_FILENO).is_coloured);
    else if (!out_open(&o, "-", j->e))
        return false;
    check_grid(&g, &j->check);
    if (j->v->json)
        check_json(&j->check, &g, &o);
    else
        grid_text(&g, 0, terminal_look(STDOUT_FILENO), &o.b);
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
    return !n_failed ||
           err_set(
               j->e, ERR_FAILED,
               "Some performance metrics are outside of expected range, see above for details.");
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
    if (!print_metrics(j) || (v->report && !write_report(j)))
        return;
    (void)judge(j);
    command_findings("check", &j->check.diag, v->strict, j->e);
}

// --- report files ---

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Lists files as given, and the device_perf_*.csv of a folder sorted by name.
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
        (void)err_set(
            j->e, ERR_FAILED,
            "%.4f s > %.4f s (%.1f %% worse than expected: performance regression)",
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

int check_command(const struct check_values *values, struct words words, struct err *e)
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
