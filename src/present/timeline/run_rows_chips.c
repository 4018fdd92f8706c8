// run_rows_chips.c - the chips of a run, their cycles turned into ns of the page.
#include <math.h>
#include <stdlib.h>

#include "base/data/sort.h"

#include "present/timeline/run_rows.h"
#include "present/timeline/timeline_plan.h"

// From cycles of one chip to the axis.
struct chip_clock {
    const struct clock_model *model; // NULL: at the rate of the log
    uint64_t since;                  // a cycle or, with a model, a host time
    int64_t axis;                    // what the axis shows then
    double ns_per_cycle;             // without a model
};

static uint64_t axis_at(const struct chip_clock *c, uint64_t cycle)
{
    double ns = c->model            ? clock_model_since(c->model, cycle, c->since)
                : cycle >= c->since ? (double)(cycle - c->since) * c->ns_per_cycle
                                    : -(double)(c->since - cycle) * c->ns_per_cycle;
    ns = fmin(fmax(ns, -(double)TIMELINE_TIME_MOST), (double)TIMELINE_TIME_MOST);
    int64_t at = c->axis + llround(ns);
    return at > 0 ? timeline_least((uint64_t)at, TIMELINE_TIME_MOST) : 0;
}

// The process that used the chips; a run without it has no axis for their clocks.
static bool host_axis(const struct run_rows *r, uint64_t host_ns, int64_t *axis)
{
    const struct trace *h = r->in->host;
    const struct device_clocks *clocks = r->in->clocks;
    if (!h)
        return false;
    if (!clocks->is_program_clock) {
        *axis = (int64_t)(host_ns - h->origin_ns);
        return true;
    }
    for (size_t i = h->processes.n; i-- > 0;)
        if (h->processes.v[i].pid == clocks->pid &&
            host_run_program_time(h, (uint32_t)i, host_ns, axis))
            return true;
    return false;
}

static const struct clock_model *model_of(const struct run_rows *r, int64_t chip)
{
    const struct clock_model *m =
        r->in->clocks ? device_clocks_find(r->in->clocks, chip) : NULL;
    return m && m->epochs.n ? m : NULL;
}

// Without the host the axis begins with the first marker of any chip, or, where the clocks
// are not aligned, of each one.
static struct chip_clock without_host(const struct run_rows *r, uint32_t device)
{
    const struct trace *log = r->in->log;
    const struct trace_device *d = &log->devices.v[device];
    const struct clock_model *m = model_of(r, d->id);
    struct chip_clock c = {.since = d->first_time,
                           .ns_per_cycle = log->mhz > 0 ? 1000 / (double)log->mhz : 1};
    if (!m || !m->is_synced)
        return c;
    double first = INFINITY;
    c = (struct chip_clock){.model = m, .since = m->epochs.v[0].host};
    for (size_t i = 0; i < log->devices.n; i++) {
        const struct clock_model *other = model_of(r, log->devices.v[i].id);
        if (other && other->is_synced)
            first = fmin(first,
                         clock_model_since(other, log->devices.v[i].first_time, c.since));
    }
    c.axis = -(int64_t)llround(first);
    return c;
}

static struct chip_clock clock_of(const struct run_rows *r, uint32_t device, bool *is_loose)
{
    const struct clock_model *m = model_of(r, r->in->log->devices.v[device].id);
    struct chip_clock c = {.model = m, .since = m ? m->epochs.v[0].host : 0};
    *is_loose = !m || !m->is_synced;
    if (m && host_axis(r, c.since, &c.axis))
        return c;
    *is_loose |= r->in->host != NULL; // the epochs speak of a clock that nobody knows
    return without_host(r, device);
}

// --- the rows --------------------------------------------------------------------------

static struct timeline_group group_of(struct run_rows *r, uint32_t device, bool is_loose)
{
    int64_t id = r->in->log->devices.v[device].id;
    const struct clock_model *m = model_of(r, id);
    struct timeline_group g = {.kind = TIMELINE_CHIP,
                               .label =
                                   arena_printf(&r->arena, "Device %lld", (long long)id),
                               .is_loose = is_loose};
    const char *host = r->in->host ? "the host" : "the host's clock";
    if (is_loose) {
        g.error_ns = INFINITY;
        g.about = S("its clock is not aligned with the host's");
        note(r->notes, NOTE_WARNING,
             "%.*s is not aligned with %s: where its zones begin cannot be compared with "
             "other rows; run again with --sync-host-device",
             STR(g.label), host);
        return g;
    }
    g.error_ns = clock_model_worst_ns(m);
    g.about = arena_printf(&r->arena, "within %.0f ns of the host, %.6f GHz",
                           ceil(g.error_ns), clock_model_ghz(m));
    note(r->notes, NOTE_INFO,
         "%.*s is aligned with %s: its times are within %.0f ns (%.6f GHz, %zu sync%s)",
         STR(g.label), host, ceil(g.error_ns), clock_model_ghz(m), m->epochs.n,
         m->epochs.n == 1 ? "" : "s");
    return g;
}

