// op_report_match.c - matches measurements to host ops: by device and id, and by trace if
// the host knows it.
#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/ops/op_report_parts.h"

int64_t device_row_start(const struct device_row *row)
{
    int64_t start = row->v[DEVICE_FW_START];
    return start != DEVICE_NONE ? start : row->v[DEVICE_KERNEL_START];
}

// --- index -------------------------------------------------------------------------------
static uint32_t key_id(struct op_join *j, const struct device_key *key)
{
    uint32_t id = map_put(&j->by_key, (str){(const char *)key, sizeof *key});
    if (id == j->first.n)
        vec_push(&j->first, TRACE_NONE);
    return id;
}

static uint32_t find_key(const struct op_join *j, const struct host_op *op)
{
    struct device_key key = {.device = op->device, .op = op->id};
    if (!(op->flags & HOST_OP_IS_DEVICE))
        return MAP_NONE;
    return map_get(&j->by_key, (str){(const char *)&key, sizeof key});
}

static int by_replay_time(const void *a, const void *b)
{
    const struct host_replay *x = a, *y = b;
    SORT_BY(x, y, device);
    SORT_BY(x, y, trace);
    SORT_BY(x, y, time);
    return 0;
}

static void index_replays(struct op_join *j)
{
    size_t n = j->host->replays.n;
    if (n == 0)
        return;
    j->replays = mem_alloc(mem_bytes(sizeof *j->replays, n));
    memcpy(j->replays, j->host->replays.v, n * sizeof *j->replays);
    qsort(j->replays, n, sizeof *j->replays, by_replay_time);
}

void op_join_index(struct op_join *j)
{
    index_replays(j);
    if (!j->device)
        return;
    size_t n = j->device->v.n;
    j->keys = mem_alloc(mem_bytes(sizeof *j->keys, n));
    j->next = mem_alloc(mem_bytes(sizeof *j->next, n));
    j->is_taken = mem_alloc(n);
    for (size_t i = n; i-- > 0;) { // backwards, so that chains run forwards
        const struct device_row *row = &j->device->v.v[i];
        if (row->is_replay) // its id may be that of an op, but is not
            continue;
        j->keys[i] = (struct device_key){.device = row->device, .op = row->op};
        uint32_t id = key_id(j, &j->keys[i]);
        j->next[i] = j->first.v[id];
        j->first.v[id] = (uint32_t)i;
    }
    j->key_of = mem_alloc(mem_bytes(sizeof *j->key_of, j->host->ops.n));
    for (size_t i = 0; i < j->host->ops.n; i++)
        j->key_of[i] = find_key(j, &j->host->ops.v[i]);
}

size_t op_join_replays(const struct op_join *j, int64_t device, int64_t trace,
                       const struct host_replay **first)
{
    size_t n = j->host->replays.n, low = 0, high = n;
    struct host_replay key = {.device = device, .trace = trace};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_replay_time(&j->replays[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    key.time = UINT64_MAX;
    high = n;
    while (end < high) {
        size_t middle = end + (high - end) / 2;
        if (by_replay_time(&j->replays[middle], &key) <= 0)
            end = middle + 1;
        else
            high = middle;
    }
    *first = n ? j->replays + low : NULL;
    return end - low;
}

// --- candidates --------------------------------------------------------------------------
// Independent of file order: a reordered log gives the same report.
static int by_session(const void *a, const void *b, void *context)
{
    const struct device_row *rows = context;
    const struct device_row *x = &rows[*(const uint32_t *)a],
                            *y = &rows[*(const uint32_t *)b];
    SORT_BY(x, y, trace);
    SORT_BY(x, y, session);
    int64_t start_x = device_row_start(x), start_y = device_row_start(y);
    if (start_x != start_y)
        return start_x < start_y ? -1 : 1;
    return memcmp(x->v, y->v, sizeof x->v);
}

static void keep_trace(struct op_join *j, int64_t trace)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->candidates.n; i++)
        if (j->device->v.v[j->candidates.v[i]].trace == trace)
            j->candidates.v[kept++] = j->candidates.v[i];
    if (kept)
        j->candidates.n = kept;
}

