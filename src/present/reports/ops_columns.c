// ops_columns.c - getters for the cells of each column.
#include "present/reports/ops_columns.h"

#include <math.h>

static const struct ops_view *ops_view_of(const struct row *r)
{
    return r->data;
}
static const struct ops_columns *ops_at(const struct row *r)
{
    return r->table->context;
}

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

static struct cell id_or_none(int64_t id)
{
    return id != DEVICE_NO_ID ? cell_int(id) : cell_none();
}

struct cell ops_get_none(const struct column *c, const struct row *r)
{
    (void)c;
    (void)r;
    return cell_none();
}

// --- host --------------------------------------------------------------------------------

GETTER(get_code)
{
    const struct ops_view *v = ops_view_of(r);
    if (v->signpost)
        return text_or_none(v->signpost->header);
    if (v->row->kind == OP_ROW_REPLAY)
        return cell_text(ops_replay_code);
    return v->op ? text_or_none(v->op->code) : cell_none();
}

GETTER(get_type)
{
    const struct ops_view *v = ops_view_of(r);
    if (v->signpost)
        return cell_text(S("signpost"));
    if (v->row->kind == OP_ROW_REPLAY)
        return cell_text(S("tt_dnn_device"));
    return v->op ? text_or_none(v->op->type) : cell_none();
}

static bool has_times(const struct ops_view *v)
{
    return v->op && !(v->op->flags & HOST_OP_NO_ZONE);
}

GETTER(get_host_start)
{
    const struct ops_view *v = ops_view_of(r);
    if (v->signpost)
        return unsigned_cell(v->signpost->time, r->scratch);
    if (v->replay)
        return unsigned_cell(v->replay->time, r->scratch);
    return has_times(v) ? unsigned_cell(v->op->start, r->scratch) : cell_none();
}
GETTER(get_host_end)
{
    const struct ops_view *v = ops_view_of(r);
    return has_times(v) ? unsigned_cell(v->op->start + v->op->duration, r->scratch)
                        : cell_none();
}
GETTER(get_host_duration)
{
    const struct ops_view *v = ops_view_of(r);
    return has_times(v) ? unsigned_cell(v->op->duration, r->scratch) : cell_none();
}

GETTER(get_hash)
{
    const struct host_op *op = ops_view_of(r)->op;
    return op && op->has_hash ? unsigned_cell(op->hash, r->scratch) : cell_none();
}
GETTER(get_hit)
{
    const struct host_op *op = ops_view_of(r)->op;
    return op && op->has_hit ? cell_bool(op->is_hit) : cell_none();
}
GETTER(get_fpu_util)
{
    const struct ops_view *v = ops_view_of(r);
    return v->op && !isnan(v->row->fpu_util) ? cell_real(v->row->fpu_util) : cell_none();
}
GETTER(get_depth)
{
    const struct host_op *op = ops_view_of(r)->op;
    return op ? cell_int((int64_t)op->depth + 1) : cell_none();
}

// --- zones inside an op ------------------------------------------------------------------

static const struct host_child *child_of(const struct column *c, const struct row *r)
{
    const struct ops_columns *ops = ops_at(r);
    const struct ops_view *v = ops_view_of(r);
    if (!ops->first_child || !v->op)
        return NULL;
    const struct host_child *list = ops->report->host->child.v;
    const uint32_t *first = &ops->first_child[v->row->host];
    for (uint32_t i = first[0]; i < first[1]; i++)
        if (list[i].name == c->arg)
            return &list[i];
    return NULL;
}

struct cell ops_get_child(const struct column *c, const struct row *r)
{
    const struct host_child *child = child_of(c, r);
    return child ? unsigned_cell(child->total, r->scratch) : cell_none();
}
struct cell ops_get_child_count(const struct column *c, const struct row *r)
{
    const struct host_child *child = child_of(c, r);
    return ops_view_of(r)->op ? cell_int(child ? (int64_t)child->count : 0) : cell_none();
}
struct cell ops_get_child_average(const struct column *c, const struct row *r)
{
    const struct host_child *child = child_of(c, r);
    return child && child->count ? cell_real((double)child->total / (double)child->count)
                                 : cell_none();
}

// --- device ------------------------------------------------------------------------------

