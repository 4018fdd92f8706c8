// ops_table.c - reads files into one table of cells.
#include "formats/ops_table/ops_table.h"

#include <math.h>

#include "base/text/num.h"

#include "formats/diags.h"

static const struct {
    const char *name;
    const char *other; // its name in versions without padded sizes
    enum { TEXT, NUMBER, SIZE } kind;
    bool is_required;
} columns[OPS_COLUMNS] = {
    // clang-format off
    [OPS_OP_CODE]       = {"OP CODE", NULL, TEXT, true},
    [OPS_OP_TYPE]       = {"OP TYPE", NULL, TEXT, true},
    [OPS_CALL_COUNT]    = {"GLOBAL CALL COUNT", NULL, NUMBER, true},
    [OPS_DEVICE_ID]     = {"DEVICE ID", NULL, NUMBER, true},
    [OPS_DEVICE_ARCH]   = {"DEVICE ARCH", NULL, TEXT, false},
    [OPS_ATTRIBUTES]    = {"ATTRIBUTES", NULL, TEXT, true},
    [OPS_FIDELITY]      = {"MATH FIDELITY", NULL, TEXT, false},
    [OPS_CORE_COUNT]    = {"CORE COUNT", NULL, NUMBER, true},
    [OPS_WORKER_CORES]  = {"AVAILABLE WORKER CORE COUNT", NULL, NUMBER, false},
    [OPS_HOST_START]    = {"HOST START TS", NULL, NUMBER, false},
    [OPS_GAP]           = {"OP TO OP LATENCY [ns]", NULL, NUMBER, true},
    [OPS_DURATION]      = {"DEVICE KERNEL DURATION [ns]", NULL, NUMBER, true},
    [OPS_IN0_W]         = {"INPUT_0_W_PAD[LOGICAL]", "INPUT_0_W", SIZE, false},
    [OPS_IN0_Z]         = {"INPUT_0_Z_PAD[LOGICAL]", "INPUT_0_Z", SIZE, false},
    [OPS_IN0_Y]         = {"INPUT_0_Y_PAD[LOGICAL]", "INPUT_0_Y", SIZE, false},
    [OPS_IN0_X]         = {"INPUT_0_X_PAD[LOGICAL]", "INPUT_0_X", SIZE, false},
    [OPS_IN1_W]         = {"INPUT_1_W_PAD[LOGICAL]", "INPUT_1_W", SIZE, false},
    [OPS_IN1_Z]         = {"INPUT_1_Z_PAD[LOGICAL]", "INPUT_1_Z", SIZE, false},
    [OPS_IN1_Y]         = {"INPUT_1_Y_PAD[LOGICAL]", "INPUT_1_Y", SIZE, false},
    [OPS_IN1_X]         = {"INPUT_1_X_PAD[LOGICAL]", "INPUT_1_X", SIZE, false},
    [OPS_OUT0_W]        = {"OUTPUT_0_W_PAD[LOGICAL]", "OUTPUT_0_W", SIZE, false},
    [OPS_OUT0_Z]        = {"OUTPUT_0_Z_PAD[LOGICAL]", "OUTPUT_0_Z", SIZE, false},
    [OPS_OUT0_Y]        = {"OUTPUT_0_Y_PAD[LOGICAL]", "OUTPUT_0_Y", SIZE, false},
    [OPS_OUT0_X]        = {"OUTPUT_0_X_PAD[LOGICAL]", "OUTPUT_0_X", SIZE, false},
    [OPS_IN0_DATATYPE]  = {"INPUT_0_DATATYPE", NULL, TEXT, false},
    [OPS_IN1_DATATYPE]  = {"INPUT_1_DATATYPE", NULL, TEXT, false},
    [OPS_OUT0_DATATYPE] = {"OUTPUT_0_DATATYPE", NULL, TEXT, false},
    [OPS_IN0_MEMORY]    = {"INPUT_0_MEMORY", NULL, TEXT, true},
    [OPS_IN1_MEMORY]    = {"INPUT_1_MEMORY", NULL, TEXT, false},
    [OPS_OUT0_MEMORY]   = {"OUTPUT_0_MEMORY", NULL, TEXT, false},
    // clang-format on
};

enum { DEVICE_MOST = 1 << 20 }; // a larger number is not a device id
// Three hundred years in nanoseconds, 2^63; a larger number is not a measurement.
#define NUMBER_MOST 9223372036854775808.0

const char *ops_column_name(enum ops_column c)
{
    return columns[c].name;
}

static const struct ops_file *file_of_row(const struct ops_table *t, size_t row)
{
    size_t f = t->n_files - 1;
    while (f && row < t->hosts[f].first_row)
        f--;
    return &t->files[f];
}

