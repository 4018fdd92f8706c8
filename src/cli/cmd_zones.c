// cmd_zones.c - statistics of host zones, and everything that tracy-csvexport can export:
// `ttprof zones`.
#include <stdio.h>
#include <unistd.h>

#include "base/text/log.h"
#include "base/text/num.h"

#include "cli/command.h"
#include "formats/host_run/host_run.h"
#include "present/reports/zones_csv.h"
#include "present/reports/zones_table.h"

struct zones_values {
    const char *by, *sort, *percentiles;
    int64_t top, pid, rank;
    const char *csv;
    bool json, strict, open;
    // of csvexport
    bool csvexport, unwrap, messages, self, is_case, plot, upstream, compat;
    const char *filter, *separator, *children, *parent, *parent_too, *truncated_mean;
    const char *output;
};

struct zones_job {
    const struct zones_values *v;
    struct trace run;
    struct zone_choice choice;
    struct err *e;
};

// --- what was asked for ----------------------------------------------------------------

static bool take_percentiles(struct zone_choice *choice, str list, struct err *e)
{
    choice->n_percentiles = 0;
    while (list.n) {
        str one = str_trim(str_cut(&list, ','));
        double p;
        if (!num_real(one, &p) || !(p >= 0 && p <= 100))
            return err_set(e, ERR_USAGE,
                           "--percentiles: '%.*s' is not a number from 0 to 100", STR(one));
        if (choice->n_percentiles == ZONE_PERCENTILES)
            return err_set(e, ERR_USAGE, "--percentiles: at most %d are allowed",
                           ZONE_PERCENTILES);
        choice->percentiles[choice->n_percentiles++] = p;
    }
    return true;
}

static const char *parent_of(const struct zones_values *v)
{
    return v->parent ? v->parent : v->parent_too;
}

static bool is_export(const struct zones_values *v)
{
    return v->csvexport || v->unwrap || v->messages || v->truncated_mean || v->plot;
}

static bool check(const struct zones_values *v, struct err *e)
{
    if (v->unwrap && v->messages)
        return err_set(e, ERR_USAGE, "--unwrap and --messages exclude each other");
    if (v->plot && !(v->unwrap && v->upstream))
        return err_set(e, ERR_USAGE, "--plot needs --unwrap and --upstream");
    if ((v->children || parent_of(v)) && !(v->children && parent_of(v) && v->unwrap))
        return err_set(e, ERR_USAGE,
                       "-x and -t need each other and --unwrap: -u -x CHILDREN -t PARENT");
    if (v->truncated_mean && (v->unwrap || v->messages))
        return err_set(e, ERR_USAGE, "--truncated_mean is for statistics only");
    if (is_export(v) && (v->csv || v->json || v->sort || v->top))
        return err_set(e, ERR_USAGE,
                       "--csv, --json, --sort and --top do not apply to the csvexport "
                       "formats, which go to stdout or -o FILE");
    if (v->csv && v->json)
        return err_set(e, ERR_USAGE, "--csv and --json exclude each other");
    if (!is_export(v) && v->output)
        return err_set(e, ERR_USAGE, "-o is for the csvexport formats; use --csv FILE");
    if (v->top < 0)
        return err_set(e, ERR_USAGE, "--top must not be negative, got %lld",
                       (long long)v->top);
    if (!*v->separator)
        return err_set(e, ERR_USAGE, "--sep must not be empty");
    return true;
}

static bool choose(struct zones_job *j)
{
    const struct zones_values *v = j->v;
    j->choice = (struct zone_choice){.pid = v->pid,
                                     .rank = v->rank,
                                     .is_self = v->self,
                                     .with_open = v->open,
                                     .name = str_of(v->filter),
                                     .is_exact_case = v->is_case};
    if (v->by)
        j->choice.by = strcmp(v->by, "thread") == 0 ? ZONES_BY_THREAD : ZONES_BY_PROCESS;
    return take_percentiles(&j->choice, str_of(v->percentiles), j->e);
}

static bool has_any(const struct zones_job *j)
{
    for (uint32_t i = 0; i < j->run.processes.n; i++)
        if (zone_choice_has(&j->run, &j->choice, i))
            return true;
    return false;
}

// --- the forms of csvexport ------------------------------------------------------------

// As the reference takes it: what is no number is 1, and there is always something left.
static double truncation(const char *text)
{
    int64_t n;
    if (!num_int(str_of(text), &n))
        n = 1;
    return n < 1 ? 1 : n > 99 ? 99 : (double)n;
}

