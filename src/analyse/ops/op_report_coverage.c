// op_report_coverage.c - how many of the requested executions were measured, per device.
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/ops/op_report_parts.h"

// --- the list of devices ---------------------------------------------------------------
uint32_t op_coverage_at(const struct op_report *r, int64_t device)
{
    size_t low = 0, high = r->coverage.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->coverage.v[middle].device < device)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < r->coverage.n && r->coverage.v[low].device == device;
    return is_found ? (uint32_t)low : TRACE_NONE;
}

static void list_device(struct op_report *r, int64_t device, bool has_data)
{
    uint32_t at = op_coverage_at(r, device);
    if (at == TRACE_NONE) {
        vec_push(&r->coverage, (struct op_coverage){.device = device});
        at = (uint32_t)r->coverage.n - 1;
        for (; at > 0 && r->coverage.v[at - 1].device > device; at--)
            r->coverage.v[at] = r->coverage.v[at - 1];
        r->coverage.v[at] = (struct op_coverage){.device = device};
    }
    r->coverage.v[at].has_data |= has_data;
}

// Times are comparable within one attachment to a device only.
static void find_clocks(struct op_join *j)
{
    struct map clocks = {0};
    struct arena keys = {0};
    j->clock_of = mem_alloc(mem_bytes(sizeof *j->clock_of, j->device->v.n));
    for (size_t i = 0; i < j->device->v.n; i++) {
        uint32_t key[] = {j->device->v.v[i].attachment, j->coverage_of[i]};
        j->clock_of[i] = map_put_copy(&clocks, key, sizeof key, &keys);
    }
    j->n_clocks = clocks.keys.n;
    map_free(&clocks);
    arena_free(&keys);
}

void op_join_list_devices(struct op_join *j)
{
    struct op_report *r = j->r;
    for (size_t i = 0; j->device && i < j->device->devices.n; i++)
        list_device(r, j->device->devices.v[i], true);
    for (size_t i = 0; j->device && i < j->device->v.n; i++)
        list_device(r, j->device->v.v[i].device, true);
    // The device of an op without a message comes from its id: valid only if others mention
    // that device, too.
    for (size_t i = 0; j->host && i < j->host->ops.n; i++)
        if (j->host->ops.v[i].device != DEVICE_NO_ID &&
            !(j->host->ops.v[i].flags & HOST_OP_NO_MESSAGE))
            list_device(r, j->host->ops.v[i].device, false);
    j->has_sessions = mem_alloc(r->coverage.n ? r->coverage.n : 1);
    j->has_replays = mem_alloc(r->coverage.n ? r->coverage.n : 1);
    if (!j->device)
        return;
    j->coverage_of = mem_alloc(mem_bytes(sizeof *j->coverage_of, j->device->v.n));
    for (size_t i = 0; i < j->device->v.n; i++)
        j->coverage_of[i] = op_coverage_at(r, j->device->v.v[i].device);
    find_clocks(j);
}

// --- the program support count -----------------------------------------------------------
// A device's buffer keeps a number of programs and drops the rest until it is read. In time
// order this gives stretches: some kept, then some lost, and again. The count needed is the
// longest such stretch, kept plus lost. Each core has its own buffer, so cores with less to
// do may still keep a few among the lost ones: only a longer run of kept ones means that
// the device was read.
struct stretch {
    uint64_t kept, lost, island; // island: kept after lost ones, so far
    uint64_t run, longest_run;   // consecutively kept
    uint64_t need;
};

static void measure_run(struct stretch *s, bool is_measured)
{
    s->run = is_measured ? s->run + 1 : 0;
    if (s->longest_run < s->run)
        s->longest_run = s->run;
}

static void close_stretch(struct stretch *s)
{
    if (s->lost && s->need < s->kept + s->lost)
        s->need = s->kept + s->lost;
    s->kept = s->island;
    s->lost = s->island = 0;
}

