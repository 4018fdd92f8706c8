// tracy_write_zones.c - .tracy files, out: zones of threads and of devices.
//
// A zone is written before its children, and its end after them.
#include "formats/tracy/tracy_colour.h"
#include "formats/tracy/tracy_out.h"

// --- counts ------------------------------------------------------------------------------

static void count_place(uint64_t *places, uint64_t *made, int16_t place, bool has_ended)
{
    if (place >= 0)
        places[place] += has_ended;
    else
        made[-(place + 1)] += has_ended;
}

static void count_thread(struct tracy_out *o, const struct tracy_thread *th)
{
    o->zones += th->zones.n;
    for (size_t i = 0; i < th->zones.n; i++) {
        const struct tracy_zone *z = pile_at(&th->zones, i);
        int16_t place = tracy_out_place(o, z->place);
        count_place(o->n_zones, o->n_made_zones, place, z->end >= 0);
        o->unplaced += place == 0;
        o->parents += z->children > 0;
    }
}

static void count_lane(struct tracy_out *o, const struct tracy_lane *lane)
{
    for (size_t i = 0; i < lane->zones.n; i++) {
        const struct tracy_gpu_zone *z = pile_at(&lane->zones, i);
        count_place(o->n_gpu_zones, o->n_made_gpu_zones, tracy_out_place(o, z->place),
                    z->start >= 0 && z->end >= 0);
        o->gpu_parents += z->children > 0;
    }
}

void tracy_out_count(struct tracy_out *o)
{
    size_t n = o->n_places + 1, n_made = o->n_made + 1;
    o->n_zones = mem_alloc(mem_bytes(sizeof *o->n_zones, n));
    o->n_gpu_zones = mem_alloc(mem_bytes(sizeof *o->n_gpu_zones, n));
    o->n_made_zones = mem_alloc(mem_bytes(sizeof *o->n_made_zones, n_made));
    o->n_made_gpu_zones = mem_alloc(mem_bytes(sizeof *o->n_made_gpu_zones, n_made));
    for (size_t i = 0; i < o->t->threads.n; i++)
        count_thread(o, &o->t->threads.v[i]);
    for (size_t i = 0; i < o->t->gpus.n; i++) {
        const struct tracy_gpu *g = &o->t->gpus.v[i];
        o->gpu_zones += g->n_zones;
        for (size_t k = 0; k < g->lanes.n; k++)
            count_lane(o, &g->lanes.v[k]);
    }
}

void tracy_out_free(struct tracy_out *o)
{
    mem_free(o->n_zones);
    mem_free(o->n_gpu_zones);
    mem_free(o->n_made_zones);
    mem_free(o->n_made_gpu_zones);
}

// --- extras, with those of zones whose place is shared -----------------------------------

static const struct tracy_extra *extra_at(const struct tracy_out *o, uint32_t extra)
{
    static const struct tracy_extra none;
    return extra < o->t->extras.n ? pile_at(&o->t->extras, extra) : &none;
}

// The name of the place is missing: the zone needs another extra than its own.
static bool needs_own_extra(const struct tracy_out *o, const struct tracy_zone *z)
{
    return z->extra && tracy_out_is_shared(o, z->place) && !extra_at(o, z->extra)->name;
}

static uint32_t place_extra(const struct tracy_out *o, int32_t place)
{
    if (place >= 0)
        return o->place_extras + (uint32_t)((size_t)place - o->n_places);
    size_t beyond = o->t->places.n > o->n_places ? o->t->places.n - o->n_places : 0;
    return o->place_extras + (uint32_t)(beyond + (size_t) - (place + 1) - o->n_made);
}

static uint32_t zone_extra(struct tracy_out *o, const struct tracy_zone *z)
{
    if (!o->is_shared || !tracy_out_is_shared(o, z->place))
        return z->extra < o->t->extras.n ? z->extra : 0;
    if (!z->extra)
        return place_extra(o, z->place);
    return needs_own_extra(o, z) ? o->next_extra++ : z->extra;
}

static void write_extra(struct tracy_out *o, struct tracy_extra x)
{
    out_u24(o, x.stack);
    out_text(o, x.text);
    out_text(o, x.name);
    out_u24(o, tracy_swap_colour(x.colour));
}

// The name of a place as text + 1.
static uint32_t place_text(const struct tracy_out *o, int32_t place)
{
    uint32_t text = map_get(&o->t->strings, tracy_place_name(o->t, place));
    return text == MAP_NONE ? 0 : text + 1;
}

static void write_place_extras(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    for (size_t i = o->n_places; i < t->places.n; i++)
        write_extra(o, (struct tracy_extra){.name = place_text(o, (int32_t)i)});
    for (size_t i = o->n_made; i < t->made_places.n; i++)
        write_extra(o, (struct tracy_extra){.name = place_text(o, -1 - (int32_t)i)});
}

