// check_merge.c - merges report files of several models into one table and checks it.
#include <math.h>

#include "base/file/file.h"
#include "base/text/num.h"

#include "analyse/compare/check.h"

static size_t column_at(struct check_merge *m, str name)
{
    size_t i = 0;
    while (i < m->columns.n && !str_eq(m->columns.v[i], name))
        i++;
    return i;
}

struct report_file {
    VEC(str) names, values;
};

static bool split_report(struct report_file *f, str text, const char *path, struct err *e)
{
    str names = str_trim(str_cut(&text, '\n')), values = str_trim(str_cut(&text, '\n'));
    while (names.n)
        vec_push(&f->names, str_trim(str_cut(&names, ',')));
    while (values.n)
        vec_push(&f->values, str_trim(str_cut(&values, ',')));
    if (f->names.n && f->names.n == f->values.n && str_is(f->names.v[0], "Model"))
        return true;
    return err_set(
        e, ERR_FORMAT,
        "%s: not a report of a check: it needs two lines, names that begin with 'Model' and as many values",
        path);
}

static const char *cell_of(const struct report_file *f, str name, str *out)
{
    for (size_t i = 0; i < f->names.n; i++)
        if (str_eq(f->names.v[i], name)) {
            *out = f->values.v[i];
            return out->p;
        }
    *out = S("");
    return NULL;
}

bool check_merge_read(struct check_merge *m, const char *const *paths, size_t n,
                      struct err *e)
{
    *m = (struct check_merge){0};
    struct report_file *files = push_many(&m->arena, struct report_file, n + 1);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        struct file file;
        ok = file_open(paths[i], &file, e);
        if (!ok)
            break;
        ok = split_report(&files[i], arena_str(&m->arena, file.text), paths[i], e);
        file_close(&file);
        for (size_t k = 0; ok && k < files[i].names.n; k++)
            if (column_at(m, files[i].names.v[k]) == m->columns.n)
                vec_push(&m->columns, files[i].names.v[k]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; ok && c < m->columns.n; c++) {
            str cell;
            (void)cell_of(&files[i], m->columns.v[c], &cell);
            vec_push(&m->cells, cell);
        }
        vec_free(&files[i].names);
        vec_free(&files[i].values);
    }
    m->n_rows = ok ? n : 0;
    return ok;
}

static str cell_at(struct check_merge *m, size_t row, str name)
{
    size_t c = column_at(m, name);
    return c < m->columns.n ? m->cells.v[row * m->columns.n + c] : S("");
}

static void add_failure(struct check_merge *m, str text)
{
    vec_push(&m->findings, (struct check_finding){.text = text, .is_failure = true});
}

// Samples per second grow as a model gets faster, durations shrink.
static void check_value(struct check_merge *m, size_t row, str column, double value,
                        double lower, double upper)
{
    struct arena *a = &m->arena;
    str model = cell_at(m, row, S("Model")), setting = cell_at(m, row, S("Setting"));
    bool is_duration = str_has(column, S("DURATION"));
    if (!check_is_outside(value, lower, upper))
        return;
    bool is_above = value > upper, is_faster = is_above != is_duration;
    struct buf b = {0};
    buf_printf(&b, "%.*s_%.*s %.*s is %s with ", STR(model), STR(setting), STR(column),
               is_faster ? "faster than expected" : "too slow");
    num_put_real(&b, value);
    buf_printf(&b, ", %s expected ", is_above ? "max" : "min");
    num_put_real(&b, is_above ? upper : lower);
    buf_z(&b, is_faster ? ". Please update perf targets with latest expected perf" : ".");
    add_failure(m, arena_str(a, buf_view(&b)));
    buf_free(&b);
}

void check_merge_judge(struct check_merge *m)
{
    for (size_t row = 0; row < m->n_rows; row++)
        for (size_t c = 0; c < m->columns.n; c++) {
            str name = m->columns.v[c];
            str lower =
                cell_at(m, row, arena_printf(&m->arena, "Lower Threshold %.*s", STR(name)));
            str upper =
                cell_at(m, row, arena_printf(&m->arena, "Upper Threshold %.*s", STR(name)));
            double v, l, u;
            if (!lower.n || !upper.n)
                continue;
            if (num_real(m->cells.v[row * m->columns.n + c], &v) && num_real(lower, &l) &&
                num_real(upper, &u))
                check_value(m, row, name, v, l, u);
            else
                add_failure(
                    m, arena_printf(&m->arena,
                                    "%.*s_%.*s %.*s: a value or threshold is not a number",
                                    STR(cell_at(m, row, S("Model"))),
                                    STR(cell_at(m, row, S("Setting"))), STR(name)));
        }
}

void check_merge_free(struct check_merge *m)
{
    vec_free(&m->columns);
    vec_free(&m->cells);
    vec_free(&m->findings);
    arena_free(&m->arena);
}