// The log has chips as they come; the page has them by their ids.
struct chip_order {
    int64_t id;
    uint32_t device; // of the log
};

struct chip_rows {
    struct run_rows *rows;
    uint32_t site;                   // of the page: where those of the log begin
    const uint32_t *device_of;       // of the page, by device of the log
    const struct chip_clock *clocks; // by device of the log
};

static void put_track(const struct chip_rows *c, const struct trace_track *k, uint32_t core)
{
    const struct trace *log = c->rows->in->log;
    const struct trace_zones *z = &log->zones;
    const struct chip_clock *clock = &c->clocks[log->cores.v[k->core].device];
    (void)rows_add_track(c->rows, core, trace_text(log, k->risc));
    for (size_t i = k->zone; i < (size_t)k->zone + k->n_zones; i++)
        rows_add_zone(c->rows, (struct rows_zone){.start = axis_at(clock, z->start[i]),
                                                  .end = axis_at(clock, z->end[i]),
                                                  .site = c->site + z->site[i],
                                                  .run = z->run[i],
                                                  .depth = z->depth[i]});
}

static void put_cores(const struct chip_rows *c, uint32_t device)
{
    const struct trace *log = c->rows->in->log;
    const struct trace_device *d = &log->devices.v[device];
    for (size_t i = 0; i < d->cores.n; i++) {
        const struct trace_core *core = &log->cores.v[d->cores.v[i]];
        uint32_t to = rows_add_core(c->rows, c->device_of[device], core->x, core->y);
        c->rows->trace.cores.v[to].is_dispatch = core->is_dispatch;
        for (size_t k = 0; k < core->tracks.n; k++)
            put_track(c, &log->tracks.v[core->tracks.v[k]], to);
    }
}

static void put_sites(struct run_rows *r)
{
    const struct trace *log = r->in->log;
    for (size_t i = 0; i < log->sites.n; i++) {
        const struct trace_site *s = &log->sites.v[i];
        (void)rows_add_site(r, (struct rows_site){.name = trace_text(log, s->name),
                                                  .file = trace_text(log, s->file),
                                                  .line = s->line});
    }
}

// Runs keep their numbers, as nobody else has any.
static void put_ops(const struct chip_rows *c)
{
    struct run_rows *r = c->rows;
    const struct trace *log = r->in->log;
    const struct device_ops *ops = r->in->ops;
    for (size_t i = 0; i < log->runs.n; i++) {
        struct trace_run run = log->runs.v[i];
        run.device = c->device_of[run.device];
        vec_push(&r->trace.runs, run);
    }
    r->ops = (struct device_ops){
        .v = mem_alloc(mem_bytes(sizeof *r->ops.v, ops->n + 1)),
        .n = ops->n,
        .of_run = mem_alloc(mem_bytes(sizeof *r->ops.of_run, log->runs.n + 1))};
    if (log->runs.n)
        memcpy(r->ops.of_run, ops->of_run, log->runs.n * sizeof *r->ops.of_run);
    for (size_t i = 0; i < ops->n; i++) {
        struct device_op op = ops->v[i];
        const struct chip_clock *clock = &c->clocks[log->runs.v[op.run].device];
        op.first_time = axis_at(clock, op.first_time);
        op.last_time = axis_at(clock, op.last_time);
        r->span = timeline_most(r->span, op.last_time);
        r->ops.v[i] = op;
    }
}

static int by_id(const void *a, const void *b)
{
    const struct chip_order *x = a, *y = b;
    SORT_BY(x, y, id);
    return 0;
}

void rows_add_chips(struct run_rows *r)
{
    const struct trace *log = r->in->log;
    size_t n = log->devices.n;
    struct chip_clock *clocks = push_many(&r->arena, struct chip_clock, n + 1);
    uint32_t *device_of = push_many(&r->arena, uint32_t, n + 1);
    struct chip_order *order = push_many(&r->arena, struct chip_order, n + 1);
    struct chip_rows c = {r, (uint32_t)r->trace.sites.n, device_of, clocks};
    r->trace.arch = rows_clean(r, log->arch, RUN_TEXT_MOST);
    put_sites(r);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct chip_order){log->devices.v[i].id, i};
    qsort(order, n, sizeof *order, by_id);
    for (uint32_t i = 0; i < n; i++) {
        bool is_loose;
        uint32_t device = order[i].device;
        clocks[device] = clock_of(r, device, &is_loose);
        device_of[device] = rows_add_group(r, order[i].id, group_of(r, device, is_loose));
    }
    for (uint32_t i = 0; i < n; i++)
        put_cores(&c, order[i].device);
    put_ops(&c);
}
