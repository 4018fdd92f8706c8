// host_folder.c - reads the tables in a folder of the op profiler of 2023.
#include "analyse/host/host_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/csv.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/host/host_folder_parts.h"
#include "analyse/host/host_ops_parts.h"

// --- tables ------------------------------------------------------------------------------
// The first three are all that runtime calls have; early versions lack the last ones.
static const char *const column_names[CALL_COLUMNS] = {
    [CALL_NAME] = "Name",
    [CALL_START] = "Start timer count [ns]",
    [CALL_LENGTH] = "Delta timer count [ns]",
    [CALL_ID] = "Global Call Count",
    [CALL_NUMBER] = "Call Count",
    [CALL_DEPTH] = "Stack Size",
    [CALL_INPUTS] = "Inputs",
    [CALL_OUTPUTS] = "Outputs",
    [CALL_FIDELITY] = "Math Fidelity",
    [CALL_COMPUTE] = "Compute Kernel Paths",
    [CALL_COMPUTE_HASHES] = "Compute Kernel Hashes",
    [CALL_MOVEMENT] = "Data Movement Kernel Paths",
    [CALL_MOVEMENT_HASHES] = "Data Movement Kernel Hashes",
    [CALL_STRATEGY] = "Parallelization Strategy",
    [CALL_META] = "Meta Data",
    [CALL_TYPE] = "Type",
    [CALL_IDEAL] = "PM Ideal ns",
    [CALL_COMPUTE_NS] = "PM Compute ns",
    [CALL_BANDWIDTH] = "PM Bandwidth ns",
    [CALL_INPUT_RATES] = "PM Req I BW",
    [CALL_OUTPUT_RATES] = "PM Req O BW",
};

struct reading {
    struct host_ops *h;
    struct arena *a;
    const char *path, *op;
    str text;
    bool is_inner;  // runtime calls inside a call
    uint64_t outer; // id of that call
    VEC(struct call_row) rows;
};

static void count_bad(struct reading *g, const char *why)
{
    if (diag_count(&g->h->diag, DIAG_OP_MESSAGE))
        diag_note(&g->h->diag, DIAG_OP_MESSAGE, "%s: %s", g->path, why);
}

static bool take_number(const struct call_row *r, enum call_column c, uint64_t *to)
{
    int64_t v;
    bool is_one = num_int(r->cells[c], &v) && v >= 0;
    *to = is_one ? (uint64_t)v : 0;
    return is_one;
}

static void take_inner(struct reading *g, const struct call_row *r)
{
    char parent[32];
    str text = {parent, (size_t)snprintf(parent, sizeof parent, "id:%llu",
                                         (unsigned long long)g->outer)};
    host_ops_call(g->h, 0, r->cells[CALL_NAME], text, r->length);
}

static void take_row(struct reading *g, struct call_row *r)
{
    bool is_fine = r->cells[CALL_NAME].n && take_number(r, CALL_START, &r->start) &&
                   take_number(r, CALL_LENGTH, &r->length);
    if (!g->is_inner)
        is_fine = is_fine && take_number(r, CALL_ID, &r->id) &&
                  take_number(r, CALL_NUMBER, &r->number) &&
                  take_number(r, CALL_DEPTH, &r->depth);
    if (!is_fine)
        count_bad(g, "a call without name, number or times");
    else if (g->is_inner)
        take_inner(g, r);
    else
        vec_push(&g->rows, *r);
}

static void take_rows(void *context, const struct csv_rows *rows)
{
    struct reading *g = context;
    for (size_t i = 0; i < rows->n; i++) {
        struct call_row r = {.op = g->op};
        for (int c = 0; c < CALL_COLUMNS; c++) {
            str raw = str_trim(csv_raw(g->text, rows->col[c][i]));
            r.cells[c] = host_ops_valid(g->h, arena_str(g->a, csv_unquote(raw, g->a)));
        }
        take_row(g, &r);
    }
}

// Names of columns have a blank in front.
static int find_column(const struct csv_header *head, const char *name)
{
    for (size_t i = 0; i < head->n; i++)
        if (str_is(str_trim(head->names[i]), name))
            return (int)i;
    return -1;
}

