// device.c - turns a device log into reports: statistics, tables, pages, archive.
#include "app/device/device.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file/archive.h"
#include "base/file/folder.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "analyse/device/legacy.h"
#include "app/app.h"
#include "formats/device_log/device_log_write.h"
#include "present/device/device_json.h"
#include "present/device/device_stats.h"
#include "present/device/device_tables.h"
#include "present/device/op_to_op_csv.h"
#include "present/device/rearranged_csv.h"
#include "present/timeline/chrome_json.h"
#include "present/timeline/timeline.h"
#include "profiler/cpp_report_csv.h"
#include "profiler/health.h"
#include "trace/diags.h"

const struct device_values device_defaults = {.mhz = DEVICE_NO_CLOCK,
                                              .html_zones = TIMELINE_MAX_ZONES};

struct job {
    const struct device_values *v;
    struct arena arena;
    const char *input, *folder;
    struct device_source *source;
    struct dispatch_ops *dispatch, no_dispatch; // no_dispatch: ops are not detected
    struct setup setup;
    struct device_analysis analysis;
    struct buf stats; // the text of device_stats.txt
    VEC(struct archive_entry) files;
    struct err *e;
};

// --- the files -----------------------------------------------------------------------

static bool write_stats(struct job *j, const char *path)
{
    struct out o;
    if (!out_open(&o, path, j->e))
        return false;
    buf_str(&o.b, buf_view(&j->stats));
    return out_close(&o, j->e);
}

static bool write_health(struct job *j, const char *path)
{
    return health_write_log(&j->source->trace, &j->source->ops, path, j->e);
}

static bool write_html(struct job *j, const char *path)
{
    struct device_tables tables;
    device_tables_make(&tables, &j->analysis);
    const struct table *list[DEVICE_TABLES];
    for (int i = 0; i < DEVICE_TABLES; i++)
        list[i] = &tables.table[i];
    struct timeline_page page = {.trace = &j->source->trace,
                                 .ops = &j->source->ops,
                                 .tables = list,
                                 .n_tables = DEVICE_TABLES,
                                 .max_zones = (uint64_t)j->v->html_zones};
    bool ok = timeline_write(&page, path, j->e);
    device_tables_free(&tables);
    return ok;
}

static bool write_copy(struct job *j, const char *path)
{
    if (file_is_same(j->input, path))
        return true; // the log is already there
    if (j->source->trace.files.n > 1 && access(j->input, R_OK) != 0)
        return device_log_write(&j->source->trace, path, false, j->e); // never merged
    if (strcmp(j->input, "-") != 0)
        return folder_copy(j->input, path, j->e);
    struct out o;
    if (!out_open(&o, path, j->e))
        return false;
    buf_str(&o.b, j->source->trace.files.v[0].text);
    return out_close(&o, j->e);
}

static bool write_perf_report(struct job *j, const char *path)
{
    return cpp_report_write(&j->source->trace, &j->source->ops, path, j->e);
}

static bool write_op_to_op(struct job *j, const char *path)
{
    return op_to_op_write(&j->analysis, j->v->compat, path, j->e);
}

static bool write_rearranged(struct job *j, const char *path)
{
    return rearranged_write(&j->source->trace, path, j->e);
}

static bool write_analysis_data(struct job *j, const char *path)
{
    bool is_full = strcmp(j->v->analysis_data, "full") == 0;
    dispatch_ops_swap_names(j->dispatch, &j->source->trace);
    bool ok = device_json_write(
        &j->analysis, is_full ? DEVICE_JSON_FULL : DEVICE_JSON_COMPACT, path, j->e);
    dispatch_ops_swap_names(j->dispatch, &j->source->trace);
    return ok;
}

static bool write_chrome(struct job *j, const char *path)
{
    return chrome_write(&j->source->trace, j->v->compat, path, j->e);
}

enum part_kind {
    PART_ALWAYS,
    PART_HTML,
    PART_ANALYSIS_DATA, // on request
    PART_CHROME,        // on request
};

