// zones.c - statistics of host zones, and the exports of tracy-csvexport: `ttprof zones`.
#include "app/zones/zones.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text/log.h"
#include "base/text/num.h"

#include "app/app.h"
#include "formats/host_run/host_run.h"
#include "formats/tracy/tracy_trace.h"
#include "present/reports/zones_csv.h"
#include "present/reports/zones_table.h"

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
    return v->csvexport || v->unwrap || v->messages || v->gpu || v->truncated_mean ||
           v->plot;
}

static bool check_values(const struct zones_values *v, struct err *e)
{
    if (v->unwrap + v->messages + v->gpu > 1)
        return err_set(e, ERR_USAGE, "--unwrap, --messages and --gpu exclude each other");
    if (v->fork && v->upstream)
        return err_set(e, ERR_USAGE, "--fork and --upstream exclude each other");
    if (v->plot && !v->unwrap)
        return err_set(e, ERR_USAGE, "--plot needs --unwrap");
    if ((v->children || parent_of(v)) && !(v->children && parent_of(v) && v->unwrap))
        return err_set(e, ERR_USAGE,
                       "-x and -t need each other and --unwrap: -u -x CHILDREN -t PARENT");
    if (v->truncated_mean && (v->unwrap || v->messages || v->gpu))
        return err_set(e, ERR_USAGE, "--truncated_mean is for statistics only");
    if (is_export(v) && (v->csv || v->json || v->sort || v->top))
        return err_set(
            e, ERR_USAGE,
            "--csv, --json, --sort and --top do not apply to the csvexport formats, which go to stdout or -o FILE");
    if (v->csv && v->json)
        return err_set(e, ERR_USAGE, "--csv and --json exclude each other");
    if (!is_export(v) && v->output)
        return err_set(e, ERR_USAGE, "-o is for the csvexport formats; use --csv FILE");
    if (v->top < 0)
        return err_set(e, ERR_USAGE, "--top must not be negative, got %lld",
                       (long long)v->top);
    if (!(v->min_duration >= 0) || v->min_duration > 1e12)
        return err_set(e, ERR_USAGE,
                       "--min-duration must be microseconds, such as 10 or 0.5");
    if (is_export(v) && v->min_duration > 0)
        return err_set(e, ERR_USAGE, "--min-duration is not for the csvexport formats");
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
                                     .least_ns = (uint64_t)(v->min_duration * 1000),
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

// Like tracy-csvexport: not a number means 1, and something is always left.
static double truncation(const char *text)
{
    int64_t n;
    if (!num_int(str_of(text), &n))
        n = 1;
    return n < 1 ? 1 : n > 99 ? 99 : (double)n;
}

// A trace of upstream's Tracy has its forms, everything else those of tt-metal.
static bool is_upstream(const struct zones_job *j)
{
    const struct tracy *contents = tracy_of_trace(&j->run);
    bool by_file = contents && contents->generation == TRACY_U14;
    return j->v->upstream || (by_file && !j->v->fork);
}

static bool export_form(struct zones_job *j)
{
    const struct zones_values *v = j->v;
    if (v->plot && !is_upstream(j))
        return err_set(j->e, ERR_USAGE, "--plot needs --upstream");
    struct zones_csv form = {.choice = j->choice,
                             .separator = v->separator,
                             .is_upstream = is_upstream(j),
                             .is_compatible = v->compat,
                             .with_plots = v->plot,
                             .parent = parent_of(v),
                             .children = v->children};
    const char *path = v->output ? v->output : "-";
    if (v->messages)
        return zones_csv_messages(&j->run, &form, path, j->e);
    if (v->gpu)
        return zones_csv_lanes(&j->run, &form, path, j->e);
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

static bool write_table(struct zones_job *j, struct table *t)
{
    const struct zones_values *v = j->v;
    struct out o;
    struct text_look look = terminal_look(STDOUT_FILENO);
    if (!v->csv && !v->json)
        out_print(&o, look.is_coloured);
    else if (!out_open(&o, v->csv ? v->csv : "-", j->e))
        return false;
    if (v->csv) {
        table_csv(t, &o);
    } else if (v->json) {
        struct json json = {.b = &o.b, .is_first = true};
        table_json(t, JSON_OBJECTS, &json, &o);
        buf_char(&o.b, '\n');
    } else if (t->n_rows) {
        table_text(t, look, &o.b);
    } else {
        log_line("zones: no zone was recorded%s", *v->filter ? " with this in its name"
                                                  : v->min_duration > 0
                                                      ? " that is this long"
                                                      : "");
    }
    return out_close(&o, j->e);
}

// Why a share is missing.
static void tell_virtual(const struct zones_job *j)
{
    size_t n = 0;
    for (uint32_t i = 0; i < j->run.processes.n; i++)
        n += zone_choice_has(&j->run, &j->choice, i) &&
             j->run.processes.v[i].clock == PROCESS_CLOCK_VIRTUAL;
    if (n)
        log_line(
            "zones: host times of %zu process%s are virtual from opening the device on (clockmode=det): no share of the run's time is known",
            n, n == 1 ? "" : "es");
}

static bool print_table(struct zones_job *j)
{
    struct zone_stats stats;
    struct zones_view view;
    tell_virtual(j);
    zone_stats_make(&stats, &j->run, &j->choice);
    zones_view_make(&view, &j->run, &stats, &j->choice);
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, stats.rows.n));
    bool ok = order_rows(j, &view.table, order) && write_table(j, &view.table);
    mem_free(order);
    zone_stats_free(&stats);
    return ok;
}

// --- the command -----------------------------------------------------------------------

int zones_command(const struct zones_values *values, struct words words, struct err *e)
{
    struct zones_job j = {.v = values, .e = e};
    struct arena a = {0};
    const char *path = words.n ? words.v[0] : command_artifacts_root(&a);
    if (check_values(j.v, e) && choose(&j) && host_run_open(&j.run, path, e)) {
        if (!has_any(&j))
            log_line(
                "zones: no process of this run recorded anything%s; link with -lttprof and compile with -DTTPROF_ENABLE",
                j.run.processes.n ? " among those selected by --process and --rank" : "");
        bool ok = is_export(j.v) ? export_form(&j) : print_table(&j);
        if (ok)
            command_findings("zones", trace_findings(&j.run), j.v->strict, e);
        trace_free(&j.run);
    }
    arena_free(&a);
    return err_exit_code(e->code);
}
