// ops_diff.c - sorts two tables of ops alike and walks them together.
#include "analyse/compare/ops_diff.h"

#include <stdlib.h>

#include "base/data/sort.h"
#include "base/text/num.h"

#include "formats/diags.h"

// Sort keys of the rows; the last is the position in the file. Keys after the first
// KEYS_SAME only order rows that are otherwise the same execution.
enum { KEYS_MOST = 5, KEYS_SAME = 3 };

struct ops_diff_row {
    int64_t key[KEYS_MOST];
    size_t row;
};

static const char *const text_keys[] = {"GLOBAL CALL COUNT", "HOST START TS"};
static const char *const number_keys[] = {"GLOBAL CALL COUNT", "METAL TRACE ID",
                                          "METAL TRACE REPLAY SESSION ID", "DEVICE ID",
                                          "DEVICE FW START CYCLE"};
#define FW_DURATION "DEVICE FW DURATION [ns]"

// --- columns ---

static bool is_same_name(str a, str b)
{
    return str_eq_nocase(str_trim(a), str_trim(b));
}

static int find_header(const struct ops_sheet *t, str name)
{
    for (size_t i = 0; i < t->file.header.n; i++)
        if (is_same_name(t->file.header.names[i], name))
            return (int)i;
    return -1;
}

// Columns added to reports later, which may be empty in an older one.
static bool may_be_empty(str name)
{
    static const char *const names[] = {
        "DEVICE KERNEL DURATION PER CORE MIN [ns]",
        "DEVICE KERNEL DURATION PER CORE MAX [ns]",
        "DEVICE KERNEL DURATION PER CORE AVG [ns]",
        "DEVICE ARCH",
        "AVAILABLE WORKER CORE COUNT",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_same_name(name, str_of(names[i])))
            return true;
    return false;
}

static void find_common(struct ops_diff *d)
{
    const struct csv_header *h = &d->side[0].table.file.header;
    for (size_t i = 0; i < h->n; i++) {
        int other = h->names[i].n ? find_header(&d->side[1].table, h->names[i]) : -1;
        if (other >= 0)
            vec_push(&d->common,
                     (struct ops_diff_column){.at = {(int)i, other},
                                              .may_be_empty = may_be_empty(h->names[i])});
    }
}

// --- cells ---

static str cell_text(struct ops_sheet *t, int column, size_t row)
{
    return csv_unquote(ops_sheet_raw(t, column, row), &t->arena);
}

str ops_diff_cell(struct ops_diff *d, int side, size_t column, size_t at)
{
    struct ops_diff_side *s = &d->side[side];
    return cell_text(&s->table, d->common.v[column].at[side], s->rows[at].row);
}

static bool is_nothing(str s)
{
    s = str_trim(s);
    return s.n == 0 || str_eq_nocase(s, S("nan")) || str_eq_nocase(s, S("none"));
}

static bool is_same_number(str a, str b)
{
    int64_t whole[2];
    double real[2];
    if (num_int(a, &whole[0]) && num_int(b, &whole[1]))
        return whole[0] == whole[1];
    return num_real(a, &real[0]) && num_real(b, &real[1]) && real[0] == real[1];
}

static bool is_no_number(str s)
{
    s = str_trim(s);
    return ops_is_missing(s) || str_is(s, "-");
}

static bool is_same_cell(const struct ops_diff *d, struct ops_diff_column *c, str a, str b)
{
    if (str_eq(a, b))
        return true;
    if (d->is_by_number)
        return (is_no_number(a) && is_no_number(b)) || is_same_number(a, b);
    bool is_empty[] = {is_nothing(a), is_nothing(b)};
    if (is_empty[0] && is_empty[1])
        return true;
    if (!c->may_be_empty || is_empty[0] == is_empty[1])
        return false;
    c->was_empty = true;
    return true;
}

// --- rows ---

