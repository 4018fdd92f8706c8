// device_tables.c - rows and columns of the tables.
#include "present/device_tables.h"

// --- statistics: a row for each device and analysis that found something -------------

struct stat_row {
    int64_t device;
    const struct analysis *analysis;
    const struct stats *stats;
    struct more_stats more;
    int64_t mhz;
};

static const struct stat_row *stat_row(const struct table *t, size_t row)
{
    return &((const struct stat_row *)t->rows)[row];
}

GETTER(stat_device)
{
    return cell_int(stat_row(t, row)->device);
}
GETTER(stat_name)
{
    return cell_text(stat_row(t, row)->analysis->name);
}
GETTER(stat_across)
{
    return cell_text(str_of(across_names[stat_row(t, row)->analysis->across]));
}
GETTER(stat_count)
{
    return cell_int((int64_t)stat_row(t, row)->stats->count);
}
GETTER(stat_average)
{
    return cell_real(stat_row(t, row)->stats->average);
}
GETTER(stat_average_ns)
{
    const struct stat_row *r = stat_row(t, row);
    return r->mhz ? cell_real(r->stats->average * 1000 / (double)r->mhz) : cell_none();
}
GETTER(stat_median)
{
    return cell_real(stat_row(t, row)->stats->median);
}
GETTER(stat_min)
{
    return cell_int((int64_t)stat_row(t, row)->stats->min);
}
GETTER(stat_max)
{
    return cell_int((int64_t)stat_row(t, row)->stats->max);
}
GETTER(stat_sum)
{
    return cell_int((int64_t)stat_row(t, row)->stats->sum);
}
GETTER(stat_deviation)
{
    return cell_real(stat_row(t, row)->more.deviation);
}
GETTER(stat_p50)
{
    return cell_real(stat_row(t, row)->more.quantile[0]);
}
GETTER(stat_p90)
{
    return cell_real(stat_row(t, row)->more.quantile[1]);
}
GETTER(stat_p95)
{
    return cell_real(stat_row(t, row)->more.quantile[2]);
}
GETTER(stat_p99)
{
    return cell_real(stat_row(t, row)->more.quantile[3]);
}

static const struct column stat_columns[] = {
    // clang-format off
    {"Device",   NULL, UNIT_NONE,   0, false, false, true,  CELL_INT,  stat_device,     NULL, NULL, 0},
    {"Analysis", NULL, UNIT_NONE,   0, true,  false, false, CELL_TEXT, stat_name,       NULL, NULL, 0},
    {"Across",   NULL, UNIT_NONE,   0, true,  false, false, CELL_TEXT, stat_across,     NULL, NULL, 0},
    {"Count",    NULL, UNIT_NONE,   0, false, false, false, CELL_INT,  stat_count,      NULL, NULL, 0},
    {"Average",  NULL, UNIT_CYCLES, 1, false, false, false, CELL_REAL, stat_average,    NULL, NULL, 0},
    {"Average ns", NULL, UNIT_NANOS, 1, false, false, false, CELL_REAL, stat_average_ns, NULL, NULL, 0},
    {"Median",   NULL, UNIT_CYCLES, 1, false, false, false, CELL_REAL, stat_median,     NULL, NULL, 0},
    {"Min",      NULL, UNIT_CYCLES, 0, false, false, false, CELL_INT,  stat_min,        NULL, NULL, 0},
    {"Max",      NULL, UNIT_CYCLES, 0, false, false, false, CELL_INT,  stat_max,        NULL, NULL, 0},
    {"Sum",      NULL, UNIT_CYCLES, 0, false, false, false, CELL_INT,  stat_sum,        NULL, NULL, 0},
    {"StdDev",   NULL, UNIT_CYCLES, 1, false, true,  false, CELL_REAL, stat_deviation,  NULL, NULL, 0},
    {"P50",      NULL, UNIT_CYCLES, 1, false, true,  false, CELL_REAL, stat_p50,        NULL, NULL, 0},
    {"P90",      NULL, UNIT_CYCLES, 1, false, true,  false, CELL_REAL, stat_p90,        NULL, NULL, 0},
    {"P95",      NULL, UNIT_CYCLES, 1, false, true,  false, CELL_REAL, stat_p95,        NULL, NULL, 0},
    {"P99",      NULL, UNIT_CYCLES, 1, false, true,  false, CELL_REAL, stat_p99,        NULL, NULL, 0},
    // clang-format on
};

static struct table make_stats(const struct device_analysis *d, struct arena *a)
{
    const struct trace *t = d->trace;
    struct stat_row *rows =
        push_many(a, struct stat_row, t->devices.n * d->setup->analyses.n + 1);
    size_t n = 0;
    for (uint32_t device = 0; device < t->devices.n; device++)
        for (size_t i = 0; i < d->setup->analyses.n; i++) {
            if (!d->v[i].device[device].count)
                continue;
            rows[n] = (struct stat_row){.device = t->devices.v[device].id,
                                        .analysis = d->v[i].analysis,
                                        .stats = &d->v[i].device[device],
                                        .mhz = t->mhz};
            (void)device_more_stats(&d->v[i], device, &rows[n].more);
            n++;
        }
    return (struct table){.id = "stats",
                          .title = "Statistics",
                          .columns = stat_columns,
                          .n_columns = sizeof stat_columns / sizeof *stat_columns,
                          .rows = rows,
                          .n_rows = n};
}

// --- ops -----------------------------------------------------------------------------

static const struct device_op *op_row(const struct table *t, size_t row,
                                      const struct device_analysis **d)
{
    *d = t->rows;
    return &(*d)->ops->v[row];
}
#define OP_GETTER(name, value)                                                             \
    GETTER(name)                                                                           \
    {                                                                                      \
        const struct device_analysis *d;                                                   \
        const struct device_op *op = op_row(t, row, &d);                                   \
        const struct trace_run *run = &d->trace->runs.v[op->run];                          \
        const struct trace_device *device = &d->trace->devices.v[run->device];             \
        (void)run;                                                                         \
        (void)device;                                                                      \
        return value;                                                                      \
    }
