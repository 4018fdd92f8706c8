// op_report_rows.c - the rows of one host op: its own, one for each measured replay, and
// the expected count.
#include <math.h>

#include "analyse/ops/op_report_parts.h"

struct op_row op_row_make(enum op_row_kind kind, enum op_state state, uint64_t time)
{
    return (struct op_row){.kind = (uint8_t)kind,
                           .state = (uint8_t)state,
                           .time = time,
                           .host = TRACE_NONE,
                           .device = TRACE_NONE,
                           .latency = DEVICE_NONE,
                           .latency_dm = DEVICE_NONE,
                           .latency_net = DEVICE_NONE,
                           .latency_state = STATE_EMPTY,
                           .latency_dm_state = STATE_EMPTY,
                           .fpu_util = NAN};
}

static uint64_t op_time(const struct host_op *op)
{
    return op->flags & HOST_OP_NO_ZONE ? op->message_time : op->start;
}

// A row of a measured op.
static struct op_row measured_row(struct op_join *j, uint32_t host, uint32_t device,
                                  enum op_state state, uint64_t time)
{
    const struct host_op *op = &j->host->ops.v[host];
    struct op_row row = op_row_make(OP_ROW_OP, state, time);
    row.host = host;
    row.device = device;
    if (op->record != TRACE_NONE)
        row.fpu_util = op_report_fpu_util(j->host->records.v[op->record].compute_ns,
                                          j->device->v.v[device].v[DEVICE_KERNEL]);
    j->is_taken[device] = true;
    return row;
}

void op_join_put(struct op_join *j, struct op_coverage *c, struct op_row row)
{
    if (c)
        c->by_state[row.state]++;
    vec_push(&j->r->rows, row);
}

// --- executions --------------------------------------------------------------------------
void op_join_expect(struct op_join *j, struct op_coverage *c, uint32_t process,
                    uint64_t time, bool is_measured)
{
    uint32_t buffer[] = {(uint32_t)(c - j->r->coverage.v), process};
    c->expected++;
    c->measured += is_measured;
    vec_push(&j->executions,
             (struct keyed){.key = time,
                            .a = is_measured,
                            .b = map_put_copy(&j->buffers, buffer, sizeof buffer,
                                              &j->keys_of_buffers)});
}

// The executions of a host op: its candidates, seen from the host.
struct op_found {
    struct op_coverage *c; // NULL: no device, or one that nothing else mentions
    const struct host_op *op;
    uint32_t host;
    bool has_single; // measured outside replays
    size_t n_replays;
    const struct host_replay *replays; // of the trace it was captured in
};

static bool is_again(const struct op_join *j, size_t candidate)
{
    const struct device_row *rows = j->device->v.v;
    if (candidate == 0)
        return false;
    const struct device_row *one = &rows[j->candidates.v[candidate]];
    const struct device_row *before = &rows[j->candidates.v[candidate - 1]];
    return one->session == before->session && one->trace == before->trace;
}

static bool is_among_several(const struct op_join *j, size_t candidate)
{
    return is_again(j, candidate) ||
           (candidate + 1 < j->candidates.n && is_again(j, candidate + 1));
}

// An execution in a replay: its row is placed at the time of the host's replay.
static void take_replayed(struct op_join *j, const struct op_found *f, size_t candidate)
{
    uint32_t at = j->candidates.v[candidate];
    const struct device_row *row = &j->device->v.v[at];
    const struct host_replay *replays;
    size_t n = op_join_replays(j, row->device, row->trace, &replays);
    bool is_told = row->session >= 1 && (uint64_t)row->session <= n;
    // A program that reports no traces at all does not report replays, either.
    bool is_silent = n == 0 && f->op->trace == DEVICE_NO_ID;
    uint64_t time = is_told ? replays[row->session - 1].time : f->op->message_time;
    enum op_state state = row->is_incomplete ? OP_INCOMPLETE : OP_OK;
    if (!is_told && !is_silent)
        state = OP_REPLAY_UNKNOWN;
    if (is_among_several(j, candidate))
        state = OP_DUPLICATE;
    if (is_again(j, candidate))
        f->c->duplicates++;
    else if (f->op->trace == DEVICE_NO_ID && (is_told || is_silent))
        op_join_expect(j, f->c, f->op->process, time,
                       true); // otherwise expect_replays counts it
    f->c->incomplete += row->is_incomplete;
    f->c->by_state[state]++;
    vec_push(&j->traced,
             (struct traced_row){.op = row->op,
                                 .session = row->session,
                                 .start = device_row_start(row),
                                 .row = measured_row(j, f->host, at, state, time)});
}

