// counter_merge.c - joins two reports; cells are copied unchanged.
#include "present/reports/counter_merge.h"

#include "base/data/map.h"

#include "formats/ops_table/ops_sheet.h"
#include "table/table.h"

static const char *const key_names[] = {"GLOBAL CALL COUNT", "METAL TRACE ID",
                                        "METAL TRACE REPLAY SESSION ID"};
enum { KEYS = sizeof key_names / sizeof *key_names };

static bool table_read(struct ops_sheet *t, const char *path, struct diag *d, struct err *e)
{
    if (!ops_sheet_load(t, path, NULL, d, e))
        return false;
    if (ops_sheet_find(t, key_names[0]) < 0)
        return ops_file_fail_missing(&t->file, key_names[0], "name an ops_perf_results.csv",
                                     e);
    return true;
}

// --- matching rows -----------------------------------------------------------------------

struct merging {
    struct arena arena;
    struct ops_sheet first, second;
    int first_key[KEYS], second_key[KEYS]; // columns; -1: not in both
    VEC(size_t) added;                     // columns of the second
    struct map keys;
    uint32_t *next, *head; // row + 1 of the second, by row and by key; 0: none
    uint32_t *other;       // row + 1 of the second, by row of the first; 0: none
    struct buf key;
};

static uint32_t key_of(struct merging *m, const struct ops_sheet *t, const int *columns,
                       size_t row, bool is_new)
{
    m->key.n = 0;
    for (int k = 0; k < KEYS; k++) {
        buf_str(&m->key, csv_unquote(ops_sheet_raw(t, columns[k], row), &m->arena));
        buf_char(&m->key, '\0');
    }
    return is_new ? map_put_copy(&m->keys, m->key.p, m->key.n, &m->arena)
                  : map_get(&m->keys, buf_view(&m->key));
}

static void find_columns(struct merging *m)
{
    for (int k = 0; k < KEYS; k++) {
        int a = ops_sheet_find(&m->first, key_names[k]);
        int b = ops_sheet_find(&m->second, key_names[k]);
        m->first_key[k] = b < 0 ? -1 : a;
        m->second_key[k] = a < 0 ? -1 : b;
    }
    for (size_t c = 0; c < m->second.file.header.n; c++)
        if (csv_find(&m->first.file.header, m->second.file.header.names[c]) < 0)
            vec_push(&m->added, c);
}

// Backwards, so that each list starts with the first row.
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

static void match_rows(struct merging *m, struct counter_merged *out)
{
    m->other = push_many(&m->arena, uint32_t, m->first.n_rows + 1);
    for (size_t row = 0; row < m->first.n_rows; row++) {
        uint32_t key = key_of(m, &m->first, m->first_key, row, false);
        uint32_t other = key == MAP_NONE ? 0 : m->head[key];
        if (!other)
            continue;
        m->head[key] = m->next[other - 1];
        m->other[row] = other;
        out->n_matched++;
    }
}

// --- the file ----------------------------------------------------------------------------

GETTER(get_first)
{
    const struct merging *m = r->data;
    return cell_raw(ops_sheet_raw(&m->first, (int)c->arg, r->i));
}
GETTER(get_second)
{
    const struct merging *m = r->data;
    uint32_t other = m->other[r->i];
    return other ? cell_raw(ops_sheet_raw(&m->second, (int)c->arg, other - 1))
                 : cell_none();
}

static struct table make_table(struct merging *m)
{
    size_t n_first = m->first.file.header.n;
    struct column *columns = push_many(&m->arena, struct column, n_first + m->added.n);
    for (size_t i = 0; i < n_first; i++)
        columns[i] =
            (struct column){.name = arena_str(&m->arena, m->first.file.header.names[i]).p,
                            .get = get_first,
                            .arg = (uint32_t)i};
    for (size_t i = 0; i < m->added.n; i++)
        columns[n_first + i] = (struct column){
            .name = arena_str(&m->arena, m->second.file.header.names[m->added.v[i]]).p,
            .get = get_second,
            .arg = (uint32_t)m->added.v[i]};
    // All rows share one data pointer: getters use the row's index.
    return (struct table){.columns = columns,
                          .n_columns = n_first + m->added.n,
                          .rows = m,
                          .n_rows = m->first.n_rows};
}

bool counter_merge_csv(const char *first, const char *second, const char *out,
                       struct counter_merged *merged, struct diag *d, struct err *e)
{
    struct merging m = {0};
    bool ok = table_read(&m.first, first, d, e) && table_read(&m.second, second, d, e);
    *merged = (struct counter_merged){0};
    if (ok) {
        find_columns(&m);
        key_rows(&m);
        match_rows(&m, merged);
        merged->n_columns = m.added.n;
        merged->n_rows = m.first.n_rows;
        struct table t = make_table(&m);
        ok = table_csv_write(&t, out, e);
        merged->n_left_over = m.second.n_rows - merged->n_matched;
    }
    ops_sheet_free(&m.first);
    ops_sheet_free(&m.second);
    vec_free(&m.added);
    map_free(&m.keys);
    buf_free(&m.key);
    arena_free(&m.arena);
    return ok;
}
