// cpp_report_csv.c - rows of the runtime's report, LF at their ends.
#include "profiler/cpp_report_csv.h"

#include "base/text/csv.h"
#include "base/text/num.h"

void cpp_report_put_heads(struct buf *b)
{
    buf_z(b,
          "GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,"
          "DEVICE ARCH,OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT");
    for (int i = 0; i < CPP_ANALYSES; i++)
        for (int part = 0; part < 3 && duration_head(cpp_columns[i], part); part++)
            buf_printf(b, ",%s", duration_head(cpp_columns[i], part));
    for (int i = 0; i < GAPS; i++)
        buf_printf(b, ",%s", device_number_columns[gaps[i].column]);
    buf_char(b, '\n');
}

// An empty cell when it is not known.
static void put_known(struct buf *b, bool is_known, int64_t v)
{
    if (is_known)
        num_put_int(b, v);
    buf_char(b, ',');
}

static void put_span(struct buf *b, const struct cpp_report *r, const struct cpp_span *s,
                     bool has_times)
{
    nanos duration = {0};
    bool is_known = cpp_report_duration(r, s, &duration);
    put_known(b, is_known, duration.v);
    if (!has_times)
        return;
    put_known(b, s->has_start, (int64_t)s->start.v);
    put_known(b, s->has_end, (int64_t)s->end.v);
}

static void put_row(struct buf *b, const struct cpp_report *r, const struct cpp_facts *f,
                    uint32_t op)
{
    const struct trace *t = r->trace;
    const struct trace_run *run = &t->runs.v[r->ops->v[op].run];
    struct cpp_row row;
    cpp_report_row(r, op, &row);
    put_known(b, true, run->id);
    put_known(b, run->trace_id >= 0, run->trace_id);
    put_known(b, run->trace_counter >= 0, run->trace_counter);
    put_known(b, true, t->devices.v[run->device].id);
    csv_put(b, t->arch);
    buf_char(b, ',');
    if (f->op_name)
        csv_put(b, f->op_name(f->context, run));
    buf_char(b, ',');
    put_known(b, true, row.n_cores);
    int64_t available =
        f->available_cores ? f->available_cores(f->context, run) : t->max_compute_cores;
    put_known(b, available > 0, available);
    for (int i = 0; i < CPP_ANALYSES; i++)
        put_span(b, r, &row.span[i], duration_head(cpp_columns[i], 1));
    for (int l = 0; l < GAPS; l++) {
        nanos latency = r->latency[op][l];
        put_known(b, latency.v != CPP_NO_LATENCY, latency.v);
    }
    b->p[b->n - 1] = '\n'; // in place of the last comma
}

bool cpp_report_put(const struct cpp_report *r, const struct cpp_facts *facts,
                    const char *path, bool append, struct err *e)
{
    struct out o;
    if (!(append ? out_append(&o, path, e) : out_open(&o, path, e)))
        return false;
    if (o.behind == 0)
        cpp_report_put_heads(&o.b);
    for (size_t i = 0; i < r->ops->n; i++) {
        put_row(&o.b, r, facts, r->order[i]);
        out_flush_some(&o);
    }
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
