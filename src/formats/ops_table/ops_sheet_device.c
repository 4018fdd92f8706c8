// ops_sheet_device.c - a device report as columns by name.
#include "base/data/map.h"

#include "formats/device_rows/device_lines.h"
#include "formats/ops_table/ops_sheet.h"

struct filling {
    struct ops_sheet *t;
    struct device_lines lines;
    struct map names; // of columns
    uint32_t *column; // by cell of the current header; MAP_NONE: not kept
};

// A new column is empty in the rows so far.
static uint32_t take_column(struct filling *f, str name)
{
    struct ops_sheet *t = f->t;
    struct csv_header *h = &t->file.header;
    if (h->n == DEVICE_COLUMNS_MOST && map_get(&f->names, name) == MAP_NONE) {
        device_lines_count_column(&f->lines, name);
        return MAP_NONE;
    }
    uint32_t at = map_put_copy(&f->names, name.p, name.n, &t->arena);
    if (at == h->n) {
        h->names[h->n++] = f->names.keys.v[at];
        t->cells[at] = mem_alloc(mem_bytes(sizeof **t->cells, t->cap));
    }
    return at;
}

static void take_header(struct filling *f)
{
    for (size_t i = 0; i < f->lines.n_columns; i++)
        f->column[i] = take_column(f, device_lines_cell(&f->lines, i));
}

static void reserve_row(struct ops_sheet *t)
{
    if (t->n_rows < t->cap)
        return;
    t->cap += t->cap / 2 + 1;
    t->at = mem_resize(t->at, mem_bytes(sizeof *t->at, t->cap));
    for (size_t i = 0; i < t->file.header.n; i++)
        t->cells[i] = mem_resize(t->cells[i], mem_bytes(sizeof **t->cells, t->cap));
}

static void take_row(struct filling *f)
{
    struct ops_sheet *t = f->t;
    const struct device_lines *l = &f->lines;
    reserve_row(t);
    for (size_t i = 0; i < t->file.header.n; i++)
        t->cells[i][t->n_rows] = (csv_cell){0};
    for (size_t i = 0; i < l->n_cells; i++) {
        str raw = device_lines_raw(l, i);
        uint64_t at = (uint64_t)(raw.p - t->file.file.text.p);
        if (f->column[i] != MAP_NONE && raw.n)
            t->cells[f->column[i]][t->n_rows].v = at << 24 | raw.n;
    }
    t->at[t->n_rows++] = (uint64_t)(l->line.p - t->file.file.text.p);
}

// A cell that breaks off is not what the runtime wrote, so the row cannot be compared.
static bool is_broken(const struct device_lines *l)
{
    return l->is_open || (l->is_cut && l->n_cells < l->n_columns);
}

bool ops_sheet_scan_device(struct ops_sheet *t, struct err *e)
{
    struct filling f = {.t = t,
                        .column = push_many(&t->arena, uint32_t, DEVICE_COLUMNS_MOST)};
    t->file.header.names = push_many(&t->arena, str, DEVICE_COLUMNS_MOST);
    t->file.header.n = 0;
    t->cells = push_many(&t->arena, csv_cell *, DEVICE_COLUMNS_MOST);
    device_lines_open(&f.lines, t->file.file.text, t->file.path, t->diag);
    for (enum device_line kind; (kind = device_lines_next(&f.lines));) {
        if (kind == DEVICE_LINE_HEADER)
            take_header(&f);
        else if (is_broken(&f.lines))
            t->n_unread++;
        else
            take_row(&f);
    }
    t->n_unread += f.lines.n_unread;
    map_free(&f.names);
    return device_lines_close(&f.lines, e);
}