static bool export_form(struct zones_job *j)
{
    const struct zones_values *v = j->v;
    struct zones_csv form = {.choice = j->choice,
                             .separator = v->separator,
                             .is_upstream = v->upstream,
                             .is_compatible = v->compat,
                             .with_plots = v->plot,
                             .parent = parent_of(v),
                             .children = v->children};
    const char *path = v->output ? v->output : "-";
    if (v->messages)
        return zones_csv_messages(&j->run, &form, path, j->e);
    if (v->unwrap)
        return zones_csv_unwrapped(&j->run, &form, path, j->e);
    if (v->truncated_mean)
        form.choice.truncate_at = truncation(v->truncated_mean);
    return zones_csv_statistics(&j->run, &form, path, j->e);
}

// --- the table -------------------------------------------------------------------------

static bool order_rows(struct zones_job *j, struct table *t, uint32_t *order)
{
    const char *name = j->v->sort ? j->v->sort : j->v->self ? "Self" : "Total";
    const struct column *c = table_find(t, str_of(name));
    if (!c) {
        struct buf names = {0};
        for (size_t i = 0; i < t->n_columns; i++)
            buf_printf(&names, "%s%s", i ? ", " : "", t->columns[i].name);
        (void)err_set(j->e, ERR_USAGE, "--sort: unknown column '%s'; valid columns: %.*s",
                      name, STR(names));
        buf_free(&names);
        return false;
    }
    table_sort(t, c, order);
    t->order = order;
    if (j->v->top && (size_t)j->v->top < t->n_rows)
        t->n_rows = (size_t)j->v->top;
    return true;
}

static void put_text(const struct table *t, struct out *o)
{
    struct text_table x = text_layout(t, colour_by_default(STDOUT_FILENO));
    text_head(&x, &o->b);
    text_rule(&x, &o->b);
    for (size_t i = 0; i < t->n_rows; i++) {
        text_row(&x, table_row(t, i), &o->b);
        out_flush_some(o);
    }
    text_free(&x);
}

static bool show(struct zones_job *j, struct table *t)
{
    const struct zones_values *v = j->v;
    struct out o;
    if (!out_open(&o, v->csv ? v->csv : "-", j->e))
        return false;
    if (v->csv) {
        table_csv(t, &o);
    } else if (v->json) {
        struct json json = {.b = &o.b, .is_first = true};
        table_json(t, JSON_OBJECTS, &json, &o);
        buf_char(&o.b, '\n');
    } else if (t->n_rows) {
        put_text(t, &o);
    } else {
        log_line("zones: no zone was recorded%s",
                 *v->filter ? " with this in its name" : "");
    }
    return out_close(&o, j->e);
}

static bool print_table(struct zones_job *j)
{
    struct zone_stats stats;
    struct zones_view view;
    zone_stats_make(&stats, &j->run, &j->choice);
    zones_view_make(&view, &j->run, &stats, &j->choice);
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, stats.rows.n));
    bool ok = order_rows(j, &view.table, order) && show(j, &view.table);
    mem_free(order);
    zone_stats_free(&stats);
    return ok;
}

// --- the command -----------------------------------------------------------------------

static int run_zones(const void *values, struct words words, struct err *e)
{
    struct zones_job j = {.v = values, .e = e};
    struct arena a = {0};
    const char *path = words.n ? words.v[0] : command_artifacts_root(&a);
    if (check(j.v, e) && choose(&j) && host_run_open(&j.run, path, e)) {
        if (!has_any(&j))
            log_line(
                "zones: no process of this run recorded anything%s; link with -lttprof and "
                "compile with -DTTPROF_ENABLE",
                j.run.processes.n ? " among those selected by --process and --rank" : "");
        bool ok = is_export(j.v) ? export_form(&j) : print_table(&j);
        if (ok)
            command_findings("zones", trace_host_findings(&j.run), j.v->strict, e);
        trace_free(&j.run);
    }
    arena_free(&a);
    return err_exit_code(e->code);
}