// An execution outside replays: the host's row gets the numbers.
static void take_single(struct op_join *j, const struct op_found *f, size_t candidate)
{
    uint32_t at = j->candidates.v[candidate];
    const struct device_row *row = &j->device->v.v[at];
    enum op_state state = row->is_incomplete ? OP_INCOMPLETE : OP_OK;
    if (is_among_several(j, candidate))
        state = OP_DUPLICATE;
    if (is_again(j, candidate))
        f->c->duplicates++;
    else
        op_join_expect(j, f->c, f->op->process, op_time(f->op), true);
    f->c->incomplete += row->is_incomplete;
    op_join_put(j, f->c, measured_row(j, f->host, at, state, op_time(f->op)));
}

// Is this replay among the candidates? They are sorted by session.
static bool has_session(const struct op_join *j, int64_t trace, int64_t session)
{
    size_t low = 0, high = j->candidates.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct device_row *row = &j->device->v.v[j->candidates.v[middle]];
        if (row->trace < trace || (row->trace == trace && row->session < session))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == j->candidates.n)
        return false;
    const struct device_row *row = &j->device->v.v[j->candidates.v[low]];
    return row->trace == trace && row->session == session;
}

// Replays that the host reported, measured or not.
static void expect_replays(struct op_join *j, const struct op_found *f)
{
    size_t coverage = (size_t)(f->c - j->r->coverage.v);
    // A device that does not tell replays apart has one measurement for all of them.
    if (f->c->has_data && !j->has_sessions[coverage]) {
        if (!f->has_single && f->n_replays)
            op_join_expect(j, f->c, f->op->process, f->replays[0].time, false);
        return;
    }
    for (size_t i = 0; i < f->n_replays; i++)
        op_join_expect(j, f->c, f->op->process, f->replays[i].time,
                       j->device && has_session(j, f->op->trace, (int64_t)i + 1));
}

// Why an op has no numbers.
static enum op_state unmeasured_state(const struct op_join *j, const struct op_found *f)
{
    if (f->op->trace != DEVICE_NO_ID && f->n_replays == 0)
        return OP_NEVER_REPLAYED;
    if (!j->device)
        return OP_NO_DEVICE_DATA;
    if (j->has_replays[f->c - j->r->coverage.v])
        return f->op->trace != DEVICE_NO_ID ? OP_CAPTURE : OP_NOT_RECORDED;
    return f->c->has_data ? OP_NOT_MEASURED : OP_DEVICE_MISSING;
}

static void add_host_row(struct op_join *j, const struct op_found *f, enum op_state state)
{
    struct op_row row = op_row_make(OP_ROW_OP, state, op_time(f->op));
    row.host = f->host;
    op_join_put(j, f->c, row);
}

static void join_device_op(struct op_join *j, uint32_t at)
{
    const struct host_op *op = &j->host->ops.v[at];
    uint32_t coverage = op_coverage_at(j->r, op->device);
    struct op_found f = {.op = op, .host = at};
    if (coverage == TRACE_NONE) { // on a device that nothing else mentions
        add_host_row(j, &f, j->device ? OP_NOT_MEASURED : OP_NO_DEVICE_DATA);
        return;
    }
    f.c = &j->r->coverage.v[coverage];
    f.c->again += (op->flags & HOST_OP_AGAIN) != 0;
    if (op->trace != DEVICE_NO_ID)
        f.n_replays = op_join_replays(j, op->device, op->trace, &f.replays);
    op_join_find(j, at);
    for (size_t i = 0; i < j->candidates.n; i++) {
        bool is_single = j->device->v.v[j->candidates.v[i]].session == DEVICE_NO_ID;
        if (is_single)
            take_single(j, &f, i);
        else
            take_replayed(j, &f, i);
        f.has_single |= is_single;
    }
    // Where whole replays are recorded, an op alone is not expected to be measured.
    bool is_recorded = j->candidates.n || !j->has_replays[coverage];
    if (op->trace != DEVICE_NO_ID && is_recorded)
        expect_replays(j, &f);
    else if (j->candidates.n == 0 && is_recorded)
        op_join_expect(j, f.c, op->process, op_time(op), false);
    if (!f.has_single)
        add_host_row(j, &f, j->candidates.n ? OP_CAPTURE : unmeasured_state(j, &f));
}

void op_join_add(struct op_join *j, uint32_t at)
{
    const struct host_op *op = &j->host->ops.v[at];
    if (op->flags & HOST_OP_IS_DEVICE)
        join_device_op(j, at);
    else
        add_host_row(j, &(struct op_found){.op = op, .host = at}, OP_HOST_ONLY);
}
