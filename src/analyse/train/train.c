// train.c - extracts the rows of the steps from a table of ops.
#include "analyse/train/train.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/diags.h"

static const struct {
    const char *name, *column;
} metrics[TRAIN_METRICS] = {
    [TRAIN_DEVICE] = {"Device Time", "DEVICE FW DURATION [ns]"},
    [TRAIN_HOST] = {"Host Time", "HOST DURATION [ns]"},
    [TRAIN_BETWEEN] = {"Time Between Ops", "OP TO OP LATENCY [ns]"},
    [TRAIN_KERNEL] = {"Kernel Time", "DEVICE KERNEL DURATION [ns]"},
};
#define START_CYCLE "DEVICE FW START CYCLE"
#define END_CYCLE   "DEVICE FW END CYCLE"
enum { STEPS_UNKNOWN = 3 }; // if no marker tells the number of steps

const char *train_metric_name(enum train_metric m)
{
    return metrics[m].name;
}
const char *train_metric_column(enum train_metric m)
{
    return metrics[m].column;
}

static bool is_needed_column(str name)
{
    static const char *const wanted[] = {"OP CODE",    "OP TYPE",    "DEVICE ID",
                                         "ATTRIBUTES", "CORE COUNT", START_CYCLE,
                                         END_CYCLE};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (str_is(name, wanted[i]))
            return true;
    for (int m = 0; m < TRAIN_METRICS; m++)
        if (str_is(name, metrics[m].column))
            return true;
    return str_starts(name, S("INPUT_"));
}

// The value after 'identifier' in the attributes, in either kind of quotes.
static bool identifier_of(str attributes, str *out)
{
    str rest;
    if (!str_after(attributes, S("identifier"), &rest))
        return false;
    rest = str_from(rest, rest.n && (rest.p[0] == '\'' || rest.p[0] == '"'));
    rest = str_trim(rest);
    if (!rest.n || rest.p[0] != ':')
        return false;
    rest = str_trim(str_from(rest, 1));
    if (!rest.n || (rest.p[0] != '\'' && rest.p[0] != '"'))
        return false;
    char quote = rest.p[0];
    rest = str_from(rest, 1);
    *out = str_cut(&rest, quote);
    return true;
}

bool train_iteration_of(str marker, int64_t *number)
{
    static const char head[] = "iteration_";
    if (!str_starts(marker, S(head)))
        return false;
    str digits = str_from(marker, sizeof head - 1);
    size_t n = 0;
    int64_t v = 0;
    while (n < digits.n && n < 18 && digits.p[n] >= '0' && digits.p[n] <= '9')
        v = v * 10 + (digits.p[n++] - '0');
    *number = v;
    return n > 0;
}

// --- preparation ---

struct columns {
    int code, type, device, attributes, start, end, metric[TRAIN_METRICS];
};

static struct columns find_columns(struct train *t)
{
    struct columns c = {.code = ops_sheet_find(&t->table, "OP CODE"),
                        .type = ops_sheet_find(&t->table, "OP TYPE"),
                        .device = ops_sheet_find(&t->table, "DEVICE ID"),
                        .attributes = ops_sheet_find(&t->table, "ATTRIBUTES"),
                        .start = ops_sheet_find(&t->table, START_CYCLE),
                        .end = ops_sheet_find(&t->table, END_CYCLE)};
    if (c.attributes < 0)
        note(&t->notes, NOTE_WARNING,
             "missing column 'ATTRIBUTES': markers of the training loop cannot be read");
    for (int m = 0; m < TRAIN_METRICS; m++) {
        c.metric[m] = ops_sheet_find(&t->table, metrics[m].column);
        if (c.metric[m] < 0)
            note(&t->notes, NOTE_WARNING, "missing column '%s': what needs it is empty",
                 metrics[m].column);
    }
    return c;
}

static uint32_t marker_of(struct train *t, const struct columns *c, str code, size_t row)
{
    str name;
    if (!str_ends(code, S("ProfilerNoopOperation")))
        return TRAIN_NO_MARKER;
    if (identifier_of(ops_sheet_text(&t->table, c->attributes, row), &name))
        return map_put(&t->names, name);
    if (diag_count(&t->diag, DIAG_MARKER_UNNAMED))
        diag_note(&t->diag, DIAG_MARKER_UNNAMED, "%.*s",
                  STR(ops_sheet_place(&t->table, row)));
    return map_put(&t->names, S(""));
}

static int32_t device_of(struct train *t, const struct columns *c, size_t row)
{
    double v = ops_sheet_number(&t->table, c->device, row);
    return isnan(v) || fabs(v) > INT32_MAX - 1 ? TRAIN_NO_DEVICE : (int32_t)v;
}

static void read_rows(struct train *t, const struct columns *c)
{
    for (size_t row = 0; row < t->table.n_rows; row++) {
        if (str_is(ops_sheet_text(&t->table, c->type, row), "signpost"))
            continue;
        str code = ops_sheet_text(&t->table, c->code, row);
        if (!code.n) {
            if (diag_count(&t->diag, DIAG_OP_WITHOUT_CODE))
                diag_note(&t->diag, DIAG_OP_WITHOUT_CODE, "%.*s",
                          STR(ops_sheet_place(&t->table, row)));
            code = S("(no op code)");
        }
        struct train_row r = {.row = (uint32_t)row,
                              .code = map_put(&t->names, code),
                              .marker = marker_of(t, c, code, row),
                              .device = device_of(t, c, row),
                              .start = ops_sheet_number(&t->table, c->start, row),
                              .end = ops_sheet_number(&t->table, c->end, row)};
        for (int m = 0; m < TRAIN_METRICS; m++)
            r.ns[m] = ops_sheet_number(&t->table, c->metric[m], row);
        t->has_markers |= r.marker != TRAIN_NO_MARKER;
        vec_push(&t->rows, r);
    }
}