static int by_key(const void *a, const void *b)
{
    const struct ops_diff_row *x = a, *y = b;
    for (int i = 0; i < KEYS_MOST; i++)
        SORT_BY(x, y, key[i]);
    SORT_BY(x, y, row);
    return 0;
}

// A device report also has what ran before the first op, as number 0; a report also has
// rows that no device measured. Neither has a counterpart.
static bool is_compared(struct ops_diff *d, struct ops_diff_side *s, int duration,
                        const struct ops_diff_row *r)
{
    if (!d->is_by_number)
        return true;
    if (s->is_device_report)
        return r->key[0] != 0;
    return !is_no_number(cell_text(&s->table, duration, r->row));
}

// A key that only one table has cannot tell rows apart.
static int find_key(const struct ops_diff *d, const struct ops_diff_side *s, str name)
{
    bool is_common = find_header(&d->side[0].table, name) >= 0 &&
                     find_header(&d->side[1].table, name) >= 0;
    return is_common ? find_header(&s->table, name) : -1;
}

// A key that is not an integer counts as `none`.
static int64_t read_key(struct ops_sheet *t, int column, size_t row, int64_t none)
{
    int64_t v = none;
    double real;
    str s = column < 0 ? S("") : cell_text(t, column, row);
    if (!num_int(s, &v) && none != 0 && num_real(s, &real) && real > -1e15 && real < 1e15)
        v = (int64_t)real;
    return v;
}

static void order_rows(struct ops_diff *d, struct ops_diff_side *s)
{
    const char *const *names = d->is_by_number ? number_keys : text_keys;
    size_t n_keys = d->is_by_number ? KEYS_MOST : sizeof text_keys / sizeof *text_keys;
    int64_t none = d->is_by_number ? INT64_MIN : 0;
    int column[KEYS_MOST], duration = find_header(&s->table, S(FW_DURATION));
    for (size_t i = 0; i < n_keys; i++)
        column[i] = find_key(d, s, str_of(names[i]));
    s->rows = mem_alloc(mem_bytes(sizeof *s->rows, s->table.n_rows + 1));
    for (size_t row = 0; row < s->table.n_rows; row++) {
        struct ops_diff_row r = {.row = row};
        for (size_t i = 0; i < n_keys; i++)
            r.key[i] = read_key(&s->table, column[i], row, none);
        if (is_compared(d, s, duration, &r))
            s->rows[s->n_rows++] = r;
    }
    qsort(s->rows, s->n_rows, sizeof *s->rows, by_key);
}

uint64_t ops_diff_unread(const struct ops_diff *d, int side)
{
    return d->side[side].diag.entry[DIAG_TABLE_ROW].count + d->side[side].table.n_unread;
}

int64_t ops_diff_op(const struct ops_diff *d, int side, size_t at)
{
    return d->side[side].rows[at].key[0];
}

// --- the walk ---

static void add_difference(struct ops_diff *d, const struct ops_diff_options *o,
                           struct ops_difference one)
{
    if (d->n_differences++ < o->most)
        vec_push(&d->list, one);
}

// Compares two matching rows.
static void compare_rows(struct ops_diff *d, const struct ops_diff_options *o, size_t a,
                         size_t b)
{
    uint64_t before = d->n_differences;
    for (size_t i = 0; i < d->common.n && !o->is_ids_only; i++) {
        struct ops_diff_column *c = &d->common.v[i];
        str text[] = {ops_diff_cell(d, 0, i, a), ops_diff_cell(d, 1, i, b)};
        if (is_same_cell(d, c, text[0], text[1]))
            continue;
        c->is_different = true;
        add_difference(d, o,
                       (struct ops_difference){.kind = OPS_DIFF_CELL,
                                               .row = a + 2,
                                               .column = i,
                                               .at = a,
                                               .text = {text[0], text[1]}});
    }
    d->n_different_rows += d->n_differences > before;
    d->n_shared_rows++;
}

