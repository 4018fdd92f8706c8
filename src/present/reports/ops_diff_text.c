// ops_diff_text.c - differences as lines. Scripts look for these words.
#include "present/reports/ops_diff_text.h"

#include <stdlib.h>

static str column_name(const struct ops_diff *d, size_t column)
{
    return d->side[0].table.file.header.names[d->common.v[column].at[0]];
}

// --- two reports ---

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

// Columns that one of the reports leaves empty.
static void put_allowed(const struct ops_diff *d, struct buf *b)
{
    VEC(str) names = {0};
    for (size_t i = 0; i < d->common.n; i++)
        if (d->common.v[i].was_empty)
            vec_push(&names, column_name(d, i));
    if (names.n)
        qsort(names.v, names.n, sizeof *names.v, by_text);
    for (size_t i = 0; i < names.n; i++) {
        buf_z(
            b,
            i ? ", "
              : "Allowed differences because one file had empty values for these headers: ");
        str name = str_trim(names.v[i]);
        for (size_t at = 0; at < name.n; at++)
            buf_char(b, (char)(name.p[at] >= 'a' && name.p[at] <= 'z' ? name.p[at] - 32
                                                                      : name.p[at]));
    }
    if (names.n)
        buf_char(b, '\n');
    vec_free(&names);
}

static void put_row_diff(struct ops_diff *d, const struct ops_difference *one,
                         struct buf *b)
{
    buf_printf(b, "Extra row %zu only present in %s file: ", one->row,
               one->side ? "second" : "first");
    for (size_t i = 0; i < d->common.n; i++) {
        if (i)
            buf_char(b, ',');
        csv_put(b, ops_diff_cell(d, one->side, i, one->at));
    }
}

static void put_cell_diff(const struct ops_diff *d, const struct ops_difference *one,
                          struct buf *b)
{
    buf_printf(b, "Row %zu, Column %zu (header: '%.*s'): '%.*s' != '%.*s'", one->row,
               one->column + 1, STR(column_name(d, one->column)), STR(one->text[0]),
               STR(one->text[1]));
}

// --- a report and a device report ---

static void put_columns(const struct ops_diff *d, struct buf *b)
{
    size_t n = 0;
    for (size_t i = 0; i < d->common.n; i++)
        if (d->common.v[i].is_different)
            buf_printf(b, "%s%.*s", n++ ? ", " : "", STR(column_name(d, i)));
    if (!n)
        buf_z(b, "none");
}

static const char *side_name(const struct ops_diff *d, int side)
{
    return d->side[side].is_device_report ? "device report" : "report";
}

static void put_shapes(const struct ops_diff *d, struct buf *b)
{
    for (int i = 0; i < 2; i++)
        buf_printf(b, "%s%s: %zu ops", i ? ", " : "", side_name(d, i), d->side[i].n_rows);
    buf_printf(b, "; %zu in both, %zu columns in common\n", d->n_shared_rows, d->common.n);
    buf_printf(b, "Rows with differences: %zu. Columns differing: ", d->n_different_rows);
    put_columns(d, b);
    buf_char(b, '\n');
}

static void put_number(const struct ops_diff *d, const struct ops_difference *one,
                       struct buf *b)
{
    buf_printf(b, "Op %lld, %.*s: '%.*s' in the %s, '%.*s' in the %s",
               (long long)ops_diff_op(d, 0, one->at), STR(column_name(d, one->column)),
               STR(one->text[0]), side_name(d, 0), STR(one->text[1]), side_name(d, 1));
}

static void put_op(const struct ops_diff *d, const struct ops_difference *one,
                   struct buf *b)
{
    buf_printf(b, "Op %lld is only in the %s",
               (long long)ops_diff_op(d, one->side, one->at), side_name(d, one->side));
}

// --- both ---

static void put_difference(struct ops_diff *d, const struct ops_difference *one,
                           struct buf *b)
{
    switch (one->kind) {
    case OPS_DIFF_UNREAD:
        buf_printf(b,
                   "Rows that cannot be read: %llu in the first file, %llu in the second",
                   (unsigned long long)ops_diff_unread(d, 0),
                   (unsigned long long)ops_diff_unread(d, 1));
        break;
    case OPS_DIFF_ROWS: // with the header, as rows are numbered
        buf_printf(b, "Row count mismatch: %zu rows vs %zu rows", d->side[0].n_rows + 1,
                   d->side[1].n_rows + 1);
        break;
    case OPS_DIFF_CELL: (d->is_by_number ? put_number : put_cell_diff)(d, one, b); break;
    case OPS_DIFF_ALONE:
        if (d->is_by_number)
            put_op(d, one, b);
        else
            put_row_diff(d, one, b);
        break;
    }
}

void ops_diff_text(struct ops_diff *d, struct buf *b)
{
    if (!d->is_by_number)
        put_allowed(d, b);
    if (!d->n_differences) {
        buf_z(b, d->is_by_number ? "Ops perf reports are equal\n"
                                 : "CSV files are identical.\n");
        return;
    }
    buf_z(b, d->is_by_number ? "Ops perf reports are not equal\n" : "CSV files differ:\n");
    if (d->is_by_number)
        put_shapes(d, b);
    for (size_t i = 0; i < d->list.n; i++) {
        buf_z(b, " - ");
        put_difference(d, &d->list.v[i], b);
        buf_char(b, '\n');
    }
    if (d->n_differences > d->list.n)
        buf_printf(b, " ... truncated after %zu differences; there are %llu.\n", d->list.n,
                   (unsigned long long)d->n_differences);
}
