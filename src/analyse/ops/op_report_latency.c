// op_report_latency.c - the time between the end of an op and the start of the next one on
// its device, in report order.
#include <math.h>

#include "base/text/num.h"

#include "analyse/fold/durations.h"
#include "analyse/ops/op_report_parts.h"

struct device_clock {           // of one attachment to a device, along the report
    int64_t kernel_end, dm_end; // of the previous op; DEVICE_NONE: none
    double ns_per_cycle; // from the first row of the C++ report that has it; 0: unknown
};

struct latency {
    int64_t ns;
    enum cell_state state;
};

static bool has_span(const struct device_row *row, const struct gap *g)
{
    return row->v[durations[g->of].from] != DEVICE_NONE &&
           row->v[durations[g->of].to] != DEVICE_NONE;
}

static double gap_before(const struct device_row *row, const struct gap *g, int64_t before)
{
    return (double)(int64_t)((uint64_t)row->v[durations[g->of].from] - (uint64_t)before);
}

// Rounds to integer ns, half to even; damaged clocks may overflow.
static struct latency in_ns(double ns)
{
    if (!(fabs(ns) < 0x1p62))
        return (struct latency){DEVICE_NONE, STATE_BAD};
    return (struct latency){(int64_t)rint(ns), STATE_OK};
}

// As reported, else by its own clock, else 0.
static struct latency by_report(const struct device_row *row, const struct gap *g,
                                int64_t before, double ns_per_cycle)
{
    if (row->state[g->column] == STATE_BAD)
        return (struct latency){DEVICE_NONE, STATE_BAD};
    if (row->v[g->column] != DEVICE_NONE)
        return (struct latency){row->v[g->column], (enum cell_state)row->state[g->column]};
    if (ns_per_cycle > 0 && has_span(row, g)) {
        if (before == DEVICE_NONE)
            return (struct latency){0, STATE_OK};
        return in_ns(gap_before(row, g, before) * ns_per_cycle);
    }
    return (struct latency){0, STATE_MISSING};
}

// By the cycles per ns of this row's kernel, in tt-metal's order of operations, so that the
// last digit is the same.
static struct latency by_log(const struct device_row *row, const struct gap *g,
                             int64_t before, int64_t mhz)
{
    if (!has_span(row, &gaps[GAP_KERNEL]) || !has_span(row, g) || mhz <= 0)
        return (struct latency){DEVICE_NONE, STATE_MISSING};
    if (before == DEVICE_NONE)
        return (struct latency){0, STATE_OK};
    int64_t cycles = row->v[DEVICE_KERNEL_END] - row->v[DEVICE_KERNEL_START];
    double ns = (double)cycles * 1000 / (double)mhz;
    double cycles_per_ns = cycles > 0 ? (double)cycles / ns : (double)mhz / 1000;
    return in_ns(gap_before(row, g, before) / cycles_per_ns);
}

// Only device rows: by the log's clock.
static struct latency by_clock(const struct device_row *row, const struct gap *g,
                               int64_t before, int64_t mhz)
{
    if (!has_span(row, g) || mhz <= 0)
        return (struct latency){DEVICE_NONE, STATE_MISSING};
    if (before == DEVICE_NONE)
        return (struct latency){0, STATE_OK};
    return in_ns(1000 * gap_before(row, g, before) / (double)mhz);
}

static struct latency latency_of(const struct op_report *r, const struct device_row *row,
                                 const struct gap *g, int64_t before, double ns_per_cycle)
{
    if (r->device->is_cpp)
        return by_report(row, g, before, ns_per_cycle);
    int64_t mhz = device_row_mhz(r->device, row);
    return r->host ? by_log(row, g, before, mhz) : by_clock(row, g, before, mhz);
}

