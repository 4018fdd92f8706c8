// device_rows.c - names of the numbers, states of a row, and Quasar specifics.
#include "formats/device_rows/device_rows.h"

#include <math.h>

#include "base/data/map.h"
#include "base/data/sort.h"
#include "base/text/num.h"

#include "formats/device_rows/device_rows_parts.h"

const char *const device_number_columns[DEVICE_NUMBERS] = {
    [DEVICE_CORES] = "CORE COUNT",
    [DEVICE_CORES_AVAILABLE] = "AVAILABLE WORKER CORE COUNT",
    [DEVICE_SUB_DEVICE] = "SUB DEVICE ID",
    [DEVICE_FW_START] = "DEVICE FW START CYCLE",
    [DEVICE_FW_END] = "DEVICE FW END CYCLE",
    [DEVICE_LATENCY] = "OP TO OP LATENCY [ns]",
    [DEVICE_LATENCY_DM] = "OP TO OP LATENCY BR/NRISC START [ns]",
    [DEVICE_FW] = "DEVICE FW DURATION [ns]",
    [DEVICE_KERNEL] = "DEVICE KERNEL DURATION [ns]",
    [DEVICE_KERNEL_DM] = "DEVICE KERNEL DURATION DM START [ns]",
    [DEVICE_CORE_MIN] = "DEVICE KERNEL DURATION PER CORE MIN [ns]",
    [DEVICE_CORE_MAX] = "DEVICE KERNEL DURATION PER CORE MAX [ns]",
    [DEVICE_CORE_AVG] = "DEVICE KERNEL DURATION PER CORE AVG [ns]",
    [DEVICE_FIRST_TO_LAST] = "DEVICE KERNEL FIRST TO LAST START [ns]",
    [DEVICE_BRISC] = "DEVICE BRISC KERNEL DURATION [ns]",
    [DEVICE_NCRISC] = "DEVICE NCRISC KERNEL DURATION [ns]",
    [DEVICE_TRISC0] = "DEVICE TRISC0 KERNEL DURATION [ns]",
    [DEVICE_TRISC1] = "DEVICE TRISC1 KERNEL DURATION [ns]",
    [DEVICE_TRISC2] = "DEVICE TRISC2 KERNEL DURATION [ns]",
    [DEVICE_ERISC] = "DEVICE ERISC KERNEL DURATION [ns]",
    [DEVICE_CB_WAIT] = "DEVICE COMPUTE CB WAIT FRONT [ns]",
    [DEVICE_CB_RESERVE] = "DEVICE COMPUTE CB RESERVE BACK [ns]",
    [DEVICE_DISPATCH_TOTAL] = "DISPATCH TOTAL CQ CMD OP TIME [ns]",
    [DEVICE_DISPATCH_GO] = "DISPATCH GO SEND WAIT TIME [ns]",
    [DEVICE_KERNEL_START] = "DEVICE KERNEL START CYCLE",
    [DEVICE_KERNEL_END] = "DEVICE KERNEL END CYCLE",
    [DEVICE_DM_START] = "DEVICE KERNEL DM START CYCLE",
    [DEVICE_DM_END] = "DEVICE KERNEL DM END CYCLE",
    [DEVICE_PROFILER_NS] = "DEVICE PROFILER TIME [ns]",
};

struct device_row device_row_none(void)
{
    struct device_row row = {.device = DEVICE_NO_ID,
                             .op = (uint64_t)DEVICE_NO_ID,
                             .trace = DEVICE_NO_ID,
                             .session = DEVICE_NO_ID};
    for (int i = 0; i < DEVICE_NUMBERS; i++) {
        row.v[i] = DEVICE_NONE;
        row.state[i] = STATE_EMPTY;
    }
    return row;
}

// Starts that need an end, and the duration between them.
static const struct {
    enum device_number start, end, length;
} spans[] = {
    {DEVICE_FW_START, DEVICE_FW_END, DEVICE_FW},
    {DEVICE_KERNEL_START, DEVICE_KERNEL_END, DEVICE_KERNEL},
    {DEVICE_DM_START, DEVICE_DM_END, DEVICE_KERNEL_DM},
};

void device_row_settle(struct device_row *row)
{
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        enum device_number of[] = {spans[i].end, spans[i].length};
        for (int k = 0; row->v[spans[i].start] != DEVICE_NONE && k < 2; k++)
            if (row->v[of[k]] == DEVICE_NONE && row->state[of[k]] == STATE_EMPTY)
                row->state[of[k]] = STATE_MISSING;
    }
    row->is_incomplete |= row->v[DEVICE_FW_END] == DEVICE_NONE;
}

void device_rows_free(struct device_rows *r)
{
    vec_free(&r->v);
    vec_free(&r->extra);
    vec_free(&r->arch_of);
    vec_free(&r->op_of);
    vec_free(&r->devices);
    arena_free(&r->a);
    *r = (struct device_rows){0};
}

// --- Quasar --------------------------------------------------------------------------

