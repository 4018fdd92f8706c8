// rows_of_log.c - makes rows of an ops report from measurements.
#include "analyse/ops/rows_of_log.h"

#include <math.h>

#include "base/data/sort.h"

#include "analyse/ops/op_measures.h"
#include "collect/diags.h"
#include "formats/device_rows/device_rows_parts.h"

struct measuring {
    struct device_rows *r;
    const struct op_measures *m;
    const struct device_ops *ops;
    const struct dispatch_ops *dispatch;
    bool is_first_only;
};

// --- numbers -------------------------------------------------------------------------

// Cycles per core to ns, rounded half to even.
static int64_t to_ns(const struct device_row *row, uint64_t cycles, uint32_t count)
{
    double ns = nearbyint((double)cycles * 1000 / ((double)count * (double)row->mhz));
    return row->mhz > 0 && ns < 0x1p63 ? (int64_t)ns : DEVICE_NONE;
}

// A time that no clock shows is invalid.
static int64_t to_cycle(uint64_t time)
{
    return time <= INT64_MAX ? (int64_t)time : DEVICE_NONE;
}

static void set_number(struct device_row *row, enum device_number n, int64_t v,
                       enum cell_state state)
{
    row->v[n] = v;
    row->state[n] =
        (uint8_t)(v == DEVICE_NONE && state != STATE_EMPTY ? STATE_MISSING : state);
}

static enum cell_state state_of(const struct measuring *g, uint32_t op, enum duration d)
{
    return g->m->op[op].broken >> d & 1 ? STATE_REPAIRED : STATE_OK;
}

static void put_per_core(const struct measuring *g, uint32_t op, struct device_row *row)
{
    const struct op_found *f = &g->m->op[op];
    enum cell_state state = state_of(g, op, DURATION_PER_CORE);
    if (f->core_count) {
        set_number(row, DEVICE_CORE_MIN, to_ns(row, f->core_min, 1), state);
        set_number(row, DEVICE_CORE_MAX, to_ns(row, f->core_max, 1), state);
        set_number(row, DEVICE_CORE_AVG, to_ns(row, f->core_sum, f->core_count), state);
    } else if (state == STATE_REPAIRED) {
        set_number(row, DEVICE_CORE_MIN, DEVICE_NONE, STATE_MISSING);
        set_number(row, DEVICE_CORE_MAX, DEVICE_NONE, STATE_MISSING);
        set_number(row, DEVICE_CORE_AVG, DEVICE_NONE, STATE_MISSING);
    }
}

// A duration and, if the report has columns for them, both ends.
static void put_span(const struct measuring *g, uint32_t op, enum duration d,
                     struct device_row *row)
{
    const struct duration_row *column = &durations[d];
    uint64_t first, last;
    int found = op_measures_span(g->m, op, d, &first, &last);
    // A single start has no spread: nothing is missing.
    if (found == 0 || (found == 1 && d == DURATION_FIRST_TO_LAST))
        return;
    // Whatever its only marker was, it is no pair of a start and an end.
    enum cell_state state = found == 2 ? state_of(g, op, d) : STATE_REPAIRED;
    int64_t length = found == 2 ? to_ns(row, last - first, 1) : DEVICE_NONE;
    set_number(row, column->length, length, state);
    if (!column->from)
        return;
    set_number(row, column->from, to_cycle(first), state);
    set_number(row, column->to, found == 2 ? to_cycle(last) : DEVICE_NONE, state);
}

static void put_durations(const struct measuring *g, uint32_t op, struct device_row *row)
{
    const struct fold *f = &g->m->fold;
    for (unsigned d = 0; d < DURATIONS; d++) {
        if (f->lines[d].is_per_core)
            put_per_core(g, op, row);
        else if (f->lines[d].start)
            put_span(g, op, (enum duration)d, row);
        else if (f->lines[d].sum && f->sums[op * f->n_lines + d])
            set_number(row, durations[d].length,
                       to_ns(row, f->sums[op * f->n_lines + d], 1), STATE_OK);
    }
}