// Overlapping ops have no time between them: the next one began before this one ended.
static struct latency reject_negative(struct op_report *r, uint32_t at, const struct gap *g,
                                      struct latency l)
{
    if (l.ns >= 0 || l.ns == DEVICE_NONE)
        return l;
    vec_push(&r->bad,
             (struct op_bad_cell){.row = at,
                                  .number = (uint8_t)g->column,
                                  .rule = "it began before the previous op had ended",
                                  .value = l.ns});
    return (struct latency){DEVICE_NONE, STATE_BAD};
}

static void learn_clock(struct device_clock *c, const struct device_row *row)
{
    int64_t start = row->v[DEVICE_FW_START], end = row->v[DEVICE_FW_END];
    int64_t ns = row->v[DEVICE_FW];
    if (c->ns_per_cycle == 0 && start != DEVICE_NONE && end != DEVICE_NONE && end > start &&
        ns != DEVICE_NONE && ns > 0)
        c->ns_per_cycle = (double)ns / (double)(end - start);
}

static void measure_row(struct op_report *r, uint32_t at, struct device_clock *c)
{
    struct op_row *row = &r->rows.v[at];
    const struct device_row *d = &r->device->v.v[row->device];
    learn_clock(c, d);
    struct latency kernel = reject_negative(
        r, at, &gaps[GAP_KERNEL],
        latency_of(r, d, &gaps[GAP_KERNEL], c->kernel_end, c->ns_per_cycle));
    struct latency dm = reject_negative(
        r, at, &gaps[GAP_DM], latency_of(r, d, &gaps[GAP_DM], c->dm_end, c->ns_per_cycle));
    row->latency = kernel.ns;
    row->latency_state = (uint8_t)kernel.state;
    row->latency_dm = dm.ns;
    row->latency_dm_state = (uint8_t)dm.state;
    int64_t own = d->v[DEVICE_PROFILER_NS];
    if (kernel.ns != DEVICE_NONE && own != DEVICE_NONE)
        row->latency_net = kernel.ns > own ? kernel.ns - own : 0;
    // In a log, an op without both ends gives the next one no latency.
    bool is_cpp = r->device->is_cpp;
    if (d->v[DEVICE_KERNEL_END] != DEVICE_NONE &&
        (is_cpp || has_span(d, &gaps[GAP_KERNEL])))
        c->kernel_end = d->v[DEVICE_KERNEL_END];
    if (d->v[DEVICE_DM_END] != DEVICE_NONE && (is_cpp || has_span(d, &gaps[GAP_DM])))
        c->dm_end = d->v[DEVICE_DM_END];
}

void op_report_latencies(struct op_report *r, const uint32_t *clock_of, size_t n)
{
    if (!r->device || n == 0)
        return;
    struct device_clock *clocks = mem_alloc(mem_bytes(sizeof *clocks, n));
    for (size_t i = 0; i < n; i++)
        clocks[i] = (struct device_clock){.kernel_end = DEVICE_NONE, .dm_end = DEVICE_NONE};
    for (uint32_t i = 0; i < r->n_rows; i++)
        if (r->rows.v[i].device != TRACE_NONE)
            measure_row(r, i, &clocks[clock_of[r->rows.v[i].device]]);
    mem_free(clocks);
}

// Rounds to 3 decimals as its decimal text would be, ties to even.
static double round_to_thousandths(double v)
{
    double scaled = v * 1000, whole = rint(scaled);
    // Away from a tie the nearest integer decides; the division gives its nearest double.
    if (fabs(scaled) < 1e12 && fabs(fabs(scaled - floor(scaled)) - 0.5) > 1e-3)
        return whole / 1000;
    struct buf b = {0};
    num_put_fixed(&b, v, 3, false);
    (void)num_real(buf_view(&b), &v);
    buf_free(&b);
    return v;
}

double op_report_fpu_util(double compute_ns, int64_t kernel_ns)
{
    if (isnan(compute_ns) || kernel_ns == DEVICE_NONE)
        return NAN;
    return kernel_ns ? round_to_thousandths(100.0 * compute_ns / (double)kernel_ns) : 0;
}
