// device_rows_read.c - the rows of cpp_device_perf_report.csv; rows with the same ids are
// one.
#include <math.h>

#include "base/data/map.h"
#include "base/text/num.h"

#include "formats/device_rows/device_lines.h"
#include "formats/device_rows/device_rows_parts.h"
#include "formats/diags.h"

enum { EXTRA_MOST = 512 }; // columns that not every report has

// A cell of an extra column; most rows have none.
struct extra_cell {
    uint64_t line;
    uint32_t row;
    str text;
};
typedef VEC(struct extra_cell) extra_cells;

// The same, for the current row.
struct row_extra {
    struct device_place place;
    str text;
};

struct reading {
    struct device_rows *r;
    struct device_lines lines;
    VEC(struct device_place) places; // by column of the current header
    struct map keys;                 // of rows
    struct map extra;                // names of columns
    VEC(extra_cells) cells;          // by extra column
    VEC(struct row_extra) row_extra;
    struct map archs, devices;
    struct arena key_arena;
};

// --- header lines --------------------------------------------------------------------

static struct device_place extra_place(struct reading *g, str name)
{
    uint32_t at = map_put_copy(&g->extra, name.p, name.n, &g->r->a);
    if (at == g->cells.n)
        vec_push(&g->cells, (extra_cells){0});
    return (struct device_place){PLACE_EXTRA, device_rows_is_quasar_column(name), at};
}

// Unknown columns are counted, as are those beyond the limit.
static struct device_place find_place(struct reading *g, str name)
{
    struct device_place p = device_rows_place(name);
    if (p.kind == PLACE_EXTRA && g->cells.n < EXTRA_MOST)
        return extra_place(g, name);
    if (p.kind != PLACE_EXTRA && p.kind != PLACE_UNKNOWN)
        return p;
    device_lines_count_column(&g->lines, name);
    return (struct device_place){.kind = PLACE_IGNORED};
}

static void read_header(struct reading *g)
{
    g->places.n = 0;
    for (size_t i = 0; i < g->lines.n_columns; i++) {
        vec_push(&g->places, find_place(g, device_lines_cell(&g->lines, i)));
        g->r->has_traces |= g->places.v[i].kind == PLACE_TRACE;
    }
}

// --- cells ---------------------------------------------------------------------------

static void odd_cell(struct reading *g, int kind, const char *column, str cell)
{
    if (diag_count(g->lines.diag, kind))
        diag_note(g->lines.diag, kind, "%s: line %llu: column '%s': '%.*s'", g->lines.path,
                  (unsigned long long)g->lines.number, column, STR(str_clip(cell, 40)));
}

static enum cell_state read_odd_number(struct reading *g, const char *column, str cell,
                                       int64_t *to)
{
    double real;
    if (str_eq_nocase(cell, S("nan")) || str_is(cell, "None"))
        return STATE_EMPTY;
    if (!num_real(cell, &real)) {
        odd_cell(g, DIAG_NOT_A_NUMBER, column, cell);
        return STATE_BAD;
    }
    if (!(fabs(real) < 0x1p63)) {
        odd_cell(g, DIAG_ABSURD_NUMBER, column, cell);
        return STATE_BAD;
    }
    *to = (int64_t)real;
    return STATE_OK;
}

// Digits, as in almost all cells; floats are truncated to integers.
static enum cell_state read_number_cell(struct reading *g, const char *column, str cell,
                                        int64_t *to)
{
    enum { DIGITS = 18 }; // always fit
    int64_t v = 0;
    size_t i = 0;
    while (i < cell.n && i < DIGITS && cell.p[i] >= '0' && cell.p[i] <= '9')
        v = v * 10 + (cell.p[i++] - '0');
    *to = DEVICE_NONE;
    if (!cell.n)
        return STATE_EMPTY;
    if (i != cell.n && !num_int(cell, &v))
        return read_odd_number(g, column, cell, to);
    *to = v;
    return v == DEVICE_NONE ? STATE_BAD : STATE_OK;
}

static int64_t read_id(struct reading *g, const char *column, str cell)
{
    int64_t v;
    (void)read_number_cell(g, column, cell, &v);
    return v < 0 ? DEVICE_NO_ID : v;
}

