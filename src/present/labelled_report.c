// labelled_report.c - rows of a report on ops, one more cell for each kind of label.
#include "present/labelled_report.h"

#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/num.h"

#include "present/cpp_report_csv.h"

struct labelling {
    const struct op_labels *labels;
    str text; // of the report
    size_t n_columns;
    int id, device; // columns, -1: not there
    struct out *out;
    struct labelled_count *count;
};

static void put_heads(struct buf *b, str heads)
{
    buf_str(b, heads);
    for (int i = 0; i < OP_LABELS; i++)
        buf_printf(b, ",%s", op_label_kinds[i].column);
    buf_char(b, '\n');
}

static bool cell_number(const struct labelling *l, const struct csv_rows *rows, int column,
                        size_t row, int64_t *v)
{
    return column >= 0 && num_int(csv_raw(l->text, rows->col[column][row]), v);
}

static bool is_signpost(const struct labelling *l, const struct csv_rows *rows, size_t row)
{
    return l->id >= 0 && !csv_raw(l->text, rows->col[l->id][row]).n;
}

static void put_row(struct labelling *l, const struct csv_rows *rows, size_t row)
{
    struct buf *b = &l->out->b;
    struct op_label_set set;
    int64_t id = -1, device = 0; // no op has the id -1
    (void)cell_number(l, rows, l->id, row, &id);
    (void)cell_number(l, rows, l->device, row, &device);
    l->count->n_ops += !is_signpost(l, rows, row);
    l->count->n_labelled += op_labels_find(l->labels, device, (uint64_t)id, &set);
    for (size_t i = 0; i < l->n_columns; i++) {
        buf_str(b, csv_raw(l->text, rows->col[i][row]));
        buf_char(b, ',');
    }
    for (int i = 0; i < OP_LABELS; i++) {
        csv_put(b, set.v[i]);
        buf_char(b, i == OP_LABELS - 1 ? '\n' : ',');
    }
}

static void take_rows(void *context, const struct csv_rows *rows)
{
    struct labelling *l = context;
    for (size_t i = 0; i < rows->n; i++)
        put_row(l, rows, i);
    out_flush_some(l->out);
}

static bool label_rows(struct labelling *l, struct arena *a, struct err *e)
{
    struct csv_header h;
    if (!csv_header(l->text, a, &h, e))
        return false;
    int *from = push_many(a, int, h.n);
    struct buf heads = {0};
    for (size_t i = 0; i < h.n; i++) {
        from[i] = (int)i;
        if (i)
            buf_char(&heads, ',');
        csv_put(&heads, h.names[i]);
    }
    put_heads(&l->out->b, buf_view(&heads));
    buf_free(&heads);
    l->n_columns = h.n;
    l->id = csv_find(&h, S("GLOBAL CALL COUNT"));
    l->device = csv_find(&h, S("DEVICE ID"));
    struct csv_plan plan = {.from = from, .n_slots = h.n, .take = take_rows, .context = l};
    return csv_scan(l->text, &h, &plan, CSV_FAST, e);
}

static void put_heads_only(struct buf *b)
{
    struct buf heads = {0};
    cpp_report_put_heads(&heads);
    put_heads(b, str_trim(buf_view(&heads)));
    buf_free(&heads);
}

bool labelled_report_write(const char *report, const struct op_labels *l, const char *path,
                           struct labelled_count *count, struct err *e)
{
    struct out o;
    struct file f = {0};
    struct arena a = {0};
    *count = (struct labelled_count){0};
    bool is_there = report && access(report, F_OK) == 0;
    if (is_there && !file_open(report, &f, e))
        return false;
    if (!out_open(&o, path, e)) {
        file_close(&f);
        return false;
    }
    struct labelling all = {.labels = l, .text = f.text, .out = &o, .count = count};
    bool is_fine = true;
    if (str_trim(f.text).n)
        is_fine = label_rows(&all, &a, e) || err_in(e, "%s", report);
    else
        put_heads_only(&o.b);
    if (is_there)
        file_close(&f);
    arena_free(&a);
    // What could be read is there even when the rest is damaged.
    struct err ignored = {0};
    if (!is_fine && o.b.n == 0 && o.total == 0)
        put_heads_only(&o.b);
    return out_close(&o, is_fine ? e : &ignored) && is_fine;
}