static void add_op_row(const struct measuring *g, uint32_t op)
{
    const struct trace *t = g->m->fold.trace;
    const struct device_op *o = &g->ops->v[op];
    const struct trace_run *run = &t->runs.v[o->run];
    int64_t sub_device = g->m->op[op].sub_device;
    struct device_row row = device_row_none();
    row.device = t->devices.v[run->device].id;
    row.attachment = t->devices.v[run->device].log;
    row.more_programs = t->devices.v[run->device].more_programs;
    row.mhz = trace_mhz(t, run->device);
    row.op = (uint64_t)run->id;
    row.trace = run->trace_id < 0 ? DEVICE_NO_ID : run->trace_id;
    row.session = run->trace_counter < 0 ? DEVICE_NO_ID : run->trace_counter;
    row.is_incomplete = !o->is_complete;
    row.is_replay = run->is_replay;
    set_number(&row, DEVICE_CORES, g->m->fold.groups[op].n_cores,
               o->is_complete ? STATE_OK : STATE_REPAIRED);
    if (sub_device != DEVICE_NONE)
        set_number(&row, DEVICE_SUB_DEVICE, sub_device, STATE_OK);
    put_durations(g, op, &row);
    vec_push(&g->r->v, row);
    vec_push(&g->r->op_of, op);
}

// A core pushes its part of an op under the id of the next op there, which may run long
// after ops on other cores. Dispatch cores write an op while those before it run.
static uint64_t start_of(const struct measuring *g, uint32_t op)
{
    uint64_t first, last;
    bool is_mixed = g->m->has_pushes || (g->dispatch && g->dispatch->v.n);
    bool is_known = is_mixed && op_measures_span(g->m, op, DURATION_FW, &first, &last) == 2;
    return is_known ? first : g->ops->v[op].first_time;
}

static void add_device(struct device_rows *r, int64_t id)
{
    for (size_t i = 0; i < r->devices.n; i++)
        if (r->devices.v[i] == id)
            return;
    vec_push(&r->devices, id);
}

static void add_op_rows(const struct measuring *g)
{
    const struct trace *t = g->m->fold.trace;
    struct keyed *order = mem_alloc(mem_bytes(sizeof *order, 2 * g->ops->n + 1));
    vec_reserve(&g->r->v, g->ops->n);
    for (size_t d = 0; d < t->devices.n; d++) {
        size_t from = g->ops->first[d], n = g->ops->first[d + 1] - from;
        for (size_t i = 0; i < n; i++)
            order[i] =
                (struct keyed){start_of(g, (uint32_t)(from + i)), (uint32_t)(from + i), 0};
        sort_keyed(order, order + n, n);
        add_device(g->r, t->devices.v[d].id);
        for (size_t i = 0; i < n; i++)
            add_op_row(g, order[i].a);
    }
    mem_free(order);
}

// Executions with the same ids run on the same sub-device, whichever one names it.
static void spread_sub_devices(struct op_measures *m)
{
    const struct trace *t = m->fold.trace;
    for (size_t i = 1; i < m->ops->n; i++) {
        const struct trace_run *run = &t->runs.v[m->ops->v[i].run];
        const struct trace_run *before = &t->runs.v[m->ops->v[i - 1].run];
        if (m->op[i].sub_device == DEVICE_NONE && run->id == before->id &&
            run->device == before->device && run->trace_id == before->trace_id &&
            run->trace_counter == before->trace_counter)
            m->op[i].sub_device = m->op[i - 1].sub_device;
    }
}

// --- dispatch ------------------------------------------------------------------------

struct dispatch_key {
    int64_t log, device, id, nth;
};

// What a dispatch core did for a program belongs to the same execution of it, and without
// replays to the first; if several claim it, the last one wins.
static void add_dispatch(const struct measuring *g)
{
    const struct trace *t = g->m->fold.trace;
    struct map rows = {0}, programs = {0};
    struct arena keys = {0};
    uint32_t *n_of = mem_alloc(mem_bytes(sizeof *n_of, g->r->v.n + 1)); // executions
    for (size_t i = 0; i < g->r->v.n; i++) {
        const struct device_row *row = &g->r->v.v[i];
        struct dispatch_key key = {row->attachment, row->device, (int64_t)row->op, 0};
        uint32_t program = map_put_copy(&programs, &key, sizeof key, &keys);
        key.nth = n_of[program]++;
        (void)map_put_copy(&rows, &key, sizeof key, &keys); // numbered like the rows
    }
    for (size_t i = 0; i < g->dispatch->v.n; i++) {
        const struct dispatch_op *op = &g->dispatch->v.v[i];
        const struct trace_device *device = &t->devices.v[t->cores.v[op->core].device];
        struct dispatch_key key = {device->log, device->id, op->id, op->nth};
        if (op->nth && g->is_first_only)
            continue;
        uint32_t at = map_get(&rows, (str){(const char *)&key, sizeof key});
        if (at == MAP_NONE) {
            g->r->n_dispatch_alone++;
            continue;
        }
        for (int d = 0; d < DURATIONS; d++) {
            const struct analysis *a = &g->m->durations[d];
            uint32_t first, last;
            if (a->across != ACROSS_DISPATCH_OPS || !g->m->is_chosen[d])
                continue;
            bool is_there = dispatch_op_span(g->dispatch, t, i, a, &first, &last);
            uint64_t cycles = is_there ? t->markers.time[last] - t->markers.time[first] : 0;
            struct device_row *row = &g->r->v.v[at];
            int64_t ns = is_there ? to_ns(row, cycles, 1) : DEVICE_NONE;
            set_number(row, durations[d].length, ns,
                       ns == DEVICE_NONE ? STATE_EMPTY : STATE_OK);
        }
    }
    map_free(&rows);
    map_free(&programs);
    arena_free(&keys);
    mem_free(n_of);
}