static uint64_t own_extras(struct tracy_out *o, bool is_written)
{
    uint64_t n = 0;
    for (size_t i = 0; i < o->t->threads.n; i++) {
        const struct pile *zones = &o->t->threads.v[i].zones;
        for (size_t k = 0; k < zones->n; k++) {
            const struct tracy_zone *z = pile_at(zones, k);
            if (!needs_own_extra(o, z))
                continue;
            n++;
            struct tracy_extra x = *extra_at(o, z->extra);
            x.name = place_text(o, z->place);
            if (is_written)
                write_extra(o, x);
        }
    }
    return n;
}

void tracy_write_extras(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, o->zone_extras + (o->is_shared ? own_extras(o, false) : 0));
    if (!t->extras.n)
        write_extra(o, (struct tracy_extra){0});
    for (size_t i = 0; i < t->extras.n; i++)
        write_extra(o, *extra_at(o, (uint32_t)i));
    if (!o->is_shared)
        return;
    write_place_extras(o);
    (void)own_extras(o, true);
}

// --- threads ---------------------------------------------------------------------------

struct open {
    size_t zone;
    uint32_t left; // children that are still to come
};
struct open_list {
    VEC(struct open) v;
};

static void write_zone(struct tracy_out *o, const struct tracy_zone *z, int64_t *last)
{
    struct {
        int16_t place;
        uint64_t start;
        uint32_t extra, children;
    } __attribute__((packed)) r = {.place = tracy_out_place(o, z->place),
                                   .start = (uint64_t)z->start - (uint64_t)*last,
                                   .extra = zone_extra(o, z),
                                   .children = z->children};
    *last = z->start;
    tracy_out_put(o, &r, sizeof r);
}

static void write_timeline(struct tracy_out *o, const struct pile *zones)
{
    struct open_list open = {0};
    int64_t last = 0;
    for (size_t i = 0; i < zones->n; i++) {
        const struct tracy_zone *z = pile_at(zones, i);
        write_zone(o, z, &last);
        if (z->children) {
            vec_push(&open.v, (struct open){i, z->children});
            continue;
        }
        out_time(o, z->end, &last);
        while (open.v.n && --open.v.v[open.v.n - 1].left == 0) {
            z = pile_at(zones, open.v.v[--open.v.n].zone);
            out_time(o, z->end, &last);
        }
    }
    vec_free(&open.v);
}

static uint64_t count_roots(const struct pile *zones)
{
    uint64_t inner = 0;
    for (size_t i = 0; i < zones->n; i++)
        inner += ((const struct tracy_zone *)pile_at(zones, i))->children;
    return zones->n - inner;
}

// A message that two threads claim would crash readers: the first one has it.
static void write_thread_messages(struct tracy_out *o, const struct tracy_thread *th,
                                  uint8_t *taken)
{
    uint64_t n = 0;
    for (size_t i = 0; i < th->messages.n; i++) {
        uint32_t m = th->messages.v[i];
        n += m < o->t->messages.n && !taken[m];
        if (m < o->t->messages.n && !taken[m])
            taken[m] = 1;
    }
    out_u64(o, n);
    for (size_t i = 0; i < th->messages.n; i++) {
        uint32_t m = th->messages.v[i];
        if (m < o->t->messages.n && taken[m] == 1) {
            taken[m] = 2;
            out_u64(o, (uint64_t)m + 1);
        }
    }
}

static void write_samples(struct tracy_out *o, const struct pile *samples)
{
    int64_t last = 0;
    out_u64(o, samples->n);
    for (size_t i = 0; i < samples->n; i++) {
        const struct tracy_sample *s = pile_at(samples, i);
        out_time(o, s->time, &last);
        out_u24(o, s->stack);
    }
}

void tracy_write_threads(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    uint8_t *taken = mem_alloc(t->messages.n + 1);
    out_u64(o, o->zones);
    out_u64(o, o->parents);
    out_u64(o, t->threads.n);
    for (size_t i = 0; i < t->threads.n; i++) {
        const struct tracy_thread *th = &t->threads.v[i];
        out_u64(o, th->id);
        out_u64(o, th->zones.n);
        out_u64(o, th->kernel_samples);
        out_u8(o, th->is_fiber);
        if (o->generation == TRACY_U14)
            out_i32(o, th->group);
        out_u32(o, (uint32_t)count_roots(&th->zones));
        write_timeline(o, &th->zones);
        write_thread_messages(o, th, taken);
        write_samples(o, &th->switch_samples);
        write_samples(o, &th->samples);
    }
    mem_free(taken);
}

// --- devices ---------------------------------------------------------------------------