struct cell ops_get_id(const struct column *c, const struct row *r)
{
    const struct ops_view *v = ops_view_of(r);
    (void)c;
    if (v->op)
        return unsigned_cell(v->op->id, r->scratch);
    if (v->row->kind == OP_ROW_REPLAY)
        return cell_none(); // the id is that of an unrelated op
    return v->device ? unsigned_cell(v->device->op, r->scratch) : cell_none();
}
struct cell ops_get_device(const struct column *c, const struct row *r)
{
    const struct ops_view *v = ops_view_of(r);
    (void)c;
    if (v->op && v->op->device != DEVICE_NO_ID)
        return cell_int(v->op->device);
    return v->device ? id_or_none(v->device->device) : cell_none();
}
GETTER(get_arch)
{
    const struct ops_view *v = ops_view_of(r);
    const struct op_report *report = ops_at(r)->report;
    return v->device && v->row->device < report->device->arch_of.n
               ? text_or_none(report->device->arch_of.v[v->row->device])
               : cell_none();
}
struct cell ops_get_number(const struct column *c, const struct row *r)
{
    int64_t v;
    return ops_view_number(ops_view_of(r), (enum device_number)c->arg, &v) ? cell_int(v)
                                                                           : cell_none();
}
struct cell ops_get_replay(const struct column *c, const struct row *r)
{
    const struct device_row *d = ops_view_of(r)->device;
    return d ? id_or_none(*(const int64_t *)((const char *)d + c->at)) : cell_none();
}
GETTER(get_net)
{
    const struct ops_view *v = ops_view_of(r);
    return v->device && v->row->latency_net != DEVICE_NONE ? cell_int(v->row->latency_net)
                                                           : cell_none();
}

// --- the op's record: shared by all ops that refer to it ---------------------------------

static const struct op_record *record_at(const struct row *r)
{
    uint32_t record = ops_view_of(r)->record;
    return record != TRACE_NONE ? &ops_at(r)->report->host->records.v[record] : NULL;
}

// `at`: offset of the text in struct op_record.
GETTER(get_record_text)
{
    const struct op_record *record = record_at(r);
    const struct host_signpost *signpost = ops_view_of(r)->signpost;
    if (signpost && c->at == offsetof(struct op_record, attributes))
        return text_or_none(signpost->text);
    return record ? text_or_none(*(const str *)((const char *)record + c->at))
                  : cell_none();
}

struct cell ops_get_tensor(const struct column *c, const struct row *r)
{
    const struct op_record *record = record_at(r);
    bool is_input = c->at == offsetof(struct op_record, inputs);
    size_t tensor = c->arg / OPS_TENSOR_COLUMNS, which = c->arg % OPS_TENSOR_COLUMNS;
    if (!record || tensor >= (is_input ? record->n_inputs : record->n_outputs))
        return cell_none();
    const struct op_tensor *t = &(is_input ? record->inputs : record->outputs)[tensor];
    return text_or_none(which < 4    ? t->size[which]
                        : which == 4 ? t->layout
                        : which == 5 ? t->dtype
                                     : t->memory);
}

struct cell ops_get_size(const struct column *c, const struct row *r)
{
    const struct op_record *record = record_at(r);
    str name = ops_at(r)->sizes.keys.v[c->arg];
    for (size_t i = 0; record && i < record->n_sizes; i++)
        if (str_eq(record->sizes[i].name, name))
            return text_or_none(record->sizes[i].bytes);
    return cell_none();
}

// --- filling empty cells -----------------------------------------------------------------

static struct cell extra_cell(const struct ops_columns *ops, const struct ops_view *v,
                              uint32_t extra)
{
    if (extra == TRACE_NONE || !v->device)
        return cell_none();
    return text_or_none(ops->report->device->extra.v[extra].cell[v->row->device]);
}

static struct cell fill_cell(const struct ops_columns *ops, uint32_t record, size_t column)
{
    if (!ops->first_fill || record == TRACE_NONE)
        return cell_none();
    for (uint32_t i = ops->first_fill[record]; i < ops->first_fill[record + 1]; i++)
        if (ops->fills.v[i].column == column)
            return text_or_none(ops->fills.v[i].cell);
    return cell_none();
}

struct cell ops_get_filled(const struct column *c, const struct row *r)
{
    const struct ops_columns *ops = ops_at(r);
    const struct ops_view *v = ops_view_of(r);
    size_t at = (size_t)(c - r->table->columns);
    struct cell cell = ops->more.v[at].own(c, r);
    if (cell.kind == CELL_NONE)
        cell = extra_cell(ops, v, ops->more.v[at].extra);
    return cell.kind != CELL_NONE ? cell : fill_cell(ops, v->record, at);
}

// --- states ------------------------------------------------------------------------------

