// device.c - zones of devices become items: contexts, lanes, and a begin, an end and two
// times for each zone.
//
// The time of a context counts from the beginning of the trace. A server takes one that is
// much earlier than the last for a counter that wrapped: then the context's own time goes
// on, and the server is told what it stands for now.
//
// A zone's ids of times are free again at once, because its times follow it.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "record/tracy/devices.h"
#include "record/tracy/session.h"

enum {
    PIECE = 1 << 12, // zones at a time
    WRAP = 1 << 30,  // ns; a server thinks of one at twice as much
    RISC_BITS = 3    // of the key of a place: the colour depends on it
};
#define TIME_MOST (INT64_C(1) << 46) // ns; readers fail at twice as much

struct device_context {
    int64_t last, shift; // its own time, and that less the time of the trace
    uint16_t query;
};
struct tracy_devices {
    uint32_t n_announced; // contexts
    uint32_t n_seen;      // cores that have one
    struct device_context contexts[DEVICE_CORES];
    struct recorder_keys places; // that the server has
    uint32_t n_places;
    uint64_t n_beyond;                     // zones of contexts that the server cannot have
    uint64_t n_odd, n_unnamed;             // zones with useless times, without their name
    uint8_t loose[(DEVICE_CORES + 7) / 8]; // chips that are not aligned, if told
    // the zones that are open, of one lane
    struct device_zone open[DEVICE_DEPTH];
    uint32_t depth;
};

void recorder_device_start(struct tracy_session *s)
{
    if (!s->devices)
        s->devices = recorder_pages(sizeof *s->devices);
    if (!s->devices)
        return;
    recorder_keys_clear(&s->devices->places);
    (void)madvise(s->devices, sizeof *s->devices, MADV_DONTNEED); // zero again
    recorder_devices_open();
}

// --- messages --------------------------------------------------------------------------
static void say(struct tracy_session *s, const char *form, uint64_t number)
{
    enum { WARNING = 3 };
    char text[160];
    int n = snprintf(text, sizeof text, form, (unsigned long long)number);
    recorder_out_thread(&s->out, (uint32_t)getpid());
    recorder_out_string(&s->out, (struct recorder_piece){text, (size_t)n});
    uint8_t *item = recorder_out_item(&s->out, TRACY_MESSAGE, 0);
    recorder_out_time(&s->out, item, (int64_t)recorder_monotonic());
    recorder_out_set(&s->out, item, TRACY_META_FIELD, WARNING << 4);
}

static void say_count(struct tracy_session *s, const char *form, uint64_t *n)
{
    if (*n)
        say(s, form, *n);
    *n = 0;
}

static void say_what_is_missing(struct tracy_session *s)
{
    struct tracy_devices *d = s->devices;
    uint64_t dropped = recorder_devices_dropped();
    say_count(s, "ttprof: %llu zones of devices are missing: the server is too slow",
              &dropped);
    say_count(s, "ttprof: %llu zones of devices are missing: there are too many devices",
              &d->n_beyond);
    say_count(s, "ttprof: %llu zones of devices are missing: their times are useless",
              &d->n_odd);
    say_count(s,
              "ttprof: %llu zones of devices have no name of their own: there are too many "
              "places",
              &d->n_unnamed);
}

static void say_if_loose(struct tracy_session *s, const struct device_core *core)
{
    uint8_t *byte = &s->devices->loose[core->chip / 8];
    uint8_t bit = (uint8_t)(1 << core->chip % 8);
    if (core->is_aligned || *byte & bit)
        return;
    *byte |= bit;
    say(s,
        "ttprof: device %llu is not aligned with the host: do not compare its times with "
        "others; run again with --sync-host-device",
        (uint64_t)core->core.chip);
}

// --- contexts --------------------------------------------------------------------------
static bool has_context_per_core(const struct tracy_session *s)
{
    return tracy_has_core_contexts(s->out.layouts.generation);
}

static void put_context(struct tracy_session *s, uint32_t id, const struct tracy_core *core)
{
    struct recorder_out *o = &s->out;
    const float period = 1;
    uint32_t bits;
    char name[TRACY_DEVICE_NAME_MOST];
    enum tracy_generation g = o->layouts.generation;
    memcpy(&bits, &period, sizeof bits);
    uint8_t *item = recorder_out_item(o, TRACY_GPU_CONTEXT, 0);
    recorder_out_time(o, item, s->begin_ns);
    recorder_out_set(o, item, TRACY_PERIOD_FIELD, bits);
    recorder_out_set(o, item, TRACY_CONTEXT_FIELD, id);
    recorder_out_set(o, item, TRACY_TYPE_FIELD, tracy_device_type(g));
    size_t n = tracy_device_name(name, g, core);
    recorder_out_string(o, (struct recorder_piece){name, n});
    recorder_out_set(o, recorder_out_item(o, TRACY_GPU_NAME, 0), TRACY_CONTEXT_FIELD, id);
}

