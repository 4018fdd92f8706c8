// op_report.c - the join: a row for each op that the host requested, for each execution in
// a replay, for each signpost, and for each measurement without a host op.
#include "analyse/ops/op_report.h"

#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/ops/op_report_parts.h"

const char *const op_state_names[OP_STATES] = {
    [OP_OK] = "ok",
    [OP_HOST_ONLY] = "host only",
    [OP_CAPTURE] = "capture",
    [OP_NEVER_REPLAYED] = "never replayed",
    [OP_NOT_RECORDED] = "not recorded",
    [OP_NOT_MEASURED] = "not measured",
    [OP_DEVICE_MISSING] = "device missing",
    [OP_NO_DEVICE_DATA] = "no device data",
    [OP_REPLAY_UNKNOWN] = "replay unknown",
    [OP_DUPLICATE] = "duplicate",
    [OP_INCOMPLETE] = "incomplete",
    [OP_NO_HOST] = "no host op",
    [OP_SIGNPOST] = "signpost",
};
const char *const op_state_reasons[OP_STATES] = {
    [OP_OK] = "measured on its device",
    [OP_HOST_ONLY] = "runs on the host: there is nothing to measure on a device",
    [OP_CAPTURE] = "captured in a trace; each replay has a row of its own",
    [OP_NEVER_REPLAYED] = "captured in a trace that never ran",
    [OP_NOT_RECORDED] = "the trace profiler records whole replays of traces only",
    [OP_NOT_MEASURED] = "the device measured other ops, but not this one",
    [OP_DEVICE_MISSING] = "there is no data of its device",
    [OP_NO_DEVICE_DATA] = "no device data were given",
    [OP_REPLAY_UNKNOWN] = "measured in a replay that the host did not report",
    [OP_DUPLICATE] = "measured several times where one measurement was expected",
    [OP_INCOMPLETE] = "markers are missing: the numbers are what is left",
    [OP_NO_HOST] = "measured, but no host op has this id",
    [OP_SIGNPOST] = "a signpost of the program",
};

// --- order -------------------------------------------------------------------------------
// Devices in the order in which ops first name them, as in tt-metal's report.
static void rank_devices(struct op_join *j)
{
    uint32_t *rank = mem_alloc(mem_bytes(sizeof *rank, j->r->coverage.n + 1));
    uint32_t n = 0;
    for (size_t i = 0; i < j->host->ops.n && n < j->r->coverage.n; i++) {
        uint32_t c = op_coverage_at(j->r, j->host->ops.v[i].device);
        if (c != TRACE_NONE && rank[c] == 0)
            rank[c] = ++n;
    }
    for (size_t i = 0; i < j->traced.n; i++)
        j->traced.v[i].device_rank = rank[j->coverage_of[j->traced.v[i].row.device]];
    mem_free(rank);
}

static int by_execution(const void *a, const void *b)
{
    const struct traced_row *x = a, *y = b;
    SORT_BY(x, y, device_rank);
    SORT_BY(x, y, op);
    SORT_BY(x, y, session);
    SORT_BY(x, y, start);
    SORT_BY(x, y, row.host);
    return 0;
}

static void add_traced(struct op_join *j)
{
    if (j->traced.n == 0)
        return;
    rank_devices(j);
    qsort(j->traced.v, j->traced.n, sizeof *j->traced.v, by_execution);
    for (size_t i = 0; i < j->traced.n; i++)
        vec_push(&j->r->rows, j->traced.v[i].row);
}

static void add_signposts(struct op_join *j)
{
    for (uint32_t i = 0; i < j->host->signposts.n; i++) {
        struct op_row row =
            op_row_make(OP_ROW_SIGNPOST, OP_SIGNPOST, j->host->signposts.v[i].time);
        row.host = i;
        vec_push(&j->r->rows, row);
    }
}