OP_GETTER(op_device, cell_int(device->id))
OP_GETTER(op_run, cell_int(run->id))
OP_GETTER(op_program, cell_int(run->id >> 10))
OP_GETTER(op_trace, run->trace_id < 0 ? cell_none() : cell_int(run->trace_id))
OP_GETTER(op_replay, run->trace_counter < 0 ? cell_none() : cell_int(run->trace_counter))
OP_GETTER(op_execution, cell_int((int64_t)run->execution + 1))
OP_GETTER(op_start, cell_int((int64_t)(op->first_time - device->first_time)))
OP_GETTER(op_length, cell_int((int64_t)(op->last_time - op->first_time)))
OP_GETTER(op_length_ns,
          d->trace->mhz ? cell_int(cycles_to_ns((cycles){op->last_time - op->first_time},
                                                (uint32_t)d->trace->mhz)
                                       .v)
                        : cell_none())
OP_GETTER(op_cores, cell_int(op->n_cores))
OP_GETTER(op_markers, cell_int(op->n_markers))
OP_GETTER(op_complete, cell_bool(op->is_complete))

static const struct column op_columns[] = {
    // clang-format off
    {"Device",    NULL, UNIT_NONE,   0, false, false, true,  CELL_INT,  op_device,    NULL, NULL, 0},
    {"Run id",    NULL, UNIT_NONE,   0, false, false, true,  CELL_INT,  op_run,       NULL, NULL, 0},
    {"Program",   NULL, UNIT_NONE,   0, false, false, true,  CELL_INT,  op_program,   NULL, NULL, 0},
    {"Trace",     NULL, UNIT_NONE,   0, false, false, true,  CELL_INT,  op_trace,     NULL, NULL, 0},
    {"Replay",    NULL, UNIT_NONE,   0, false, false, true,  CELL_INT,  op_replay,    NULL, NULL, 0},
    {"Execution", NULL, UNIT_NONE,   0, false, true,  true,  CELL_INT,  op_execution, NULL, NULL, 0},
    {"Start",     NULL, UNIT_CYCLES, 0, false, false, false, CELL_INT,  op_start,     NULL, NULL, 0},
    {"Length",    NULL, UNIT_CYCLES, 0, false, false, false, CELL_INT,  op_length,    NULL, NULL, 0},
    {"Length ns", NULL, UNIT_NANOS,  0, false, false, false, CELL_INT,  op_length_ns, NULL, NULL, 0},
    {"Cores",     NULL, UNIT_NONE,   0, false, false, false, CELL_INT,  op_cores,     NULL, NULL, 0},
    {"Markers",   NULL, UNIT_NONE,   0, false, true,  false, CELL_INT,  op_markers,   NULL, NULL, 0},
    {"Complete",  NULL, UNIT_NONE,   0, true,  false, false, CELL_BOOL, op_complete,  NULL, NULL, 0},
    // clang-format on
};

// --- odd data ------------------------------------------------------------------------

struct odd_row {
    enum diag_kind kind;
    const struct diag_entry *entry;
};

static const struct odd_row *odd_row(const struct table *t, size_t row)
{
    return &((const struct odd_row *)t->rows)[row];
}

GETTER(odd_count)
{
    return cell_int((int64_t)odd_row(t, row)->entry->count);
}
GETTER(odd_what)
{
    return cell_text(str_of(diag_what(odd_row(t, row)->kind)));
}
GETTER(odd_first)
{
    return cell_text(str_of(odd_row(t, row)->entry->first));
}
GETTER(odd_remedy)
{
    return cell_text(str_of(diag_remedy(odd_row(t, row)->kind)));
}

static const struct column odd_columns[] = {
    // clang-format off
    {"Count",       NULL, UNIT_NONE, 0, false, false, false, CELL_INT,  odd_count,  NULL, NULL, 0},
    {"What",        NULL, UNIT_NONE, 0, true,  false, false, CELL_TEXT, odd_what,   NULL, NULL, 0},
    {"First place", NULL, UNIT_NONE, 0, true,  false, false, CELL_TEXT, odd_first,  NULL, NULL, 0},
    {"Remedy",      NULL, UNIT_NONE, 0, true,  false, false, CELL_TEXT, odd_remedy, NULL, NULL, 0},
    // clang-format on
};

static struct table make_oddities(const struct diag *d, struct arena *a)
{
    struct odd_row *rows = push_many(a, struct odd_row, DIAG_KINDS);
    size_t n = 0;
    for (int k = 0; k < DIAG_KINDS; k++)
        if (d->entry[k].count)
            rows[n++] = (struct odd_row){(enum diag_kind)k, &d->entry[k]};
    return (struct table){.id = "oddities",
                          .title = "Odd data",
                          .columns = odd_columns,
                          .n_columns = sizeof odd_columns / sizeof *odd_columns,
                          .rows = rows,
                          .n_rows = n};
}

void device_tables_make(struct device_tables *v, const struct device_analysis *d)
{
    *v = (struct device_tables){0};
    v->table[0] = make_stats(d, &v->arena);
    v->table[1] = (struct table){.id = "ops",
                                 .title = "Ops",
                                 .columns = op_columns,
                                 .n_columns = sizeof op_columns / sizeof *op_columns,
                                 .rows = d,
                                 .n_rows = d->ops->n};
    v->table[2] = make_oddities(&d->trace->diag, &v->arena);
}

void device_tables_free(struct device_tables *v)
{
    arena_free(&v->arena);
}
