// device_zones.c - the zones of a dump, handed to the recorder's Tracy client.
//
// Tracks are merged roughly by time, a second after the other: the server shows the
// beginning of all cores first, and what is dropped for a slow one is the end of the run.
#include "profiler/device_zones.h"

#include "analyse/fold/pair.h"
#include "profiler/profiler_clocks.h"
#include "record/format/tracy_device.h"
#include "trace/device_axis.h"
#include "ttprof/device_zones.h"

enum { WINDOW_NS = 1000000000 };

struct sent_track {
    const struct device_axis *axis;
    uint32_t lane;
    size_t at, end;   // zones
    uint64_t next_ns; // start of the next one
};
struct sending {
    struct trace *t;
    struct arena a;
    VEC(struct device_clock) clocks; // by device
    VEC(struct sent_track) tracks;
    uint32_t *places; // by site: number + 1; 0: not asked yet
};

static uint64_t time_of(const struct device_axis *a, uint64_t cycle)
{
    int64_t ns = device_axis_ns(a, cycle);
    return ns > 0 ? (uint64_t)ns : 0;
}

// --- tracks ----------------------------------------------------------------------------

static const struct chip_record *chip_of(const struct collection *c, int64_t id)
{
    for (size_t i = 0; i < c->chips.n; i++)
        if (c->chips.v[i].id == id)
            return &c->chips.v[i];
    return NULL;
}

static struct ttprof_device_core core_of(const struct chip_record *chip,
                                         const struct trace_core *core, bool is_aligned)
{
    struct ttprof_device_core to = {.chip = chip->id,
                                    .x = core->x,
                                    .y = core->y,
                                    .logical_x = -1,
                                    .logical_y = -1,
                                    .is_aligned = is_aligned};
    for (size_t i = 0; i < chip->n_cores; i++)
        if (chip->cores[i].x == core->x && chip->cores[i].y == core->y) {
            to.logical_x = chip->cores[i].lx;
            to.logical_y = chip->cores[i].ly;
        }
    return to;
}

static void add_core(struct sending *s, const struct chip_record *chip,
                     const struct trace_core *core, const struct device_axis *axis)
{
    struct ttprof_device_core is = core_of(chip, core, axis->model->is_synced);
    uint32_t n_others = 0;
    for (size_t i = 0; i < core->tracks.n; i++) {
        const struct trace_track *k = &s->t->tracks.v[core->tracks.v[i]];
        str name = trace_text(s->t, k->risc);
        uint32_t risc = tracy_risc_of(name.p, name.n);
        if (risc == TRACY_OTHER_RISC)
            risc += n_others++;
        if (!k->n_zones)
            continue;
        vec_push(&s->tracks,
                 (struct sent_track){.axis = axis,
                                     .lane = ttprof_device_lane(&is, risc),
                                     .at = k->zone,
                                     .end = k->zone + k->n_zones,
                                     .next_ns = time_of(axis, s->t->zones.start[k->zone])});
    }
}

static void add_device(struct sending *s, const struct collection *c,
                       const struct trace_device *d)
{
    const struct chip_record *chip = chip_of(c, d->id);
    if (!chip)
        return;
    struct device_clock *clock = push_one(&s->a, struct device_clock);
    struct device_axis *axis = push_one(&s->a, struct device_axis);
    *clock = profiler_clock_of(chip);
    vec_push(&s->clocks, *clock);
    uint64_t since = clock->model.epochs.v[0].host;
    *axis = (struct device_axis){
        .model = &clock->model, .since = since, .axis = (int64_t)since};
    for (size_t i = 0; i < d->cores.n; i++)
        add_core(s, chip, &s->t->cores.v[d->cores.v[i]], axis);
}

// --- zones -----------------------------------------------------------------------------

static uint32_t place_of(struct sending *s, uint32_t site)
{
    const struct trace_site *is = &s->t->sites.v[site];
    str name = trace_text(s->t, is->name), file = trace_text(s->t, is->file);
    if (!s->places[site]) {
        bool has_line = is->line > 0 && is->line <= UINT32_MAX;
        struct ttprof_device_place p = {.name = name.p,
                                        .file = file.p,
                                        .name_bytes = name.n,
                                        .file_bytes = file.n,
                                        .line = has_line ? (uint32_t)is->line : 0};
        s->places[site] = ttprof_device_place(&p) + 1;
    }
    return s->places[site] - 1;
}

static bool put_zone(struct sending *s, const struct sent_track *k, size_t zone)
{
    const struct trace_zones *z = &s->t->zones;
    const struct trace_run *run = &s->t->runs.v[z->run[zone]];
    return ttprof_device_zones_put(&(struct ttprof_device_zone){
        .start_ns = time_of(k->axis, z->start[zone]),
        .end_ns = time_of(k->axis, z->end[zone]),
        .run = run->id,
        .lane = k->lane,
        .place = place_of(s, z->site[zone]),
        .depth = z->depth[zone] & ZONE_DEPTH_MOST,
        .is_trace = run->is_replay,
    });
}

// Outermost zones that start before this time, with all that is in them.
static bool send_until(struct sending *s, struct sent_track *k, uint64_t until_ns)
{
    const struct trace_zones *z = &s->t->zones;
    while (k->at < k->end && k->next_ns < until_ns) {
        do {
            if (!put_zone(s, k, k->at))
                return false;
            k->at++;
        } while (k->at < k->end && (z->depth[k->at] & ZONE_DEPTH_MOST));
        if (k->at < k->end)
            k->next_ns = time_of(k->axis, z->start[k->at]);
    }
    return true;
}

static void send_all(struct sending *s)
{
    bool is_there = true;
    while (is_there) {
        uint64_t first = UINT64_MAX;
        for (size_t i = 0; i < s->tracks.n; i++)
            if (s->tracks.v[i].at < s->tracks.v[i].end && s->tracks.v[i].next_ns < first)
                first = s->tracks.v[i].next_ns;
        if (first == UINT64_MAX)
            return;
        for (size_t i = 0; is_there && i < s->tracks.n; i++)
            is_there = send_until(s, &s->tracks.v[i], first + WINDOW_NS);
    }
}

void device_zones_send(const struct collection *c, struct trace *t, bool is_last)
{
    if (!c->access || c->options.no_push || !t->tracks.n)
        return;
    struct ttprof_device_turn turn = {.is_program_clock = profiler_has_program_clock(c),
                                      .now_ns = c->access->host_ns(c->access->device),
                                      .is_last = is_last};
    if (!ttprof_device_zones_begin(&turn))
        return;
    struct sending s = {.t = t};
    s.places = push_many(&s.a, uint32_t, t->sites.n + 1);
    pair_zones(t);
    for (size_t i = 0; i < t->devices.n; i++)
        add_device(&s, c, &t->devices.v[i]);
    send_all(&s);
    ttprof_device_zones_end();
    for (size_t i = 0; i < s.clocks.n; i++)
        clock_model_free(&s.clocks.v[i].model);
    vec_free(&s.clocks);
    vec_free(&s.tracks);
    arena_free(&s.a);
}
