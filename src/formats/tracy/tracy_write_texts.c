// tracy_write_texts.c - .tracy files, out: the recording, texts, threads and places.
#include "formats/tracy/tracy_colour.h"
#include "formats/tracy/tracy_out.h"

enum { HEAD_TEXT_MOST = 1023 }; // longer ones are refused by readers

// A run of CPUs that agree down to a level: 1 package, 2 die, 3 core.
static bool is_same_group(const struct tracy_cpu *a, const struct tracy_cpu *b, int level)
{
    return a->package == b->package && (level < 2 || a->die == b->die) &&
           (level < 3 || a->core == b->core);
}

static size_t group_end(const struct tracy *t, size_t from, size_t end, int level)
{
    size_t i = from;
    while (i < end && is_same_group(&t->topology.v[from], &t->topology.v[i], level))
        i++;
    return i;
}

static uint64_t count_groups(const struct tracy *t, size_t from, size_t end, int level)
{
    uint64_t n = 0;
    for (; from < end; from = group_end(t, from, end, level))
        n++;
    return n;
}

static void write_cores(struct tracy_out *o, size_t from, size_t end)
{
    const struct tracy *t = o->t;
    out_u64(o, count_groups(t, from, end, 3));
    while (from < end) {
        size_t to = group_end(t, from, end, 3);
        out_u32(o, t->topology.v[from].core);
        out_u64(o, to - from);
        for (; from < to; from++)
            out_u32(o, t->topology.v[from].thread);
    }
}

static void write_topology(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    size_t n = t->topology.n;
    out_u64(o, count_groups(t, 0, n, 1));
    for (size_t from = 0; from < n;) {
        size_t package_end = group_end(t, from, n, 1);
        out_u32(o, t->topology.v[from].package);
        if (o->generation == TRACY_F10) {
            write_cores(o, from, package_end);
            from = package_end;
            continue;
        }
        out_u64(o, count_groups(t, from, package_end, 2));
        while (from < package_end) {
            size_t die_end = group_end(t, from, package_end, 2);
            out_u32(o, t->topology.v[from].die);
            write_cores(o, from, die_end);
            from = die_end;
        }
    }
}

void tracy_write_head(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    if (o->generation == TRACY_F10)
        out_i64(o, t->delay);
    out_i64(o, t->resolution);
    out_f64(o, t->ns_per_tick);
    out_i64(o, t->last_time);
    out_u64(o, t->frame_offset);
    out_u64(o, t->pid);
    out_i64(o, t->sampling_period);
    out_u8(o, t->cpu_arch);
    out_u32(o, t->cpu_id);
    out_bytes(o, (str){t->cpu_maker, sizeof t->cpu_maker});
    out_u8(o, t->is_on_demand);
    out_str(o, str_clip(t->capture_name, HEAD_TEXT_MOST));
    out_str(o, str_clip(t->program, HEAD_TEXT_MOST));
    out_u64(o, t->capture_time);
    out_u64(o, t->executable_time);
    out_str(o, str_clip(t->info, HEAD_TEXT_MOST));
    write_topology(o);
    out_u64(o, t->crash.thread);
    out_i64(o, t->crash.time);
    out_u64(o, t->crash.text);
    out_u32(o, t->crash.stack);
}

// --- texts: their ids are their numbers + 1, 0 is the id of no text ------------------

static void write_id(struct tracy_out *o, uint32_t text)
{
    out_u64(o, text < o->n_texts ? (uint64_t)text + 1 : 0);
}

static void write_pairs(struct tracy_out *o, const struct keyed *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out_u64(o, v[i].key);
        write_id(o, v[i].a);
    }
}

static void write_keyed(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    // Key 0 is the name of the frames; sorted, it is the first.
    bool has_frame = t->keyed.n && t->keyed.v[0].key == 0;
    out_u64(o, t->keyed.n + !has_frame);
    if (!has_frame) {
        out_u64(o, 0);
        write_id(o, o->frame_text);
    }
    write_pairs(o, t->keyed.v, t->keyed.n);
}