static uint32_t device_put(struct train *t, struct map *devices, int32_t device)
{
    return map_put_copy(devices, &device, sizeof device, &t->arena);
}

// Drops rows up to the last `compilation_finished` of their own device if it has one, so
// that a table with one device after another loses none of them.
static void drop_compilation(struct train *t)
{
    uint32_t marker = map_get(&t->names, S("compilation_finished"));
    struct map devices = {0};
    VEC(size_t) ends = {0}; // by device
    size_t last = SIZE_MAX;
    for (size_t i = 0; marker != MAP_NONE && i < t->rows.n; i++) {
        if (t->rows.v[i].marker != marker)
            continue;
        uint32_t d = device_put(t, &devices, t->rows.v[i].device);
        if (d >= ends.n)
            vec_push(&ends, i);
        else
            ends.v[d] = i;
        last = i;
    }
    t->has_compilation = last != SIZE_MAX;
    size_t kept = 0;
    for (size_t i = 0; t->has_compilation && i < t->rows.n; i++) {
        int32_t device = t->rows.v[i].device;
        uint32_t d = map_get(&devices, (str){(const char *)&device, sizeof device});
        if (i > (d == MAP_NONE ? last : ends.v[d]))
            t->rows.v[kept++] = t->rows.v[i];
    }
    if (t->has_compilation)
        t->rows.n = kept;
    else
        note(
            &t->notes, NOTE_WARNING,
            "no marker 'compilation_finished': all rows are used, including compilation and warm-up");
    vec_free(&ends);
    map_free(&devices);
}

static void keep_device(struct train *t)
{
    if (t->options.device < 0)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < t->rows.n; i++)
        if (t->rows.v[i].device == t->options.device)
            t->rows.v[kept++] = t->rows.v[i];
    t->rows.n = kept;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void find_devices(struct train *t)
{
    struct map seen = {0};
    int32_t last = TRAIN_NO_DEVICE;
    for (size_t i = 0; i < t->rows.n; i++) {
        int32_t device = t->rows.v[i].device;
        if (device == TRAIN_NO_DEVICE || device == last)
            continue;
        last = device;
        if (device_put(t, &seen, device) == t->devices.n)
            vec_push(&t->devices, device);
    }
    if (t->devices.n)
        qsort(t->devices.v, t->devices.n, sizeof *t->devices.v, by_number);
    map_free(&seen);
}

// The rows of each device, in order, for its lane.
static void sort_by_device(struct train *t)
{
    vec_reserve(&t->by_device, 2 * t->rows.n);
    for (size_t i = 0; i < t->rows.n; i++)
        vec_push(&t->by_device, (struct keyed){.key = train_device_key(t->rows.v[i].device),
                                               .a = (uint32_t)i});
    if (t->rows.n)
        sort_keyed(t->by_device.v, t->by_device.v + t->rows.n, t->rows.n);
}

// Counts the distinct attributes of `iteration_` markers.
static void count_steps(struct train *t, const struct columns *c)
{
    struct map seen = {0};
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct train_row *r = &t->rows.v[i];
        if (r->marker != TRAIN_NO_MARKER &&
            str_starts(train_name(t, r->marker), S("iteration_")))
            (void)map_put(&seen, ops_sheet_text(&t->table, c->attributes, r->row));
    }
    t->n_steps = seen.keys.n;
    map_free(&seen);
    if (t->options.steps > 0) {
        t->n_steps = (size_t)t->options.steps;
    } else if (!t->n_steps) {
        t->n_steps = STEPS_UNKNOWN;
        note(&t->notes, NOTE_WARNING,
             "the number of steps is unknown, assuming %d; set it with --steps",
             STEPS_UNKNOWN);
    }
}

bool train_load(struct train *t, const char *path, const struct train_options *options,
                struct err *e)
{
    *t = (struct train){.options = *options};
    if (!ops_sheet_load(&t->table, path, is_needed_column, &t->diag, e))
        return false;
    struct columns c = find_columns(t);
    if (c.code < 0)
        return ops_file_fail_missing(
            &t->table.file, "OP CODE",
            "the analyses need a table of ops (ops_perf_results_*.csv)", e);
    read_rows(t, &c);
    drop_compilation(t);
    find_devices(t);
    if (options->device >= 0) {
        size_t d = 0;
        while (d < t->devices.n && t->devices.v[d] != options->device)
            d++;
        if (d == t->devices.n)
            return err_set(e, ERR_USAGE, "--device: %s has no rows of device %lld",
                           t->table.file.path, (long long)options->device);
        keep_device(t);
        t->devices.n = 1;
        t->devices.v[0] = (int32_t)options->device;
    }
    sort_by_device(t);
    count_steps(t, &c);
    if (t->devices.n > 1)
        note(&t->notes, NOTE_INFO,
             "times per op cover all %zu devices; select one with --device", t->devices.n);
    return true;
}

int32_t train_first_device(const struct train *t)
{
    return t->devices.n ? t->devices.v[0] : TRAIN_NO_DEVICE;
}

void train_free(struct train *t)
{
    vec_free(&t->rows);
    vec_free(&t->devices);
    vec_free(&t->by_device);
    map_free(&t->names);
    ops_sheet_free(&t->table);
    notes_free(&t->notes);
    arena_free(&t->arena);
}