static void join_island(struct stretch *s)
{
    s->lost += s->island;
    s->island = 0;
}

static void take_execution(struct stretch *s, bool is_measured)
{
    if (!is_measured) {
        join_island(s);
        s->lost++;
    } else if (s->lost == 0) {
        s->kept++;
    } else if (2 * ++s->island >= s->longest_run) {
        close_stretch(s);
    }
}

// The default room of a device, in programs that leave only firmware and kernel markers.
// Others take more, up to all that fits into L1.
enum { DEFAULT_ROOM = 1000, L1_BYTES = 2048, PROGRAM_BYTES = 48 };

// The room for `need` programs on a device whose room sufficed for `kept`.
static uint64_t room_for(uint64_t need, uint64_t kept)
{
    uint64_t most = need * (L1_BYTES / PROGRAM_BYTES + 1);
    if (kept >= DEFAULT_ROOM)
        return need;
    uint64_t room = (need * DEFAULT_ROOM + kept - 1) / kept;
    return room < most ? room : most;
}

// Rounds up to two significant digits, as people would set it.
static uint64_t rounded_up(uint64_t v)
{
    uint64_t unit = 1;
    while (v / unit >= 100)
        unit *= 10;
    return (v + unit - 1) / unit * unit;
}

void op_join_count_support(struct op_join *j)
{
    size_t n = j->executions.n, n_buffers = j->buffers.keys.n;
    if (n == 0)
        return;
    struct stretch *s = mem_alloc(mem_bytes(sizeof *s, n_buffers));
    struct keyed *scratch = mem_alloc(mem_bytes(sizeof *scratch, n));
    sort_keyed(j->executions.v, scratch, n);
    for (size_t i = 0; i < n; i++)
        measure_run(&s[j->executions.v[i].b], j->executions.v[i].a);
    for (size_t i = 0; i < n; i++)
        take_execution(&s[j->executions.v[i].b], j->executions.v[i].a);
    for (size_t i = 0; i < n_buffers; i++) {
        uint32_t coverage;
        memcpy(&coverage, j->buffers.keys.v[i].p, sizeof coverage);
        struct op_coverage *c = &j->r->coverage.v[coverage];
        join_island(&s[i]);
        close_stretch(&s[i]);
        // Room was not the problem if more were kept consecutively, if nothing was kept, or
        // if the minimum would have sufficed.
        bool is_full = s[i].need > s[i].longest_run && s[i].longest_run;
        uint64_t room = is_full ? room_for(s[i].need, s[i].longest_run) : 0;
        if (room > DEFAULT_ROOM && rounded_up(room) > c->support_count)
            c->support_count = rounded_up(room);
    }
    mem_free(scratch);
    mem_free(s);
}

// --- findings --------------------------------------------------------------------------
static const struct {
    enum op_state state;
    int kind;
} findings[] = {
    {OP_REPLAY_UNKNOWN, DIAG_OP_REPLAY_UNTOLD},
    {OP_NO_HOST, DIAG_OP_NO_HOST},
};

static void note_row(struct op_report *r, const struct op_row *row, int kind)
{
    if (r->diag.entry[kind].first[0])
        return;
    int64_t device = DEVICE_NO_ID;
    uint64_t id = 0;
    str code = {0};
    if (row->device != TRACE_NONE) {
        device = r->device->v.v[row->device].device;
        id = r->device->v.v[row->device].op;
    }
    if (row->kind == OP_ROW_OP && row->host != TRACE_NONE) {
        device = r->host->ops.v[row->host].device;
        id = r->host->ops.v[row->host].id;
        code = r->host->ops.v[row->host].code;
    }
    diag_note(&r->diag, kind, "device %lld: op %llu%s%.*s", (long long)device,
              (unsigned long long)id, code.n ? " " : "", STR(str_clip(code, 60)));
}

