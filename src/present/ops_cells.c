// ops_cells.c - the cell of a row in a column of the ops report, and its state.
#include <math.h>

#include "base/num.h"

#include "present/ops_columns.h"

const char *const ops_cell_state_names[STATES] = {
    [STATE_OK] = "ok",           [STATE_EMPTY] = "empty",
    [STATE_MISSING] = "missing", [STATE_REPAIRED] = "repaired",
    [STATE_BAD] = "bad",
};

// --- the parts of a row ------------------------------------------------------------------

const struct host_op *ops_host(const struct op_report *r, const struct op_row *row)
{
    bool is_op = row->kind == OP_ROW_OP && row->host != HOST_NONE && r->host;
    return is_op ? &r->host->ops.v[row->host] : NULL;
}

const struct device_row *ops_device(const struct op_report *r, const struct op_row *row)
{
    return row->device != HOST_NONE && r->device ? &r->device->v.v[row->device] : NULL;
}

static const struct host_signpost *signpost_of(const struct op_report *r,
                                               const struct op_row *row)
{
    bool is_one = row->kind == OP_ROW_SIGNPOST && row->host != HOST_NONE && r->host;
    return is_one ? &r->host->signposts.v[row->host] : NULL;
}

struct ops_view ops_view(const struct op_report *r, const struct op_row *row)
{
    const struct host_op *op = ops_host(r, row);
    return (struct ops_view){.row = row,
                             .op = op,
                             .device = ops_device(r, row),
                             .signpost = signpost_of(r, row),
                             .record = op ? op->record : HOST_NONE};
}

// --- numbers and their states ------------------------------------------------------------

bool ops_row_is_missing(const struct op_row *row)
{
    return row->state == OP_NOT_MEASURED || row->state == OP_DEVICE_MISSING ||
           row->state == OP_NO_DEVICE_DATA;
}

enum cell_state ops_number_state(const struct op_report *r, const struct op_row *row,
                                 enum device_number number)
{
    const struct device_row *d = ops_device(r, row);
    if (!d)
        return ops_row_is_missing(row) ? STATE_MISSING : STATE_EMPTY;
    switch (number) {
    case DEVICE_LATENCY: return (enum cell_state)row->latency_state;
    case DEVICE_LATENCY_DM: return (enum cell_state)row->latency_dm_state;
    default: return (enum cell_state)d->state[number];
    }
}

bool ops_number(const struct op_report *r, const struct op_row *row,
                enum device_number number, int64_t *v)
{
    const struct device_row *d = ops_device(r, row);
    if (!d || ops_number_state(r, row, number) == STATE_BAD)
        return false;
    *v = number == DEVICE_LATENCY      ? row->latency
         : number == DEVICE_LATENCY_DM ? row->latency_dm
                                       : d->v[number];
    return *v != DEVICE_NONE;
}

// --- cells by what gives them ------------------------------------------------------------

static struct cell text_or_none(str s)
{
    return s.n ? cell_text(s) : cell_none();
}

static struct cell unsigned_cell(uint64_t v, struct arena *scratch)
{
    if (v <= INT64_MAX)
        return cell_int((int64_t)v);
    return cell_text(arena_printf(scratch, "%llu", (unsigned long long)v));
}

static struct cell signpost_cell(const struct host_signpost *s,
                                 const struct ops_column *column, struct arena *scratch)
{
    switch (column->source) {
    case OPS_CODE: return text_or_none(s->header);
    case OPS_TYPE: return cell_text(S("signpost"));
    case OPS_HOST_START: return unsigned_cell(s->time, scratch);
    case OPS_RECORD_TEXT:
        return column->index == offsetof(struct op_record, attributes)
                   ? text_or_none(s->text)
                   : cell_none();
    case OPS_ROW_STATE: return cell_text(str_of(op_state_names[OP_SIGNPOST]));
    default: return cell_none();
    }
}

static struct cell tensor_cell(const struct op_tensor *tensors, size_t n, uint32_t index)
{
    size_t tensor = index / OPS_TENSOR_COLUMNS, which = index % OPS_TENSOR_COLUMNS;
    if (tensor >= n)
        return cell_none();
    const struct op_tensor *t = &tensors[tensor];
    return text_or_none(which < 4    ? t->size[which]
                        : which == 4 ? t->layout
                        : which == 5 ? t->dtype
                                     : t->memory);
}

static struct cell record_cell(const struct ops_columns *c, const struct op_record *r,
                               const struct ops_column *column)
{
    switch (column->source) {
    case OPS_INPUT: return tensor_cell(r->inputs, r->n_inputs, column->index);
    case OPS_OUTPUT: return tensor_cell(r->outputs, r->n_outputs, column->index);
    case OPS_SIZE:
        for (size_t i = 0; i < r->n_sizes; i++)
            if (str_eq(r->sizes[i].name, c->sizes.keys.v[column->index]))
                return text_or_none(r->sizes[i].bytes);
        return cell_none();
    default: {
        str s;
        memcpy(&s, (const char *)r + column->index, sizeof s);
        return text_or_none(s);
    }
    }
}