struct gpu_clock {
    int64_t cpu, gpu; // the times written last
};

static void write_gpu_end(struct tracy_out *o, const struct tracy_gpu_zone *z,
                          struct gpu_clock *last)
{
    out_time(o, z->cpu_end, &last->cpu);
    out_time(o, z->end, &last->gpu);
    if (o->generation == TRACY_U14)
        out_u16(o, z->query);
}

static uint64_t write_gpu_timeline(struct tracy_out *o, const struct pile *zones)
{
    struct open_list open = {0};
    struct gpu_clock last = {0};
    uint64_t unnamed = 0;
    for (size_t i = 0; i < zones->n; i++) {
        const struct tracy_gpu_zone *z = pile_at(zones, i);
        out_time(o, z->cpu_start, &last.cpu);
        out_time(o, z->start, &last.gpu);
        out_u16(o, (uint16_t)tracy_out_place(o, z->place));
        out_u24(o, z->stack);
        out_u16(o, z->thread);
        out_u64(o, z->children);
        unnamed += tracy_out_is_shared(o, z->place);
        if (z->children) {
            vec_push(&open.v, (struct open){i, z->children});
            continue;
        }
        write_gpu_end(o, z, &last);
        while (open.v.n && --open.v.v[open.v.n - 1].left == 0)
            write_gpu_end(o, pile_at(zones, open.v.v[--open.v.n].zone), &last);
    }
    vec_free(&open.v);
    return unnamed;
}

static uint64_t count_gpu_roots(const struct pile *zones)
{
    uint64_t inner = 0;
    for (size_t i = 0; i < zones->n; i++)
        inner += ((const struct tracy_gpu_zone *)pile_at(zones, i))->children;
    return zones->n - inner;
}

// The generations have other numbers for the kinds of devices that came later.
static uint8_t gpu_type(struct tracy_out *o, uint8_t type)
{
    enum { LAST_COMMON = 5 };
    if (type <= LAST_COMMON || o->generation == o->t->generation)
        return type;
    if (o->generation == TRACY_U14)
        return type == TRACY_GPU_TENSTORRENT ? TRACY_GPU_CUSTOM : 0;
    if (type == TRACY_GPU_CUSTOM)
        return TRACY_GPU_TENSTORRENT;
    tracy_out_left(o, "kinds of devices", 1);
    return 0;
}

static void write_notes(struct tracy_out *o, const struct tracy_gpu *g)
{
    uint64_t n = 0;
    for (size_t i = 0; i < g->notes.n; i++)
        n += i == 0 || g->notes.v[i].query != g->notes.v[i - 1].query;
    out_u64(o, n);
    for (size_t i = 0; i < g->notes.n;) {
        size_t end = i;
        while (end < g->notes.n && g->notes.v[end].query == g->notes.v[i].query)
            end++;
        out_u16(o, g->notes.v[i].query);
        out_u64(o, end - i);
        for (; i < end; i++) {
            out_i64(o, g->notes.v[i].id);
            out_f64(o, g->notes.v[i].value);
        }
    }
}

static void write_note_names(struct tracy_out *o, const struct tracy_gpu *g)
{
    out_u64(o, g->note_names.n);
    for (size_t i = 0; i < g->note_names.n; i++) {
        out_i64(o, g->note_names.v[i].id);
        out_text(o, g->note_names.v[i].name);
    }
}

static void write_gpu(struct tracy_out *o, const struct tracy_gpu *g)
{
    bool has_notes = o->generation == TRACY_U14;
    uint64_t unnamed = 0;
    out_u64(o, g->thread);
    out_u8(o, g->is_calibrated);
    out_u64(o, g->n_zones);
    out_f32(o, g->period);
    out_u8(o, gpu_type(o, g->type));
    out_text(o, g->name);
    out_u64(o, g->overflow);
    if (has_notes)
        write_note_names(o, g);
    else
        tracy_out_left(o, "notes of device zones", g->notes.n);
    out_u64(o, g->lanes.n);
    for (size_t i = 0; i < g->lanes.n; i++) {
        out_u64(o, g->lanes.v[i].thread);
        out_u64(o, count_gpu_roots(&g->lanes.v[i].zones));
        unnamed += write_gpu_timeline(o, &g->lanes.v[i].zones);
    }
    if (has_notes)
        write_notes(o, g);
    tracy_out_left(o, "names of device zones", unnamed);
}

void tracy_write_gpus(struct tracy_out *o)
{
    out_u64(o, o->gpu_zones);
    out_u64(o, o->gpu_parents);
    out_u64(o, o->t->gpus.n);
    for (size_t i = 0; i < o->t->gpus.n; i++)
        write_gpu(o, &o->t->gpus.v[i]);
}
