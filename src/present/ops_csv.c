// ops_csv.c - writing the rows. What an op's record says is put together once for each
// record: most rows are repetitions, and records are long.
#include "present/ops_csv.h"

#include "base/csv.h"
#include "base/num.h"
#include "base/progress.h"

#include "present/ops_columns.h"

// Columns that stand side by side and are shared, or are not.
struct stretch {
    size_t from, to;
    bool is_shared;
    str *made; // by record; p NULL: not yet
};

struct csv_writer {
    struct ops_columns columns;
    VEC(struct stretch) stretches;
    struct arena made;    // texts of shared stretches
    struct arena scratch; // of one row
    struct buf shared;    // the stretch that is being made
};

static void put_cell(struct buf *b, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_NONE: break;
    case CELL_BOOL: buf_str(b, cell->b ? S("True") : S("False")); break;
    case CELL_INT: num_put_int(b, cell->i); break;
    case CELL_REAL: num_put_real(b, cell->d); break;
    case CELL_TEXT: csv_put(b, cell->s); break;
    }
}

// Most cells are numbers of a device, which need no cell made. False: this is another one.
static bool put_number(const struct ops_columns *c, const struct ops_column *column,
                       const struct ops_view *view, struct buf *b)
{
    int64_t v;
    if (column->source != OPS_NUMBER || column->has_more)
        return false;
    if (view->device && ops_number(c->report, view->row, column->index, &v))
        num_put_int(b, v);
    return true;
}

// The cells of a stretch, commas between them.
static void put_cells(struct csv_writer *w, const struct stretch *s,
                      const struct ops_view *view, struct buf *b)
{
    for (size_t i = s->from; i < s->to; i++) {
        if (i > s->from)
            buf_char(b, ',');
        if (put_number(&w->columns, &w->columns.v.v[i], view, b))
            continue;
        struct cell cell = ops_cell(&w->columns, view, i, &w->scratch);
        put_cell(b, &cell);
    }
}

static void put_shared(struct csv_writer *w, struct stretch *s, const struct ops_view *view,
                       struct buf *b)
{
    uint32_t record = view->record;
    if (record == HOST_NONE) {
        put_cells(w, s, view, b);
        return;
    }
    if (!s->made[record].p) {
        w->shared.n = 0;
        put_cells(w, s, view, &w->shared);
        s->made[record] = arena_str(&w->made, buf_view(&w->shared));
    }
    buf_str(b, s->made[record]);
}

static void put_row(struct csv_writer *w, const struct ops_view *view, struct buf *b)
{
    for (size_t i = 0; i < w->stretches.n; i++) {
        struct stretch *s = &w->stretches.v[i];
        if (i)
            buf_char(b, ',');
        if (s->is_shared)
            put_shared(w, s, view, b);
        else
            put_cells(w, s, view, b);
    }
    buf_z(b, "\r\n");
    arena_rewind(&w->scratch, (struct arena_mark){0});
}

static void find_stretches(struct csv_writer *w)
{
    const struct host_ops *h = w->columns.report->host;
    size_t n_records = h ? h->records.n : 0;
    for (size_t i = 0; i < w->columns.v.n; i++) {
        bool is_shared = ops_column_is_shared(&w->columns.v.v[i]);
        if (!w->stretches.n || w->stretches.v[w->stretches.n - 1].is_shared != is_shared)
            vec_push(&w->stretches, (struct stretch){.from = i, .is_shared = is_shared});
        w->stretches.v[w->stretches.n - 1].to = i + 1;
    }
    for (size_t i = 0; i < w->stretches.n; i++)
        if (w->stretches.v[i].is_shared)
            w->stretches.v[i].made = push_many(&w->made, str, n_records);
}

static void put_names(const struct ops_columns *c, struct buf *b)
{
    for (size_t i = 0; i < c->v.n; i++) {
        if (i)
            buf_char(b, ',');
        csv_put(b, c->v.v[i].name);
    }
    buf_z(b, "\r\n");
}

enum { ROWS_PER_STEP = 4096 };

bool ops_csv_write(const struct ops_csv *c, const char *path, struct err *e)
{
    struct csv_writer w = {0};
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    ops_columns_make(&w.columns, c);
    find_stretches(&w);
    put_names(&w.columns, &o.b);
    size_t n = ops_columns_rows(&w.columns);
    struct progress bar = progress_start(path, n);
    for (size_t i = 0; i < n; i++) {
        struct ops_view view = ops_view(c->report, &c->report->rows.v[i]);
        put_row(&w, &view, &o.b);
        out_flush_some(&o);
        if (i % ROWS_PER_STEP == 0)
            progress_at(&bar, i);
    }
    progress_end(&bar);
    vec_free(&w.stretches);
    buf_free(&w.shared);
    arena_free(&w.made);
    arena_free(&w.scratch);
    ops_columns_free(&w.columns);
    return out_close(&o, e);
}
