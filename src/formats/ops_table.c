// ops_table.c - from files to one table of cells.
#include "formats/ops_table.h"

#include <math.h>

#include "base/num.h"

static const struct {
    const char *name;
    const char *other; // how the versions without padded sizes call it
    bool is_required;
} columns[OPS_COLUMNS] = {
    // clang-format off
    [OPS_OP_CODE]       = {"OP CODE", NULL, true},
    [OPS_OP_TYPE]       = {"OP TYPE", NULL, true},
    [OPS_CALL_COUNT]    = {"GLOBAL CALL COUNT", NULL, true},
    [OPS_DEVICE_ID]     = {"DEVICE ID", NULL, true},
    [OPS_DEVICE_ARCH]   = {"DEVICE ARCH", NULL, false},
    [OPS_ATTRIBUTES]    = {"ATTRIBUTES", NULL, true},
    [OPS_FIDELITY]      = {"MATH FIDELITY", NULL, false},
    [OPS_CORE_COUNT]    = {"CORE COUNT", NULL, true},
    [OPS_WORKER_CORES]  = {"AVAILABLE WORKER CORE COUNT", NULL, false},
    [OPS_HOST_START]    = {"HOST START TS", NULL, false},
    [OPS_GAP]           = {"OP TO OP LATENCY [ns]", NULL, true},
    [OPS_DURATION]      = {"DEVICE KERNEL DURATION [ns]", NULL, true},
    [OPS_IN0_W]         = {"INPUT_0_W_PAD[LOGICAL]", "INPUT_0_W", false},
    [OPS_IN0_Z]         = {"INPUT_0_Z_PAD[LOGICAL]", "INPUT_0_Z", false},
    [OPS_IN0_Y]         = {"INPUT_0_Y_PAD[LOGICAL]", "INPUT_0_Y", false},
    [OPS_IN0_X]         = {"INPUT_0_X_PAD[LOGICAL]", "INPUT_0_X", false},
    [OPS_IN1_W]         = {"INPUT_1_W_PAD[LOGICAL]", "INPUT_1_W", false},
    [OPS_IN1_Z]         = {"INPUT_1_Z_PAD[LOGICAL]", "INPUT_1_Z", false},
    [OPS_IN1_Y]         = {"INPUT_1_Y_PAD[LOGICAL]", "INPUT_1_Y", false},
    [OPS_IN1_X]         = {"INPUT_1_X_PAD[LOGICAL]", "INPUT_1_X", false},
    [OPS_OUT0_W]        = {"OUTPUT_0_W_PAD[LOGICAL]", "OUTPUT_0_W", false},
    [OPS_OUT0_Z]        = {"OUTPUT_0_Z_PAD[LOGICAL]", "OUTPUT_0_Z", false},
    [OPS_OUT0_Y]        = {"OUTPUT_0_Y_PAD[LOGICAL]", "OUTPUT_0_Y", false},
    [OPS_OUT0_X]        = {"OUTPUT_0_X_PAD[LOGICAL]", "OUTPUT_0_X", false},
    [OPS_IN0_DATATYPE]  = {"INPUT_0_DATATYPE", NULL, false},
    [OPS_IN1_DATATYPE]  = {"INPUT_1_DATATYPE", NULL, false},
    [OPS_OUT0_DATATYPE] = {"OUTPUT_0_DATATYPE", NULL, false},
    [OPS_IN0_MEMORY]    = {"INPUT_0_MEMORY", NULL, true},
    [OPS_IN1_MEMORY]    = {"INPUT_1_MEMORY", NULL, false},
    [OPS_OUT0_MEMORY]   = {"OUTPUT_0_MEMORY", NULL, false},
    // clang-format on
};

// Columns whose type shows in an output; the others are only read.
static const enum ops_column typed[] = {OPS_CALL_COUNT, OPS_CORE_COUNT, OPS_WORKER_CORES,
                                        OPS_HOST_START};

enum { DEVICE_MOST = 1 << 20 }; // a larger device id is no id

const char *ops_column_name(enum ops_column c) { return columns[c].name; }