void tracy_write_texts(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    size_t n = t->strings.keys.n;
    out_u64(o, o->n_texts);
    for (size_t i = 0; i < o->n_texts; i++) {
        out_u64(o, i + 1);
        out_str(o, i < n ? t->strings.keys.v[i] : o->more_texts[i - n]);
    }
    write_keyed(o);
    out_u64(o, t->thread_names.n);
    write_pairs(o, t->thread_names.v, t->thread_names.n);
    out_u64(o, t->external_names.n);
    for (size_t i = 0; i < t->external_names.n; i++) {
        out_u64(o, t->external_names.v[i].tid);
        write_id(o, t->external_names.v[i].name);
        write_id(o, t->external_names.v[i].thread_name);
    }
    out_u64(o, t->threads_used.n ? t->threads_used.n : 1);
    if (!t->threads_used.n)
        out_u64(o, 0);
    for (size_t i = 0; i < t->threads_used.n; i++)
        out_u64(o, t->threads_used.v[i]);
    out_u64(o, t->external_used.n);
    for (size_t i = 0; i < t->external_used.n; i++)
        out_u64(o, t->external_used.v[i]);
}

// --- places ----------------------------------------------------------------------------

bool tracy_out_is_shared(const struct tracy_out *o, int32_t place)
{
    if (!o->is_shared)
        return false;
    return place >= 0 ? (size_t)place >= o->n_places && (size_t)place < o->t->places.n
                      : (size_t) - (place + 1) >= o->n_made &&
                            (size_t) - (place + 1) < o->t->made_places.n;
}

int16_t tracy_out_place(const struct tracy_out *o, int32_t place)
{
    if (tracy_out_is_shared(o, place))
        return (int16_t)o->n_places;
    if (place >= 0)
        return (size_t)place < o->n_places ? (int16_t)place : 0;
    return (size_t) - (place + 1) < o->n_made ? (int16_t)place : 0;
}

static void write_place(struct tracy_out *o, const struct tracy_place *p)
{
    out_ref(o, p->name);
    out_ref(o, p->function);
    out_ref(o, p->file);
    out_u32(o, p->line);
    out_u32(o, tracy_swap_colour(p->colour));
}

// Keys are the client's addresses. Small numbers, which are none, stand for those that
// are missing.
static uint64_t place_key(const struct tracy_out *o, size_t i)
{
    uint64_t key = i < o->t->place_keys.n ? o->t->place_keys.v[i] : 0;
    return i == 0 ? 0 : key ? key : i;
}

static void write_counts(struct tracy_out *o, const uint64_t *places, const uint64_t *made,
                         bool is_all)
{
    size_t n_places = o->n_places + o->is_shared;
    uint64_t n = 0;
    for (size_t i = 0; i < n_places; i++)
        n += places[i] || (is_all && (i || o->unplaced));
    for (size_t i = 0; i < o->n_made; i++)
        n += made[i] || is_all;
    out_u64(o, n);
    for (size_t i = 0; i < n_places; i++)
        if (places[i] || (is_all && (i || o->unplaced))) {
            out_u16(o, (uint16_t)i);
            out_u64(o, places[i]);
        }
    for (size_t i = 0; i < o->n_made; i++)
        if (made[i] || is_all) {
            out_u16(o, (uint16_t)(-1 - (int)i));
            out_u64(o, made[i]);
        }
}

void tracy_write_places(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    struct tracy_place shared = {.function = {o->shared_text, true, true}};
    size_t n = o->n_places + o->is_shared;
    out_u64(o, n - 1);
    for (size_t i = 1; i < n; i++) {
        out_u64(o, place_key(o, i));
        write_place(o, i < o->n_places ? &t->places.v[i] : &shared);
    }
    out_u64(o, n);
    for (size_t i = 0; i < n; i++)
        out_u64(o, place_key(o, i));
    out_u64(o, o->n_made);
    for (size_t i = 0; i < o->n_made; i++)
        write_place(o, &t->made_places.v[i]);
    write_counts(o, o->n_zones, o->n_made_zones, true);
    if (o->generation == TRACY_F10)
        out_u64(o, 0); // device zones: 0.10 does not tell
    else
        write_counts(o, o->n_gpu_zones, o->n_made_gpu_zones, false);
}
