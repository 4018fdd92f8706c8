// capture_gpu.c - device timelines: contexts, lanes, zones, and times that come later.
#include "formats/tracy/capture/capture_parts.h"

enum { CONTEXTS = 1 << 16, CALIBRATED = 1 };

struct gpu_state *capture_gpu_of(struct capture *c, const struct item *it)
{
    struct gpu_state *g = c->gpus ? c->gpus[item_get(it, TRACY_CONTEXT_FIELD)] : NULL;
    if (!g)
        capture_odd(c, "a device context that was not announced");
    return g;
}

void capture_on_gpu_context(struct capture *c, const struct item *it)
{
    struct tracy *t = c->t;
    float period;
    uint32_t raw = (uint32_t)item_get(it, TRACY_PERIOD_FIELD);
    memcpy(&period, &raw, sizeof period);
    if (!capture_is_room(c, t->gpus.n, THINGS_MOST, "device contexts beyond the limit"))
        return;
    uint8_t type = (uint8_t)item_get(it, TRACY_TYPE_FIELD);
    if (c->layouts.generation == TRACY_T14 && type == TRACY_GPU_TENSTORRENT_14)
        type = TRACY_GPU_CUSTOM; // as towards U14, whose traces do not have that type
    if (!c->gpus)
        c->gpus = mem_alloc(mem_bytes(sizeof(struct gpu_state *), CONTEXTS));
    struct gpu_state *g = push_one(&c->arena, struct gpu_state);
    g->number = (uint32_t)t->gpus.n;
    g->factor = 1;
    g->trace_anchor = capture_time(c, it);
    g->device_anchor =
        capture_whole((double)period * (double)(int64_t)item_get(it, TRACY_GPU_TIME_FIELD));
    // A context of the same id before it stays in the trace.
    c->gpus[item_get(it, TRACY_CONTEXT_FIELD)] = g;
    vec_push(&c->gpu_states, g);
    vec_push(&t->gpus, (struct tracy_gpu){.thread = item_get(it, TRACY_THREAD_FIELD),
                                          .is_calibrated =
                                              item_get(it, TRACY_FLAGS_FIELD) & CALIBRATED,
                                          .period = period,
                                          .type = type});
}

void capture_on_gpu_name(struct capture *c, const struct item *it)
{
    uint32_t text = (uint32_t)capture_take_single(c).value;
    struct gpu_state *g = capture_gpu_of(c, it);
    if (!g)
        return;
    struct tracy_gpu *gpu = &c->t->gpus.v[g->number];
    if (it->layout->item == TRACY_GPU_NAME)
        gpu->name = text + 1;
    else if (capture_is_room(c, gpu->note_names.n, THINGS_MOST, "notes beyond the limit"))
        vec_push(&gpu->note_names, (struct tracy_note_name){
                                       (int64_t)item_get(it, TRACY_NAME_FIELD), text + 1});
}

void capture_on_gpu_note(struct capture *c, const struct item *it)
{
    struct gpu_state *g = capture_gpu_of(c, it);
    uint64_t raw = item_get(it, TRACY_VALUE_FIELD);
    struct tracy_note note = {.query = (uint16_t)item_get(it, TRACY_QUERY_FIELD),
                              .id = (int64_t)item_get(it, TRACY_NAME_FIELD)};
    memcpy(&note.value, &raw, sizeof note.value);
    if (g && capture_is_room(c, c->t->gpus.v[g->number].notes.n, KEYS_MOST,
                             "notes beyond the limit"))
        vec_push(&c->t->gpus.v[g->number].notes, note);
}

// --- zones -----------------------------------------------------------------------------

