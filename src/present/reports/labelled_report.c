// labelled_report.c - rows of an ops report with one more cell for each kind of label.
#include "present/reports/labelled_report.h"

#include <unistd.h>

#include "formats/diags.h"
#include "profiler/cpp_report_csv.h"

// --- the ops report ----------------------------------------------------------------------

struct labelled {
    struct table table; // with the labels
    struct op_label_set *sets;
};
_Static_assert(offsetof(struct labelled, table) == 0, "get_label finds it by its table");

GETTER(get_label)
{
    const struct labelled *l = (const void *)r->table;
    return cell_text(l->sets[r->i].v[c->arg]);
}

static void find_labels(struct labelled *l, const struct op_labels *labels,
                        struct labelled_count *count, struct arena *a)
{
    const struct column *id_column = table_find(&l->table, S("GLOBAL CALL COUNT"));
    const struct column *device_column = table_find(&l->table, S("DEVICE ID"));
    struct arena scratch = {0};
    l->sets = push_many(a, struct op_label_set, l->table.n_rows + 1);
    for (size_t i = 0; i < l->table.n_rows; i++) {
        struct row r = row_open(&l->table, i, &scratch);
        struct cell id = row_cell(&r, id_column), device = row_cell(&r, device_column);
        count->n_ops += id.kind != CELL_NONE; // a signpost has no id
        count->n_labelled +=
            op_labels_find(labels, device.kind == CELL_INT ? device.i : 0,
                           id.kind == CELL_INT ? (uint64_t)id.i : UINT64_MAX, &l->sets[i]);
        arena_rewind(&scratch, (struct arena_mark){0});
    }
    arena_free(&scratch);
}

bool labelled_report_write(const struct table *ops, const struct op_labels *labels,
                           const char *path, struct labelled_count *count, struct err *e)
{
    struct arena a = {0};
    struct labelled l = {.table = *ops};
    struct column *columns = push_many(&a, struct column, ops->n_columns + OP_LABELS);
    memcpy(columns, ops->columns, ops->n_columns * sizeof *columns);
    for (uint32_t i = 0; i < OP_LABELS; i++)
        columns[l.table.n_columns++] =
            (struct column){.name = op_label_kinds[i].column, .get = get_label, .arg = i};
    l.table.columns = columns;
    l.table.has_lf_ends = true;
    find_labels(&l, labels, count, &a);
    bool ok = table_csv_write(&l.table, path, e);
    arena_free(&a);
    return ok;
}

// --- the device report: without op messages there are no labels --------------------------

static void put_lines(struct out *o, str text, struct labelled_count *count)
{
    while (text.n) {
        str line = str_cut(&text, '\n');
        bool is_head = str_has(line, S("GLOBAL CALL COUNT"));
        line.n -= line.n && line.p[line.n - 1] == '\r';
        if (!str_trim(line).n)
            continue;
        buf_str(&o->b, line);
        for (int i = 0; i < OP_LABELS; i++)
            buf_printf(&o->b, ",%s",
                       is_head ? op_label_kinds[i].column : op_label_kinds[i].unlabelled);
        buf_char(&o->b, '\n');
        count->n_ops += !is_head;
        out_flush_some(o);
    }
}

bool labelled_report_copy(const char *report, const char *path,
                          struct labelled_count *count, struct diag *d, struct err *e)
{
    struct file f = {0};
    struct out o;
    if (report && access(report, F_OK) == 0 && !file_open(report, &f, e))
        return false;
    str text = f.text;
    while (text.n && text.p[text.n - 1] != '\n') // the last line may be incomplete
        text.n--;
    if (text.n < f.text.n && diag_count(d, DIAG_DEVICE_REPORT_CUT))
        diag_note(d, DIAG_DEVICE_REPORT_CUT, "%s", report);
    struct buf heads = {0};
    cpp_report_put_heads(&heads);
    bool ok = out_open(&o, path, e);
    if (ok) {
        put_lines(&o, str_trim(text).n ? text : buf_view(&heads), count);
        ok = out_close(&o, e);
    }
    buf_free(&heads);
    file_close(&f);
    return ok;
}