GETTER(get_row_state)
{
    const struct ops_view *v = ops_view_of(r);
    return cell_text(str_of(op_state_names[v->signpost ? OP_SIGNPOST : v->row->state]));
}

static bool is_told(enum cell_state s)
{
    return s != STATE_OK && s != STATE_EMPTY;
}

// "DEVICE FW DURATION [ns]=missing; ..."; if the whole device is missing, only that.
GETTER(get_cell_states)
{
    const struct op_report *report = ops_at(r)->report;
    const struct ops_view *v = ops_view_of(r);
    struct buf b = {0};
    if (v->signpost)
        return cell_none();
    if (!v->device)
        return ops_row_is_missing(v->row) ? cell_text(S("all of the device=missing"))
                                          : cell_none();
    for (int i = 0; i < DEVICE_REPORTED; i++) {
        enum cell_state s = ops_number_state(report, v->row, (enum device_number)i);
        if (is_told(s))
            buf_printf(&b, "%s%s=%s", b.n ? "; " : "", device_number_columns[i],
                       ops_cell_state_names[s]);
    }
    str text = arena_str(r->scratch, buf_view(&b));
    buf_free(&b);
    return text_or_none(text);
}

// {"DEVICE FW DURATION [ns]": "missing", ...}
static void put_cell_states(const struct row *r, struct json *j)
{
    const struct op_report *report = ops_at(r)->report;
    const struct ops_view *v = ops_view_of(r);
    json_open(j, '{');
    if (ops_row_is_missing(v->row))
        json_key_text(j, "*", str_of(ops_cell_state_names[STATE_MISSING]));
    for (int i = 0; v->device && !ops_row_is_missing(v->row) && i < DEVICE_REPORTED; i++) {
        enum cell_state s = ops_number_state(report, v->row, (enum device_number)i);
        if (is_told(s))
            json_key_text(j, device_number_columns[i], str_of(ops_cell_state_names[s]));
    }
    json_close(j, '}');
}

// --- the columns, in order ---------------------------------------------------------------

// clang-format off
#define TEXT(n)          .name = (n), .type = CELL_TEXT
#define WHOLE(n)         .name = (n), .type = CELL_INT
#define REAL(n, u)       .name = (n), .type = CELL_REAL, .unit = (u)
#define DEVICE(number)   .type = CELL_INT, .get = ops_get_number, .arg = (number)
#define NANOS            .unit = UNIT_NANOS
#define RECORD(member)   .is_shared = true, .get = get_record_text, MEMBER(struct op_record, member)
#define DETAIL           .is_detail = true

