// ops_head.c - the terminal summary of the ops report: the slowest ops, and totals.
#include <math.h>
#include <stdlib.h>

#include "base/text/num.h"

#include "present/page/ops_doc.h"
#include "present/reports/ops_columns.h"

struct head {
    const struct op_report *r;
    uint32_t *rows; // with a time, longest first
    size_t n;
    bool is_by_host; // no device times: use host times
    double total;    // time of all rows, ns
    double gaps;
    uint64_t n_ops, n_replays, n_measured, n_host_only, n_signposts;
};

static const struct head *head_at(const struct row *r)
{
    return r->table->context;
}
static const struct host_op *host_at(const struct row *r)
{
    return ops_host(head_at(r)->r, r->data);
}
static const struct device_row *device_at(const struct row *r)
{
    return ops_device(head_at(r)->r, r->data);
}

static bool time_of(const struct head *h, const struct op_row *row, int64_t *ns)
{
    const struct host_op *op = ops_host(h->r, row);
    if (!h->is_by_host)
        return ops_number(h->r, row, DEVICE_KERNEL, ns);
    if (!op || (op->flags & HOST_OP_NO_ZONE))
        return false;
    *ns = (int64_t)op->duration;
    return true;
}

static struct cell micros(bool is_known, int64_t ns)
{
    return is_known ? cell_real((double)ns / 1000) : cell_none();
}

GETTER(get_code)
{
    enum { CODE_MOST = 44 };
    const struct host_op *op = host_at(r);
    const struct op_row *row = r->data;
    if (row->kind == OP_ROW_REPLAY)
        return cell_plain(ops_replay_code);
    return op && op->code.n ? cell_plain(str_clip(op->code, CODE_MOST)) : cell_none();
}
GETTER(get_id)
{
    const struct host_op *op = host_at(r);
    const struct op_row *row = r->data;
    const struct device_row *d = row->kind == OP_ROW_REPLAY ? NULL : device_at(r);
    return op || d ? cell_int((int64_t)(op ? op->id : d->op)) : cell_none();
}
// The device or the replay session: `at` is its offset in struct device_row.
GETTER(get_device)
{
    const struct device_row *d = device_at(r);
    int64_t id = d ? *(const int64_t *)((const char *)d + c->at) : DEVICE_NO_ID;
    return id != DEVICE_NO_ID ? cell_int(id) : cell_none();
}
GETTER(get_cores)
{
    int64_t v;
    return ops_number(head_at(r)->r, r->data, DEVICE_CORES, &v) ? cell_int(v) : cell_none();
}
GETTER(get_time)
{
    int64_t ns = 0;
    bool is_known = time_of(head_at(r), r->data, &ns);
    return micros(is_known, ns);
}
GETTER(get_share)
{
    int64_t ns = 0;
    const struct head *h = head_at(r);
    bool is_known = time_of(h, r->data, &ns) && h->total > 0;
    return is_known ? cell_real(100.0 * (double)ns / h->total) : cell_none();
}
GETTER(get_gap)
{
    int64_t ns = 0;
    bool is_known = ops_number(head_at(r)->r, r->data, DEVICE_LATENCY, &ns);
    return micros(is_known, ns);
}
GETTER(get_fpu)
{
    const struct op_row *row = r->data;
    return isnan(row->fpu_util) ? cell_none() : cell_real(row->fpu_util);
}
GETTER(get_state)
{
    const struct op_row *row = r->data;
    return cell_plain(str_of(op_state_names[row->state]));
}

static const struct column device_columns[] = {
    // clang-format off
    {.name = "Op", .type = CELL_TEXT, .is_left = true, .get = get_code},
    {.name = "Call", .type = CELL_INT, .has_no_commas = true, .get = get_id},
    {.name = "Device", .type = CELL_INT, .rank = 2, .get = get_device, MEMBER(struct device_row, device)},
    {.name = "Trace", .type = CELL_INT, .rank = 2, .get = get_device, MEMBER(struct device_row, trace)},
    {.name = "Replay", .type = CELL_INT, .get = get_device, MEMBER(struct device_row, session)},
    {.name = "Cores", .type = CELL_INT, .rank = 3, .get = get_cores},
    {.name = "Kernel", .type = CELL_REAL, .unit = UNIT_MICROS, .decimals = 2, .get = get_time},
    {.name = "Share", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_share},
    {.name = "Gap before", .type = CELL_REAL, .unit = UNIT_MICROS, .decimals = 2, .rank = 1, .get = get_gap},
    {.name = "FPU", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .rank = 4, .get = get_fpu},
    {.name = "State", .type = CELL_TEXT, .is_left = true, .get = get_state},
    // clang-format on
};
static const struct column host_columns[] = {
    // clang-format off
    {.name = "Op", .type = CELL_TEXT, .is_left = true, .get = get_code},
    {.name = "Call", .type = CELL_INT, .has_no_commas = true, .get = get_id},
    {.name = "Host", .type = CELL_REAL, .unit = UNIT_MICROS, .decimals = 2, .get = get_time},
    {.name = "Share", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_share},
    {.name = "State", .type = CELL_TEXT, .is_left = true, .get = get_state},
    // clang-format on
};
enum { MOST_COLUMNS = sizeof device_columns / sizeof *device_columns };

