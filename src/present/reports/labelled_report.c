// labelled_report.c - rows of an ops report with one more cell for each kind of label.
#include "present/reports/labelled_report.h"

#include <unistd.h>

#include "base/text/num.h"

#include "formats/ops_table/ops_sheet.h"
#include "profiler/cpp_report_csv.h"
#include "table/table.h"

static void put_label_heads(struct buf *b)
{
    for (int i = 0; i < OP_LABELS; i++)
        buf_printf(b, ",%s", op_label_kinds[i].column);
    buf_char(b, '\n');
}

// The labels of each row.
static struct op_label_set *find_labels(struct ops_sheet *t, const struct op_labels *l,
                                        struct labelled_count *count)
{
    int id_column = ops_sheet_find(t, "GLOBAL CALL COUNT");
    int device_column = ops_sheet_find(t, "DEVICE ID");
    struct op_label_set *sets = push_many(&t->arena, struct op_label_set, t->n_rows + 1);
    for (size_t row = 0; row < t->n_rows; row++) {
        str id_text = ops_sheet_raw(t, id_column, row);
        int64_t id = -1, device = 0; // no op has the id -1
        (void)num_int(id_text, &id);
        (void)num_int(ops_sheet_raw(t, device_column, row), &device);
        count->n_ops += id_column < 0 || id_text.n; // a signpost has no id
        count->n_labelled += op_labels_find(l, device, (uint64_t)id, &sets[row]);
    }
    return sets;
}

GETTER(get_copied)
{
    return cell_raw(ops_sheet_raw(r->table->context, (int)c->arg, r->i));
}

static void put_table(struct ops_sheet *t, const struct op_labels *l, struct out *o,
                      struct labelled_count *count)
{
    size_t n = t->file.header.n;
    struct column *columns = push_many(&t->arena, struct column, n + OP_LABELS);
    for (size_t i = 0; i < n; i++)
        columns[i] =
            (struct column){.name = arena_str(&t->arena, t->file.header.names[i]).p,
                            .get = get_copied,
                            .arg = (uint32_t)i};
    for (size_t i = 0; i < OP_LABELS; i++)
        columns[n + i] =
            (struct column){.name = op_label_kinds[i].column,
                            .get = at_text,
                            .at = offsetof(struct op_label_set, v) + i * sizeof(str)};
    const struct table table = {.columns = columns,
                                .n_columns = n + OP_LABELS,
                                .rows = find_labels(t, l, count),
                                .row_bytes = sizeof(struct op_label_set),
                                .context = t,
                                .n_rows = t->n_rows,
                                .has_lf_ends = true};
    table_csv(&table, o);
}

static void put_heads_only(struct buf *b)
{
    cpp_report_put_heads(b);
    while (b->n && (b->p[b->n - 1] == '\n' || b->p[b->n - 1] == '\r'))
        b->n--;
    put_label_heads(b);
}

bool labelled_report_write(const char *report, const struct op_labels *l, const char *path,
                           struct labelled_count *count, struct diag *d, struct err *e)
{
    struct out o;
    struct ops_sheet t = {0};
    struct err why = {0};
    *count = (struct labelled_count){0};
    bool is_there = report && access(report, F_OK) == 0;
    bool is_read = is_there && ops_sheet_load(&t, report, NULL, d, &why);
    if (is_there && !str_trim(t.file.file.text).n && why.code == ERR_FORMAT)
        why = (struct err){0}; // an empty report is not an error
    bool ok = why.code != ERR_IO && out_open(&o, path, e);
    if (ok) {
        if (is_read)
            put_table(&t, l, &o, count);
        else
            put_heads_only(&o.b);
        ok = out_close(&o, e);
    }
    if (why.code)
        *e = why;
    ops_sheet_free(&t);
    return ok && !why.code;
}
