// op_to_op_csv.c - a row for each pair of ops, a column for each core.
#include "present/device/op_to_op_csv.h"

#include "base/text/num.h"

#include "analyse/fold/op_to_op.h"

enum {
    OVERHEAD_NS = 1500
}; // of the profiler itself between two ops: the reference's figure

static void put_gap(struct buf *b, cycles gap, int64_t mhz, bool compat)
{
    if (compat)
        num_put_int(b, (int64_t)gap.v - OVERHEAD_NS);
    else if (mhz > 0 && mhz <= UINT32_MAX)
        num_put_int(b, cycles_to_ns(gap, (uint32_t)mhz).v - OVERHEAD_NS);
}

bool op_to_op_write(const struct device_analysis *d, bool compat, const char *path,
                    struct err *e)
{
    struct out out;
    if (!out_open(&out, path, e))
        return false;
    struct buf *b = &out.b;
    struct op_to_op o;
    op_to_op_start(&o, d);
    buf_z(b, "device ID,op2op ID");
    for (size_t i = 0; i < o.n_columns; i++)
        buf_printf(b, ",%d; %d [ns]", o.columns[i].x, o.columns[i].y);
    buf_z(b, "\r\n");
    while (op_to_op_next(&o)) {
        num_put_int(b, d->trace->devices.v[o.device].id);
        buf_char(b, ',');
        num_put_int(b, o.pair->from);
        buf_z(b, " -> ");
        num_put_int(b, o.pair->to);
        for (size_t i = 0; i < o.n_columns; i++) {
            buf_char(b, ',');
            if (o.cells[i])
                put_gap(b, o.cells[i]->gap, d->trace->mhz, compat);
        }
        buf_z(b, "\r\n");
        out_flush_some(&out);
    }
    op_to_op_end(&o);
    return out_close(&out, e);
}
