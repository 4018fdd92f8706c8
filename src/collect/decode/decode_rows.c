// decode_rows.c - the rows of a track: in time order, each once, sites and runs numbered.
#include <stdlib.h>

#include "base/data/sort.h"

#include "collect/decode/decode_parts.h"

enum {
    INSERT_MOST =
        1024,       // an insertion moves at most this many rows; beyond that all are sorted
    LOOK_BACK = 64, // equal times searched for a duplicate row
};

size_t rows_insert(struct decode_lane *l, uint64_t time)
{
    struct rows *r = &l->rows;
    size_t n = r->n, to = n;
    if (r->is_unsorted)
        return n;
    while (to > 0 && r->time[to - 1] > time && n - to < INSERT_MOST)
        to--;
    if (to > 0 && r->time[to - 1] > time) {
        r->is_unsorted = true;
        return n;
    }
    r->has_equal |= to > 0 && r->time[to - 1] == time;
    memmove(r->time + to + 1, r->time + to, (n - to) * sizeof *r->time);
    memmove(r->site + to + 1, r->site + to, (n - to) * sizeof *r->site);
    memmove(r->run + to + 1, r->run + to, (n - to) * sizeof *r->run);
    for (size_t i = l->raw.n; i-- > 0 && l->raw.v[i].row >= to;)
        l->raw.v[i].row++;
    return to;
}

void rows_put_datum(struct decode_lane *l, size_t row, struct raw_datum d)
{
    // A log does not show a 0, but to a dispatch kernel it may mean something.
    if (!d.data && !d.is_wide && !l->d->has_dispatch)
        return;
    d.row = (uint32_t)row;
    vec_push(&l->raw, d);
    size_t at = l->raw.n - 1;
    for (; at > 0 && l->raw.v[at - 1].row > d.row; at--)
        l->raw.v[at] = l->raw.v[at - 1];
    l->raw.v[at] = d;
}

static void sort_rows(struct decode_lane *l)
{
    struct rows *r = &l->rows;
    size_t n = r->n;
    // a = old index of the row, b = its datum + 1, or 0
    struct keyed *rows = mem_alloc(mem_bytes(sizeof *rows, 2 * n));
    uint32_t *column = mem_alloc(mem_bytes(sizeof *column, n));
    struct raw_datum *raw = mem_alloc(mem_bytes(sizeof *raw, l->raw.n + 1));
    for (size_t i = 0, d = 0; i < n; i++) {
        rows[i] = (struct keyed){r->time[i], (uint32_t)i, 0};
        if (d < l->raw.n && l->raw.v[d].row == i)
            rows[i].b = (uint32_t)++d;
    }
    sort_keyed(rows, rows + n, n);
    uint32_t *columns[] = {r->site, r->run};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        for (size_t i = 0; i < n; i++)
            column[i] = columns[c][rows[i].a];
        memcpy(columns[c], column, n * sizeof *column);
    }
    size_t d = 0;
    for (size_t i = 0; i < n; i++) {
        r->time[i] = rows[i].key;
        if (rows[i].b) {
            raw[d] = l->raw.v[rows[i].b - 1];
            raw[d++].row = (uint32_t)i;
        }
    }
    if (d)
        memcpy(l->raw.v, raw, d * sizeof *raw);
    mem_free(rows);
    mem_free(column);
    mem_free(raw);
}

// The second value does not distinguish rows: a log need not show it, and no RISC records
// twice in a cycle.
static bool is_same_datum(const struct raw_datum *a, const struct raw_datum *b)
{
    if (!a || !b)
        return a == b;
    return a->data == b->data;
}

// Removes the marked rows.
static void drop_rows(struct decode_lane *l, const bool *drop)
{
    struct rows *r = &l->rows;
    size_t to = 0, from_datum = 0, to_datum = 0;
    for (size_t i = 0; i < r->n; i++) {
        bool has = from_datum < l->raw.n && l->raw.v[from_datum].row == i;
        if (has && !drop[i]) {
            l->raw.v[to_datum] = l->raw.v[from_datum];
            l->raw.v[to_datum++].row = (uint32_t)to;
        }
        from_datum += has;
        if (drop[i])
            continue;
        r->time[to] = r->time[i];
        r->site[to] = r->site[i];
        r->run[to++] = r->run[i];
    }
    r->n = to;
    l->raw.n = to_datum;
}