static void read_rows(struct reading *g, const struct file *f)
{
    struct csv_header head;
    struct csv_bad bad = {0};
    struct err e = {0};
    int from[CALL_COLUMNS];
    g->text = f->text;
    if (!csv_header(f->text, g->a, &head, &e)) {
        count_bad(g, e.text);
        return;
    }
    for (int c = 0; c < CALL_COLUMNS; c++)
        from[c] = find_column(&head, column_names[c]);
    if (from[CALL_NAME] < 0 || from[CALL_START] < 0 || from[CALL_LENGTH] < 0) {
        count_bad(g, "not a table of calls");
        return;
    }
    (void)csv_scan(f->text, &head,
                   &(struct csv_plan){.from = from,
                                      .n_slots = CALL_COLUMNS,
                                      .take = take_rows,
                                      .context = g,
                                      .bad = &bad},
                   CSV_FAST, &e);
    for (uint64_t i = 0; i < bad.n; i++)
        count_bad(g, bad.first.text);
}

// A missing table of runtime calls (NULL) is not an error: the call made none.
static void read_table(struct reading *g, const char *path)
{
    struct file f;
    struct err e = {0};
    if (!path)
        return;
    g->path = path;
    if (!file_open(path, &f, &e)) {
        count_bad(g, e.text);
        return;
    }
    read_rows(g, &f);
    file_close(&f);
}

// --- the folder --------------------------------------------------------------------------
static const char table_name[] = "profile_log_host.csv";

const char *host_folder_file(const char *path, const char *folder, const char *name,
                             struct arena *a)
{
    const char *file = arena_printf(a, "%s/%s/%s", path, folder, name).p;
    return path_is_file(file) ? file : NULL;
}

static bool has_table(const char *folder, const char *op)
{
    struct arena scratch = {0};
    bool is_there = host_folder_file(folder, op, table_name, &scratch);
    arena_free(&scratch);
    return is_there;
}

// The original collects calls outside of ops under this name and does not report them.
static bool is_op_folder(const char *folder, const char *name)
{
    return name[0] != '.' && strcmp(name, "unknown_op") != 0 && has_table(folder, name);
}

bool host_folder_is_at(const char *path)
{
    DIR *d = opendir(path);
    bool is_one = false;
    for (struct dirent *entry; d && !is_one && (entry = readdir(d));)
        is_one = is_op_folder(path, entry->d_name);
    if (d)
        (void)closedir(d);
    return is_one;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_id(const void *a, const void *b)
{
    const struct call_row *x = a, *y = b;
    SORT_BY(x, y, id);
    SORT_BY(x, y, start);
    return strcmp(x->op, y->op);
}

static void add_calls(struct host_folder *f, struct reading *g, const char *path)
{
    if (g->rows.n)
        qsort(g->rows.v, g->rows.n, sizeof *g->rows.v, by_id);
    for (size_t i = 0; i < g->rows.n; i++) {
        const struct call_row *r = &g->rows.v[i];
        struct host_folder_call call = {.id = r->id, .device = call_device(r)};
        call.folder =
            arena_printf(&f->a, "%s/%llu", r->op, (unsigned long long)r->number).p;
        vec_push(&f->calls, call);
        call_tell(r, call.device, g->h);
        g->is_inner = true;
        g->outer = r->id;
        read_table(g, host_folder_file(path, call.folder, table_name, &f->a));
    }
}

bool host_folder_read(struct host_folder *f, struct host_ops *h, const char *path,
                      struct err *e)
{
    struct reading g = {.h = h, .a = &f->a};
    VEC(const char *) ops = {0};
    DIR *d = opendir(path);
    if (!d)
        return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(d));)
        if (is_op_folder(path, entry->d_name))
            vec_push(&ops, arena_str(&f->a, str_of(entry->d_name)).p);
    (void)closedir(d);
    if (ops.n)
        qsort(ops.v, ops.n, sizeof *ops.v, by_name);
    for (size_t i = 0; i < ops.n; i++) {
        g.op = ops.v[i];
        read_table(&g, host_folder_file(path, g.op, table_name, &f->a));
    }
    add_calls(f, &g, path);
    vec_free(&ops);
    vec_free(&g.rows);
    return true;
}

void host_folder_free(struct host_folder *f)
{
    vec_free(&f->calls);
    arena_free(&f->a);
    *f = (struct host_folder){0};
}