// --- the profiler's own time ---------------------------------------------------------

static int64_t last_end(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Cores push in parallel, before their next op: counts the time of the busiest one between
// the kernels of the previous op and those of this one. The push before a read-out leaves
// no zone, so an op without a push may still have waited for one.
static void add_profiler_time(const struct measuring *g)
{
    const struct op_measures *m = g->m;
    struct device_rows *r = g->r;
    struct window {
        int64_t from, to;
        uint32_t core; // + 1
        uint64_t on_core, most;
        bool is_told;                                                // the op has a push
    } *window = mem_alloc(mem_bytes(sizeof *window, m->ops->n + 1)); // by op
    int64_t before = DEVICE_NONE;
    for (size_t i = 0; i < r->v.n; i++) {
        const struct device_row *row = &r->v.v[i];
        if (i && (row->device != r->v.v[i - 1].device ||
                  row->attachment != r->v.v[i - 1].attachment))
            before = DEVICE_NONE;
        window[r->op_of.v[i]].from = before;
        window[r->op_of.v[i]].to = row->v[DEVICE_KERNEL_START];
        before = last_end(before, row->v[DEVICE_KERNEL_END]);
    }
    // The pushes of a core are adjacent.
    for (size_t i = 0; i < m->pushes.n; i++) {
        const struct push *p = &m->pushes.v[i];
        struct window *at = &window[p->op];
        if (at->core != p->core + 1) {
            at->core = p->core + 1;
            at->on_core = 0;
        }
        uint64_t from = at->from > (int64_t)p->start ? (uint64_t)at->from : p->start;
        uint64_t to = at->to < (int64_t)p->end ? (uint64_t)at->to : p->end;
        if (at->from != DEVICE_NONE && at->to != DEVICE_NONE && from < to)
            at->on_core += to - from;
        at->most = at->on_core > at->most ? at->on_core : at->most;
        at->is_told = true;
    }
    for (size_t i = 0; i < r->v.n; i++) {
        const struct window *at = &window[r->op_of.v[i]];
        if (at->is_told && at->from != DEVICE_NONE && at->to != DEVICE_NONE)
            set_number(&r->v.v[i], DEVICE_PROFILER_NS, to_ns(&r->v.v[i], at->most, 1),
                       STATE_OK);
    }
    mem_free(window);
}

// --- all of it -----------------------------------------------------------------------

void device_rows_measure(struct device_rows *r, const struct trace *t,
                         const struct device_ops *ops, const struct dispatch_ops *dispatch,
                         struct device_rows_choice choice)
{
    *r = (struct device_rows){
        .mhz = t->mhz, .workers = t->max_compute_cores, .has_traces = t->has_trace_columns};
    r->arch = arena_str(&r->a, t->arch);
    r->is_quasar = device_rows_arch_is_quasar(t->arch);
    r->n_dropped_markers =
        t->diag.entry[DIAG_L1_DROPPED].count + t->diag.entry[DIAG_DRAM_DROPPED].count;
    for (size_t i = 0; i < t->runs.n; i++)
        r->has_traces |= t->runs.v[i].trace_id >= 0;
    struct op_measures m;
    op_measures_make(&m, t, ops, choice);
    spread_sub_devices(&m);
    struct measuring g = {r, &m, ops, dispatch, choice.is_first_dispatch_only};
    add_op_rows(&g);
    if (dispatch && dispatch->v.n)
        add_dispatch(&g);
    if (m.has_pushes)
        add_profiler_time(&g);
    r->n_sub_conflicts = m.n_sub_conflicts;
    op_measures_free(&m);
}
