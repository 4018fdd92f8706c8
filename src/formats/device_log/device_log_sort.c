// device_log_sort.c - sorts tracks by time; most are already sorted and only checked.
#include "formats/device_log/device_log_sort.h"

#include "base/data/sort.h"
#include "base/data/threads.h"

#include "formats/diags.h"

enum {
    WORTH_LANES = 1 << 17, // markers
    LOOK_BACK = 32,        // equal times searched for a duplicate row
};

struct track_odd {
    uint64_t back, twice;
    uint32_t back_line, twice_line;
};

struct sort {
    struct trace *t;
    struct track_odd *odd; // by track
};

static void sort_track(struct trace *t, const struct trace_track *k)
{
    struct trace_markers *m = &t->markers;
    size_t n = k->n_markers, first = k->marker;
    // a = old index of the row, b = its datum + 1, or 0
    struct keyed *rows = mem_alloc(mem_bytes(sizeof *rows, 2 * n));
    uint32_t *column = mem_alloc(mem_bytes(sizeof *column, n));
    struct trace_datum *data = mem_alloc(mem_bytes(sizeof *data, k->n_data + 1));
    for (size_t i = 0, d = 0; i < n; i++) {
        rows[i] = (struct keyed){m->time[first + i], (uint32_t)i, 0};
        if (d < k->n_data && t->data.v[k->datum + d].marker == first + i)
            rows[i].b = (uint32_t)++d;
    }
    sort_keyed(rows, rows + n, n);
    uint32_t *columns[] = {m->site, m->run, m->line};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        for (size_t i = 0; i < n; i++)
            column[i] = columns[c][first + rows[i].a];
        memcpy(columns[c] + first, column, n * sizeof *column);
    }
    size_t d = 0;
    for (size_t i = 0; i < n; i++) {
        m->time[first + i] = rows[i].key;
        if (rows[i].b) {
            data[d] = t->data.v[k->datum + rows[i].b - 1];
            data[d++].marker = (uint32_t)(first + i);
        }
    }
    if (d)
        memcpy(t->data.v + k->datum, data, d * sizeof *data);
    mem_free(rows);
    mem_free(column);
    mem_free(data);
}

static bool is_same_datum(const struct trace_datum *a, const struct trace_datum *b)
{
    if (!a || !b)
        return a == b;
    return a->data == b->data && a->meta_n == b->meta_n &&
           (a->meta_n == 0 || memcmp(a->meta, b->meta, a->meta_n) == 0);
}

static bool is_same_row(const struct trace *t, const struct trace_track *k, size_t a,
                        size_t b)
{
    const struct trace_markers *m = &t->markers;
    return m->time[a] == m->time[b] && m->site[a] == m->site[b] && m->run[a] == m->run[b] &&
           is_same_datum(trace_datum_of(t, k, a), trace_datum_of(t, k, b));
}

static bool stands_twice(const struct trace *t, const struct trace_track *k, size_t row)
{
    const uint64_t *time = t->markers.time;
    for (size_t back = 1; back <= LOOK_BACK && row >= k->marker + back; back++) {
        if (time[row - back] != time[row])
            return false;
        if (is_same_row(t, k, row - back, row))
            return true;
    }
    return false;
}

// Keeps the first of equal rows. The track gets shorter but stays in place.
static void drop_twice(struct trace *t, struct trace_track *k, struct track_odd *odd)
{
    struct trace_markers *m = &t->markers;
    size_t first = k->marker, n = k->n_markers;
    bool *drop = mem_alloc(n);
    for (size_t i = 1; i < n; i++) {
        drop[i] = stands_twice(t, k, first + i);
        if (drop[i] && odd->twice++ == 0)
            odd->twice_line = m->line[first + i];
    }
    size_t to = first, datum = k->datum;
    size_t datum_to = datum;
    for (size_t i = 0; i < n; i++) {
        bool has =
            datum < (size_t)k->datum + k->n_data && t->data.v[datum].marker == first + i;
        if (has && !drop[i]) {
            t->data.v[datum_to] = t->data.v[datum];
            t->data.v[datum_to++].marker = (uint32_t)to;
        }
        datum += has;
        if (drop[i])
            continue;
        m->time[to] = m->time[first + i];
        m->site[to] = m->site[first + i];
        m->run[to] = m->run[first + i];
        m->line[to] = m->line[first + i];
        to++;
    }
    k->n_markers = (uint32_t)(to - first);
    k->n_data = (uint32_t)(datum_to - k->datum);
    mem_free(drop);
}

static void sort_lane(struct lane lane, void *context)
{
    struct sort *s = context;
    struct trace *t = s->t;
    struct range r = lane_range(lane, t->tracks.n);
    for (size_t k = r.from; k < r.to; k++) {
        struct trace_track *track = &t->tracks.v[k];
        const uint64_t *time = t->markers.time + track->marker;
        bool has_equal = false;
        for (size_t i = 1; i < track->n_markers; i++) {
            if (time[i] < time[i - 1] && s->odd[k].back++ == 0)
                s->odd[k].back_line = t->markers.line[track->marker + i];
            has_equal |= time[i] == time[i - 1];
        }
        if (s->odd[k].back)
            sort_track(t, track);
        if (s->odd[k].back || has_equal)
            drop_twice(t, track, &s->odd[k]);
    }
}

void log_sort(struct trace *t)
{
    struct sort s = {.t = t};
    s.odd = mem_alloc(mem_bytes(sizeof *s.odd, t->tracks.n + 1));
    threads_run(threads_for(t->markers.n, WORTH_LANES), sort_lane, &s);
    for (size_t k = 0; k < t->tracks.n; k++) {
        str risc = trace_text(t, t->tracks.v[k].risc);
        trace_odd(t, (uint32_t)k, DIAG_TIME_WENT_BACK, s.odd[k].back, s.odd[k].back_line,
                  risc);
        trace_odd(t, (uint32_t)k, DIAG_DUPLICATE_ROW, s.odd[k].twice, s.odd[k].twice_line,
                  risc);
    }
    mem_free(s.odd);
}