void op_join_count_findings(struct op_join *j)
{
    struct op_report *r = j->r;
    for (size_t i = 0; i < r->rows.n; i++) {
        const struct op_row *row = &r->rows.v[i];
        for (size_t k = 0; k < sizeof findings / sizeof *findings; k++)
            if (row->state == findings[k].state && diag_count(&r->diag, findings[k].kind))
                note_row(r, row, findings[k].kind);
        if (row->state == OP_NOT_MEASURED)
            note_row(r, row, DIAG_OP_NOT_MEASURED);
        if (row->state == OP_DEVICE_MISSING)
            note_row(r, row, DIAG_OP_DEVICE_MISSING);
        if (row->state == OP_DUPLICATE)
            note_row(r, row, DIAG_OP_DUPLICATE);
    }
    for (size_t i = 0; i < r->coverage.n; i++) {
        const struct op_coverage *c = &r->coverage.v[i];
        if (r->device && c->expected > c->measured) // replays have no row of their own
            r->diag.entry[c->has_data ? DIAG_OP_NOT_MEASURED : DIAG_OP_DEVICE_MISSING]
                .count += c->expected - c->measured;
        r->diag.entry[DIAG_OP_DUPLICATE].count += c->duplicates;
    }
}

// --- text ------------------------------------------------------------------------------
static void put_clause(struct buf *b, uint64_t n, const char *what)
{
    if (n)
        buf_printf(b, "; %llu %s", (unsigned long long)n, what);
}

// Never 100 % if one is missing, never 0 % if one is there.
static void put_share(struct buf *b, uint64_t measured, uint64_t expected)
{
    if (measured >= expected || measured == 0) {
        buf_z(b, measured ? ", 100 %" : ", 0 %");
        return;
    }
    double share = 100.0 * (double)measured / (double)expected;
    buf_z(b, ", ");
    num_put_fixed(b, share < 0.1 ? 0.1 : share > 99.9 ? 99.9 : share, 1, false);
    buf_z(b, " %");
}

static void put_coverage_line(const struct op_report *r, const struct op_coverage *c,
                              struct buf *b)
{
    buf_printf(b, "device %lld: ", (long long)c->device);
    if (!r->host) {
        buf_printf(b, "measured %llu", (unsigned long long)c->measured);
    } else {
        buf_printf(b, "expected %llu, measured %llu", (unsigned long long)c->expected,
                   (unsigned long long)c->measured);
        if (c->expected)
            put_share(b, c->measured, c->expected);
    }
    if (c->expected && !r->device)
        buf_z(b, "; no device data were given");
    else if (c->expected && !c->has_data)
        buf_z(b, "; no data of this device");
    if (c->support_count)
        buf_printf(b, "; raise the program support count to %llu (--op-support-count)",
                   (unsigned long long)c->support_count);
    put_clause(b, c->by_state[OP_NOT_RECORDED],
               "outside replays, which the trace profiler does not record");
    put_clause(b, c->by_state[OP_NEVER_REPLAYED], "captured in traces that never ran");
    put_clause(b, c->by_state[OP_REPLAY_UNKNOWN],
               "measured in replays that the host did not report");
    put_clause(b, c->duplicates, "measured again");
    put_clause(b, c->again, "with an id used before");
    put_clause(b, c->incomplete, "with markers missing");
    put_clause(b, c->unmatched, "measured without a host op (--unmatched shows them)");
    buf_char(b, '\n');
}

void op_report_coverage_text(const struct op_report *r, struct buf *b)
{
    uint64_t n_host = 0;
    for (size_t i = 0; i < r->coverage.n; i++)
        put_coverage_line(r, &r->coverage.v[i], b);
    for (size_t i = 0; i < r->n_rows; i++)
        n_host += r->rows.v[i].state == OP_HOST_ONLY;
    if (n_host)
        buf_printf(b, "host: %llu op%s, nothing to measure\n", (unsigned long long)n_host,
                   n_host == 1 ? "" : "s");
}