static const struct host_child *child_of(const struct ops_columns *c,
                                         const struct op_row *row, uint32_t name)
{
    if (!c->first_child || !ops_host(c->report, row))
        return NULL;
    const struct host_child *list = c->report->host->child.v;
    for (uint32_t i = c->first_child[row->host]; i < c->first_child[row->host + 1]; i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}

// "DEVICE FW DURATION [ns]=missing; ..."; where all of the device is missing, that alone.
static struct cell cell_states(const struct op_report *r, const struct op_row *row,
                               struct arena *scratch)
{
    struct buf b = {0};
    const struct device_row *d = ops_device(r, row);
    if (!d)
        return ops_row_is_missing(row) ? cell_text(S("all of the device=missing"))
                                       : cell_none();
    for (int i = 0; i < DEVICE_REPORTED; i++) {
        enum cell_state state = ops_number_state(r, row, (enum device_number)i);
        if (state != STATE_OK && state != STATE_EMPTY)
            buf_printf(&b, "%s%s=%s", b.n ? "; " : "", device_number_columns[i],
                       ops_cell_state_names[state]);
    }
    str text = arena_str(scratch, buf_view(&b));
    buf_free(&b);
    return text_or_none(text);
}

static struct cell device_cell(const struct op_report *r, const struct op_row *row,
                               const struct device_row *d, const struct ops_column *column,
                               struct arena *scratch)
{
    int64_t v;
    switch (column->source) {
    case OPS_DEVICE: return d->device != DEVICE_NO_ID ? cell_int(d->device) : cell_none();
    case OPS_ID: return unsigned_cell(d->op, scratch);
    case OPS_ARCH:
        return row->device < r->device->arch_of.n
                   ? text_or_none(r->device->arch_of.v[row->device])
                   : cell_none();
    case OPS_NUMBER:
        return ops_number(r, row, (enum device_number)column->index, &v) ? cell_int(v)
                                                                         : cell_none();
    case OPS_TRACE: return d->trace != DEVICE_NO_ID ? cell_int(d->trace) : cell_none();
    case OPS_SESSION:
        return d->session != DEVICE_NO_ID ? cell_int(d->session) : cell_none();
    case OPS_NET:
        return row->latency_net != DEVICE_NONE ? cell_int(row->latency_net) : cell_none();
    default: return cell_none();
    }
}

static struct cell host_cell(const struct ops_columns *c, const struct op_row *row,
                             const struct host_op *op, const struct ops_column *column,
                             struct arena *scratch)
{
    const struct host_child *child = NULL;
    bool has_times = !(op->flags & HOST_OP_NO_ZONE);
    switch (column->source) {
    case OPS_CODE: return text_or_none(op->code);
    case OPS_TYPE: return text_or_none(op->type);
    case OPS_ID: return unsigned_cell(op->id, scratch);
    case OPS_DEVICE: return op->device != DEVICE_NO_ID ? cell_int(op->device) : cell_none();
    case OPS_HOST_START: return has_times ? unsigned_cell(op->start, scratch) : cell_none();
    case OPS_HOST_END:
        return has_times ? unsigned_cell(op->start + op->duration, scratch) : cell_none();
    case OPS_HOST_DURATION:
        return has_times ? unsigned_cell(op->duration, scratch) : cell_none();
    case OPS_HASH: return op->has_hash ? unsigned_cell(op->hash, scratch) : cell_none();
    case OPS_HIT: return op->has_hit ? cell_bool(op->is_hit) : cell_none();
    case OPS_FPU_UTIL: return isnan(row->fpu_util) ? cell_none() : cell_real(row->fpu_util);
    case OPS_DEPTH: return cell_int((int64_t)op->depth + 1);
    case OPS_CHILD:
        child = child_of(c, row, column->index);
        return child ? unsigned_cell(child->total, scratch) : cell_none();
    case OPS_CHILD_COUNT:
        child = child_of(c, row, column->index);
        return cell_int(child ? (int64_t)child->count : 0);
    case OPS_CHILD_AVERAGE:
        child = child_of(c, row, column->index);
        return child && child->count
                   ? cell_real((double)child->total / (double)child->count)
                   : cell_none();
    default: return cell_none();
    }
}

static struct cell fill_cell(const struct ops_columns *c, uint32_t record, size_t column)
{
    if (!c->first_fill || record == HOST_NONE)
        return cell_none();
    for (uint32_t i = c->first_fill[record]; i < c->first_fill[record + 1]; i++)
        if (c->fills.v[i].column == column)
            return text_or_none(c->fills.v[i].cell);
    return cell_none();
}

static struct cell extra_cell(const struct op_report *r, const struct op_row *row,
                              const struct ops_column *column)
{
    if (column->extra == HOST_NONE || !ops_device(r, row))
        return cell_none();
    return text_or_none(r->device->extra.v[column->extra].cell[row->device]);
}

// What the row itself gives, without what may fill an empty cell.
static struct cell own_cell(const struct ops_columns *c, const struct ops_view *v,
                            const struct ops_column *column, struct arena *scratch)
{
    const struct op_report *r = c->report;
    struct cell cell = cell_none();
    if (column->source == OPS_ROW_STATE)
        return cell_text(str_of(op_state_names[v->row->state]));
    if (column->source == OPS_CELL_STATES)
        return cell_states(r, v->row, scratch);
    if (column->source >= OPS_RECORD_TEXT)
        return v->record != HOST_NONE
                   ? record_cell(c, &r->host->records.v[v->record], column)
                   : cell_none();
    if (v->op && column->source != OPS_NUMBER)
        cell = host_cell(c, v->row, v->op, column, scratch);
    if (cell.kind == CELL_NONE && v->device)
        cell = device_cell(r, v->row, v->device, column, scratch);
    return cell;
}

struct cell ops_cell(const struct ops_columns *c, const struct ops_view *v, size_t at,
                     struct arena *scratch)
{
    const struct ops_column *column = &c->v.v[at];
    if (v->signpost)
        return signpost_cell(v->signpost, column, scratch);
    struct cell cell = own_cell(c, v, column, scratch);
    if (cell.kind != CELL_NONE || !column->has_more)
        return cell;
    cell = extra_cell(c->report, v->row, column);
    return cell.kind != CELL_NONE ? cell : fill_cell(c, v->record, at);
}
