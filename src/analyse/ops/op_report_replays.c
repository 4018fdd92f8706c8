// op_report_replays.c - whole replays, as the trace profiler measures them: one execution
// for all ops of a trace. It belongs to the replay that the host reported, not to an op.
#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/ops/op_report_parts.h"

enum { NUMBER_SHIFT = 10 }; // the number of a replay in an id, see struct device_row

// A replay of a device: by its number among those of one trace, or, with DEVICE_NO_ID as
// the trace, among all of the attachment. Numbers start at 1; with 0 it is the count of
// such replays.
struct replay_key {
    int64_t device, trace;
    uint64_t attachment, number;
};

struct replay_list {
    const struct host_ops *host;
    struct arena a;
    struct map keys;
    VEC(uint64_t) value; // by key: index in the host's replays, or the count
    uint64_t *session;   // by replay of the host: its number in its trace
    bool *is_measured;   // by replay of the host
};

static uint64_t *value_at(struct replay_list *l, const struct host_replay *r, int64_t trace,
                          uint64_t number)
{
    struct replay_key key = {r->device, trace, r->attachment, number};
    uint32_t at = map_put_copy(&l->keys, &key, sizeof key, &l->a);
    if (at == l->value.n)
        vec_push(&l->value, 0);
    return &l->value.v[at];
}

static uint64_t list_replay(struct replay_list *l, int64_t trace, uint32_t at)
{
    const struct host_replay *r = &l->host->replays.v[at];
    uint64_t number = ++*value_at(l, r, trace, 0);
    *value_at(l, r, trace, number) = at;
    return number;
}

static void list_replays(struct replay_list *l)
{
    size_t n = l->host->replays.n;
    l->session = push_many(&l->a, uint64_t, n + 1);
    l->is_measured = push_many(&l->a, bool, n + 1);
    for (uint32_t i = 0; i < n; i++) { // by time
        (void)list_replay(l, DEVICE_NO_ID, i);
        l->session[i] = list_replay(l, l->host->replays.v[i].trace, i);
    }
}

// Its number among the replays of the attachment.
static uint64_t number_of(const struct device_row *row)
{
    return (row->op >> NUMBER_SHIFT) - (uint64_t)row->more_programs;
}

// The replay of the host that was measured; TRACE_NONE: it reported none.
static uint32_t find_replay(const struct replay_list *l, const struct device_row *row)
{
    struct replay_key key = {row->device, row->trace, row->attachment,
                             (uint64_t)row->session};
    if (row->trace == DEVICE_NO_ID || row->session == DEVICE_NO_ID) {
        key.trace = DEVICE_NO_ID;
        key.number = number_of(row);
    }
    uint32_t at =
        key.number ? map_get(&l->keys, (str){(const char *)&key, sizeof key}) : MAP_NONE;
    return at == MAP_NONE ? TRACE_NONE : (uint32_t)l->value.v[at];
}

// A program that does not report traces does not report replays, either.
static bool is_silent(const struct replay_list *l, const struct device_row *row)
{
    struct replay_key first = {row->device, DEVICE_NO_ID, row->attachment, 1};
    return map_get(&l->keys, (str){(const char *)&first, sizeof first}) == MAP_NONE;
}

static void add_replay(struct op_join *j, struct replay_list *l, uint32_t at)
{
    struct device_row *row = &j->device->v.v[at];
    struct op_coverage *c = &j->r->coverage.v[j->coverage_of[at]];
    uint32_t told = find_replay(l, row);
    enum op_state state = row->is_incomplete ? OP_INCOMPLETE : OP_OK;
    uint64_t time = UINT64_MAX; // after all that the host reported
    if (told == TRACE_NONE) {
        if (row->session == DEVICE_NO_ID)
            row->session = (int64_t)number_of(row);
        if (is_silent(l, row))
            op_join_expect(j, c, UINT32_MAX - row->attachment, time, true);
        else
            state = OP_REPLAY_UNKNOWN;
    } else {
        time = l->host->replays.v[told].time;
        row->trace = l->host->replays.v[told].trace;
        row->session = (int64_t)l->session[told];
        state = l->is_measured[told] ? OP_DUPLICATE : state;
        c->duplicates += l->is_measured[told];
        l->is_measured[told] = true;
    }
    c->incomplete += row->is_incomplete;
    j->is_taken[at] = true;
    struct op_row shown = op_row_make(OP_ROW_REPLAY, state, time);
    shown.host = told;
    shown.device = at;
    op_join_put(j, c, shown);
}

// Independent of file order, see by_session.
static int by_start(const void *a, const void *b, void *context)
{
    const struct device_row *rows = context;
    const struct device_row *x = &rows[*(const uint32_t *)a],
                            *y = &rows[*(const uint32_t *)b];
    SORT_BY(x, y, device);
    SORT_BY(x, y, attachment);
    int64_t start_x = device_row_start(x), start_y = device_row_start(y);
    if (start_x != start_y)
        return start_x < start_y ? -1 : 1;
    SORT_BY(x, y, op);
    return memcmp(x->v, y->v, sizeof x->v);
}

void op_join_add_replays(struct op_join *j)
{
    struct replay_list l = {.host = j->host};
    VEC(uint32_t) rows = {0};
    for (uint32_t i = 0; j->device && i < j->device->v.n; i++)
        if (j->device->v.v[i].is_replay)
            vec_push(&rows, i);
    if (!rows.n)
        return;
    list_replays(&l);
    qsort_r(rows.v, rows.n, sizeof *rows.v, by_start, j->device->v.v);
    for (size_t i = 0; i < rows.n; i++)
        add_replay(j, &l, rows.v[i]);
    for (uint32_t i = 0; i < j->host->replays.n; i++) {
        const struct host_replay *r = &j->host->replays.v[i];
        uint32_t c = op_coverage_at(j->r, r->device);
        if (c != TRACE_NONE && j->has_replays[c])
            op_join_expect(j, &j->r->coverage.v[c], UINT32_MAX - r->attachment, r->time,
                           l.is_measured[i]);
    }
    vec_free(&rows);
    map_free(&l.keys);
    vec_free(&l.value);
    arena_free(&l.a);
}
