// tracy_from_devices.c - device tracks as contexts and lanes, on the axis of the trace. A
// live client has the same: record/tracy/device.c.
#include "base/data/sort.h"

#include "formats/diags.h"
#include "formats/tracy/tracy_from_parts.h"
#include "trace/device_axis.h"

#define TIME_MOST (INT64_C(1) << 46) // ns; readers fail at twice as much

struct from_devices {
    struct from_making *m;
    struct trace_cursor *cursor;
    struct map places; // struct place_key -> number among the made ones
    size_t n_with_run; // of them
    struct arena a;
    // of the device, core and track that is taken
    struct device_axis axis;
    uint32_t risc;
    VEC(uint64_t) open; // zones of the lane
};
struct place_key { // hashed as bytes
    uint32_t site, risc;
    int64_t run; // 0: none
    uint64_t is_trace;
};

// --- places ----------------------------------------------------------------------------

static struct tracy_ref put_ref(struct from_devices *d, str text)
{
    return (struct tracy_ref){tracy_text(d->m->to, text), true, true};
}

static void put_place(struct from_devices *d, struct place_key key)
{
    const struct trace *from = d->m->from;
    const struct trace_site *s = &from->sites.v[key.site];
    str name = trace_text(from, s->name);
    char text[TRACY_RUN_TEXT_MOST];
    size_t n = tracy_run_text(text, key.run, key.is_trace);
    vec_push(&d->m->to->made_places,
             (struct tracy_place){
                 .name = put_ref(d, name),
                 .function = put_ref(d, (str){text, n}),
                 .file = put_ref(d, trace_text(from, s->file)),
                 .line = s->line > 0 && s->line <= UINT32_MAX ? (uint32_t)s->line : 0,
                 .colour = tracy_zone_colour(name.p, name.n, key.risc)});
}

static int32_t find_place(struct from_devices *d, struct place_key key)
{
    size_t n = d->m->to->made_places.n;
    uint32_t number = map_put_copy(&d->places, &key, sizeof key, &d->a);
    if (number == n)
        put_place(d, key);
    return -1 - (int32_t)number;
}

// Places are scarce: beyond a number of them zones no longer say their run.
static int32_t place_of(struct from_devices *d, uint32_t site, uint32_t run)
{
    const struct trace *from = d->m->from;
    const struct trace_run *r = &from->runs.v[run];
    str name = trace_text(from, from->sites.v[site].name);
    struct place_key key = {
        .site = site, .risc = d->risc < TRACY_OTHER_RISC ? d->risc : TRACY_OTHER_RISC};
    if (r->id <= 0 || !tracy_names_run(name.p, name.n))
        return find_place(d, key);
    struct place_key with_run = key;
    with_run.run = r->id;
    with_run.is_trace = r->is_replay;
    bool is_known =
        map_get(&d->places, (str){(const char *)&with_run, sizeof with_run}) != MAP_NONE;
    if (!is_known && d->n_with_run == TRACY_RUN_PLACES)
        return find_place(d, key);
    d->n_with_run += !is_known;
    return find_place(d, with_run);
}

// --- zones -----------------------------------------------------------------------------

static int64_t time_of(const struct from_devices *d, uint64_t cycle)
{
    int64_t ns = device_axis_ns(&d->axis, cycle);
    return ns > 0 ? ns : 0;
}

static void add_zone(struct from_devices *d, struct tracy_gpu *g, struct tracy_lane *lane,
                     const struct trace_batch *b, size_t i, uint16_t thread)
{
    struct tracy *to = d->m->to;
    struct tracy_gpu_zone zone = {
        .start = time_of(d, b->start[i]), .end = time_of(d, b->end[i]), .thread = thread};
    if (zone.end > TIME_MOST) {
        if (diag_count(&to->diag, DIAG_TRACY_UNWRITTEN))
            diag_note(&to->diag, DIAG_TRACY_UNWRITTEN, "device zones with useless times");
        return;
    }
    if (d->open.n > b->depth[i])
        d->open.n = b->depth[i];
    if (d->open.n)
        ((struct tracy_gpu_zone *)pile_at(&lane->zones, d->open.v[d->open.n - 1]))
            ->children++;
    zone.cpu_start = zone.start;
    zone.cpu_end = zone.end;
    zone.place = place_of(d, b->site[i], b->run[i]);
    vec_push(&d->open, lane->zones.n);
    memcpy(pile_add(&lane->zones, &to->store), &zone, sizeof zone);
    g->n_zones++;
    if (zone.end > to->last_time)
        to->last_time = zone.end;
}