str ops_row_text(const struct ops_table *t, size_t row)
{
    str rest = str_from(file_of_row(t, row)->file.text, t->at[row]);
    return str_cut(&rest, '\n');
}

str ops_place(struct ops_table *t, enum ops_column c, size_t row)
{
    const struct ops_file *f = file_of_row(t, row);
    bool is_old = t->version == OPS_V1 && columns[c].other;
    return arena_printf(&t->arena, "%s: line %zu: column '%s'", f->path,
                        ops_file_line(f, t->at[row]),
                        is_old ? columns[c].other : columns[c].name);
}

// --- loading ---

struct loading {
    struct ops_table *t;
    bool is_present[OPS_COLUMNS];
    enum ops_column of_slot[OPS_COLUMNS];
    size_t n_slots;
    str text;             // of the file being scanned
    struct arena scratch; // for cells with quotes to remove
    VEC(uint32_t) alias;  // by string id: itself, or OPS_NO_TEXT if it means "missing"
    struct diag *d;
    struct err *e;
};

static bool open_files(struct loading *l, const char *const *paths, size_t n)
{
    struct ops_table *t = l->t;
    t->files = push_many(&t->arena, struct ops_file, n);
    t->hosts = push_many(&t->arena, struct ops_host, n);
    for (t->n_files = 0; t->n_files < n;) {
        size_t i = t->n_files++;
        if (!ops_file_open(&t->files[i], paths[i], &t->arena, l->d, l->e))
            return false;
    }
    return true;
}

static enum ops_version version_of(const struct loading *l)
{
    enum ops_version v = OPS_V1;
    for (size_t f = 0; f < l->t->n_files; f++) {
        for (size_t i = 0; i < l->t->files[f].header.n; i++) {
            str name = l->t->files[f].header.names[i];
            if (str_is(name, columns[OPS_DEVICE_ARCH].name) ||
                str_is(name, columns[OPS_WORKER_CORES].name))
                return OPS_V2_1;
            if (str_has(name, S("_PAD[LOGICAL]")))
                v = OPS_V2;
        }
    }
    return v;
}

// The column of this file, by its name in the file's version, else by the other one.
static int find_column(const struct loading *l, size_t f, enum ops_column c)
{
    const char *first = columns[c].name, *second = columns[c].other;
    if (l->t->version == OPS_V1 && second) {
        first = columns[c].other;
        second = columns[c].name;
    }
    int at = ops_file_find(&l->t->files[f], first);
    return at < 0 && second ? ops_file_find(&l->t->files[f], second) : at;
}

static bool fail_missing(struct loading *l, enum ops_column c)
{
    const char *remedy =
        "a report needs the table of ops that tt-metal writes (ops_perf_results_*.csv)";
    if (l->t->n_files > 1)
        return err_set(l->e, ERR_FORMAT, "no file has the column '%s'; %s", columns[c].name,
                       remedy);
    return ops_file_fail_missing(&l->t->files[0], columns[c].name, remedy, l->e);
}

static bool find_table_columns(struct loading *l)
{
    for (int c = 0; c < OPS_COLUMNS; c++) {
        for (size_t f = 0; f < l->t->n_files; f++)
            l->is_present[c] |= find_column(l, f, (enum ops_column)c) >= 0;
        if (!l->is_present[c] && columns[c].is_required)
            return fail_missing(l, (enum ops_column)c);
    }
    return true;
}

static void reserve_rows(struct loading *l, size_t rows)
{
    struct ops_table *t = l->t;
    if (rows <= t->cap)
        return;
    size_t cap = t->cap + t->cap / 4;
    t->cap = cap > rows ? cap : rows;
    t->at = mem_resize(t->at, mem_bytes(sizeof *t->at, t->cap));
    for (int c = 0; c < OPS_COLUMNS; c++) {
        struct ops_values *v = &t->column[c];
        if (!l->is_present[c])
            continue;
        if (columns[c].kind == TEXT)
            v->text = mem_resize(v->text, mem_bytes(sizeof *v->text, t->cap));
        else if (columns[c].kind == SIZE)
            v->size = mem_resize(v->size, mem_bytes(sizeof *v->size, t->cap));
        else
            v->number = mem_resize(v->number, mem_bytes(sizeof *v->number, t->cap));
        if (c == OPS_HOST_START)
            v->exact = mem_resize(v->exact, mem_bytes(sizeof *v->exact, t->cap));
    }
}

static uint32_t intern_cell(struct loading *l, str raw)
{
    struct map *strings = &l->t->strings;
    str s = csv_unquote(raw, &l->scratch);
    uint32_t id = map_put(strings, s);
    if (id == l->alias.n) {
        if (s.p < raw.p || s.p >= raw.p + raw.n) // decoded into scratch, which is temporary
            strings->keys.v[id] = arena_str(&l->t->arena, s);
        vec_push(&l->alias, ops_is_missing(s) ? OPS_NO_TEXT : id);
    }
    return l->alias.v[id];
}