void op_join_find(struct op_join *j, uint32_t host_op)
{
    const struct host_op *op = &j->host->ops.v[host_op];
    j->candidates.n = 0;
    uint32_t key = j->device ? j->key_of[host_op] : MAP_NONE;
    if (key == MAP_NONE)
        return;
    // A measurement is of one op, even if ids repeat.
    for (uint32_t i = j->first.v[key]; i != TRACE_NONE; i = j->next[i])
        if (!j->is_taken[i])
            vec_push(&j->candidates, i);
    if (j->candidates.n > 1) {
        keep_trace(j, op->trace);
        qsort_r(j->candidates.v, j->candidates.n, sizeof *j->candidates.v, by_session,
                j->device->v.v);
    }
}

// --- sessions by repetition --------------------------------------------------------------
struct repetition {
    int64_t device, trace, start;
    uint32_t host_op, row;
};

static int by_repetition_start(const void *a, const void *b)
{
    const struct repetition *x = a, *y = b;
    SORT_BY(x, y, device);
    SORT_BY(x, y, trace);
    SORT_BY(x, y, start);
    SORT_BY(x, y, host_op);
    SORT_BY(x, y, row);
    return 0;
}

// A trace runs its ops in capture order. So a new replay begins where an op repeats or,
// unless sub-devices overtake each other, where one comes that was captured before the last
// one: this finds replays that lost ops.
static void number_trace(struct op_join *j, const struct repetition *v, size_t n,
                         int64_t *last_session)
{
    struct device_row *rows = j->device->v.v;
    bool is_ordered = true;
    for (size_t i = 0; i < n; i++) {
        is_ordered = is_ordered && rows[v[i].row].v[DEVICE_SUB_DEVICE] == DEVICE_NONE;
        last_session[v[i].host_op] = 0;
    }
    int64_t session = 1;
    for (size_t i = 0; i < n; i++) {
        bool is_back = i > 0 && is_ordered && v[i].host_op < v[i - 1].host_op;
        if (is_back || last_session[v[i].host_op] == session)
            session++;
        last_session[v[i].host_op] = session;
        rows[v[i].row].trace = v[i].trace;
        rows[v[i].row].session = session;
    }
}

void op_join_number_sessions(struct op_join *j)
{
    if (!j->device || j->device->has_traces || j->device->is_cpp)
        return;
    VEC(struct repetition) all = {0};
    for (uint32_t i = 0; i < j->host->ops.n; i++) {
        const struct host_op *op = &j->host->ops.v[i];
        uint32_t key = op->trace != DEVICE_NO_ID ? j->key_of[i] : MAP_NONE;
        if (key == MAP_NONE)
            continue;
        for (uint32_t row = j->first.v[key]; row != TRACE_NONE; row = j->next[row])
            vec_push(&all,
                     (struct repetition){.device = op->device,
                                         .trace = op->trace,
                                         .start = device_row_start(&j->device->v.v[row]),
                                         .host_op = i,
                                         .row = row});
    }
    int64_t *last_session = mem_alloc(mem_bytes(sizeof *last_session, j->host->ops.n));
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, by_repetition_start);
    for (size_t i = 0, end; i < all.n; i = end) {
        for (end = i + 1; end < all.n && all.v[end].device == all.v[i].device &&
                          all.v[end].trace == all.v[i].trace;)
            end++;
        number_trace(j, all.v + i, end - i, last_session);
    }
    mem_free(last_session);
    vec_free(&all);
}

void op_join_free(struct op_join *j)
{
    mem_free(j->keys);
    mem_free(j->key_of);
    map_free(&j->by_key);
    vec_free(&j->first);
    mem_free(j->next);
    mem_free(j->coverage_of);
    mem_free(j->clock_of);
    map_free(&j->buffers);
    arena_free(&j->keys_of_buffers);
    mem_free(j->is_taken);
    mem_free(j->has_sessions);
    mem_free(j->has_replays);
    mem_free(j->replays);
    vec_free(&j->candidates);
    vec_free(&j->traced);
    vec_free(&j->executions);
    vec_free(&j->bad);
}
