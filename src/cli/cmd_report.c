// cmd_report.c - the performance report: `ttprof report`, also as `tt-perf-report`.
#include <unistd.h>

#include "base/text/log.h"

#include "analyse/perf/perf.h"
#include "analyse/perf/summary.h"
#include "cli/command.h"
#include "present/page/chart.h"
#include "present/page/perf_doc.h"
#include "present/reports/perf_text.h"

struct report_values {
    struct perf_options perf;
    const char *id_range;
    bool color, no_color;
    const char *csv;
    bool json;
    const char *html;
    bool no_advice, raw_op_codes;
    bool no_summary, no_stacked_report;
    const char *group_by;
    const char *summary_file, *stacked_csv;
    bool classic_colors;
    bool no_stack_by_in0;
    int64_t top;
    const char *sort;
    bool strict;
};

struct report {
    const struct report_values *v;
    struct perf perf;
    struct summary summary;
    struct perf_view view;
    uint32_t *order;
    struct out out; // standard output: the report, or one of its documents
    size_t n_notes; // printed so far
    bool is_coloured;
    bool has_summary;
    struct err *e;
};

// Messages go where the reference puts them, to standard output, unless a document goes
// there.
static void say_notes(struct report *r)
{
    const struct report_values *v = r->v;
    if (!v->json && !out_is_stdout(v->csv) && !out_is_stdout(v->html)) {
        r->n_notes = notes_text(&r->perf.notes, r->n_notes, r->is_coloured, &r->out);
        return;
    }
    for (; r->n_notes < r->perf.notes.list.n; r->n_notes++)
        log_line("report: %.*s", STR(r->perf.notes.list.v[r->n_notes].text));
}

static void say_file(struct report *r, const char *what, const char *path)
{
    note(&r->perf.notes, NOTE_INFO, "%s to %s", what, path);
    say_notes(r);
    out_flush(&r->out); // what stands on the screen is true even if the writing fails
}

// The given base name, or that of the CSV without its extension; NULL: no summary files.
static const char *summary_base(const struct report_values *v, struct arena *a)
{
    if (v->summary_file || v->stacked_csv)
        return v->summary_file ? v->summary_file : v->stacked_csv;
    if (!v->csv || out_is_stdout(v->csv))
        return NULL;
    str base = str_of(v->csv);
    const char *slash = strrchr(v->csv, '/');
    size_t name = slash ? (size_t)(slash - v->csv) + 1 : 0;
    const char *dot = strrchr(v->csv + name, '.');
    // A leading dot is part of the name, not an extension.
    if (dot && dot != v->csv + name)
        base.n = (size_t)(dot - v->csv);
    return arena_printf(a, "%.*s_stacked", STR(base)).p;
}

static bool write_summary(struct report *r, const char *base)
{
    const char *csv = arena_printf(&r->perf.arena, "%s.csv", base).p;
    const char *png = arena_printf(&r->perf.arena, "%s.png", base).p;
    say_file(r, "Writing CSV stacked report", csv);
    if (!table_csv_write(&r->view.summary_table, csv, r->e))
        return false;
    say_file(r, "Plotting PNG stacked report", png);
    return chart_write_png(&r->summary, r->v->classic_colors, png, r->e);
}

static void make_summary(struct report *r)
{
    const struct report_values *v = r->v;
    if (v->no_summary || v->no_stacked_report || r->perf.n_ops == 0)
        return;
    enum group_by by = strcmp(v->group_by, "op") == 0         ? GROUP_BY_OP
                       : strcmp(v->group_by, "category") == 0 ? GROUP_BY_CATEGORY
                                                              : GROUP_BY_MEMORY;
    summary_make(&r->summary, &r->perf, by, v->perf.no_merge_devices);
    r->has_summary = r->summary.n_groups > 0;
    if (!r->has_summary)
        note(&r->perf.notes, NOTE_WARNING,
             "No data available for stacked report generation.");
}

// --sort and --top: other rows in another order, the same for every output.
static bool order_rows(struct report *r)
{
    const struct report_values *v = r->v;
    struct table *t = &r->view.ops;
    if (!v->sort && v->top == 0)
        return true;
    const struct column *c = table_find(t, str_of(v->sort ? v->sort : "Total %"));
    if (!c) {
        struct buf names = {0};
        for (size_t i = 0; i < t->n_columns; i++)
            buf_printf(&names, "%s%s", i ? ", " : "", t->columns[i].name);
        (void)err_set(r->e, ERR_USAGE, "--sort: unknown column '%s'; valid columns: %.*s",
                      v->sort, STR(names));
        buf_free(&names);
        return false;
    }
    r->order = mem_alloc(mem_bytes(sizeof *r->order, t->n_rows));
    table_sort(t, c, r->order);
    t->order = r->order;
    if (v->top == 0 || (size_t)v->top >= t->n_rows)
        return true;
    double share = 0;
    for (size_t i = 0; i < (size_t)v->top; i++)
        share +=
            r->perf.ops[r->order[i]].has & HAS_SHARE ? r->perf.ops[r->order[i]].share : 0;
    note(&r->perf.notes, NOTE_INFO, "Showing %lld of %zu rows, %.1f %% of the time",
         (long long)v->top, t->n_rows, share);
    t->n_rows = (size_t)v->top;
    return true;
}