// The text as a report prints it.
static str keep_text(struct reading *g, str cell)
{
    char *kept = memcpy(arena_push(&g->r->a, cell.n, 1), cell.p, cell.n);
    for (size_t i = 0; i < cell.n; i++)
        kept[i] = kept[i] == ',' ? ';' : kept[i];
    return (str){kept, cell.n};
}

// --- rows ----------------------------------------------------------------------------

static void keep_extra(struct reading *g, struct device_place p, str cell)
{
    if (cell.n)
        vec_push(&g->row_extra, (struct row_extra){p, cell});
}

static void take_cell(struct reading *g, struct device_row *row, str *arch,
                      struct device_place p, str cell)
{
    switch (p.kind) {
    case PLACE_OP: row->op = (uint64_t)read_id(g, "GLOBAL CALL COUNT", cell); break;
    case PLACE_DEVICE: row->device = read_id(g, "DEVICE ID", cell); break;
    case PLACE_TRACE: row->trace = read_id(g, "METAL TRACE ID", cell); break;
    case PLACE_SESSION:
        row->session = read_id(g, "METAL TRACE REPLAY SESSION ID", cell);
        break;
    case PLACE_REPLAY: row->is_replay |= cell.n > 0; break;
    case PLACE_ARCH: *arch = cell; break;
    case PLACE_NUMBER:
        row->state[p.index] = (uint8_t)read_number_cell(g, device_number_columns[p.index],
                                                        cell, &row->v[p.index]);
        break;
    case PLACE_EXTRA: keep_extra(g, p, cell); break;
    default: break;
    }
}

// Marks what a truncated line has lost: the following cells, perhaps digits of the last.
static void mark_cut(const struct reading *g, struct device_row *row)
{
    size_t n_cells = g->lines.n_cells;
    bool is_whole = n_cells == g->places.n;
    for (size_t i = n_cells - 1; i < g->places.n; i++) {
        struct device_place p = g->places.v[i];
        if (p.kind != PLACE_NUMBER || (is_whole && row->v[p.index] == DEVICE_NONE))
            continue;
        row->state[p.index] = is_whole ? STATE_REPAIRED : STATE_MISSING;
        if (!is_whole)
            row->v[p.index] = DEVICE_NONE;
    }
    if (!is_whole && g->places.v[n_cells - 1].kind >= PLACE_OP &&
        g->places.v[n_cells - 1].kind <= PLACE_SESSION)
        row->device = DEVICE_NO_ID;
}

// Finds or adds the row with these ids.
static size_t row_index(struct reading *g, const struct device_row *row)
{
    struct device_rows *r = g->r;
    int64_t key[4] = {row->device, (int64_t)row->op, row->trace, row->session};
    uint32_t at = map_put_copy(&g->keys, key, sizeof key, &g->key_arena);
    if (at < r->v.n) {
        if (diag_count(g->lines.diag, DIAG_DEVICE_ROW_AGAIN))
            diag_note(g->lines.diag, DIAG_DEVICE_ROW_AGAIN,
                      "%s: lines %llu and %llu: op %llu on device %lld", g->lines.path,
                      (unsigned long long)r->v.v[at].line,
                      (unsigned long long)g->lines.number, (unsigned long long)row->op,
                      (long long)row->device);
        return at;
    }
    vec_push(&r->v, (struct device_row){0});
    vec_push(&r->arch_of, (str){0});
    if (map_put_copy(&g->devices, &row->device, sizeof row->device, &g->key_arena) ==
        r->devices.n)
        vec_push(&r->devices, row->device);
    return at;
}

// Cells for Quasar's processors are ignored on other chips.
static void put_extra(struct reading *g, uint32_t row, bool is_quasar)
{
    for (size_t i = 0; i < g->row_extra.n; i++) {
        struct device_place p = g->row_extra.v[i].place;
        if (p.is_quasar <= is_quasar)
            vec_push(&g->cells.v[p.index],
                     (struct extra_cell){g->lines.number, row,
                                         keep_text(g, g->row_extra.v[i].text)});
    }
}

static void store_row(struct reading *g, const struct device_row *row, str arch)
{
    size_t at = row_index(g, row);
    bool is_quasar = false;
    g->r->v.v[at] = *row;
    if (arch.n) {
        uint32_t id = map_put_copy(&g->archs, arch.p, arch.n, &g->r->a);
        arch = g->archs.keys.v[id];
        is_quasar = device_rows_arch_is_quasar(arch);
    }
    g->r->arch_of.v[at] = arch;
    put_extra(g, (uint32_t)at, is_quasar);
}

