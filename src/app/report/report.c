// report.c - the performance report: `ttprof report`, also as `tt-perf-report`.
#include "app/report/report.h"

#include <unistd.h>

#include "base/text/log.h"

#include "analyse/perf/perf.h"
#include "analyse/perf/summary.h"
#include "app/app.h"
#include "present/page/chart.h"
#include "present/page/perf_doc.h"
#include "present/reports/perf_text.h"

struct report {
    const struct report_values *v;
    struct perf perf;
    struct summary summary;
    struct perf_view view;
    uint32_t *order;
    struct out out; // stdout: the report, or one of its documents
    size_t n_notes; // printed so far
    struct text_look look;
    bool has_summary;
    struct err *e;
};

// Messages go to stdout like those of tt-perf-report, unless a document goes there.
static void say_notes(struct report *r)
{
    const struct report_values *v = r->v;
    if (!v->json && !out_is_stdout(v->csv) && !out_is_stdout(v->html)) {
        r->n_notes = notes_text(&r->perf.notes, r->n_notes, r->look.is_coloured, &r->out);
        return;
    }
    for (; r->n_notes < r->perf.notes.list.n; r->n_notes++)
        log_line("report: %.*s", STR(r->perf.notes.list.v[r->n_notes].text));
}

static void say_file(struct report *r, const char *what, const char *path)
{
    note(&r->perf.notes, NOTE_INFO, "%s to %s", what, path);
    say_notes(r);
    out_flush(&r->out); // show the results even if writing files fails
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

// --sort and --top apply to every output.
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

static void print_report(struct report *r)
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
    perf_text(&r->view, !v->no_advice, r->look, &r->out);
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
    print_report(r);
    make_summary(r);
    say_notes(r);
    if (r->has_summary) {
        perf_view_add_summary(&r->view, &r->summary);
        if (!v->csv && !v->json && !out_is_stdout(v->html))
            summary_text(&r->view, r->look, &r->out);
        const char *base = summary_base(v, &r->perf.arena);
        if (base && !write_summary(r, base))
            return false;
    }
    if (!v->json && !v->html)
        return true;
    perf_view_add_findings(&r->view, !v->no_advice);
    perf_view_leave_out_nan(&r->view);
    struct perf_doc doc = {.view = &r->view, .min_percentage = v->perf.min_percentage};
    if (v->json)
        perf_doc_json(&doc, &r->out);
    if (v->html) {
        say_file(r, "Writing HTML report", v->html);
        return perf_doc_html(&doc, v->html, r->e);
    }
    return true;
}

// An output must not overwrite an input or another output.
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

int report_command(const struct report_values *values, struct words words, struct err *e)
{
    struct report_values v = *values;
    struct report r = {.v = &v, .e = e};
    if (!check_values(&v, e) || !check_paths(&v, words, e))
        return 2;
    r.look = terminal_look(STDOUT_FILENO);
    r.look.is_coloured = !v.no_color && (v.color || r.look.is_coloured);
    if (!v.json)
        out_print(&r.out, r.look.is_coloured);
    else if (!out_open(&r.out, "-", e))
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
            e->code = ERR_NONE; // already reported by the note
            say_notes(&r);
            code = 1;
            break;
        case PERF_INPUT_ERROR: say_notes(&r); break;
        }
    }
    (void)out_close(&r.out, e); // stdout: always succeeds
    command_findings("report", &r.perf.diag, v.strict, e);
    perf_view_free(&r.view);
    summary_free(&r.summary);
    perf_free(&r.perf);
    mem_free(r.order);
    return code;
}
