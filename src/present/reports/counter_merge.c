// counter_merge.c - joins a report and the table of another one.
#include "present/reports/counter_merge.h"

#include "base/data/map.h"

#include "formats/ops_table/ops_sheet.h"
#include "table/table.h"

static const char *const key_names[] = {"GLOBAL CALL COUNT", "METAL TRACE ID",
                                        "METAL TRACE REPLAY SESSION ID"};
enum { KEYS = sizeof key_names / sizeof *key_names };

// --- matching rows -----------------------------------------------------------------------

struct merging {
    struct table table; // the merged one
    struct arena arena;
    struct ops_sheet second;
    const struct column *first_key[KEYS]; // NULL: not in both
    int second_key[KEYS];                 // -1: not in both
    VEC(size_t) added;                    // columns of the second
    struct map keys;
    uint32_t *next, *head; // row + 1 of the second, by row and by key; 0: none
    uint32_t *other;       // row + 1 of the second, by row of the first; 0: none
    struct buf key;
};

static void add_key(struct merging *m, str text)
{
    buf_str(&m->key, text);
    buf_char(&m->key, '\0');
}

static void find_columns(struct merging *m, const struct table *first)
{
    for (int k = 0; k < KEYS; k++) {
        const struct column *a = table_find(first, str_of(key_names[k]));
        int b = ops_sheet_find(&m->second, key_names[k]);
        m->first_key[k] = b < 0 ? NULL : a;
        m->second_key[k] = a ? b : -1;
    }
    for (size_t c = 0; c < m->second.file.header.n; c++)
        if (!table_find(first, m->second.file.header.names[c]))
            vec_push(&m->added, c);
}

// Backwards, so that each list starts with the first row.
static void key_rows(struct merging *m)
{
    size_t n = m->second.n_rows;
    m->next = push_many(&m->arena, uint32_t, n + 1);
    m->head = push_many(&m->arena, uint32_t, n + 1);
    for (size_t row = n; row-- > 0;) {
        m->key.n = 0;
        for (int k = 0; k < KEYS; k++)
            add_key(m, ops_sheet_text(&m->second, m->second_key[k], row));
        uint32_t key = map_put_copy(&m->keys, m->key.p, m->key.n, &m->arena);
        m->next[row] = m->head[key];
        m->head[key] = (uint32_t)row + 1;
    }
}

static void match_rows(struct merging *m, const struct table *first,
                       struct counter_merged *out)
{
    struct arena scratch = {0};
    m->other = push_many(&m->arena, uint32_t, first->n_rows + 1);
    for (size_t i = 0; i < first->n_rows; i++) {
        struct row r = row_open(first, i, &scratch);
        m->key.n = 0;
        for (int k = 0; k < KEYS; k++) {
            struct cell c = m->first_key[k] ? row_cell(&r, m->first_key[k]) : cell_none();
            add_key(m, c.kind == CELL_INT ? arena_printf(&scratch, "%lld", (long long)c.i)
                       : c.kind == CELL_TEXT ? c.s
                                             : S(""));
        }
        uint32_t key = map_get(&m->keys, buf_view(&m->key));
        uint32_t other = key == MAP_NONE ? 0 : m->head[key];
        arena_rewind(&scratch, (struct arena_mark){0});
        if (!other)
            continue;
        m->head[key] = m->next[other - 1];
        m->other[i] = other;
        out->n_matched++;
    }
    arena_free(&scratch);
}

// --- the file ----------------------------------------------------------------------------

GETTER(get_added)
{
    // The getters of the first table need its context.
    const struct merging *m = (const void *)r->table;
    uint32_t other = m->other[r->i];
    return other ? cell_raw(ops_sheet_raw(&m->second, (int)c->arg, other - 1))
                 : cell_none();
}
_Static_assert(offsetof(struct merging, table) == 0, "get_added finds it by its table");

static void make_table(struct merging *m, const struct table *first)
{
    size_t n = first->n_columns;
    struct column *columns = push_many(&m->arena, struct column, n + m->added.n);
    memcpy(columns, first->columns, n * sizeof *columns);
    for (size_t i = 0; i < m->added.n; i++)
        columns[n + i] = (struct column){
            .name = arena_str(&m->arena, m->second.file.header.names[m->added.v[i]]).p,
            .get = get_added,
            .arg = (uint32_t)m->added.v[i]};
    m->table = *first;
    m->table.columns = columns;
    m->table.n_columns = n + m->added.n;
}

bool counter_merge_write(const struct table *first, const char *second, const char *path,
                         struct counter_merged *merged, struct diag *d, struct err *e)
{
    struct merging m = {0};
    *merged = (struct counter_merged){0};
    bool ok = ops_sheet_load(&m.second, second, NULL, d, e);
    if (ok && ops_sheet_find(&m.second, key_names[0]) < 0)
        ok = ops_file_fail_missing(&m.second.file, key_names[0],
                                   "name an ops_perf_results.csv", e);
    if (ok) {
        find_columns(&m, first);
        key_rows(&m);
        match_rows(&m, first, merged);
        make_table(&m, first);
        merged->n_columns = m.added.n;
        ok = table_csv_write(&m.table, path, e);
    }
    ops_sheet_free(&m.second);
    vec_free(&m.added);
    map_free(&m.keys);
    buf_free(&m.key);
    arena_free(&m.arena);
    return ok;
}