uint16_t from_use_thread(struct tracy *to, uint64_t lane)
{
    if (to->threads_used.n > UINT16_MAX)
        return 0;
    vec_push(&to->threads_used, lane);
    return (uint16_t)(to->threads_used.n - 1);
}

static void add_lane(struct from_devices *d, struct tracy_gpu *g, uint32_t track,
                     uint64_t id)
{
    struct tracy_lane lane = {.thread = id,
                              .zones = pile_of(sizeof(struct tracy_gpu_zone))};
    uint16_t thread = from_use_thread(d->m->to, id);
    d->open.n = 0;
    trace_cursor_start(d->cursor, track);
    for (const struct trace_batch *b; (b = trace_cursor_next(d->cursor));)
        for (size_t i = 0; i < b->n_zones; i++)
            add_zone(d, g, &lane, b, i, thread);
    vec_push(&g->lanes, lane);
}

static void add_lanes(struct from_devices *d, struct tracy_gpu *g,
                      const struct trace_core *core, const struct tracy_core *is)
{
    const struct trace *from = d->m->from;
    uint32_t n_others = 0;
    for (size_t i = 0; i < core->tracks.n; i++) {
        const struct trace_track *k = &from->tracks.v[core->tracks.v[i]];
        str name = trace_text(from, k->risc);
        d->risc = tracy_risc_of(name.p, name.n);
        if (d->risc == TRACY_OTHER_RISC)
            d->risc += n_others++;
        if (k->n_zones)
            add_lane(d, g, core->tracks.v[i], tracy_lane_of(is, d->risc));
    }
}

// --- contexts --------------------------------------------------------------------------

// Of several processes that used a chip of this number, each has its own.
static uint32_t name_of(struct from_devices *d, const struct trace_device *device,
                        const struct tracy_core *core)
{
    struct from_making *m = d->m;
    char text[TRACY_DEVICE_NAME_MOST];
    size_t n = tracy_device_name(text, m->how.generation, core);
    str name = trace_device_name(m->from, (uint32_t)(device - m->from->devices.v), &d->a);
    const char *process = name.n ? memchr(name.p, ',', name.n) : NULL;
    m->text.n = 0;
    buf_str(&m->text, (str){text, n});
    if (process)
        buf_str(&m->text, str_from(name, (size_t)(process - name.p)));
    return tracy_text(m->to, buf_view(&m->text)) + 1;
}

static struct tracy_gpu *add_context(struct from_devices *d,
                                     const struct trace_device *device,
                                     const struct tracy_core *core)
{
    vec_push(&d->m->to->gpus, (struct tracy_gpu){
                                  .period = 1,
                                  .type = tracy_device_type(d->m->how.generation),
                                  .name = name_of(d, device, core),
                              });
    return &d->m->to->gpus.v[d->m->to->gpus.n - 1];
}

static struct tracy_core core_of(const struct trace_device *device,
                                 const struct trace_core *core)
{
    return (struct tracy_core){.chip = device->id,
                               .x = core->x,
                               .y = core->y,
                               .logical_x = core->has_logical ? core->logical_x : -1,
                               .logical_y = core->has_logical ? core->logical_y : -1};
}

static bool has_zones(const struct trace *t, const struct trace_core *core)
{
    for (size_t i = 0; i < core->tracks.n; i++)
        if (t->tracks.v[core->tracks.v[i]].n_zones)
            return true;
    return false;
}

static void add_device(struct from_devices *d, const struct trace_device *device)
{
    const struct trace *from = d->m->from;
    struct tracy_gpu *g = NULL;
    bool is_loose;
    d->axis = device_axis_of(from, device, &is_loose);
    for (size_t i = 0; i < device->cores.n; i++) {
        const struct trace_core *core = &from->cores.v[device->cores.v[i]];
        struct tracy_core is = core_of(device, core);
        if (!has_zones(from, core))
            continue;
        if (!g || tracy_has_core_contexts(d->m->how.generation))
            g = add_context(d, device, &is);
        add_lanes(d, g, core, &is);
    }
    if (g && is_loose) {
        str name = trace_device_name(from, (uint32_t)(device - from->devices.v), &d->a);
        d->m->to->info =
            arena_printf(&d->m->to->arena, "%.*s\nDevice %.*s: not aligned with the host",
                         STR(d->m->to->info), STR(name));
    }
}

void from_put_devices(struct from_making *m)
{
    struct from_devices d = {.m = m, .cursor = trace_cursor_new(m->from)};
    for (size_t i = 0; i < m->from->devices.n; i++)
        add_device(&d, &m->from->devices.v[i]);
    trace_cursor_free(d.cursor);
    map_free(&d.places);
    vec_free(&d.open);
    arena_free(&d.a);
}