static void odd_cell(struct loading *l, int kind, enum ops_column c, size_t row, str s)
{
    if (diag_count(l->d, kind)) {
        str shown = str_clip(s, 40);
        diag_note(l->d, kind, "%.*s: '%.*s'", STR(ops_place(l->t, c, row)), STR(shown));
    }
}

// Reads a number and updates the type of its column: integers with a gap or a fraction
// among them are floats, as in pandas.
static double read_number_cell(struct loading *l, enum ops_column c, size_t row, str s)
{
    struct ops_values *v = &l->t->column[c];
    int64_t exact = 0;
    double number = NAN;
    if (num_int(s, &exact)) {
        number = (double)exact;
    } else if (ops_is_missing(s) || num_real(s, &number)) {
        v->type = v->type == OPS_INTEGER ? OPS_FLOAT : v->type;
    } else {
        v->type = OPS_TEXT;
        odd_cell(l, DIAG_NOT_A_NUMBER, c, row, s);
    }
    if (fabs(number) >= NUMBER_MOST) {
        odd_cell(l, DIAG_ABSURD_NUMBER, c, row, s);
        number = NAN;
        v->type = v->type == OPS_INTEGER ? OPS_FLOAT : v->type;
    }
    if (v->exact)
        v->exact[row] = exact;
    return number;
}

static int32_t read_odd_size(struct loading *l, enum ops_column c, size_t row, str s)
{
    int64_t i;
    double v;
    str rest = s;
    if (!num_int(str_cut(&rest, '['), &i)) {
        if (ops_is_missing(s))
            return OPS_NO_SIZE;
        if (!num_real(s, &v)) {
            odd_cell(l, DIAG_NOT_A_NUMBER, c, row, s);
            return OPS_NO_SIZE;
        }
        i = fabs(v) < INT32_MAX ? (int64_t)v : INT64_MAX;
    }
    if (i < 0 || i > INT32_MAX) {
        odd_cell(l, DIAG_ABSURD_NUMBER, c, row, s);
        return OPS_NO_SIZE;
    }
    return (int32_t)i;
}

// `P` or `P[L]` with a few digits, as almost all are.
static int32_t read_size(struct loading *l, enum ops_column c, size_t row, str s)
{
    enum { DIGITS = 9 }; // always fit
    int32_t v = 0;
    size_t i = 0;
    while (i < s.n && i < DIGITS && s.p[i] >= '0' && s.p[i] <= '9')
        v = v * 10 + (s.p[i++] - '0');
    if (i && (i == s.n || s.p[i] == '['))
        return v;
    return read_odd_size(l, c, row, s);
}

static void take_texts(struct loading *l, const csv_cell *cells, size_t n, uint32_t *to)
{
    str last = {NULL, 0};
    uint32_t id = OPS_NO_TEXT;
    for (size_t i = 0; i < n; i++) {
        str raw = csv_raw(l->text, cells[i]);
        if (!str_eq(raw, last)) // rows often repeat the previous one
            id = intern_cell(l, raw);
        last = raw;
        to[i] = id;
    }
}

// Decodes a batch of rows while their text is still in the cache.
static void take_rows(void *context, const struct csv_rows *rows)
{
    struct loading *l = context;
    struct ops_table *t = l->t;
    size_t first = t->n_rows;
    if (first + rows->n > t->cap) {
        // A full batch tells how many rows are left, close enough to grow only once.
        uint64_t span = rows->at[rows->n - 1] - rows->at[0] + 1;
        uint64_t left = l->text.n - rows->at[0];
        bool is_full = rows->n == CSV_BATCH_ROWS;
        reserve_rows(l, first + rows->n + (is_full ? (size_t)(left / span * rows->n) : 0));
    }
    memcpy(t->at + first, rows->at, rows->n * sizeof *t->at);
    for (size_t slot = 0; slot < l->n_slots; slot++) {
        enum ops_column c = l->of_slot[slot];
        struct ops_values *v = &t->column[c];
        const csv_cell *cells = rows->col[slot];
        if (columns[c].kind == TEXT)
            take_texts(l, cells, rows->n, v->text + first);
        for (size_t i = 0; columns[c].kind != TEXT && i < rows->n; i++) {
            str cell = csv_unquote(csv_raw(l->text, cells[i]), &l->scratch);
            if (columns[c].kind == NUMBER)
                v->number[first + i] = read_number_cell(l, c, first + i, cell);
            else
                v->size[first + i] = read_size(l, c, first + i, cell);
        }
        arena_rewind(&l->scratch, (struct arena_mark){0});
    }
    t->n_rows += rows->n;
}