static const struct part {
    const char *name; // for --skip
    const char *file;
    enum part_kind kind;
    bool (*write)(struct job *j, const char *path);
} parts[] = {
    {"stats", "device_stats.txt", PART_ALWAYS, write_stats},
    {"health", "profiler_health.json", PART_ALWAYS, write_health},
    {"perf-report", "cpp_device_perf_report.csv", PART_ALWAYS, write_perf_report},
    {"op-to-op", "per_core_op_to_op_times.csv", PART_ALWAYS, write_op_to_op},
    {"rearranged", "device_rearranged_timestamps.csv", PART_ALWAYS, write_rearranged},
    {"analysis-data", "device_analysis_data.json", PART_ANALYSIS_DATA, write_analysis_data},
    {"chrome-trace", "device_chrome_tracing.json", PART_CHROME, write_chrome},
    {"html", "device_perf.html", PART_HTML, write_html},
    {"log", "profile_log_device.csv", PART_ALWAYS, write_copy},
};
enum { N_PARTS = sizeof parts / sizeof *parts };
static const char tarball[] = "device_perf_results.tgz";

static bool is_skipped(const struct device_values *v, const char *name)
{
    str list = str_of(v->skip);
    while (list.n)
        if (str_is(str_trim(str_cut(&list, ',')), name))
            return true;
    return false;
}

static bool is_wanted(const struct device_values *v, const struct part *p)
{
    if (is_skipped(v, p->name))
        return false;
    switch (p->kind) {
    case PART_HTML: return !v->no_plots;
    case PART_ANALYSIS_DATA: return v->analysis_data != NULL;
    case PART_CHROME: return v->chrome_trace;
    default: return true;
    }
}

// A compressed log is copied as is, with the matching extension.
static const char *file_name(struct job *j, const struct part *p)
{
    const char *packed = j->source->trace.files.v[0].packed;
    if (p->write != write_copy || strcmp(j->input, "-") == 0 || !packed)
        return p->file;
    return arena_printf(&j->arena, "%s%s", p->file, packed).p;
}

// Outputs must not overwrite inputs; the log's copy may be the log itself.
static bool check_output(struct job *j, const char *path, bool is_copy)
{
    const char *setup = j->v->setup;
    bool is_log = strcmp(j->input, "-") != 0 && file_is_same(path, j->input);
    if ((is_log && !is_copy) || (setup && file_is_same(path, setup)))
        return err_set(j->e, ERR_USAGE, "'%s' is an input; choose another output folder",
                       path);
    return true;
}

static bool check_outputs(struct job *j)
{
    for (size_t i = 0; i < N_PARTS; i++) {
        const char *path = arena_printf(&j->arena, "%s/%s", j->folder, parts[i].file).p;
        if (is_wanted(j->v, &parts[i]) &&
            !check_output(j, path, parts[i].write == write_copy))
            return false;
    }
    return check_output(j, arena_printf(&j->arena, "%s/%s", j->folder, tarball).p, false);
}

static bool write_files(struct job *j)
{
    const struct device_values *v = j->v;
    if (v->print_only)
        return true;
    if (!check_outputs(j) || !folder_make(j->folder, j->e))
        return false;
    for (size_t i = 0; i < N_PARTS; i++) {
        if (!is_wanted(v, &parts[i]))
            continue;
        const char *name = file_name(j, &parts[i]);
        const char *path = arena_printf(&j->arena, "%s/%s", j->folder, name).p;
        if (!parts[i].write(j, path))
            return false;
        vec_push(&j->files, (struct archive_entry){name, path});
    }
    if (!v->no_artifacts && !is_skipped(v, "tarball")) {
        const char *path = arena_printf(&j->arena, "%s/%s", j->folder, tarball).p;
        struct progress bar = progress_start("writing the archive", 100);
        bool ok = archive_write(path, j->files.v, j->files.n, &bar, j->e);
        progress_end(&bar);
        if (!ok)
            return false;
        vec_push(&j->files, (struct archive_entry){tarball, path});
    }
    if (!v->is_quiet)
        log_line("device: %zu files written to %s", j->files.n, j->folder);
    return true;
}

// --- the work ------------------------------------------------------------------------

bool device_values_check(const struct device_values *v, struct err *e)
{
    str list = str_of(v->skip);
    while (list.n) {
        str name = str_trim(str_cut(&list, ','));
        bool is_known = str_is(name, "tarball");
        char all[300] = "tarball";
        size_t at = strlen(all);
        for (size_t i = 0; i < N_PARTS && at < sizeof all; i++) {
            is_known |= str_is(name, parts[i].name);
            at += (size_t)snprintf(all + at, sizeof all - at, ", %s", parts[i].name);
        }
        if (!is_known)
            return err_set(e, ERR_USAGE, "--skip: unknown part '%.*s'; valid parts: %s",
                           STR(name), all);
    }
    if (v->mhz != DEVICE_NO_CLOCK && (v->mhz <= 0 || v->mhz > MHZ_MOST))
        return err_set(e, ERR_USAGE, "--mhz must be between 1 and %d, got %lld", MHZ_MOST,
                       (long long)v->mhz);
    if (v->html_zones < 1)
        return err_set(e, ERR_USAGE, "--html-zones must be positive, got %lld",
                       (long long)v->html_zones);
    return true;
}