static void finish_row(struct reading *g, struct device_row *row, str arch)
{
    if (row->device == DEVICE_NO_ID || row->op == (uint64_t)DEVICE_NO_ID) {
        if (diag_count(g->lines.diag, DIAG_DEVICE_ROW_WITHOUT_ID))
            diag_note(g->lines.diag, DIAG_DEVICE_ROW_WITHOUT_ID,
                      "%s: line %llu: no op id or no device id", g->lines.path,
                      (unsigned long long)g->lines.number);
        return;
    }
    device_row_settle(row);
    store_row(g, row, arch);
}

static void read_row(struct reading *g)
{
    struct device_lines *l = &g->lines;
    struct device_row row = device_row_none();
    str arch = {0};
    row.line = l->number;
    g->row_extra.n = 0;
    for (size_t i = 0; i < l->n_cells; i++)
        if (g->places.v[i].kind != PLACE_IGNORED)
            take_cell(g, &row, &arch, g->places.v[i], device_lines_cell(l, i));
    if (l->is_cut || l->n_cells < l->n_columns)
        mark_cut(g, &row);
    finish_row(g, &row, arch);
}

// --- the file ------------------------------------------------------------------------

// Drops columns without cells. A repeated row has the cells of its last line.
static void take_extra(struct reading *g)
{
    struct device_rows *r = g->r;
    for (size_t c = 0; c < g->cells.n; c++) {
        struct device_extra extra = {.name = g->extra.keys.v[c]};
        for (size_t i = 0; i < g->cells.v[c].n; i++) {
            const struct extra_cell *cell = &g->cells.v[c].v[i];
            if (r->v.v[cell->row].line != cell->line)
                continue;
            if (!extra.cell)
                extra.cell = push_many(&r->a, str, r->v.n);
            extra.cell[cell->row] = cell->text;
        }
        if (extra.cell)
            vec_push(&r->extra, extra);
    }
}

// Derives what all rows agree on: one chip, or several of a kind.
static void set_common_facts(struct device_rows *r, const struct map *archs)
{
    r->is_cpp = true;
    if (archs->keys.n)
        r->arch = archs->keys.v[0];
    else
        r->arch_of.n = 0;
    for (size_t i = 0; i < archs->keys.n; i++)
        r->is_quasar |= device_rows_arch_is_quasar(archs->keys.v[i]);
    for (size_t i = 0; i < r->v.n; i++)
        if (r->v.v[i].v[DEVICE_CORES_AVAILABLE] > r->workers)
            r->workers = r->v.v[i].v[DEVICE_CORES_AVAILABLE];
    device_rows_shape_quasar(r);
}

bool device_rows_read_text(struct device_rows *r, str text, const char *path,
                           struct diag *d, struct err *e)
{
    *r = (struct device_rows){0};
    struct reading g = {.r = r};
    device_lines_open(&g.lines, text, path, d);
    for (enum device_line kind; (kind = device_lines_next(&g.lines));)
        (kind == DEVICE_LINE_HEADER ? read_header : read_row)(&g);
    bool ok = device_lines_close(&g.lines, e);
    take_extra(&g);
    set_common_facts(r, &g.archs);
    for (size_t c = 0; c < g.cells.n; c++)
        vec_free(&g.cells.v[c]);
    vec_free(&g.cells);
    vec_free(&g.places);
    vec_free(&g.row_extra);
    map_free(&g.keys);
    map_free(&g.extra);
    map_free(&g.archs);
    map_free(&g.devices);
    arena_free(&g.key_arena);
    if (!ok)
        device_rows_free(r);
    return ok;
}

bool device_rows_read(struct device_rows *r, const char *path, struct diag *d,
                      struct err *e)
{
    *r = (struct device_rows){0};
    struct file f;
    if (!file_open(path, &f, e))
        return false;
    bool ok = device_rows_read_text(r, f.text, path, d, e);
    if (f.damage && diag_count(d, DIAG_DEVICE_REPORT_CUT))
        diag_note(d, DIAG_DEVICE_REPORT_CUT, "%s: %s", path, f.damage);
    file_close(&f);
    return ok;
}
