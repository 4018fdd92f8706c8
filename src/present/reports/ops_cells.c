// ops_cells.c - parts of an ops report row, and the states of its numbers.
#include "present/reports/ops_columns.h"

const char *const ops_cell_state_names[STATES] = {
    [STATE_OK] = "ok",           [STATE_EMPTY] = "empty",
    [STATE_MISSING] = "missing", [STATE_REPAIRED] = "repaired",
    [STATE_BAD] = "bad",
};

const str ops_replay_code = {"TraceReplay", sizeof "TraceReplay" - 1};

const struct host_op *ops_host(const struct op_report *r, const struct op_row *row)
{
    bool is_op = row->kind == OP_ROW_OP && row->host != TRACE_NONE && r->host;
    return is_op ? &r->host->ops.v[row->host] : NULL;
}

const struct device_row *ops_device(const struct op_report *r, const struct op_row *row)
{
    return row->device != TRACE_NONE && r->device ? &r->device->v.v[row->device] : NULL;
}

static const struct host_signpost *signpost_of(const struct op_report *r,
                                               const struct op_row *row)
{
    bool is_one = row->kind == OP_ROW_SIGNPOST && row->host != TRACE_NONE && r->host;
    return is_one ? &r->host->signposts.v[row->host] : NULL;
}

static const struct host_replay *replay_of(const struct op_report *r,
                                           const struct op_row *row)
{
    bool is_one = row->kind == OP_ROW_REPLAY && row->host != TRACE_NONE && r->host;
    return is_one ? &r->host->replays.v[row->host] : NULL;
}

struct ops_view ops_view(const struct op_report *r, const struct op_row *row)
{
    const struct host_op *op = ops_host(r, row);
    return (struct ops_view){.row = row,
                             .op = op,
                             .device = ops_device(r, row),
                             .signpost = signpost_of(r, row),
                             .replay = replay_of(r, row),
                             .record = op ? op->record : TRACE_NONE};
}

bool ops_row_is_missing(const struct op_row *row)
{
    return row->state == OP_NOT_MEASURED || row->state == OP_DEVICE_MISSING ||
           row->state == OP_NO_DEVICE_DATA;
}

static enum cell_state state_of(const struct op_row *row, const struct device_row *d,
                                enum device_number number)
{
    switch (number) {
    case DEVICE_LATENCY: return (enum cell_state)row->latency_state;
    case DEVICE_LATENCY_DM: return (enum cell_state)row->latency_dm_state;
    default: return (enum cell_state)d->state[number];
    }
}

enum cell_state ops_number_state(const struct op_report *r, const struct op_row *row,
                                 enum device_number number)
{
    const struct device_row *d = ops_device(r, row);
    if (!d)
        return ops_row_is_missing(row) ? STATE_MISSING : STATE_EMPTY;
    return state_of(row, d, number);
}

bool ops_view_number(const struct ops_view *v, enum device_number number, int64_t *out)
{
    if (!v->device || state_of(v->row, v->device, number) == STATE_BAD)
        return false;
    *out = number == DEVICE_LATENCY      ? v->row->latency
           : number == DEVICE_LATENCY_DM ? v->row->latency_dm
                                         : v->device->v[number];
    return *out != DEVICE_NONE;
}

bool ops_number(const struct op_report *r, const struct op_row *row,
                enum device_number number, int64_t *v)
{
    struct ops_view view = {.row = row, .device = ops_device(r, row)};
    return ops_view_number(&view, number, v);
}