// The first core of a chip stands for it.
void recorder_device_announce(struct tracy_session *s)
{
    const struct device_tables *t = recorder_devices();
    struct tracy_devices *d = s->devices;
    bool is_by_core = has_context_per_core(s);
    if (!t || !d)
        return;
    uint32_t n = __atomic_load_n(&t->n_cores, __ATOMIC_ACQUIRE);
    for (; d->n_seen < n; d->n_seen++) {
        uint32_t i = d->n_seen;
        if ((is_by_core ? i : t->cores[i].chip) != d->n_announced)
            continue;
        if (is_by_core || d->n_announced < TRACY_CONTEXTS_U14)
            put_context(s, d->n_announced, &t->cores[i].core);
        d->n_announced++;
    }
}

// Puts its time on the context's own.
static int64_t context_time(struct tracy_session *s, uint32_t id, int64_t ns)
{
    struct device_context *c = &s->devices->contexts[id];
    struct recorder_out *o = &s->out;
    int64_t since = ns - s->begin_ns;
    if (since + c->shift < c->last - WRAP) {
        c->shift = c->last - since;
        uint8_t *item = recorder_out_item(o, TRACY_GPU_TIME_SYNC, 0);
        recorder_out_time(o, item, ns);
        recorder_out_set(o, item, TRACY_GPU_TIME_FIELD, (uint64_t)c->last);
        recorder_out_set(o, item, TRACY_CONTEXT_FIELD, id);
    }
    c->last = since + c->shift;
    return c->last;
}

// --- places ----------------------------------------------------------------------------
static bool has_place(struct tracy_session *s, uint64_t key, uint32_t most)
{
    struct tracy_devices *d = s->devices;
    if (recorder_keys_get(&d->places, key))
        return true;
    if (d->n_places >= most || !recorder_keys_set(&d->places, key, 1, TRACY_PLACES_MOST))
        return false;
    d->n_places++;
    return true;
}

static void put_place(struct tracy_session *s, const struct device_place *p,
                      uint32_t colour, struct recorder_piece function)
{
    enum { HEAD = 2 * sizeof(uint32_t), NAME_MOST = OUT_TEXT_MOST / 3 };
    char *at = s->text;
    size_t file = p->file.n < NAME_MOST ? p->file.n : NAME_MOST;
    size_t name = p->name.n < NAME_MOST ? p->name.n : NAME_MOST;
    memcpy(at, &colour, sizeof colour);
    memcpy(at + sizeof colour, &p->line, sizeof p->line);
    at += HEAD;
    memcpy(at, function.p, function.n);
    at += function.n;
    *at++ = 0;
    if (file)
        memcpy(at, p->file.p, file);
    at += file;
    *at++ = 0;
    if (name)
        memcpy(at, p->name.p, name);
    at += name;
    recorder_out_text(&s->out, TRACY_MADE_PLACE, 0,
                      (struct recorder_piece){s->text, (size_t)(at - s->text)});
}

// With its run, as long as there is room for it; the last place is that of all others.
static void put_place_of(struct tracy_session *s, const struct device_zone *z,
                         uint32_t risc)
{
    static const struct device_place none;
    const struct device_tables *t = recorder_devices();
    const struct device_place *p = z->place ? &t->places[z->place - 1] : &none;
    char text[TRACY_RUN_TEXT_MOST];
    size_t n = tracy_names_run(p->name.p, p->name.n)
                   ? tracy_run_text(text, z->run, z->is_trace)
                   : 0;
    uint64_t key = (uint64_t)z->place << RISC_BITS |
                   (risc < TRACY_OTHER_RISC ? risc : TRACY_OTHER_RISC);
    uint64_t with_run = key | (uint64_t)z->run << 21 | (uint64_t)z->is_trace << 20;
    uint32_t colour = tracy_zone_colour(p->name.p, p->name.n, risc);
    if (n && !has_place(s, with_run, TRACY_RUN_PLACES))
        n = 0;
    if (z->place && (n || has_place(s, key, TRACY_PLACES_MOST - 1))) {
        put_place(s, p, colour, (struct recorder_piece){text, n});
        return;
    }
    const struct device_place shared = {
        .name = {tracy_shared_name, strlen(tracy_shared_name)}};
    put_place(s, &shared, 0, (struct recorder_piece){text, 0});
    s->devices->n_unnamed++;
}