// Scans one file and appends its rows.
static void scan_file(struct loading *l, size_t f)
{
    int from[OPS_COLUMNS];
    l->n_slots = 0;
    for (int c = 0; c < OPS_COLUMNS; c++) {
        if (!l->is_present[c])
            continue;
        l->of_slot[l->n_slots] = (enum ops_column)c;
        from[l->n_slots++] = find_column(l, f, (enum ops_column)c);
    }
    l->text = l->t->files[f].file.text;
    l->t->hosts[f].first_row = l->t->n_rows;
    ops_file_scan(&l->t->files[f], from, l->n_slots, take_rows, l, l->d);
}

// The device id of each row, or OPS_NO_DEVICE if it is not a number.
static void read_devices(struct ops_table *t, struct diag *d)
{
    t->device = mem_alloc(mem_bytes(sizeof *t->device, t->n_rows));
    for (size_t f = 0; f < t->n_files; f++) {
        size_t end = f + 1 < t->n_files ? t->hosts[f + 1].first_row : t->n_rows;
        t->hosts[f].max_device = -1;
        for (size_t row = t->hosts[f].first_row; row < end; row++) {
            double v;
            t->device[row] = OPS_NO_DEVICE;
            if (!ops_number(t, OPS_DEVICE_ID, row, &v))
                continue;
            if (v < 0 || v >= DEVICE_MOST) {
                if (diag_count(d, DIAG_ABSURD_NUMBER))
                    diag_note(d, DIAG_ABSURD_NUMBER, "%.*s: '%.0f'",
                              STR(ops_place(t, OPS_DEVICE_ID, row)), v);
                continue;
            }
            t->device[row] = (int32_t)v;
            if (t->device[row] > t->hosts[f].max_device)
                t->hosts[f].max_device = t->device[row];
        }
    }
}

// Several files are several hosts of one run: device ids continue from file to file.
static enum ops_load number_devices(struct ops_table *t, struct err *e)
{
    int64_t each = t->hosts[0].max_device + 1;
    for (size_t f = 1; f < t->n_files; f++) {
        if (t->hosts[f].max_device + 1 != each) {
            (void)err_set(
                e, ERR_FORMAT, "CSV '%s' reports max device ID %lld, expected %lld",
                t->files[f].path, (long long)t->hosts[f].max_device, (long long)each - 1);
            return OPS_DEVICES_DIFFER;
        }
        size_t end = f + 1 < t->n_files ? t->hosts[f + 1].first_row : t->n_rows;
        for (size_t row = t->hosts[f].first_row; row < end; row++)
            if (t->device[row] != OPS_NO_DEVICE)
                t->device[row] += (int32_t)(each * (int64_t)f);
    }
    return OPS_LOADED;
}

static void scan_files(struct loading *l)
{
    for (int c = 0; c < OPS_COLUMNS; c++)
        if (l->is_present[c])
            l->t->column[c].type = columns[c].kind == TEXT ? OPS_TEXT : OPS_INTEGER;
    (void)intern_cell(l, S("")); // id 0
    for (size_t f = 0; f < l->t->n_files; f++)
        scan_file(l, f);
    arena_free(&l->scratch);
    vec_free(&l->alias);
}

enum ops_load ops_table_load(const char *const *paths, size_t n_paths, struct ops_table *t,
                             struct diag *d, struct err *e)
{
    *t = (struct ops_table){0};
    struct loading l = {.t = t, .d = d, .e = e};
    if (!open_files(&l, paths, n_paths))
        return OPS_FAILED;
    for (size_t f = 0; f < n_paths; f++) {
        if (ops_file_find(&t->files[f], "DEVICE ID") < 0) {
            (void)err_set(e, ERR_FORMAT, "CSV '%s' is missing the 'DEVICE ID' column.",
                          t->files[f].path);
            return OPS_NO_DEVICE_COLUMN;
        }
    }
    t->version = version_of(&l);
    if (!find_table_columns(&l))
        return OPS_FAILED;
    scan_files(&l);
    read_devices(t, d);
    return number_devices(t, e);
}

void ops_table_free(struct ops_table *t)
{
    for (int c = 0; c < OPS_COLUMNS; c++) {
        mem_free(t->column[c].number);
        mem_free(t->column[c].exact);
        mem_free(t->column[c].size);
        mem_free(t->column[c].text);
    }
    mem_free(t->at);
    mem_free(t->device);
    map_free(&t->strings);
    for (size_t f = 0; f < t->n_files; f++)
        ops_file_close(&t->files[f]);
    arena_free(&t->arena);
    *t = (struct ops_table){0};
}
