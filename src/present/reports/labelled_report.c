// labelled_report.c - rows of a report on ops, one more cell for each kind of label.
#include "present/reports/labelled_report.h"

#include <unistd.h>

#include "base/text/num.h"

#include "formats/ops_table/op_columns.h"
#include "profiler/cpp_report_csv.h"

static void put_label_heads(struct buf *b)
{
    for (int i = 0; i < OP_LABELS; i++)
        buf_printf(b, ",%s", op_label_kinds[i].column);
    buf_char(b, '\n');
}

static void put_row(const struct op_columns *t, size_t row, const int *ids,
                    const struct op_labels *l, struct buf *b, struct labelled_count *count)
{
    struct op_label_set set;
    str id_text = op_columns_raw(t, ids[0], row);
    int64_t id = -1, device = 0; // no op has the id -1
    (void)num_int(id_text, &id);
    (void)num_int(op_columns_raw(t, ids[1], row), &device);
    count->n_ops += ids[0] < 0 || id_text.n; // a signpost has none
    count->n_labelled += op_labels_find(l, device, (uint64_t)id, &set);
    for (size_t i = 0; i < t->file.header.n; i++) {
        buf_str(b, op_columns_raw(t, (int)i, row));
        buf_char(b, ',');
    }
    for (int i = 0; i < OP_LABELS; i++) {
        csv_put(b, set.v[i]);
        buf_char(b, i == OP_LABELS - 1 ? '\n' : ',');
    }
}

static void put_table(const struct op_columns *t, const struct op_labels *l, struct out *o,
                      struct labelled_count *count)
{
    const int ids[] = {op_columns_find(t, "GLOBAL CALL COUNT"),
                       op_columns_find(t, "DEVICE ID")};
    for (size_t i = 0; i < t->file.header.n; i++) {
        if (i)
            buf_char(&o->b, ',');
        csv_put(&o->b, t->file.header.names[i]);
    }
    put_label_heads(&o->b);
    for (size_t row = 0; row < t->n_rows; row++) {
        put_row(t, row, ids, l, &o->b, count);
        out_flush_some(o);
    }
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
    struct op_columns t = {0};
    struct err why = {0};
    *count = (struct labelled_count){0};
    bool is_there = report && access(report, F_OK) == 0;
    bool is_read = is_there && op_columns_load(&t, report, NULL, d, &why);
    if (is_there && !str_trim(t.file.file.text).n && why.code == ERR_FORMAT)
        why = (struct err){0}; // nothing is in it
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
    op_columns_free(&t);
    return ok && !why.code;
}