static void put_alone(struct ops_diff *d, const struct ops_diff_options *o, int side,
                      size_t at)
{
    add_difference(d, o,
                   (struct ops_difference){
                       .kind = OPS_DIFF_ALONE, .side = side, .at = at, .row = at + 2});
    d->n_different_rows++;
}

static int by_execution(const struct ops_diff_row *x, const struct ops_diff_row *y)
{
    for (int i = 0; i < KEYS_SAME; i++)
        SORT_BY(x, y, key[i]);
    return 0;
}

// Two reports match row by row in sorted order; a device report matches by execution, so
// that a missing one does not make all following rows differ.
static void compare_tables(struct ops_diff *d, const struct ops_diff_options *o)
{
    const struct ops_diff_side *a = &d->side[0], *b = &d->side[1];
    size_t i = 0, j = 0;
    while (i < a->n_rows && j < b->n_rows) {
        int order = d->is_by_number ? by_execution(&a->rows[i], &b->rows[j]) : 0;
        if (order == 0)
            compare_rows(d, o, i++, j++);
        else if (order < 0)
            put_alone(d, o, 0, i++);
        else
            put_alone(d, o, 1, j++);
    }
    while (i < a->n_rows)
        put_alone(d, o, 0, i++);
    while (j < b->n_rows)
        put_alone(d, o, 1, j++);
}

static bool load_side(struct ops_diff_side *s, const char *path, struct err *e)
{
    if (!ops_sheet_open(&s->table, path, &s->diag, e))
        return false;
    if (find_header(&s->table, S("GLOBAL CALL COUNT")) < 0)
        return ops_file_fail_missing(
            &s->table.file, "GLOBAL CALL COUNT",
            "name a table of ops (ops_perf_results_*.csv or cpp_device_perf_report.csv)",
            e);
    s->is_device_report = find_header(&s->table, S("OP CODE")) < 0 &&
                          (find_header(&s->table, S("OP NAME")) >= 0 ||
                           find_header(&s->table, S("DEVICE KERNEL START CYCLE")) >= 0);
    if (s->is_device_report)
        return ops_sheet_scan_device(&s->table, e);
    ops_sheet_scan(&s->table, NULL);
    return true;
}

static bool check_common(const struct ops_diff *d, struct err *e)
{
    if (!d->is_by_number)
        return true;
    if (d->common.n < OPS_DIFF_COMMON_LEAST)
        return err_set(
            e, ERR_FAILED,
            "Only %zu common columns found; a report and a device report need at least %d",
            d->common.n, OPS_DIFF_COMMON_LEAST);
    for (int i = 0; i < 2; i++)
        if (find_header(&d->side[i].table, S(FW_DURATION)) < 0)
            return err_set(e, ERR_FAILED, "'" FW_DURATION "' column not found in %s",
                           d->side[i].table.file.path);
    return true;
}

bool ops_diff(struct ops_diff *d, const char *a, const char *b,
              const struct ops_diff_options *o, struct err *e)
{
    *d = (struct ops_diff){0};
    if (!load_side(&d->side[0], a, e) || !load_side(&d->side[1], b, e))
        return false;
    d->is_by_number = d->side[0].is_device_report != d->side[1].is_device_report;
    find_common(d);
    if (!check_common(d, e))
        return false;
    order_rows(d, &d->side[0]);
    order_rows(d, &d->side[1]);
    if (ops_diff_unread(d, 0) || ops_diff_unread(d, 1))
        add_difference(d, o, (struct ops_difference){.kind = OPS_DIFF_UNREAD});
    if (!d->is_by_number && d->side[0].n_rows != d->side[1].n_rows)
        add_difference(d, o, (struct ops_difference){.kind = OPS_DIFF_ROWS});
    compare_tables(d, o);
    return true;
}

void ops_diff_free(struct ops_diff *d)
{
    for (int i = 0; i < 2; i++) {
        mem_free(d->side[i].rows);
        ops_sheet_free(&d->side[i].table);
    }
    vec_free(&d->common);
    vec_free(&d->list);
    *d = (struct ops_diff){0};
}