static bool has_analysis(const struct setup *s, const char *name)
{
    for (size_t i = 0; i < s->analyses.n; i++)
        if (str_is(s->analyses.v[i].name, name))
            return true;
    return false;
}

static bool is_listed(const struct option_list *list, str name)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_is(name, list->v[i]))
            return true;
    return false;
}

// Keeps the listed analyses, in the order of the setup.
static void keep_analyses(struct setup *s, const struct option_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!has_analysis(s, list->v[i]))
            log_line("device: no analysis '%s' in %.*s", list->v[i], STR(s->name));
    size_t n = 0;
    for (size_t i = 0; list->n && i < s->analyses.n; i++)
        if (is_listed(list, s->analyses.v[i].name))
            s->analyses.v[n++] = s->analyses.v[i];
    s->analyses.n = list->n ? n : s->analyses.n;
}

static bool load_setup(struct job *j)
{
    const struct device_values *v = j->v;
    const char *setup = v->setup                     ? v->setup
                        : j->source->trace.is_legacy ? "legacy_setup"
                                                     : "default_setup";
    if (!setup_load(&j->setup, setup, &j->arena, j->e))
        return false;
    keep_analyses(&j->setup, &v->analyses);
    return true;
}

static bool detects_ops(const struct job *j)
{
    return j->setup.detect_ops && !j->v->no_op_detection;
}

static bool read_log(struct job *j)
{
    const struct device_values *v = j->v;
    struct trace *t = &j->source->trace;
    if (!device_source_read(j->source, j->input, j->e))
        return false;
    j->input = j->source->path;
    if (v->mhz != DEVICE_NO_CLOCK) {
        t->mhz = v->mhz;
        for (size_t i = 0; i < t->devices.n; i++)
            t->devices.v[i].mhz = 0;
        t->diag.entry[DIAG_CLOCK_UNKNOWN].count = 0;
    }
    return load_setup(j) &&
           device_source_find(j->source, &v->selection, detects_ops(j), j->e);
}

static void analyse(struct job *j)
{
    struct trace *t = &j->source->trace;
    struct analysis_choice choice = {
        .detect_ops = detects_ops(j),
        .with_incomplete_ops = j->v->incomplete_ops,
    };
    j->dispatch = choice.detect_ops ? &j->source->dispatch : &j->no_dispatch;
    if (t->is_legacy)
        legacy_add_t0(t);
    device_analyse(&j->analysis, t, &j->source->ops, j->dispatch, &j->setup, choice);
    dispatch_ops_swap_names(j->dispatch, t);
    device_stats_text(&j->analysis, j->v->percentiles, &j->stats);
}

static bool print_stats(struct job *j)
{
    if (j->v->no_print_stats)
        return true;
    struct out o;
    out_print(&o, false);
    buf_str(&o.b, buf_view(&j->stats));
    return out_close(&o, j->e);
}

static void free_job(struct job *j)
{
    device_analysis_free(&j->analysis);
    setup_free(&j->setup);
    buf_free(&j->stats);
    vec_free(&j->files);
    arena_free(&j->arena);
}

// Prints and writes what was asked for. The names of the trace are then as they were.
static void report(struct job *j)
{
    analyse(j);
    if (print_stats(j))
        (void)write_files(j);
    dispatch_ops_swap_names(j->dispatch, &j->source->trace);
    command_findings("device", &j->source->trace.diag, j->v->strict, j->e);
}

void device_report(const struct device_values *v, const char *log, const char *folder,
                   struct err *e)
{
    struct device_source source = {0};
    struct job j = {.v = v, .e = e, .source = &source, .input = log, .folder = folder};
    if (read_log(&j))
        report(&j);
    free_job(&j);
    device_source_free(&source);
}

bool device_report_write(const struct device_report *d, struct device_source *source,
                         struct err *e)
{
    struct device_values v = device_defaults;
    v.skip = d->skip;
    v.no_artifacts = true;
    v.no_print_stats = true;
    v.analyses = d->analyses;
    v.is_quiet = true;
    struct job j = {
        .v = &v, .e = e, .source = source, .input = source->path, .folder = d->folder};
    if (load_setup(&j))
        report(&j);
    free_job(&j);
    return e->code == ERR_NONE;
}