// --- which rows --------------------------------------------------------------------------

struct timed {
    int64_t ns;
    uint32_t row;
};

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void count_rows(struct head *h)
{
    for (size_t i = 0; i < h->r->n_rows; i++) {
        const struct op_row *row = &h->r->rows.v[i];
        int64_t gap;
        h->n_signposts += row->kind == OP_ROW_SIGNPOST;
        h->n_replays += row->kind == OP_ROW_REPLAY;
        h->n_ops += row->kind != OP_ROW_SIGNPOST && row->kind != OP_ROW_REPLAY;
        h->n_host_only += row->state == OP_HOST_ONLY;
        h->n_measured += row->device != TRACE_NONE;
        if (ops_number(h->r, row, DEVICE_LATENCY, &gap) && gap > 0)
            h->gaps += (double)gap;
    }
}

static void sort_rows(struct head *h)
{
    struct timed *timed = mem_alloc(mem_bytes(sizeof *timed, h->r->n_rows));
    for (size_t i = 0; i < h->r->n_rows; i++) {
        int64_t ns;
        if (!time_of(h, &h->r->rows.v[i], &ns))
            continue;
        timed[h->n++] = (struct timed){ns, (uint32_t)i};
        h->total += (double)ns;
    }
    qsort(timed, h->n, sizeof *timed, by_time);
    h->rows = mem_alloc(mem_bytes(sizeof *h->rows, h->n));
    for (size_t i = 0; i < h->n; i++)
        h->rows[i] = timed[i].row;
    mem_free(timed);
}

// --- text --------------------------------------------------------------------------------

static void put_table(const struct head *h, size_t most_rows, struct text_look look,
                      struct buf *b)
{
    struct column shown[MOST_COLUMNS];
    bool is_used[MOST_COLUMNS];
    struct table t = {.columns = h->is_by_host ? host_columns : device_columns,
                      .n_columns = h->is_by_host
                                       ? sizeof host_columns / sizeof *host_columns
                                       : (size_t)MOST_COLUMNS,
                      .rows = h->r->rows.v,
                      .row_bytes = sizeof *h->r->rows.v,
                      .context = h,
                      .order = h->rows,
                      .n_rows = h->n < most_rows ? h->n : most_rows};
    table_used(&t, is_used);
    size_t n = 0;
    for (size_t i = 0; i < t.n_columns; i++)
        if (is_used[i])
            shown[n++] = t.columns[i];
    t.columns = shown;
    t.n_columns = n;
    table_text(&t, look, b);
    if (h->n > t.n_rows)
        buf_printf(b, "... and %zu more, all shorter\n", h->n - t.n_rows);
    buf_char(b, '\n');
}

static void put_count(struct buf *b, const char *before, uint64_t n, const char *one,
                      const char *many)
{
    if (!n)
        return;
    buf_z(b, before);
    num_put_fixed(b, (double)n, 0, true);
    buf_printf(b, " %s", n == 1 ? one : many);
}

static void put_sums(const struct head *h, struct buf *b)
{
    put_count(b, "", h->n_ops, "op", "ops");
    put_count(b, ", ", h->n_replays, "replay of a trace", "replays of traces");
    put_count(b, ", ", h->n_measured, "measured on devices", "measured on devices");
    put_count(b, ", ", h->n_host_only, "on the host only", "on the host only");
    put_count(b, ", ", h->n_signposts, "signpost", "signposts");
    buf_z(b, h->is_by_host ? "; host time " : "; kernel time ");
    num_put_fixed(b, h->total / 1000, 2, true);
    buf_z(b, " μs");
    if (!h->is_by_host) {
        buf_z(b, ", between ops ");
        num_put_fixed(b, h->gaps / 1000, 2, true);
        buf_z(b, " μs");
    }
    buf_char(b, '\n');
}

void ops_doc_head(const struct op_report *r, size_t most_rows, struct text_look look,
                  struct buf *b)
{
    struct head h = {.r = r};
    count_rows(&h);
    h.is_by_host = h.n_measured == 0;
    sort_rows(&h);
    if (!h.n_ops) {
        buf_z(b, "The report has no ops.\n");
    } else {
        if (most_rows && h.n)
            put_table(&h, most_rows, look, b);
        put_sums(&h, b);
    }
    mem_free(h.rows);
}
