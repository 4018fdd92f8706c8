// device_tables.c - rows and columns of the tables.
#include "present/device/device_tables.h"

#include "base/data/array.h"

#include "table/findings.h"

// The process that used a device, where logs of several are read: the first columns, left
// out otherwise.
// clang-format off
#define OF_PROCESS(owner)                                                                  \
    {.name = "Process", .type = CELL_INT, .has_no_commas = true, .get = at_u32, MEMBER(owner, pid)}, \
    {.name = "Attachment", .type = CELL_INT, .is_detail = true, .get = at_u32, MEMBER(owner, attachment)}
// clang-format on
enum { PROCESS_COLUMNS = 2 };

static void set_columns(struct table *to, const struct trace *t,
                        const struct column *columns, size_t n)
{
    size_t without = t->files.n > 1 ? 0 : PROCESS_COLUMNS;
    to->columns = columns + without;
    to->n_columns = n - without;
}

// --- statistics: a row for each device and analysis with results -------------------------

struct stat_row {
    uint32_t pid, attachment;
    int64_t device, mhz;
    str name;
    const char *across;
    struct stats stats;
    struct more_stats more;
};

GETTER(get_average_ns)
{
    const struct stat_row *s = r->data;
    return s->mhz ? cell_real(s->stats.average * 1000 / (double)s->mhz) : cell_none();
}

static const struct column stat_columns[] = {
    // clang-format off
    OF_PROCESS(struct stat_row),
    {.name = "Device", .type = CELL_INT, .has_no_commas = true, .get = at_i64, MEMBER(struct stat_row, device)},
    {.name = "Analysis", .type = CELL_TEXT, .is_left = true, .get = at_text, MEMBER(struct stat_row, name)},
    {.name = "Across", .type = CELL_TEXT, .is_left = true, .get = at_z, MEMBER(struct stat_row, across)},
    {.name = "Count", .type = CELL_INT, .get = at_u64, MEMBER(struct stat_row, stats.count)},
    {.name = "Average", .type = CELL_REAL, .unit = UNIT_CYCLES, .decimals = 1, .get = at_real, MEMBER(struct stat_row, stats.average)},
    {.name = "Average ns", .type = CELL_REAL, .unit = UNIT_NANOS, .decimals = 1, .get = get_average_ns},
    {.name = "Median", .type = CELL_REAL, .unit = UNIT_CYCLES, .decimals = 1, .get = at_real, MEMBER(struct stat_row, stats.median)},
    {.name = "Min", .type = CELL_INT, .unit = UNIT_CYCLES, .get = at_u64, MEMBER(struct stat_row, stats.min)},
    {.name = "Max", .type = CELL_INT, .unit = UNIT_CYCLES, .get = at_u64, MEMBER(struct stat_row, stats.max)},
    {.name = "Sum", .type = CELL_INT, .unit = UNIT_CYCLES, .get = at_u64, MEMBER(struct stat_row, stats.sum)},
    {.name = "StdDev", .type = CELL_REAL, .unit = UNIT_CYCLES, .decimals = 1, .is_detail = true, .get = at_real, MEMBER(struct stat_row, more.deviation)},
    {.name = "P50", .type = CELL_REAL, .unit = UNIT_CYCLES, .decimals = 1, .is_detail = true, .get = at_real, MEMBER(struct stat_row, more.quantile[0])},
    {.name = "P90", .type = CELL_REAL, .unit = UNIT_CYCLES, .decimals = 1, .is_detail = true, .get = at_real, MEMBER(struct stat_row, more.quantile[1])},
    {.name = "P95", .type = CELL_REAL, .unit = UNIT_CYCLES, .decimals = 1, .is_detail = true, .get = at_real, MEMBER(struct stat_row, more.quantile[2])},
    {.name = "P99", .type = CELL_REAL, .unit = UNIT_CYCLES, .decimals = 1, .is_detail = true, .get = at_real, MEMBER(struct stat_row, more.quantile[3])},
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
            rows[n] = (struct stat_row){.pid = t->devices.v[device].pid,
                                        .attachment = t->devices.v[device].attachment,
                                        .device = t->devices.v[device].id,
                                        .mhz = trace_mhz(t, device),
                                        .name = d->v[i].analysis->name,
                                        .across = across_names[d->v[i].analysis->across],
                                        .stats = d->v[i].device[device]};
            (void)device_more_stats(&d->v[i], device, &rows[n].more);
            n++;
        }
    struct table stats = {.id = "stats",
                          .title = "Statistics",
                          .rows = rows,
                          .row_bytes = sizeof *rows,
                          .n_rows = n};
    set_columns(&stats, t, stat_columns, COUNT_OF(stat_columns));
    return stats;
}