static const struct column head_columns[] = {
    {TEXT("OP CODE"), .get = get_code},
    {TEXT("OP TYPE"), DETAIL, .get = get_type},
    {WHOLE("GLOBAL CALL COUNT"), .get = ops_get_id},
    {WHOLE("DEVICE ID"), .get = ops_get_device},
    {TEXT("DEVICE ARCH"), DETAIL, .get = get_arch},
    {TEXT("ATTRIBUTES"), DETAIL, RECORD(attributes)},
    {TEXT("MATH FIDELITY"), RECORD(fidelity)},
    {DEVICE(DEVICE_CORES)},
    {DEVICE(DEVICE_CORES_AVAILABLE), DETAIL},
    {DEVICE(DEVICE_SUB_DEVICE), DETAIL},
    {TEXT("PARALLELIZATION STRATEGY"), DETAIL, RECORD(strategy)},
    {WHOLE("HOST START TS"), NANOS, DETAIL, .get = get_host_start},
    {WHOLE("HOST END TS"), NANOS, DETAIL, .get = get_host_end},
    {WHOLE("HOST DURATION [ns]"), NANOS, .get = get_host_duration},
    {DEVICE(DEVICE_FW_START), .unit = UNIT_CYCLES, DETAIL},
    {DEVICE(DEVICE_FW_END), .unit = UNIT_CYCLES, DETAIL},
    {DEVICE(DEVICE_LATENCY), NANOS},
    {DEVICE(DEVICE_LATENCY_DM), NANOS, DETAIL},
    {DEVICE(DEVICE_FW), NANOS, DETAIL},
    {DEVICE(DEVICE_KERNEL), NANOS},
    {DEVICE(DEVICE_KERNEL_DM), NANOS, DETAIL},
    {DEVICE(DEVICE_CORE_MIN), NANOS, DETAIL},
    {DEVICE(DEVICE_CORE_MAX), NANOS, DETAIL},
    {DEVICE(DEVICE_CORE_AVG), NANOS, DETAIL},
    {DEVICE(DEVICE_FIRST_TO_LAST), NANOS, DETAIL},
    {DEVICE(DEVICE_BRISC), NANOS, DETAIL},
    {DEVICE(DEVICE_NCRISC), NANOS, DETAIL},
    {DEVICE(DEVICE_TRISC0), NANOS, DETAIL},
    {DEVICE(DEVICE_TRISC1), NANOS, DETAIL},
    {DEVICE(DEVICE_TRISC2), NANOS, DETAIL},
    {DEVICE(DEVICE_ERISC), NANOS, DETAIL},
    {DEVICE(DEVICE_CB_WAIT), NANOS, DETAIL},
    {DEVICE(DEVICE_CB_RESERVE), NANOS, DETAIL},
    {DEVICE(DEVICE_DISPATCH_TOTAL), NANOS, DETAIL},
    {DEVICE(DEVICE_DISPATCH_GO), NANOS, DETAIL},
};
// After the tensors.
static const struct column program_columns[] = {
    {WHOLE("METAL TRACE ID"), DETAIL, .get = ops_get_replay, MEMBER(struct device_row, trace)},
    {WHOLE("METAL TRACE REPLAY SESSION ID"), DETAIL, .get = ops_get_replay, MEMBER(struct device_row, session)},
    {TEXT("COMPUTE KERNEL SOURCE"), DETAIL, RECORD(compute_source)},
    {TEXT("COMPUTE KERNEL HASH"), DETAIL, RECORD(compute_hash)},
    {TEXT("DATA MOVEMENT KERNEL SOURCE"), DETAIL, RECORD(movement_source)},
    {TEXT("DATA MOVEMENT KERNEL HASH"), DETAIL, RECORD(movement_hash)},
    {TEXT("PROGRAM HASH"), DETAIL, .get = get_hash},
    {.name = "PROGRAM CACHE HIT", .type = CELL_BOOL, DETAIL, .get = get_hit},
};
// After the sizes of kernels.
static const struct column model_columns[] = {
    {REAL("PM IDEAL [ns]", UNIT_NANOS), RECORD(ideal)},
    {REAL("PM COMPUTE [ns]", UNIT_NANOS), DETAIL, RECORD(compute)},
    {REAL("PM BANDWIDTH [ns]", UNIT_NANOS), DETAIL, RECORD(bandwidth)},
    {TEXT("PM REQ I BW"), DETAIL, RECORD(input_rates)},
    {TEXT("PM REQ O BW"), DETAIL, RECORD(output_rates)},
    {REAL("PM FPU UTIL (%)", UNIT_PERCENT), .get = get_fpu_util},
    {REAL("NOC UTIL (%)", UNIT_PERCENT), DETAIL, .get = ops_get_none},
    {REAL("MULTICAST NOC UTIL (%)", UNIT_PERCENT), DETAIL, .get = ops_get_none},
    {REAL("DRAM BW UTIL (%)", UNIT_PERCENT), DETAIL, .get = ops_get_none},
    {TEXT("DRAM BW UTIL PER CTRL (%)"), DETAIL, .get = ops_get_none},
    {TEXT("ETH BW UTIL (%)"), DETAIL, .get = ops_get_none},
    {REAL("NPE CONG IMPACT (%)", UNIT_PERCENT), DETAIL, .get = ops_get_none},
};
static const struct column state_columns[] = {
    {TEXT("ROW STATE"), .get = get_row_state},
    {TEXT("CELL STATES"), DETAIL, .get = get_cell_states, .json = put_cell_states},
};
static const struct column net_columns[] = {
    {WHOLE("OP TO OP LATENCY WITHOUT PROFILER [ns]"), NANOS, DETAIL, .get = get_net},
};
static const struct column site_columns[] = {
    {TEXT("CALL SITE"), DETAIL, .get = ops_get_none}, // from call_site of the record
};
static const struct column depth_columns[] = {
    {WHOLE("CALL DEPTH"), DETAIL, .get = get_depth},
};
// clang-format on

#define LIST(columns)                                                                      \
    {                                                                                      \
        (columns), sizeof(columns) / sizeof *(columns)                                     \
    }
const struct ops_list ops_head_columns = LIST(head_columns);
const struct ops_list ops_program_columns = LIST(program_columns);
const struct ops_list ops_model_columns = LIST(model_columns);
const struct ops_list ops_state_columns = LIST(state_columns);
const struct ops_list ops_net_columns = LIST(net_columns);
const struct ops_list ops_site_columns = LIST(site_columns);
const struct ops_list ops_depth_columns = LIST(depth_columns);
