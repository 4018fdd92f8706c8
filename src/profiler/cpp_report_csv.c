// cpp_report_csv.c - the runtime's report as a table with LF line ends.
#include "profiler/cpp_report_csv.h"

#include "table/table.h"

// Columns of a duration: duration, start, end.
enum { PARTS = 3 };

// A row; unknown values are CELL_UNKNOWN.
struct line {
    int64_t id, trace, session, device;
    str arch, name;
    int64_t cores, available;
    int64_t spans[CPP_ANALYSES][PARTS];
    int64_t gaps[GAPS];
};

struct source {
    const struct cpp_report *report;
    const struct cpp_facts *facts;
};

static int64_t known_or_empty(bool is_known, int64_t v)
{
    return is_known ? v : CELL_UNKNOWN;
}

static void open_spans(struct line *l, const struct cpp_report *r, uint32_t op)
{
    struct cpp_row row;
    cpp_report_row(r, op, &row);
    l->cores = row.n_cores;
    for (int i = 0; i < CPP_ANALYSES; i++) {
        const struct cpp_span *s = &row.span[i];
        nanos length = {0};
        bool is_known = cpp_report_duration(r, s, &length);
        l->spans[i][0] = known_or_empty(is_known, length.v);
        l->spans[i][1] = known_or_empty(s->has_start, (int64_t)s->start.v);
        l->spans[i][2] = known_or_empty(s->has_end, (int64_t)s->end.v);
    }
    for (int i = 0; i < GAPS; i++)
        l->gaps[i] =
            known_or_empty(r->latency[op][i].v != CPP_NO_LATENCY, r->latency[op][i].v);
}

static const void *open_line(const struct table *t, size_t op, struct arena *scratch)
{
    const struct source *s = t->context;
    const struct cpp_facts *f = s->facts;
    const struct trace *trace = s->report->trace;
    const struct trace_run *run = &trace->runs.v[s->report->ops->v[op].run];
    const struct trace_device *device = &trace->devices.v[run->device];
    int64_t of_log =
        device->max_compute_cores ? device->max_compute_cores : trace->max_compute_cores;
    int64_t available = f->available_cores ? f->available_cores(f->context, run) : of_log;
    struct line *l = push_one(scratch, struct line);
    *l = (struct line){.id = run->id,
                       .trace = known_or_empty(run->trace_id >= 0, run->trace_id),
                       .session =
                           known_or_empty(run->trace_counter >= 0, run->trace_counter),
                       .device = device->id,
                       .arch = trace->arch,
                       .name = f->op_name ? f->op_name(f->context, run) : (str){0},
                       .available = known_or_empty(available > 0, available)};
    open_spans(l, s->report, (uint32_t)op);
    return l;
}

// clang-format off
static const struct column first_columns[] = {
    {.name = "GLOBAL CALL COUNT", .type = CELL_INT, .get = at_i64, MEMBER(struct line, id)},
    {.name = "METAL TRACE ID", .type = CELL_INT, .get = at_known, MEMBER(struct line, trace)},
    {.name = "METAL TRACE REPLAY SESSION ID", .type = CELL_INT, .get = at_known, MEMBER(struct line, session)},
    {.name = "DEVICE ID", .type = CELL_INT, .get = at_i64, MEMBER(struct line, device)},
    {.name = "DEVICE ARCH", .type = CELL_TEXT, .get = at_text, MEMBER(struct line, arch)},
    {.name = "OP NAME", .type = CELL_TEXT, .get = at_text, MEMBER(struct line, name)},
    {.name = "CORE COUNT", .type = CELL_INT, .get = at_i64, MEMBER(struct line, cores)},
    {.name = "AVAILABLE WORKER CORE COUNT", .type = CELL_INT, .get = at_known, MEMBER(struct line, available)},
};
// clang-format on
enum { FIRST = sizeof first_columns / sizeof *first_columns };

struct sheet {
    struct column columns[FIRST + CPP_ANALYSES * PARTS + GAPS];
    struct table table;
};

static void add_column(struct sheet *s, const char *name, size_t at)
{
    s->columns[s->table.n_columns++] =
        (struct column){.name = name, .type = CELL_INT, .get = at_known, .at = at};
}

static void make_sheet(struct sheet *s)
{
    *s = (struct sheet){.table = {.columns = s->columns,
                                  .n_columns = FIRST,
                                  .open = open_line,
                                  .has_lf_ends = true}};
    memcpy(s->columns, first_columns, sizeof first_columns);
    for (int i = 0; i < CPP_ANALYSES; i++)
        for (int p = 0; p < PARTS && duration_head(cpp_columns[i], p); p++)
            add_column(s, duration_head(cpp_columns[i], p),
                       offsetof(struct line, spans) +
                           (size_t)(i * PARTS + p) * sizeof(int64_t));
    for (int i = 0; i < GAPS; i++)
        add_column(s, device_number_columns[gaps[i].column],
                   offsetof(struct line, gaps) + (size_t)i * sizeof(int64_t));
}

void cpp_report_put_heads(struct buf *b)
{
    struct sheet s;
    make_sheet(&s);
    table_csv_head(&s.table, b);
}

bool cpp_report_put(const struct cpp_report *r, const struct cpp_facts *facts,
                    const char *path, bool append, struct err *e)
{
    struct out o;
    if (!(append ? out_append(&o, path, e) : out_open(&o, path, e)))
        return false;
    struct sheet s;
    make_sheet(&s);
    s.table.context = &(struct source){r, facts};
    s.table.order = r->order;
    s.table.n_rows = r->ops->n;
    if (o.behind == 0)
        table_csv_head(&s.table, &o.b);
    table_csv_rows(&s.table, &o);
    return out_close(&o, e);
}

bool cpp_report_write(const struct trace *t, const struct device_ops *ops, const char *path,
                      struct err *e)
{
    static const struct cpp_facts none = {0}; // a log does not name its ops
    struct cpp_report r;
    cpp_report_make(&r, t, ops);
    bool ok = cpp_report_put(&r, &none, path, false, e);
    cpp_report_free(&r);
    return ok;
}