// --- zones -----------------------------------------------------------------------------
struct device_way { // where a lane is
    uint32_t id, risc, lane;
};

static bool find_way(struct tracy_session *s, uint32_t lane, struct device_way *w)
{
    const struct device_tables *t = recorder_devices();
    const struct device_lane *l = &t->lanes[lane - 1];
    const struct device_core *core = &t->cores[l->core];
    bool is_by_core = has_context_per_core(s);
    w->id = is_by_core ? l->core : core->chip;
    w->risc = l->risc;
    w->lane = (uint32_t)tracy_lane_of(&core->core, l->risc);
    if (!is_by_core && w->id >= TRACY_CONTEXTS_U14)
        return false;
    recorder_device_announce(s);
    say_if_loose(s, core);
    return true;
}

static void put_edge(struct tracy_session *s, enum tracy_item kind,
                     const struct device_way *w, int64_t ns)
{
    struct recorder_out *o = &s->out;
    uint16_t query = s->devices->contexts[w->id].query++;
    uint8_t *item = recorder_out_item(o, kind, 0);
    recorder_out_time(o, item, ns);
    recorder_out_set(o, item, TRACY_THREAD_FIELD, w->lane);
    recorder_out_set(o, item, TRACY_QUERY_FIELD, query);
    recorder_out_set(o, item, TRACY_CONTEXT_FIELD, w->id);
    int64_t time = context_time(s, w->id, ns);
    item = recorder_out_item(o, TRACY_GPU_TIME, 0);
    recorder_out_time(o, item, time);
    recorder_out_set(o, item, TRACY_QUERY_FIELD, query);
    recorder_out_set(o, item, TRACY_CONTEXT_FIELD, w->id);
}

static void end_zones(struct tracy_session *s, uint32_t down_to)
{
    struct tracy_devices *d = s->devices;
    while (d->depth > down_to) {
        const struct device_zone *z = &d->open[--d->depth];
        struct device_way w;
        if (find_way(s, z->lane, &w))
            put_edge(s, TRACY_GPU_END_SERIAL, &w, (int64_t)z->end);
    }
}

// A zone is inside the one that it is in, and not before the beginning of the trace.
static bool fit(const struct tracy_session *s, struct device_zone *z)
{
    const struct tracy_devices *d = s->devices;
    int64_t begin = s->begin_ns;
    if (d->depth)
        begin = (int64_t)d->open[d->depth - 1].start;
    int64_t start = (int64_t)z->start < begin ? begin : (int64_t)z->start;
    int64_t end = (int64_t)z->end < start ? start : (int64_t)z->end;
    if (d->depth && end > (int64_t)d->open[d->depth - 1].end)
        end = (int64_t)d->open[d->depth - 1].end;
    z->start = (uint64_t)(start < end ? start : end);
    z->end = (uint64_t)end;
    return end - s->begin_ns < TIME_MOST;
}

static void take_zone(struct tracy_session *s, struct device_zone *z)
{
    struct tracy_devices *d = s->devices;
    struct device_way w;
    bool is_same_lane = d->depth && d->open[0].lane == z->lane;
    end_zones(s, is_same_lane && z->depth < d->depth ? z->depth
                 : is_same_lane                      ? d->depth
                                                     : 0);
    if (!fit(s, z)) {
        d->n_odd++;
        return;
    }
    if (!find_way(s, z->lane, &w)) {
        d->n_beyond++;
        return;
    }
    put_place_of(s, z, w.risc);
    put_edge(s, TRACY_GPU_BEGIN_MADE_SERIAL, &w, (int64_t)z->start);
    d->open[d->depth++] = *z;
}

bool recorder_device_take(struct tracy_session *s)
{
    struct device_zone z;
    int n = 0;
    if (!s->devices)
        return false;
    while (n < PIECE && recorder_devices_next(&z)) {
        take_zone(s, &z);
        n++;
    }
    if (!n)
        say_what_is_missing(s);
    return n > 0;
}

void recorder_device_end(struct tracy_session *s)
{
    recorder_devices_close();
    while (recorder_device_take(s))
        ;
    if (s->devices)
        end_zones(s, 0);
}