static void show(struct report *r)
{
    const struct report_values *v = r->v;
    if (v->json || v->csv || out_is_stdout(v->html))
        return;
    if (r->perf.n_ops == 0) {
        note(&r->perf.notes, NOTE_WARNING,
             "No operations to display after applying filters.");
        say_notes(r);
        return;
    }
    perf_text(&r->view, !v->no_advice, r->is_coloured, &r->out);
}

static bool write_outputs(struct report *r)
{
    const struct report_values *v = r->v;
    perf_view_make(&r->view, &r->perf, !v->no_advice, v->raw_op_codes);
    if (!order_rows(r))
        return false;
    say_notes(r);
    if (v->csv) {
        say_file(r, "Writing CSV output", v->csv);
        if (!table_csv_write(&r->view.ops, v->csv, r->e))
            return false;
    }
    show(r);
    make_summary(r);
    say_notes(r);
    if (r->has_summary) {
        perf_view_add_summary(&r->view, &r->summary);
        if (!v->csv && !v->json && !out_is_stdout(v->html))
            summary_text(&r->view, r->is_coloured, &r->out);
        const char *base = summary_base(v, &r->perf.arena);
        if (base && !write_summary(r, base))
            return false;
    }
    if (!v->json && !v->html)
        return true;
    perf_view_add_findings(&r->view, !v->no_advice);
    struct perf_doc doc = {.view = &r->view, .min_percentage = v->perf.min_percentage};
    if (v->json)
        perf_doc_json(&doc, &r->out);
    if (v->html) {
        say_file(r, "Writing HTML report", v->html);
        return perf_doc_html(&doc, v->html, r->e);
    }
    return true;
}

// No output may take the place of an input or of another output.
static bool check_paths(const struct report_values *v, struct words inputs, struct err *e)
{
    struct arena a = {0};
    const char *base = summary_base(v, &a);
    const char *outputs[] = {v->csv, v->html,
                             base ? arena_printf(&a, "%s.csv", base).p : NULL,
                             base ? arena_printf(&a, "%s.png", base).p : NULL};
    const size_t n = sizeof outputs / sizeof *outputs;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        if (!outputs[i] || out_is_stdout(outputs[i]))
            continue;
        for (size_t k = 0; ok && k < inputs.n; k++)
            if (file_is_same(outputs[i], inputs.v[k]))
                ok = err_set(e, ERR_USAGE, "'%s' is an input; choose another output file",
                             outputs[i]);
        for (size_t k = 0; ok && k < i; k++)
            if (outputs[k] && file_is_same(outputs[i], outputs[k]))
                ok = err_set(
                    e, ERR_USAGE,
                    "'%s' would be written twice; use a different file for each output",
                    outputs[i]);
    }
    arena_free(&a);
    return ok;
}

static bool check_values(struct report_values *v, struct err *e)
{
    if (v->top < 0)
        return err_set(e, ERR_USAGE, "--top must not be negative, got %lld",
                       (long long)v->top);
    if (v->json + out_is_stdout(v->csv) + out_is_stdout(v->html) > 1)
        return err_set(e, ERR_USAGE,
                       "only one of --json, --csv - and --html - can go to stdout");
    if (!v->perf.arch)
        return true;
    return arch_find(arch_all(), str_of(v->perf.arch)) ||
           err_set(e, ERR_USAGE,
                   "--arch: unknown architecture '%s'; 'ttprof arch' lists the known ones",
                   v->perf.arch);
}

static int run_report(const void *values, struct words words, struct err *e)
{
    struct report_values v = *(const struct report_values *)values;
    struct report r = {.v = &v, .e = e};
    if (!check_values(&v, e) || !check_paths(&v, words, e))
        return 2;
    r.is_coloured = !v.no_color && (v.color || colour_by_default(STDOUT_FILENO));
    if (!out_open(&r.out, "-", e))
        return 1;
    int code = 0;
    if (v.id_range && !perf_parse_id_range(str_of(v.id_range), &v.perf)) {
        note(&r.perf.notes, NOTE_ERROR,
             "Invalid --id-range format. Please use 'START-END', 'START-', or '-END'.");
        say_notes(&r);
        code = 1;
    } else {
        switch (perf_run(&r.perf, words.v, words.n, &v.perf, e)) {
        case PERF_OK: (void)write_outputs(&r); break;
        case PERF_REFUSED:
            e->code = ERR_NONE; // the note says it
            say_notes(&r);
            code = 1;
            break;
        case PERF_INPUT_ERROR: say_notes(&r); break;
        }
    }
    struct err close_error = {0};
    if (!out_close(&r.out, &close_error) && e->code == ERR_NONE)
        *e = close_error;
    command_findings("report", &r.perf.diag, v.strict, e);
    perf_view_free(&r.view);
    summary_free(&r.summary);
    perf_free(&r.perf);
    mem_free(r.order);
    return code;
}

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
    .run = run_report,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