#define AT(field) .at = offsetof(struct zones_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "by", .kind = OPTION_CHOICE, AT(by), .choices = "thread process", .group = "Display",
     .help = "one row per zone and thread, or per zone and process"},
    {.name = "sort", .kind = OPTION_TEXT, AT(sort), .arg = "COLUMN",
     .help = "sort by a column (default Total): numbers descending, text ascending"},
    {.name = "top", .kind = OPTION_INT, AT(top), .arg = "N",
     .help = "show only the first N rows"},
    {.name = "percentiles", .kind = OPTION_TEXT, AT(percentiles), .arg = "LIST",
     .help = "percentiles, separated by commas (default 50,90,99)"},
    {.name = "self", .letter = 'e', .kind = OPTION_FLAG, AT(self),
     .help = "min, mean, max and percentiles of self times, without nested zones"},
    {.name = "open", .kind = OPTION_FLAG, AT(open),
     .help = "include zones without an end, up to the last time their process was known to be alive"},

    {.name = "filter", .letter = 'f', .kind = OPTION_TEXT, AT(filter), .arg = "TEXT", .group = "Filters",
     .help = "only zones with this in their names, in any case"},
    {.name = "case", .letter = 'c', .kind = OPTION_FLAG, AT(is_case),
     .help = "match case"},
    {.name = "process", .kind = OPTION_INT, AT(pid), .arg = "PID",
     .help = "only this process"},
    {.name = "rank", .kind = OPTION_INT, AT(rank), .arg = "N",
     .help = "only processes of this rank"},

    {.name = "csv", .kind = OPTION_FILE, AT(csv), .arg = "FILE", .group = "Files and documents",
     .help = "write the table as CSV instead of printing it"},
    {.name = "json", .kind = OPTION_FLAG, AT(json),
     .help = "print the table as JSON"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found, including lost events and open zones"},

    {.name = "csvexport", .kind = OPTION_FLAG, AT(csvexport), .group = "tracy-csvexport formats",
     .help = "statistics"},
    {.name = "unwrap", .letter = 'u', .kind = OPTION_FLAG, AT(unwrap),
     .help = "one row per zone"},
    {.name = "messages", .letter = 'm', .kind = OPTION_FLAG, AT(messages),
     .help = "one row per message, signpost and op record"},
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, AT(output), .arg = "FILE",
     .help = "output file (default: stdout)"},
    {.name = "sep", .letter = 's', .kind = OPTION_TEXT, AT(separator), .arg = "TEXT",
     .help = "separator between cells (default ,)"},
    {.name = "children", .letter = 'x', .kind = OPTION_TEXT, AT(children), .arg = "LIST",
     .help = "with -u: zones, separated by commas, that get the text of their parent"},
    {.name = "parent", .letter = 't', .kind = OPTION_TEXT, AT(parent), .arg = "TEXT",
     .help = "with -x: the nearest enclosing zone with this in its name"},
    {.name = "special-parent", .letter = 'p', .kind = OPTION_TEXT, AT(parent_too), .arg = "TEXT",
     .help = "old name of --parent"},
    {.name = "upstream", .kind = OPTION_FLAG, AT(upstream),
     .help = "columns of upstream 0.14 instead of tt-metal's 0.10"},
    {.name = "plot", .kind = OPTION_FLAG, AT(plot),
     .help = "with -u --upstream: plots and memory as rows after the zones"},
    {.name = "truncated_mean", .kind = OPTION_TEXT, AT(truncated_mean), .arg = "N",
     .help = "statistics with percentile N (1 to 99) and the mean of the values up to it"},
    {.name = "compat", .kind = OPTION_FLAG, AT(compat),
     .help = "compatible with tracy-csvexport's errors: empty cells repeat the row above, nothing is quoted"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof zones", "statistics of the newest run in generated/profiler"},
    {"ttprof zones generated/profiler/runs/2026_11_16_10_20_30 --by thread --top 20",
     "the 20 longest zones of single threads"},
    {"ttprof zones RUN -f matmul --self", "self times of zones with matmul in their names"},
    {"ttprof zones RUN -u -o zones.csv", "every zone as a row, like csvexport -u"},
    {"ttprof zones RUN -m -s ';'", "messages and signposts, like csvexport -m"},
};

static const struct zones_values defaults = {
    .pid = -1, .rank = -1, .percentiles = "50,90,99", .filter = "", .separator = ","};

const struct command cmd_zones = {
    .name = "zones",
    .args = "[RUN]",
    .what = "show statistics of host zones",
    .about =
        "Shows for each zone how often it ran and how long it took, from the recording of "
        "a run, also during the run and after a crash. RUN is the folder of a run, one of "
        "its snapshots, or a profiler folder, whose newest run is used. The default is the "
        "profiler folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or "
        "generated/profiler.\n\nLost events, zones without an end and damaged files never "
        "stop the work: they are counted and explained at the end.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .run = run_zones,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