bool ops_is_missing(str s)
{
    static const char *const words[] = {
        "#N/A",    "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND",
        "1.#QNAN", "<NA>",     "N/A",  "NA",      "NULL",     "NaN",  "None", "n/a",
        "nan",     "null",
    };
    if (s.n == 0)
        return true;
    if (s.n > 8 || !strchr("#-1<Nn", s.p[0]))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

static const struct ops_file *file_of_row(const struct ops_table *t, size_t row)
{
    size_t f = t->n_files - 1;
    while (f && row < t->files[f].first_row)
        f--;
    return &t->files[f];
}

static str raw_of(const struct ops_table *t, enum ops_column c, size_t row)
{
    csv_cell cell = t->cell[c] ? t->cell[c][row] : (csv_cell){0};
    uint64_t n = cell.v & CSV_CELL_MOST;
    if (n == 0)
        return (str){NULL, 0};
    const struct ops_file *f = t->n_files == 1 ? t->files : file_of_row(t, row);
    return (str){f->file.text.p + (cell.v >> 24), (size_t)n};
}

bool ops_text_in(const struct ops_table *t, enum ops_column c, size_t row, struct arena *a,
                 str *out)
{
    *out = csv_unquote(raw_of(t, c, row), a);
    return !ops_is_missing(*out);
}

bool ops_text(struct ops_table *t, enum ops_column c, size_t row, str *out)
{
    return ops_text_in(t, c, row, &t->arena, out);
}

str ops_place(struct ops_table *t, enum ops_column c, size_t row)
{
    const struct ops_file *f = file_of_row(t, row);
    csv_cell cell = t->cell[c] ? t->cell[c][row] : (csv_cell){0};
    if (!cell.v) // a short row has no such cell; its op code tells the line
        cell = t->cell[OPS_OP_CODE][row];
    return arena_printf(&t->arena, "%s: line %zu: column '%s'", f->path,
                        csv_line_of(f->file.text, cell.v >> 24), columns[c].name);
}

bool ops_real(struct ops_table *t, enum ops_column c, size_t row, struct diag *d, double *out)
{
    str s;
    if (!ops_text(t, c, row, &s))
        return false;
    enum diag_kind kind = DIAG_NOT_A_NUMBER;
    if (num_real(s, out)) {
        if (fabs(*out) < 1e18) // thirty years in nanoseconds
            return true;
        kind = DIAG_ABSURD_NUMBER;
    }
    if (diag_count(d, kind)) {
        str shown = {s.p, s.n < 40 ? s.n : 40};
        diag_note(d, kind, "%.*s: '%.*s'", STR(ops_place(t, c, row)), STR(shown));
    }
    return false;
}

bool ops_dimension(struct ops_table *t, enum ops_column c, size_t row, int64_t *out)
{
    str s;
    if (!ops_text(t, c, row, &s))
        return false;
    str rest = s;
    if (num_int(str_cut(&rest, '['), out))
        return true;
    double v;
    if (!num_real(s, &v) || !(fabs(v) < 9e15))
        return false;
    *out = (int64_t)v;
    return true;
}

static enum ops_type column_type(struct ops_table *t, enum ops_column c)
{
    if (!t->cell[c])
        return OPS_ABSENT;
    enum ops_type type = t->n_rows ? OPS_INTEGER : OPS_TEXT;
    for (size_t row = 0; row < t->n_rows; row++) {
        str s;
        int64_t i;
        double v;
        if (ops_text(t, c, row, &s) && type == OPS_INTEGER && num_int(s, &i))
            continue;
        if (!ops_is_missing(s) && !num_real(s, &v))
            return OPS_TEXT;
        type = OPS_FLOAT;
    }
    return type;
}

// --- loading ---------------------------------------------------------------------------

struct loading {
    struct ops_table *t;
    struct csv_header *headers;
    bool is_present[OPS_COLUMNS];
    struct err *e;
};

static bool open_files(struct loading *l, const char *const *paths, size_t n)
{
    struct ops_table *t = l->t;
    t->files = push_many(&t->arena, struct ops_file, n);
    l->headers = push_many(&t->arena, struct csv_header, n);
    for (size_t i = 0; i < n; i++) {
        t->files[i].path = strcmp(paths[i], "-") == 0 ? "standard input" : paths[i];
        if (!file_open(paths[i], &t->files[i].file, l->e))
            return false;
        t->n_files = i + 1;
        if (!csv_header(t->files[i].file.text, &t->arena, &l->headers[i], l->e))
            return err_in(l->e, "%s", t->files[i].path);
    }
    return true;
}

static enum ops_version version_of(const struct loading *l)
{
    enum ops_version v = OPS_V1;
    for (size_t f = 0; f < l->t->n_files; f++) {
        for (size_t i = 0; i < l->headers[f].n; i++) {
            str name = l->headers[f].names[i];
            if (str_is(name, columns[OPS_DEVICE_ARCH].name) ||
                str_is(name, columns[OPS_WORKER_CORES].name))
                return OPS_V2_1;
            if (str_has(name, S("_PAD[LOGICAL]")))
                v = OPS_V2;
        }
    }
    return v;
}

// The column of this file, by the name of its version and, failing that, by the other one.
static int find_column(const struct loading *l, size_t f, enum ops_column c)
{
    const char *first = columns[c].name, *second = columns[c].other;
    if (l->t->version == OPS_V1 && second) {
        first = columns[c].other;
        second = columns[c].name;
    }
    int at = csv_find(&l->headers[f], str_of(first));
    return at < 0 && second ? csv_find(&l->headers[f], str_of(second)) : at;
}

static bool find_columns(struct loading *l)
{
    for (int c = 0; c < OPS_COLUMNS; c++) {
        for (size_t f = 0; f < l->t->n_files; f++)
            l->is_present[c] |= find_column(l, f, (enum ops_column)c) >= 0;
        if (!l->is_present[c] && columns[c].is_required)
            return err_set(l->e, ERR_FORMAT,
                           "%s: line 1: column '%s' is missing; a report needs the table of "
                           "ops that tt-metal writes (ops_perf_results_*.csv)",
                           l->t->files[0].path, columns[c].name);
    }
    return true;
}

// Scans one file and puts its rows behind those of the files before.
static bool scan_file(struct loading *l, size_t f)
{
    struct ops_table *t = l->t;
    int from[OPS_COLUMNS];
    enum ops_column of_slot[OPS_COLUMNS];
    size_t n_slots = 0;
    for (int c = 0; c < OPS_COLUMNS; c++) {
        if (!l->is_present[c])
            continue;
        of_slot[n_slots] = (enum ops_column)c;
        from[n_slots++] = find_column(l, f, (enum ops_column)c);
    }
    struct ops_file *file = &t->files[f];
    struct csv_columns rows;
    struct progress bar = progress_start(file->path, file->file.text.n);
    bool ok = csv_scan(file->file.text, &l->headers[f], from, n_slots, CSV_FAST, &bar, &rows,
                       l->e);
    progress_end(&bar);
    if (!ok)
        return err_in(l->e, "%s", file->path);
    file->first_row = t->n_rows;
    for (size_t s = 0; s < n_slots; s++) {
        csv_cell **to = &t->cell[of_slot[s]];
        if (f == 0) {
            *to = rows.col[s]; // the usual single file is not copied
            rows.col[s] = NULL;
        } else {
            *to = mem_resize(*to, mem_bytes(sizeof **to, t->n_rows + rows.n_rows));
            if (rows.n_rows)
                memcpy(*to + t->n_rows, rows.col[s], sizeof **to * rows.n_rows);
        }
        if (!*to) // present, though there is no row
            *to = mem_alloc(sizeof **to);
    }
    t->n_rows += rows.n_rows;
    csv_columns_free(&rows);
    return true;
}

// The device id of each row, or OPS_NO_DEVICE where there is no number.
static void read_devices(struct ops_table *t, struct diag *d)
{
    t->device = mem_alloc(mem_bytes(sizeof *t->device, t->n_rows));
    for (size_t f = 0; f < t->n_files; f++) {
        size_t end = f + 1 < t->n_files ? t->files[f + 1].first_row : t->n_rows;
        t->files[f].max_device = -1;
        for (size_t row = t->files[f].first_row; row < end; row++) {
            double v;
            t->device[row] = OPS_NO_DEVICE;
            if (!ops_real(t, OPS_DEVICE_ID, row, d, &v))
                continue;
            if (v < 0 || v >= DEVICE_MOST) {
                if (diag_count(d, DIAG_ABSURD_NUMBER))
                    diag_note(d, DIAG_ABSURD_NUMBER, "%.*s: %g",
                              STR(ops_place(t, OPS_DEVICE_ID, row)), v);
                continue;
            }
            t->device[row] = (int32_t)v;
            if (t->device[row] > t->files[f].max_device)
                t->files[f].max_device = t->device[row];
        }
    }
}

// Several files are several hosts of one run: device ids go on counting from file to file.
static enum ops_load number_devices(struct ops_table *t, struct err *e)
{
    int64_t each = t->files[0].max_device + 1;
    for (size_t f = 1; f < t->n_files; f++) {
        if (t->files[f].max_device + 1 != each) {
            (void)err_set(e, ERR_FORMAT, "CSV '%s' reports max device ID %lld, expected %lld",
                          t->files[f].path, (long long)t->files[f].max_device,
                          (long long)each - 1);
            return OPS_DEVICES_DIFFER;
        }
        size_t end = f + 1 < t->n_files ? t->files[f + 1].first_row : t->n_rows;
        for (size_t row = t->files[f].first_row; row < end; row++)
            if (t->device[row] != OPS_NO_DEVICE)
                t->device[row] += (int32_t)(each * (int64_t)f);
    }
    return OPS_LOADED;
}

enum ops_load ops_table_load(const char *const *paths, size_t n_paths, struct ops_table *t,
                             struct diag *d, struct err *e)
{
    *t = (struct ops_table){0};
    struct loading l = {.t = t, .e = e};
    if (!open_files(&l, paths, n_paths))
        return OPS_FAILED;
    for (size_t f = 0; f < n_paths; f++) {
        if (csv_find(&l.headers[f], S("DEVICE ID")) < 0) {
            (void)err_set(e, ERR_FORMAT, "CSV '%s' is missing the 'DEVICE ID' column.",
                          t->files[f].path);
            return OPS_NO_DEVICE_COLUMN;
        }
    }
    t->version = version_of(&l);
    if (!find_columns(&l))
        return OPS_FAILED;
    for (size_t f = 0; f < n_paths; f++)
        if (!scan_file(&l, f))
            return OPS_FAILED;
    read_devices(t, d);
    for (int c = 0; c < OPS_COLUMNS; c++)
        t->type[c] = t->cell[c] ? OPS_TEXT : OPS_ABSENT;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        t->type[typed[i]] = column_type(t, typed[i]);
    return number_devices(t, e);
}

void ops_table_free(struct ops_table *t)
{
    for (int c = 0; c < OPS_COLUMNS; c++)
        mem_free(t->cell[c]);
    mem_free(t->device);
    for (size_t f = 0; f < t->n_files; f++)
        file_close(&t->files[f].file);
    arena_free(&t->arena);
    *t = (struct ops_table){0};
}
