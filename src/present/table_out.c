// table_out.c - a table as CSV and as JSON.
#include <math.h>

#include "base/csv.h"
#include "base/num.h"
#include "base/progress.h"
#include "base/threads.h"

#include "present/table.h"

// A million rows take one lane less than a second.
enum { CSV_ROWS_PER_LANE = 8192, CSV_WORTH_LANES = 1 << 20 };

// Raw: the shortest text that reads back equal, `nan` for what is not a number.
static void put_raw(struct buf *b, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_NONE: break;
    case CELL_BOOL: buf_str(b, cell->b ? S("True") : S("False")); break;
    case CELL_INT: num_put_int(b, cell->i); break;
    case CELL_REAL: num_put_real(b, cell->d); break;
    case CELL_TEXT: csv_put(b, cell->s); break;
    }
}

static void put_csv_row(const struct table *t, size_t row, struct arena *scratch,
                        struct buf *b)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        if (c)
            buf_char(b, ',');
        struct cell cell = t->columns[c].get(t, row, scratch);
        if (t->is_rounded && cell.kind == CELL_REAL && isfinite(cell.d))
            num_put_fixed(b, cell.d, t->columns[c].decimals, false);
        else
            put_raw(b, &cell);
    }
    buf_str(b, t->is_rounded ? S("\n") : S("\r\n"));
    arena_rewind(scratch, (struct arena_mark){0});
}

// Lanes render their part of a stretch of rows; the parts are written in order.
struct csv_job {
    const struct table *t;
    size_t from, to;
    struct buf *parts;
    struct arena *scratch;
};

static void csv_lane(struct lane lane, void *context)
{
    struct csv_job *job = context;
    struct range r = lane_range(lane, job->to - job->from);
    struct buf *b = &job->parts[lane.index];
    b->n = 0;
    for (size_t i = job->from + r.from; i < job->from + r.to; i++)
        put_csv_row(job->t, table_row(job->t, i), &job->scratch[lane.index], b);
}

void table_csv(const struct table *t, struct out *o)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        if (c)
            buf_char(&o->b, ',');
        const struct column *column = &t->columns[c];
        csv_put(&o->b, str_of(column->csv_name ? column->csv_name : column->name));
    }
    buf_z(&o->b, t->is_rounded ? "\n" : "\r\n");
    unsigned lanes = threads_for(t->n_rows, CSV_WORTH_LANES);
    struct csv_job job = {.t = t,
                          .parts = mem_alloc(mem_bytes(sizeof *job.parts, lanes)),
                          .scratch = mem_alloc(mem_bytes(sizeof *job.scratch, lanes))};
    struct progress bar = progress_start(o->path, t->n_rows);
    for (; job.from < t->n_rows; job.from = job.to) {
        progress_at(&bar, job.from);
        size_t stretch = (size_t)lanes * CSV_ROWS_PER_LANE;
        job.to = t->n_rows - job.from > stretch ? job.from + stretch : t->n_rows;
        threads_run(lanes, csv_lane, &job);
        for (unsigned i = 0; i < lanes; i++) {
            buf_str(&o->b, buf_view(&job.parts[i]));
            out_flush_some(o);
        }
    }
    progress_end(&bar);
    for (unsigned i = 0; i < lanes; i++) {
        buf_free(&job.parts[i]);
        arena_free(&job.scratch[i]);
    }
    mem_free(job.parts);
    mem_free(job.scratch);
}

static void put_json_cell(struct json *j, const struct column *column,
                          const struct cell *cell)
{
    // A hole somewhere in the file makes floats of a column of counts; here they are
    // counts.
    bool is_count = column->type == CELL_INT && cell->kind == CELL_REAL &&
                    fabs(cell->d) < 9e15 && trunc(cell->d) == cell->d;
    if (is_count) {
        json_int(j, (int64_t)cell->d);
        return;
    }
    switch (cell->kind) {
    case CELL_NONE: json_none(j); break;
    case CELL_BOOL: json_bool(j, cell->b); break;
    case CELL_INT: json_int(j, cell->i); break;
    case CELL_REAL: json_double(j, cell->d); break;
    case CELL_TEXT: json_text(j, cell->s); break;
    }
}

static void put_json_columns(const struct table *t, struct json *j)
{
    static const char *const types[] = {[CELL_NONE] = "text",
                                        [CELL_BOOL] = "bool",
                                        [CELL_INT] = "int",
                                        [CELL_REAL] = "real",
                                        [CELL_TEXT] = "text"};
    json_key(j, S("columns"));
    json_open(j, '[');
    for (size_t c = 0; c < t->n_columns; c++) {
        const struct column *column = &t->columns[c];
        json_newline(j);
        json_open(j, '{');
        json_key(j, S("name"));
        json_text(j, str_of(column->name));
        json_key(j, S("type"));
        json_text(j, str_of(types[column->type]));
        json_key(j, S("unit"));
        json_text(j, str_of(unit_text(column->unit)));
        json_key(j, S("decimals"));
        json_int(j, column->decimals);
        json_key(j, S("detail"));
        json_bool(j, column->is_detail);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void table_json(const struct table *t, enum json_rows rows, struct json *j, struct out *o)
{
    struct arena scratch = {0};
    json_open(j, '{');
    json_key(j, S("id"));
    json_text(j, str_of(t->id));
    json_key(j, S("title"));
    json_text(j, str_of(t->title));
    put_json_columns(t, j);
    json_key(j, S("rows"));
    json_open(j, '[');
    for (size_t i = 0; i < t->n_rows; i++) {
        json_newline(j);
        json_open(j, rows == JSON_OBJECTS ? '{' : '[');
        for (size_t c = 0; c < t->n_columns; c++) {
            struct cell cell = t->columns[c].get(t, table_row(t, i), &scratch);
            if (rows == JSON_OBJECTS)
                json_key(j, str_of(t->columns[c].name));
            put_json_cell(j, &t->columns[c], &cell);
        }
        json_close(j, rows == JSON_OBJECTS ? '}' : ']');
        arena_rewind(&scratch, (struct arena_mark){0});
        out_flush_some(o);
    }
    json_close(j, ']');
    json_close(j, '}');
    arena_free(&scratch);
}