uint32_t capture_gpu_lane(struct capture *c, struct gpu_state *g, uint64_t thread)
{
    bool is_new;
    struct tracy_gpu *gpu = &c->t->gpus.v[g->number];
    if (gpu->thread)
        thread = 0;
    uint32_t lane = capture_key(c, &g->lanes, thread, &is_new);
    if (is_new) {
        vec_push(&g->open, (struct open_lane){0});
        vec_push(&gpu->lanes,
                 (struct tracy_lane){.thread = thread,
                                     .zones = pile_of(sizeof(struct tracy_gpu_zone))});
    }
    return lane;
}

static struct query *query_of(struct capture *c, struct gpu_state *g, uint64_t id)
{
    struct query **page = &g->queries[id >> QUERY_SHIFT & (QUERIES - 1)];
    if (!*page)
        *page = push_many(&c->arena, struct query, QUERIES);
    return &(*page)[id & (QUERIES - 1)];
}

static void await_time(struct capture *c, struct gpu_state *g, const struct item *it,
                       uint32_t lane, uint64_t zone)
{
    struct query *q = query_of(c, g, item_get(it, TRACY_QUERY_FIELD));
    if (q->lane)
        capture_odd(c, "a query id of a device that is still in use");
    *q = (struct query){zone, lane + 1};
}

static bool is_made(unsigned item)
{
    return item == TRACY_GPU_BEGIN_MADE || item == TRACY_GPU_BEGIN_MADE_STACK ||
           item == TRACY_GPU_BEGIN_MADE_SERIAL || item == TRACY_GPU_BEGIN_MADE_STACK_SERIAL;
}

static uint32_t take_stack(struct capture *c, unsigned item)
{
    if (item == TRACY_GPU_BEGIN_STACK || item == TRACY_GPU_BEGIN_MADE_STACK)
        return capture_take_stack(c, &capture_thread(c, c->thread)->stack);
    if (item == TRACY_GPU_BEGIN_STACK_SERIAL || item == TRACY_GPU_BEGIN_MADE_STACK_SERIAL)
        return capture_take_stack(c, &c->serial_stack);
    return 0;
}

void capture_on_gpu_begin(struct capture *c, const struct item *it)
{
    struct tracy *t = c->t;
    int64_t time = capture_time(c, it);
    uint64_t thread = item_get(it, TRACY_THREAD_FIELD);
    int32_t place = c->made_place;
    uint32_t stack = take_stack(c, it->layout->item);
    if (is_made(it->layout->item))
        c->made_place = 0;
    else
        place = capture_place(c, item_get(it, TRACY_PLACE_FIELD));
    struct gpu_state *g = capture_gpu_of(c, it);
    if (!g)
        return;
    capture_note_time(c, time);
    uint32_t lane = capture_gpu_lane(c, g, thread);
    struct pile *zones = &t->gpus.v[g->number].lanes.v[lane].zones;
    struct open_lane *o = &g->open.v[lane];
    if (!capture_is_room(c, o->open.n, DEPTH_MOST, "device zones nested beyond the limit"))
        return;
    struct tracy_gpu_zone *z = pile_add(zones, &t->store);
    *z = (struct tracy_gpu_zone){.cpu_start = time,
                                 .cpu_end = -1,
                                 .start = -1,
                                 .end = -1,
                                 .place = place,
                                 .stack = stack};
    if (t->generation != TRACY_F10) // whose files do not have it
        z->query = (uint16_t)item_get(it, TRACY_QUERY_FIELD);
    if (!t->gpus.v[g->number].thread)
        z->thread = capture_used_thread(c, thread);
    if (o->open.n)
        ((struct tracy_gpu_zone *)pile_at(zones, o->open.v[o->open.n - 1]))->children++;
    vec_push(&o->open, zones->n - 1);
    await_time(c, g, it, lane, zones->n - 1);
}

