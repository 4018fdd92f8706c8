// table_csv.c - a table as CSV. Cells shared by many rows are formatted once: most rows of
// an ops report repeat the record of their op, and records are long.
#include <math.h>

#include "base/data/vec.h"
#include "base/file/out_rows.h"
#include "base/text/csv.h"
#include "base/text/num.h"

#include "table/table.h"

// One lane formats a million rows in less than a second.
enum { CSV_WORTH_LANES = 1 << 20 };

// Adjacent columns that are all shared, or all not.
struct stretch {
    size_t from, to;
    bool is_shared;
};

struct csv_lane {
    struct arena scratch; // of one row
    struct arena made;    // texts of shared stretches
    str *texts;           // by stretch and share; p NULL: not made yet
    struct buf shared;    // the stretch being made
};

struct csv_job {
    const struct table *t;
    VEC(struct stretch) stretches;
    struct csv_lane *lanes;
};

static void put_end(const struct table *t, struct buf *b)
{
    buf_str(b, t->has_lf_ends ? S("\n") : S("\r\n"));
}

// Numbers: the shortest text that reads back equal, or `nan`.
static void put_csv_cell(const struct table *t, const struct column *c,
                         const struct cell *cell, struct buf *b)
{
    switch (cell->kind) {
    case CELL_NONE: break;
    case CELL_BOOL: buf_str(b, cell->b ? S("True") : S("False")); break;
    case CELL_INT: num_put_int(b, cell->i); break;
    case CELL_REAL:
        if (t->is_rounded && isfinite(cell->d))
            num_put_fixed(b, cell->d, c->decimals, false);
        else
            num_put_real(b, cell->d);
        break;
    case CELL_TEXT:
        if (cell->is_raw)
            buf_str(b, cell->s);
        else
            csv_put(b, cell->s);
        break;
    }
}

static void put_cells(const struct row *r, const struct stretch *s, struct buf *b)
{
    const struct column *columns = r->table->columns;
    for (size_t i = s->from; i < s->to; i++) {
        if (i > s->from)
            buf_char(b, ',');
        struct cell cell = row_cell(r, &columns[i]);
        put_csv_cell(r->table, &columns[i], &cell, b);
    }
}

void table_csv_row(const struct row *r, struct buf *b)
{
    put_cells(r, &(struct stretch){.to = r->table->n_columns}, b);
    put_end(r->table, b);
    arena_rewind(r->scratch, (struct arena_mark){0});
}

static void put_shared(struct csv_lane *lane, const struct row *r, const struct stretch *s,
                       str *made, struct buf *b)
{
    if (!made->p) {
        lane->shared.n = 0;
        put_cells(r, s, &lane->shared);
        *made = arena_str(&lane->made, buf_view(&lane->shared));
    }
    buf_str(b, *made);
}

static void put_csv_row(const struct csv_job *job, struct csv_lane *lane,
                        const struct row *r, struct buf *b)
{
    const struct table *t = job->t;
    uint32_t share = t->share ? t->share(r) : 0;
    for (size_t i = 0; i < job->stretches.n; i++) {
        const struct stretch *s = &job->stretches.v[i];
        if (i)
            buf_char(b, ',');
        if (s->is_shared && share < t->n_shares)
            put_shared(lane, r, s, &lane->texts[i * t->n_shares + share], b);
        else
            put_cells(r, s, b);
    }
    put_end(t, b);
}

static void put_csv_rows(struct lane at, void *context, struct range rows, struct buf *b)
{
    const struct csv_job *job = context;
    struct csv_lane *lane = &job->lanes[at.index];
    for (size_t i = rows.from; i < rows.to; i++) {
        struct row r = row_open(job->t, table_row(job->t, i), &lane->scratch);
        put_csv_row(job, lane, &r, b);
        arena_rewind(&lane->scratch, (struct arena_mark){0});
    }
}

static void find_stretches(struct csv_job *job)
{
    const struct table *t = job->t;
    for (size_t i = 0; i < t->n_columns; i++) {
        bool is_shared = t->share && t->columns[i].is_shared;
        size_t n = job->stretches.n;
        if (!n || job->stretches.v[n - 1].is_shared != is_shared)
            vec_push(&job->stretches, (struct stretch){.from = i, .is_shared = is_shared});
        job->stretches.v[job->stretches.n - 1].to = i + 1;
    }
}

void table_csv_head(const struct table *t, struct buf *b)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct column *c = &t->columns[i];
        if (i)
            buf_char(b, ',');
        csv_put(b, str_of(c->csv_name ? c->csv_name : c->name));
    }
    put_end(t, b);
}

void table_csv_rows(const struct table *t, struct out *o)
{
    unsigned lanes = threads_for(t->n_rows, CSV_WORTH_LANES);
    struct csv_job job = {.t = t, .lanes = mem_alloc(mem_bytes(sizeof *job.lanes, lanes))};
    find_stretches(&job);
    for (unsigned i = 0; t->share && i < lanes; i++)
        job.lanes[i].texts =
            push_many(&job.lanes[i].made, str, job.stretches.n * t->n_shares);
    out_rows(o, t->n_rows, lanes, put_csv_rows, &job);
    for (unsigned i = 0; i < lanes; i++) {
        buf_free(&job.lanes[i].shared);
        arena_free(&job.lanes[i].scratch);
        arena_free(&job.lanes[i].made);
    }
    mem_free(job.lanes);
    vec_free(&job.stretches);
}

void table_csv(const struct table *t, struct out *o)
{
    table_csv_head(t, &o->b);
    table_csv_rows(t, o);
}

bool table_csv_write(const struct table *t, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    table_csv(t, &o);
    return out_close(&o, e);
}
