// counter_merge.c - the join of two reports, cell by cell as they stand in the files.
#include "present/counter_merge.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/map.h"

static const char *const key_names[] = {"GLOBAL CALL COUNT", "METAL TRACE ID",
                                        "METAL TRACE REPLAY SESSION ID"};
enum { KEYS = sizeof key_names / sizeof *key_names };

struct table {
    struct file file;
    struct csv_header header;
    VEC(csv_cell) cells; // row by row
    size_t n_rows;
    int *all; // 0, 1, 2, ...: every column is wanted
};

static void take_rows(void *context, const struct csv_rows *rows)
{
    struct table *t = context;
    for (size_t r = 0; r < rows->n; r++)
        for (size_t c = 0; c < t->header.n; c++)
            vec_push(&t->cells, rows->col[c][r]);
    t->n_rows += rows->n;
}

static bool table_read(struct table *t, const char *path, struct arena *a, struct err *e)
{
    if (!file_open(path, &t->file, e))
        return false;
    if (t->file.damage)
        return err_set(e, ERR_FORMAT, "%s: %s; make the report again", path,
                       t->file.damage);
    if (!csv_header(t->file.text, a, &t->header, e))
        return err_in(e, "%s", path);
    t->all = push_many(a, int, t->header.n + 1);
    for (size_t c = 0; c < t->header.n; c++)
        t->all[c] = (int)c;
    struct csv_plan plan = {
        .from = t->all, .n_slots = t->header.n, .take = take_rows, .context = t};
    if (!csv_scan(t->file.text, &t->header, &plan, CSV_FAST, e))
        return err_in(e, "%s", path);
    if (csv_find(&t->header, str_of(key_names[0])) < 0)
        return err_set(e, ERR_FORMAT, "%s: no column '%s'; name an ops_perf_results.csv",
                       path, key_names[0]);
    return true;
}

static void table_free(struct table *t)
{
    file_close(&t->file);
    vec_free(&t->cells);
}

static str cell_raw(const struct table *t, size_t row, size_t column)
{
    return csv_raw(t->file.text, t->cells.v[row * t->header.n + column]);
}

// --- rows that belong together -----------------------------------------------------------

struct merging {
    struct arena arena;
    struct table first, second;
    int first_key[KEYS], second_key[KEYS]; // columns; -1: not in both
    VEC(size_t) added;                     // columns of the second
    struct map keys;
    uint32_t *next, *head; // row + 1 of the second, by row and by key; 0: none
    struct buf key;
};

static uint32_t key_of(struct merging *m, const struct table *t, const int *columns,
                       size_t row, bool is_new)
{
    m->key.n = 0;
    for (int k = 0; k < KEYS; k++) {
        if (columns[k] >= 0)
            buf_str(&m->key, csv_unquote(cell_raw(t, row, (size_t)columns[k]), &m->arena));
        buf_char(&m->key, '\0');
    }
    return is_new ? map_put_copy(&m->keys, m->key.p, m->key.n, &m->arena)
                  : map_get(&m->keys, buf_view(&m->key));
}

static void find_columns(struct merging *m)
{
    for (int k = 0; k < KEYS; k++) {
        int a = csv_find(&m->first.header, str_of(key_names[k]));
        int b = csv_find(&m->second.header, str_of(key_names[k]));
        m->first_key[k] = b < 0 ? -1 : a;
        m->second_key[k] = a < 0 ? -1 : b;
    }
    for (size_t c = 0; c < m->second.header.n; c++)
        if (csv_find(&m->first.header, m->second.header.names[c]) < 0)
            vec_push(&m->added, c);
}

// Backwards, so that each list starts with the row that stands first.
static void key_rows(struct merging *m)
{
    size_t n = m->second.n_rows;
    m->next = push_many(&m->arena, uint32_t, n + 1);
    m->head = push_many(&m->arena, uint32_t, n + 1);
    for (size_t row = n; row-- > 0;) {
        uint32_t key = key_of(m, &m->second, m->second_key, row, true);
        m->next[row] = m->head[key];
        m->head[key] = (uint32_t)row + 1;
    }
}

// --- the file ----------------------------------------------------------------------------

static void put_header(const struct merging *m, struct buf *b)
{
    for (size_t c = 0; c < m->first.header.n; c++) {
        if (c)
            buf_char(b, ',');
        csv_put(b, m->first.header.names[c]);
    }
    for (size_t i = 0; i < m->added.n; i++) {
        buf_char(b, ',');
        csv_put(b, m->second.header.names[m->added.v[i]]);
    }
    buf_z(b, "\r\n");
}

static void put_row(struct merging *m, size_t row, struct buf *b,
                    struct counter_merged *out)
{
    uint32_t key = key_of(m, &m->first, m->first_key, row, false);
    uint32_t other = key == MAP_NONE ? 0 : m->head[key];
    if (other) {
        m->head[key] = m->next[other - 1];
        out->n_matched++;
    }
    for (size_t c = 0; c < m->first.header.n; c++) {
        if (c)
            buf_char(b, ',');
        buf_str(b, cell_raw(&m->first, row, c));
    }
    for (size_t i = 0; i < m->added.n; i++) {
        buf_char(b, ',');
        if (other)
            buf_str(b, cell_raw(&m->second, other - 1, m->added.v[i]));
    }
    buf_z(b, "\r\n");
}

static bool write_merged(struct merging *m, const char *path, struct counter_merged *out,
                         struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    put_header(m, &o.b);
    for (size_t row = 0; row < m->first.n_rows; row++) {
        put_row(m, row, &o.b, out);
        out_flush_some(&o);
    }
    return out_close(&o, e);
}

bool counter_merge_csv(const char *first, const char *second, const char *out,
                       struct counter_merged *merged, struct err *e)
{
    struct merging m = {0};
    bool ok = table_read(&m.first, first, &m.arena, e) &&
              table_read(&m.second, second, &m.arena, e);
    *merged = (struct counter_merged){0};
    if (ok) {
        find_columns(&m);
        key_rows(&m);
        merged->n_columns = m.added.n;
        merged->n_rows = m.first.n_rows;
        ok = write_merged(&m, out, merged, e);
        merged->n_left_over = m.second.n_rows - merged->n_matched;
    }
    table_free(&m.first);
    table_free(&m.second);
    vec_free(&m.added);
    map_free(&m.keys);
    buf_free(&m.key);
    arena_free(&m.arena);
    return ok;
}