void capture_on_gpu_end(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    struct gpu_state *g = capture_gpu_of(c, it);
    if (!g)
        return;
    uint32_t lane = capture_gpu_lane(c, g, item_get(it, TRACY_THREAD_FIELD));
    struct open_lane *o = &g->open.v[lane];
    if (!o->open.n) {
        capture_odd(c, "a device zone that ends without a start");
        return;
    }
    uint64_t zone = o->open.v[--o->open.n];
    struct pile *zones = &c->t->gpus.v[g->number].lanes.v[lane].zones;
    ((struct tracy_gpu_zone *)pile_at(zones, zone))->cpu_end = time;
    capture_note_time(c, time);
    await_time(c, g, it, lane, zone);
}

// --- times -----------------------------------------------------------------------------

static uint64_t power_of_two_above(uint64_t v)
{
    return v >> 63 ? 0 : UINT64_C(1) << (v ? 64 - __builtin_clzll(v) : 0);
}

int64_t capture_gpu_time(const struct tracy_gpu *gpu, const struct gpu_state *g,
                         uint64_t device)
{
    double scaled = (double)gpu->period * (double)(int64_t)device;
    if (gpu->is_calibrated)
        return capture_whole((scaled - (double)g->device_anchor) * g->factor +
                             (double)g->trace_anchor);
    return capture_whole(scaled + (double)(g->trace_anchor - g->device_anchor));
}

// The same for a counter of few bits: a jump far back means that it wrapped.
static int64_t gpu_time(struct tracy_gpu *gpu, struct gpu_state *g, uint64_t device)
{
    const int64_t wrap = INT64_C(1) << 31;
    int64_t last = (int64_t)g->last, now = (int64_t)device;
    if (last > INT64_MIN + wrap && now < last - wrap)
        gpu->overflow += power_of_two_above(g->last);
    g->last = device;
    return capture_gpu_time(gpu, g, device + gpu->overflow);
}

void capture_on_gpu_time(struct capture *c, const struct item *it)
{
    c->clocks[TRACY_CLOCK_GPU] += item_get(it, TRACY_TIME_FIELD);
    struct gpu_state *g = capture_gpu_of(c, it);
    if (!g)
        return;
    struct tracy_gpu *gpu = &c->t->gpus.v[g->number];
    int64_t time = gpu_time(gpu, g, c->clocks[TRACY_CLOCK_GPU]);
    struct query *q = query_of(c, g, item_get(it, TRACY_QUERY_FIELD));
    if (!q->lane) {
        capture_odd(c, "a device time without a zone");
        return;
    }
    struct tracy_gpu_zone *z = pile_at(&gpu->lanes.v[q->lane - 1].zones, q->zone);
    q->lane = 0;
    if (z->start < 0) {
        z->start = time;
        gpu->n_zones++;
    } else {
        z->end = time;
    }
    capture_note_time(c, time);
}

// A new pair of times: the line goes through it from now on.
void capture_on_gpu_clock(struct capture *c, const struct item *it)
{
    struct gpu_state *g = capture_gpu_of(c, it);
    if (!g)
        return;
    struct tracy_gpu *gpu = &c->t->gpus.v[g->number];
    double device = (double)(int64_t)item_get(it, TRACY_GPU_TIME_FIELD);
    int64_t anchor = capture_whole((double)gpu->period * device);
    if (it->layout->item == TRACY_GPU_CALIBRATION) {
        if (anchor == g->device_anchor) {
            capture_odd(c, "two calibrations at one device time");
            return;
        }
        g->factor = (double)(int64_t)item_get(it, TRACY_DELTA_FIELD) /
                    (double)(anchor - g->device_anchor);
    }
    g->device_anchor = anchor;
    g->trace_anchor = capture_time(c, it);
}

void capture_gpus_free(struct capture *c)
{
    for (size_t i = 0; i < c->gpu_states.n; i++) {
        struct gpu_state *g = c->gpu_states.v[i];
        map_free(&g->lanes);
        for (size_t k = 0; k < g->open.n; k++) {
            vec_free(&g->open.v[k].open);
            vec_free(&g->open.v[k].whole);
        }
        vec_free(&g->open);
    }
    vec_free(&c->gpu_states);
    mem_free(c->gpus);
}
