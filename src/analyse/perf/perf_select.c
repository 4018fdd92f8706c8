// perf_select.c - sorts the rows and cuts the window between signposts.
#include <math.h>
#include <stdlib.h>

#include "analyse/diags.h"
#include "analyse/perf/perf.h"

struct sort_key {
    uint64_t time; // sortable; missing times are the largest
    uint32_t row;
};

static int by_time(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

// An integer that sorts like the time: integers are shifted above zero; the bits of a
// double sort once those of negative ones are inverted.
static uint64_t time_key(const struct ops_values *start, size_t row)
{
    const uint64_t sign = UINT64_C(1) << 63;
    double v = start->number[row];
    uint64_t bits;
    if (isnan(v))
        return UINT64_MAX;
    if (start->type == OPS_INTEGER)
        return (uint64_t)start->exact[row] ^ sign;
    v += 0.0; // -0 and 0 are the same time
    memcpy(&bits, &v, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static void sort_by_host_start(struct perf *p, uint32_t *order, size_t n)
{
    struct sort_key *keys = mem_alloc(mem_bytes(sizeof *keys, n));
    bool is_sorted = true;
    for (size_t i = 0; i < n; i++) {
        keys[i].time = time_key(&p->table.column[OPS_HOST_START], order[i]);
        keys[i].row = order[i];
        is_sorted &= i == 0 || keys[i - 1].time <= keys[i].time;
    }
    if (!is_sorted) {
        qsort(keys, n, sizeof *keys, by_time);
        for (size_t i = 0; i < n; i++)
            order[i] = keys[i].row;
    }
    mem_free(keys);
}

struct window {
    struct perf *p;
    uint32_t *order; // rows, sorted
    size_t n;
    uint32_t *posts; // the signposts among them, in the same order
    size_t n_posts;
};

static str op_code(struct perf *p, uint32_t row)
{
    str s;
    (void)ops_text(&p->table, OPS_OP_CODE, row, &s);
    return s;
}

static bool is_post(const struct window *w, uint32_t row)
{
    return ops_text_id(&w->p->table, OPS_OP_TYPE, row) == w->p->signpost;
}

// Finds the i-th signpost of that name, counted from 0.
static bool find_post(struct window *w, str name, size_t i, uint32_t *row)
{
    for (size_t k = 0; k < w->n_posts; k++) {
        if (str_eq(op_code(w->p, w->posts[k]), name) && i-- == 0) {
            *row = w->posts[k];
            return true;
        }
    }
    return false;
}

// Keeps the rows whose position in the file is strictly between the two.
static void keep_between(struct window *w, int64_t after, int64_t before)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->order[i] > after && w->order[i] < before)
            w->order[kept++] = w->order[i];
    w->n = kept;
}

static bool cut_start(struct window *w, const char *start)
{
    uint32_t row;
    if (!find_post(w, str_of(start), 0, &row)) {
        note(&w->p->notes, NOTE_WARNING, "Specified staring signpost '%s' not found.",
             start);
        return false;
    }
    note(&w->p->notes, NOTE_INFO, "Using operations after '%s'.", start);
    keep_between(w, row, INT64_MAX);
    return true;
}

static bool cut_end(struct window *w, const char *start, const char *end)
{
    struct notes *notes = &w->p->notes;
    uint32_t row;
    if (!find_post(w, str_of(end), 0, &row)) {
        note(notes, NOTE_WARNING, "Specified ending signpost '%s' not found.", end);
        return false;
    }
    note(notes, NOTE_INFO, "Using operations until '%s'.", end);
    size_t which = 0;
    if (start && strcmp(start, end) == 0) {
        which = 1;
        if (find_post(w, str_of(end), 2, &row))
            note(
                notes, NOTE_WARNING,
                "Multiple occurrences of signpost '%s' found. Using the second occurrence for the end filter.",
                end);
    }
    if (!find_post(w, str_of(end), which, &row)) {
        note(
            notes, NOTE_WARNING,
            "Not enough occurrences of signpost '%s' to apply to both start and end filters.",
            end);
        return false;
    }
    keep_between(w, -1, row);
    return true;
}

// Without a window: keeps the rows after the first row with the name of the last signpost.
static void cut_last(struct window *w)
{
    struct perf *p = w->p;
    struct buf names = {0};
    for (size_t i = 0; i < w->n_posts; i++) {
        buf_z(&names, i ? ", " : "");
        buf_str(&names, op_code(p, w->posts[i]));
    }
    str last = op_code(p, w->posts[w->n_posts - 1]);
    note(&p->notes, NOTE_INFO, "Detected signposts: %.*s", STR(names));
    note(&p->notes, NOTE_INFO, "Using last signpost: %.*s for analysis.", STR(last));
    buf_free(&names);
    size_t at = 0;
    while (at < w->n && !str_eq(op_code(p, w->order[at]), last))
        at++;
    w->order += at + 1;
    w->n -= at + 1;
}

static void cut_window(struct window *w)
{
    struct perf *p = w->p;
    const struct perf_options *o = &p->opt;
    if (o->ignore_signposts) {
        note(&p->notes, NOTE_INFO,
             "Ignoring all signposts. Using the entire file for analysis.");
        return;
    }
    if (!w->n_posts) {
        note(&p->notes, NOTE_WARNING,
             "No signposts found in the file. Using the entire file for analysis.");
        return;
    }
    bool is_cut = o->start_signpost && cut_start(w, o->start_signpost);
    is_cut |= o->end_signpost && cut_end(w, o->start_signpost, o->end_signpost);
    if (!is_cut)
        cut_last(w);
    if (o->print_signposts)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++)
        if (!is_post(w, w->order[i]))
            w->order[kept++] = w->order[i];
    w->n = kept;
}

struct picks perf_select(struct perf *p)
{
    size_t n = p->table.n_rows;
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, n));
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    if (!ops_is_absent(&p->table, OPS_HOST_START) && !p->opt.tracing_mode) {
        note(&p->notes, NOTE_INFO, "Sorting CSV by 'HOST START TS' column...");
        sort_by_host_start(p, order, n);
    } else {
        note(&p->notes, NOTE_WARNING,
             "Warning: 'HOST START TS' column not found. CSV will not be sorted.");
    }
    struct window w = {.p = p, .order = order, .n = n};
    w.posts = mem_alloc(mem_bytes(sizeof *w.posts, n));
    for (size_t i = 0; i < n; i++)
        if (is_post(&w, order[i]))
            w.posts[w.n_posts++] = order[i];
    cut_window(&w);

    struct picks picks = {.n = w.n, .v = mem_alloc(mem_bytes(sizeof *picks.v, w.n))};
    for (size_t i = 0; i < w.n; i++) {
        struct pick *k = &picks.v[i];
        k->row = w.order[i];
        k->has_duration = ops_number(&p->table, OPS_DURATION, k->row, &k->duration);
        if (k->has_duration && k->duration < 0 &&
            diag_count(&p->diag, DIAG_NEGATIVE_DURATION))
            diag_note(&p->diag, DIAG_NEGATIVE_DURATION, "%.*s: %g",
                      STR(ops_place(&p->table, OPS_DURATION, k->row)), k->duration);
    }
    mem_free(w.posts);
    mem_free(order);
    return picks;
}