// By time, stable: equal times keep insertion order (ops, executions in replays,
// signposts).
static void sort_report_rows(struct op_report *r)
{
    size_t n = r->rows.n;
    if (n == 0)
        return;
    struct keyed *keys = mem_alloc(mem_bytes(2 * sizeof *keys, n));
    struct op_row *old = mem_alloc(mem_bytes(sizeof *old, n));
    memcpy(old, r->rows.v, n * sizeof *old);
    for (size_t i = 0; i < n; i++)
        keys[i] = (struct keyed){.key = old[i].time, .a = (uint32_t)i};
    sort_keyed(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        r->rows.v[i] = old[keys[i].a];
    mem_free(old);
    mem_free(keys);
}

// --- measurements without an op --------------------------------------------------------
struct device_order {
    uint64_t rank; // of the device
    uint32_t attachment;
    int64_t start;
    uint64_t op;
    int64_t trace, session;
    uint32_t row;
};

static int by_device(const void *a, const void *b)
{
    const struct device_order *x = a, *y = b;
    SORT_BY(x, y, rank);
    SORT_BY(x, y, attachment);
    SORT_BY(x, y, start);
    SORT_BY(x, y, op);
    SORT_BY(x, y, trace);
    SORT_BY(x, y, session);
    SORT_BY(x, y, row);
    return 0;
}

static void add_device_rows(struct op_join *j, const uint32_t *rank, enum op_row_kind kind)
{
    VEC(struct device_order) order = {0};
    for (uint32_t i = 0; i < j->device->v.n; i++) {
        const struct device_row *row = &j->device->v.v[i];
        if (!j->is_taken || !j->is_taken[i])
            vec_push(&order, (struct device_order){.rank = rank[j->coverage_of[i]],
                                                   .attachment = row->attachment,
                                                   .start = device_row_start(row),
                                                   .op = row->op,
                                                   .trace = row->trace,
                                                   .session = row->session,
                                                   .row = i});
    }
    if (order.n)
        qsort(order.v, order.n, sizeof *order.v, by_device);
    for (size_t i = 0; i < order.n; i++) {
        const struct device_row *d = &j->device->v.v[order.v[i].row];
        struct op_coverage *c = &j->r->coverage.v[j->coverage_of[order.v[i].row]];
        enum op_state state = kind == OP_ROW_UNMATCHED ? OP_NO_HOST
                              : d->is_incomplete       ? OP_INCOMPLETE
                                                       : OP_OK;
        struct op_row row = op_row_make(kind, state, (uint64_t)order.v[i].start);
        row.device = order.v[i].row;
        c->unmatched += kind == OP_ROW_UNMATCHED;
        c->measured += kind != OP_ROW_UNMATCHED;
        c->incomplete += kind != OP_ROW_UNMATCHED && d->is_incomplete;
        op_join_put(j, c, row);
    }
    vec_free(&order);
}

static void add_unmatched(struct op_join *j)
{
    if (!j->device)
        return;
    uint32_t *rank = mem_alloc(mem_bytes(sizeof *rank, j->r->coverage.n + 1));
    for (uint32_t i = 0; i < j->r->coverage.n; i++)
        rank[i] = i;
    add_device_rows(j, rank, OP_ROW_UNMATCHED);
    mem_free(rank);
}

// --- reports -----------------------------------------------------------------------------
static void note_sessions(struct op_join *j)
{
    for (size_t i = 0; j->device && i < j->device->v.n; i++) {
        const struct device_row *row = &j->device->v.v[i];
        j->has_sessions[j->coverage_of[i]] |= row->session != DEVICE_NO_ID;
        j->has_replays[j->coverage_of[i]] |= row->is_replay;
    }
}

void op_report_join(struct op_report *r, const struct host_ops *host,
                    struct device_rows *device)
{
    *r = (struct op_report){.host = host, .device = device};
    struct op_join j = {.r = r, .host = host, .device = device};
    op_join_list_devices(&j);
    op_join_check_rules(&j);
    op_join_index(&j);
    op_join_number_sessions(&j);
    note_sessions(&j);
    vec_reserve(&r->rows, host->ops.n + host->signposts.n + (device ? device->v.n : 0));
    for (uint32_t i = 0; i < host->ops.n; i++)
        op_join_add(&j, i);
    add_traced(&j);
    op_join_add_replays(&j);
    add_signposts(&j);
    sort_report_rows(r);
    r->n_rows = r->rows.n;
    add_unmatched(&j);
    op_report_latencies(r, j.clock_of, j.n_clocks);
    op_join_place_bad(&j);
    op_join_count_support(&j);
    op_join_count_findings(&j);
    op_join_free(&j);
}

void op_report_device_only(struct op_report *r, struct device_rows *device)
{
    *r = (struct op_report){.device = device};
    struct op_join j = {.r = r, .device = device};
    op_join_list_devices(&j);
    op_join_check_rules(&j);
    uint32_t *rank = mem_alloc(mem_bytes(sizeof *rank, r->coverage.n + 1));
    for (size_t i = 0; i < device->devices.n; i++)
        rank[op_coverage_at(r, device->devices.v[i])] = (uint32_t)i;
    add_device_rows(&j, rank, OP_ROW_OP);
    mem_free(rank);
    r->n_rows = r->rows.n;
    op_report_latencies(r, j.clock_of, j.n_clocks);
    op_join_place_bad(&j);
    op_join_free(&j);
}

void op_report_free(struct op_report *r)
{
    vec_free(&r->rows);
    vec_free(&r->coverage);
    vec_free(&r->bad);
    *r = (struct op_report){0};
}
