// op_to_op_csv.c - a row for each pair of ops, a column for each core.
#include "present/device/op_to_op_csv.h"

#include "analyse/fold/op_to_op.h"
#include "table/table.h"

enum { OVERHEAD_NS = 1500 }; // profiler overhead between two ops, according to tt-metal

// Rows are made one at a time: the data of a row is the state of the walk.
struct sheet {
    struct op_to_op walk;
    const struct trace *trace;
    bool is_compatible; // cycles, although the heading says ns
};

GETTER(get_device)
{
    const struct sheet *s = r->data;
    return cell_int(s->trace->devices.v[s->walk.device].id);
}
GETTER(get_pair)
{
    const struct op_pair *p = ((const struct sheet *)r->data)->walk.pair;
    return cell_text(
        arena_printf(r->scratch, "%lld -> %lld", (long long)p->from, (long long)p->to));
}
GETTER(get_gap)
{
    const struct sheet *s = r->data;
    const struct op_pair *p = s->walk.cells[c->arg];
    int64_t mhz = trace_mhz(s->trace, s->walk.device);
    if (p && s->is_compatible)
        return cell_int((int64_t)p->gap.v - OVERHEAD_NS);
    if (!p || mhz <= 0)
        return cell_none();
    return cell_int(cycles_to_ns(p->gap, (uint32_t)mhz).v - OVERHEAD_NS);
}

static struct table make_table(const struct op_to_op *o, struct arena *a)
{
    struct column *columns = push_many(a, struct column, o->n_columns + 2);
    columns[0] = (struct column){.name = "device ID", .type = CELL_INT, .get = get_device};
    columns[1] = (struct column){.name = "op2op ID", .type = CELL_TEXT, .get = get_pair};
    for (uint32_t i = 0; i < o->n_columns; i++)
        columns[i + 2] = (struct column){
            .name = arena_printf(a, "%d; %d [ns]", o->columns[i].x, o->columns[i].y).p,
            .type = CELL_INT,
            .get = get_gap,
            .arg = i};
    return (struct table){.columns = columns, .n_columns = o->n_columns + 2};
}

bool op_to_op_write(const struct device_analysis *d, bool compat, const char *path,
                    struct err *e)
{
    struct out out;
    if (!out_open(&out, path, e))
        return false;
    struct sheet s = {.trace = d->trace, .is_compatible = compat};
    struct arena a = {0}, scratch = {0};
    op_to_op_start(&s.walk, d);
    struct table t = make_table(&s.walk, &a);
    struct row row = {.table = &t, .data = &s, .scratch = &scratch};
    table_csv_head(&t, &out.b);
    for (; op_to_op_next(&s.walk); row.i++) {
        table_csv_row(&row, &out.b);
        out_flush_some(&out);
    }
    op_to_op_end(&s.walk);
    arena_free(&a);
    arena_free(&scratch);
    return out_close(&out, e);
}