static const struct raw_datum *datum_of(const struct decode_lane *l, size_t row)
{
    size_t low = 0, high = l->raw.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->raw.v[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->raw.n && l->raw.v[low].row == row ? &l->raw.v[low] : NULL;
}

static bool stands_twice(const struct decode_lane *l, size_t row)
{
    const struct rows *r = &l->rows;
    for (size_t back = 1; back <= LOOK_BACK && back <= row; back++) {
        size_t was = row - back;
        if (r->time[was] != r->time[row])
            return false;
        if (r->site[was] == r->site[row] && r->run[was] == r->run[row] &&
            is_same_datum(datum_of(l, was), datum_of(l, row)))
            return true;
    }
    return false;
}

void rows_settle(struct decode_lane *l)
{
    struct rows *r = &l->rows;
    if (r->is_unsorted)
        sort_rows(l);
    if (!r->is_unsorted && !r->has_equal)
        return;
    bool *drop = NULL;
    for (size_t i = 1; i < r->n; i++)
        if (r->time[i] == r->time[i - 1] && stands_twice(l, i)) {
            drop = drop ? drop : mem_alloc(r->n);
            drop[i] = true;
            l->track->health.duplicates++;
        }
    if (drop)
        drop_rows(l, drop);
    mem_free(drop);
}

// --- cores that are read again ---------------------------------------------------------

static uint64_t mix_hash(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static uint64_t row_hash(const struct decode_lane *l, size_t row)
{
    const struct rows *r = &l->rows;
    const struct run_key *k = &l->runs.v[r->run[row]].key;
    const struct raw_datum *d = datum_of(l, row);
    uint64_t h = mix_hash(r->time[row], (uint64_t)site_type(l, r->site[row]) << 32 |
                                            site_id(l, r->site[row]));
    h = mix_hash(mix_hash(h, (uint64_t)k->id), (uint64_t)k->trace_counter);
    return d ? mix_hash(mix_hash(h, d->data), d->high) : h;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void rows_forget_seen(struct decode_lane *l, bool is_kept)
{
    struct track_state *s = l->track->state;
    size_t n = l->rows.n, n_seen = s->seen.n;
    if (!is_kept && !n_seen)
        return;
    bool *drop = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t h = row_hash(l, i);
        drop[i] = n_seen && bsearch(&h, s->seen.v, n_seen, sizeof h, by_value);
        if (is_kept && !drop[i])
            vec_push(&s->seen, h);
        else if (drop[i])
            l->track->health.duplicates++;
    }
    drop_rows(l, drop);
    if (is_kept && s->seen.n)
        qsort(s->seen.v, s->seen.n, sizeof *s->seen.v, by_value);
    mem_free(drop);
}

// --- numbers ---------------------------------------------------------------------------

static uint32_t number_site(struct decode_lane *l, uint32_t site, size_t row)
{
    uint32_t *number =
        site < SITE_EXTRA ? &l->site_number[site] : &l->extra_number.v[site - SITE_EXTRA];
    if (!*number) {
        vec_push(&l->sites, (struct site_seen){site, row});
        *number = (uint32_t)l->sites.n;
    }
    return *number - 1;
}

static uint32_t number_run(struct decode_lane *l, uint32_t run)
{
    if (!l->run_number.v[run]) {
        vec_push(&l->run_order, run);
        l->run_number.v[run] = (uint32_t)l->run_order.n;
    }
    return l->run_number.v[run] - 1;
}

void rows_number(struct decode_lane *l)
{
    struct rows *r = &l->rows;
    uint32_t run = UINT32_MAX, run_number = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint32_t site = r->site[i];
        uint32_t known = site < SITE_EXTRA ? l->site_number[site] : 0;
        r->site[i] = known ? known - 1 : number_site(l, site, l->n_rows + i);
        if (r->run[i] != run) {
            run = r->run[i];
            run_number = number_run(l, run);
        }
        r->run[i] = run_number;
    }
    l->n_rows += r->n;
}