// --- ops ---------------------------------------------------------------------------------

struct op_row {
    uint32_t pid, attachment;
    int64_t device, run, program, trace, replay, execution;
    int64_t start, length, length_ns;
    int64_t cores, markers;
    bool is_complete;
};

static const void *open_op(const struct table *t, size_t i, struct arena *scratch)
{
    const struct device_analysis *d = t->context;
    const struct device_op *op = &d->ops->v[i];
    const struct trace_run *run = &d->trace->runs.v[op->run];
    const struct trace_device *device = &d->trace->devices.v[run->device];
    int64_t mhz = trace_mhz(d->trace, run->device);
    cycles length = {op->last_time - op->first_time};
    struct op_row *row = push_one(scratch, struct op_row);
    *row = (struct op_row){
        .pid = device->pid,
        .attachment = device->attachment,
        .device = device->id,
        .run = run->id,
        .program = run->id >> 10,
        .trace = run->trace_id < 0 ? CELL_UNKNOWN : run->trace_id,
        .replay = run->trace_counter < 0 ? CELL_UNKNOWN : run->trace_counter,
        .execution = (int64_t)run->execution + 1,
        .start = (int64_t)(op->first_time - device->first_time),
        .length = (int64_t)length.v,
        .length_ns = mhz ? cycles_to_ns(length, (uint32_t)mhz).v : CELL_UNKNOWN,
        .cores = op->n_cores,
        .markers = op->n_markers,
        .is_complete = op->is_complete,
    };
    return row;
}

static const struct column op_columns[] = {
    // clang-format off
    OF_PROCESS(struct op_row),
    {.name = "Device", .type = CELL_INT, .has_no_commas = true, .get = at_i64, MEMBER(struct op_row, device)},
    {.name = "Run id", .type = CELL_INT, .has_no_commas = true, .get = at_i64, MEMBER(struct op_row, run)},
    {.name = "Program", .type = CELL_INT, .has_no_commas = true, .get = at_i64, MEMBER(struct op_row, program)},
    {.name = "Trace", .type = CELL_INT, .has_no_commas = true, .get = at_known, MEMBER(struct op_row, trace)},
    {.name = "Replay", .type = CELL_INT, .has_no_commas = true, .get = at_known, MEMBER(struct op_row, replay)},
    {.name = "Execution", .type = CELL_INT, .is_detail = true, .has_no_commas = true, .get = at_i64, MEMBER(struct op_row, execution)},
    {.name = "Start", .type = CELL_INT, .unit = UNIT_CYCLES, .get = at_i64, MEMBER(struct op_row, start)},
    {.name = "Length", .type = CELL_INT, .unit = UNIT_CYCLES, .get = at_i64, MEMBER(struct op_row, length)},
    {.name = "Length ns", .type = CELL_INT, .unit = UNIT_NANOS, .get = at_known, MEMBER(struct op_row, length_ns)},
    {.name = "Cores", .type = CELL_INT, .get = at_i64, MEMBER(struct op_row, cores)},
    {.name = "Markers", .type = CELL_INT, .is_detail = true, .get = at_i64, MEMBER(struct op_row, markers)},
    {.name = "Complete", .type = CELL_BOOL, .is_left = true, .get = at_bool, MEMBER(struct op_row, is_complete)},
    // clang-format on
};

void device_tables_make(struct device_tables *v, const struct device_analysis *d)
{
    *v = (struct device_tables){0};
    v->table[0] = make_stats(d, &v->arena);
    v->table[1] = (struct table){
        .id = "ops", .title = "Ops", .context = d, .open = open_op, .n_rows = d->ops->n};
    set_columns(&v->table[1], d->trace, op_columns, COUNT_OF(op_columns));
    v->table[2] = findings_table(&d->trace->diag, &v->arena);
}

void device_tables_free(struct device_tables *v)
{
    arena_free(&v->arena);
}
