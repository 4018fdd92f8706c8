// check_report.c - writes the results of checks.
#include "present/reports/check_report.h"

#include <math.h>

#include "base/text/num.h"

#include "present/page/document.h"

void check_grid(struct grid *g, const struct check *c)
{
    static const struct column columns[] = {GRID_TEXT("Metric"),
                                            GRID_REAL("Value", 4),
                                            GRID_REAL("Lower Threshold", 4),
                                            GRID_REAL("Upper Threshold", 4),
                                            {.name = "Verdict", .type = CELL_TEXT}};
    bool is_judged = false;
    for (size_t i = 0; i < c->metrics.n; i++)
        is_judged |= !isnan(c->metrics.v[i].lower);
    size_t n_columns = is_judged ? sizeof columns / sizeof *columns : 2;
    grid_open(g, "metrics", "Performance check", columns, n_columns);
    for (size_t i = 0; i < c->metrics.n; i++) {
        const struct check_metric *m = &c->metrics.v[i];
        grid_put_text(g, m->name);
        grid_put_real(g, m->value);
        if (!is_judged)
            continue;
        grid_put_real(g, m->lower);
        grid_put_real(g, m->upper);
        grid_put_text(g, isnan(m->lower) ? S("") : m->is_outside ? S("FAIL") : S("pass"));
    }
}

void check_json(const struct check *c, struct grid *g, struct out *o)
{
    const struct document d = {.kind = "check"};
    const struct table *tables[] = {&g->table};
    bool is_passed = true;
    for (size_t i = 0; i < c->metrics.n; i++)
        is_passed &= !c->metrics.v[i].is_outside;
    struct json j = document_open(&d, &o->b);
    json_key(&j, S("passed"));
    json_bool(&j, is_passed);
    document_tables(&j, tables, 1, JSON_OBJECTS, o);
    document_close(&j);
}

void check_put_outside(struct buf *b, const struct check_metric *m)
{
    buf_printf(b, "%.*s ", STR(m->name));
    num_put_real(b, m->value);
    buf_z(b, " is outside of expected range (");
    num_put_real(b, m->lower);
    buf_z(b, ", ");
    num_put_real(b, m->upper);
    buf_char(b, ')');
}

// --- report files ---

static void put_value(struct buf *b, double v)
{
    num_put_fixed(b, v, v == floor(v) ? 0 : 4, false);
}

static void put_pair(struct buf *names, struct buf *values, const char *before, str name,
                     double v, int decimals)
{
    buf_printf(names, ", %s%.*s", before, STR(name));
    buf_z(values, ", ");
    if (decimals < 0)
        put_value(values, v);
    else
        num_put_fixed(values, v, decimals, false);
}

bool check_report_write(const struct check *c, const struct check_report *r,
                        const char *folder, struct arena *a, const char **path,
                        struct err *e)
{
    struct out o;
    struct buf names = {0}, values = {0};
    *path = arena_printf(a, "%s/device_perf_%s_%s_%s.csv", folder, r->model, r->comments,
                         r->date)
                .p;
    buf_z(&names, "Model, Setting, Batch");
    buf_printf(&values, "%s, %s, %lld", r->model, r->setting, (long long)r->batch);
    for (size_t i = 0; i < c->metrics.n; i++) {
        const struct check_metric *m = &c->metrics.v[i];
        put_pair(&names, &values, "", m->name, m->value, -1);
        if (isnan(m->lower))
            continue;
        put_pair(&names, &values, "Lower Threshold ", m->name, m->lower, 4);
        put_pair(&names, &values, "Upper Threshold ", m->name, m->upper, 4);
    }
    bool ok = out_open(&o, *path, e);
    if (ok) {
        buf_str(&o.b, buf_view(&names));
        buf_char(&o.b, '\n');
        buf_str(&o.b, buf_view(&values));
        ok = out_close(&o, e);
    }
    buf_free(&names);
    buf_free(&values);
    return ok;
}

bool check_merge_write(const struct check_merge *m, const char *branch, const char *hash,
                       const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    // Readers of these files expect the blank before each line end.
    buf_printf(&o.b, "branch: %s \nhash: %s \n", branch, hash);
    for (size_t i = 0; i < m->columns.n; i++)
        buf_printf(&o.b, "%s%.*s", i ? ", " : "", STR(m->columns.v[i]));
    buf_z(&o.b, " \n");
    for (size_t row = 0; row < m->n_rows; row++) {
        for (size_t i = 0; i < m->columns.n; i++)
            buf_printf(&o.b, "%s%.*s", i ? ", " : "",
                       STR(m->cells.v[row * m->columns.n + i]));
        buf_char(&o.b, '\n');
    }
    return out_close(&o, e);
}