static const char *const quasar_durations[] = {
    "DEVICE QUASAR_DM KERNEL DURATION [ns]",
    "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]",
    "DEVICE DM FW DURATION [ns]",
    "DEVICE TRISC FW DURATION [ns]",
};
// Two kinds of processors, each with its own gap.
static const struct {
    const char *start, *end, *duration, *latency;
} quasar_gaps[] = {
    {"DEVICE QUASAR_DM KERNEL START CYCLE", "DEVICE QUASAR_DM KERNEL END CYCLE",
     "DEVICE QUASAR_DM KERNEL DURATION [ns]", "OP TO OP DM LATENCY [ns]"},
    {"DEVICE QUASAR_NEO_TRISC KERNEL START CYCLE",
     "DEVICE QUASAR_NEO_TRISC KERNEL END CYCLE",
     "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]", "OP TO OP TRISC LATENCY [ns]"},
};
enum { QUASAR_GAPS = sizeof quasar_gaps / sizeof *quasar_gaps };

bool device_rows_arch_is_quasar(str arch)
{
    for (size_t i = 0; i + 6 <= arch.n; i++)
        if (str_eq_nocase((str){arch.p + i, 6}, S("quasar")))
            return true;
    return false;
}

bool device_rows_is_quasar_column(str name)
{
    for (size_t i = 0; i < sizeof quasar_durations / sizeof *quasar_durations; i++)
        if (str_is(name, quasar_durations[i]))
            return true;
    for (int i = 0; i < QUASAR_GAPS; i++)
        if (str_is(name, quasar_gaps[i].start) || str_is(name, quasar_gaps[i].end))
            return true;
    return false;
}

static const str *find_extra(const struct device_rows *r, const char *name)
{
    for (size_t i = 0; i < r->extra.n; i++)
        if (str_is(r->extra.v[i].name, name))
            return r->extra.v[i].cell;
    return NULL;
}

static int64_t extra_number(const str *cells, size_t row)
{
    int64_t v;
    double real;
    if (!cells || !cells[row].n)
        return DEVICE_NONE;
    if (num_int(cells[row], &v))
        return v;
    return num_real(cells[row], &real) && fabs(real) < 0x1p63 ? (int64_t)real : DEVICE_NONE;
}

// The clock is derived from the op itself: its duration in ns and in cycles. Without it,
// and for the first op, the gap is 0.
static int64_t quasar_gap(int64_t start, int64_t end, int64_t ns, int64_t before)
{
    double span = end == DEVICE_NONE ? 0 : (double)end - (double)start;
    if (before == DEVICE_NONE || span <= 0 || ns == DEVICE_NONE)
        return 0;
    double gap = nearbyint(((double)start - (double)before) * ((double)ns / span));
    return fabs(gap) < 0x1p63 ? (int64_t)gap : 0;
}

static void find_quasar_gaps(struct device_rows *r, int which)
{
    const str *starts = find_extra(r, quasar_gaps[which].start);
    const str *ends = find_extra(r, quasar_gaps[which].end);
    const str *lengths = find_extra(r, quasar_gaps[which].duration);
    if (!starts)
        return;
    struct device_extra latency = {str_of(quasar_gaps[which].latency),
                                   push_many(&r->a, str, r->v.n)};
    struct keyed *order = mem_alloc(mem_bytes(sizeof *order, 2 * r->v.n + 1));
    struct map devices = {0};
    int64_t *before = mem_alloc(mem_bytes(sizeof *before, r->v.n + 1)); // by device
    size_t n = 0, n_devices = 0;
    for (size_t i = 0; i < r->v.n; i++) {
        int64_t start = extra_number(starts, i);
        if (start >= 0)
            order[n++] = (struct keyed){(uint64_t)start, (uint32_t)i, 0};
    }
    sort_keyed(order, order + n, n);
    for (size_t k = 0; k < n; k++) {
        size_t i = order[k].a;
        const int64_t *device = &r->v.v[i].device;
        uint32_t d = map_put(&devices, (str){(const char *)device, sizeof *device});
        if (d == n_devices)
            before[n_devices++] = DEVICE_NONE;
        int64_t end = extra_number(ends, i);
        int64_t gap =
            quasar_gap((int64_t)order[k].key, end, extra_number(lengths, i), before[d]);
        latency.cell[i] = arena_printf(&r->a, "%lld", (long long)gap);
        before[d] = end == DEVICE_NONE ? before[d] : end;
    }
    mem_free(before);
    map_free(&devices);
    mem_free(order);
    if (n)
        vec_push(&r->extra, latency);
}

void device_rows_shape_quasar(struct device_rows *r)
{
    for (int i = 0; r->is_quasar && i < QUASAR_GAPS; i++)
        find_quasar_gaps(r, i);
    size_t kept = 0;
    for (size_t i = 0; i < r->extra.n; i++) {
        bool is_cycle = false;
        for (int g = 0; g < QUASAR_GAPS; g++)
            is_cycle |= str_is(r->extra.v[i].name, quasar_gaps[g].start) ||
                        str_is(r->extra.v[i].name, quasar_gaps[g].end);
        if (is_cycle || (!r->is_quasar && device_rows_is_quasar_column(r->extra.v[i].name)))
            continue;
        r->extra.v[kept++] = r->extra.v[i];
    }
    r->extra.n = kept;
}
