// tracy_read_texts.c - .tracy files: the recording, texts, threads and places.
#include <stdlib.h>

#include "base/data/sort.h"

#include "formats/tracy/tracy_in.h"

static void read_topology(struct tracy_in *in)
{
    struct tracy *t = in->t;
    bool has_dies = t->generation == TRACY_U14;
    struct tracy_cpu cpu = {0};
    for (uint64_t i = in_count(in, 12); i && !in->is_cut; i--) {
        cpu.package = in_u32(in);
        for (uint64_t d = has_dies ? in_count(in, 12) : 1; d && !in->is_cut; d--) {
            cpu.die = has_dies ? in_u32(in) : 0;
            for (uint64_t k = in_count(in, 12); k && !in->is_cut; k--) {
                cpu.core = in_u32(in);
                for (uint64_t n = in_count(in, 4); n && !in->is_cut; n--) {
                    cpu.thread = in_u32(in);
                    vec_push(&t->topology, cpu);
                }
            }
        }
    }
}

void tracy_read_head(struct tracy_in *in)
{
    struct tracy *t = in->t;
    if (t->generation == TRACY_F10)
        t->delay = in_i64(in);
    t->resolution = in_i64(in);
    t->ns_per_tick = in_f64(in);
    t->last_time = in_i64(in);
    t->frame_offset = in_u64(in);
    t->pid = in_u64(in);
    t->sampling_period = in_i64(in);
    t->cpu_arch = in_u8(in);
    t->cpu_id = in_u32(in);
    memcpy(t->cpu_maker, tracy_in_take(in, sizeof t->cpu_maker), sizeof t->cpu_maker);
    t->is_on_demand = in_u8(in);
    t->capture_name = in_str(in);
    t->program = in_str(in);
    t->capture_time = in_u64(in);
    t->executable_time = in_u64(in);
    t->info = in_str(in);
    read_topology(in);
    t->crash.thread = in_u64(in);
    t->crash.time = in_i64(in);
    t->crash.text = in_u64(in);
    t->crash.stack = in_u32(in);
}

// --- texts: other sections name them by an id of the writer ------------------------------

struct ids {
    VEC(struct keyed) v;
};

static void read_strings(struct tracy_in *in, struct ids *ids)
{
    for (uint64_t n = in_count(in, 16); n && !in->is_cut; n--) {
        uint64_t id = in_u64(in);
        struct arena_mark mark = arena_mark(&in->t->arena);
        str s = in_str(in);
        if (in->is_cut)
            return;
        size_t known = in->t->strings.keys.n;
        uint32_t text = map_put(&in->t->strings, s);
        if (text < known)
            arena_rewind(&in->t->arena, mark);
        vec_push(&ids->v, (struct keyed){.key = id, .a = text});
        vec_push(&in->texts, text);
    }
    sort_keys(ids->v.v, ids->v.n);
}

// A session that ended early has ids of texts that never came.
static uint32_t in_id(struct tracy_in *in, const struct ids *ids)
{
    size_t at = sort_find(ids->v.v, ids->v.n, in_u64(in));
    return at < ids->v.n ? ids->v.v[at].a : TRACY_UNKNOWN;
}

// Named sections come before the texts that they name.
static void settle_sections(struct tracy_in *in)
{
    struct tracy *t = in->t;
    for (size_t i = 0; i < t->sections.n; i++)
        for (size_t k = 0; k < t->sections.v[i].spans.n; k++) {
            struct tracy_span *s = &t->sections.v[i].spans.v[k];
            s->text = tracy_in_known_text(in, s->text);
        }
    for (size_t i = 0; i < t->section_names.n; i++) {
        struct tracy_section_name *s = &t->section_names.v[i];
        s->name = tracy_in_known_text(in, s->name);
    }
}

void tracy_read_texts(struct tracy_in *in)
{
    struct tracy *t = in->t;
    struct ids ids = {0};
    read_strings(in, &ids);
    settle_sections(in);
    for (uint64_t n = in_count(in, 16); n && !in->is_cut; n--) {
        uint64_t key = in_u64(in);
        vec_push(&t->keyed, (struct keyed){.key = key, .a = in_id(in, &ids)});
    }
    for (uint64_t n = in_count(in, 16); n && !in->is_cut; n--) {
        uint64_t key = in_u64(in);
        vec_push(&t->thread_names, (struct keyed){.key = key, .a = in_id(in, &ids)});
    }
    for (uint64_t n = in_count(in, 24); n && !in->is_cut; n--) {
        struct tracy_external x = {.tid = in_u64(in)};
        x.name = in_id(in, &ids);
        x.thread_name = in_id(in, &ids);
        vec_push(&t->external_names, x);
    }
    vec_free(&ids.v);
    for (uint64_t n = in_count(in, 8); n && !in->is_cut; n--)
        vec_push(&t->threads_used, in_u64(in));
    for (uint64_t n = in_count(in, 8); n && !in->is_cut; n--)
        vec_push(&t->external_used, in_u64(in));
}

// --- places ----------------------------------------------------------------------------

static struct tracy_place read_place(struct tracy_in *in)
{
    struct tracy_place p;
    p.name = in_ref(in);
    p.function = in_ref(in);
    p.file = in_ref(in);
    p.line = in_u32(in);
    p.colour = tracy_swap_colour(in_u32(in));
    return p;
}

struct told { // a place that the client told
    uint64_t key;
    struct tracy_place place;
};

static int by_place_key(const void *a, const void *b)
{
    const struct told *x = a, *y = b;
    SORT_BY(x, y, key);
    return 0;
}

static struct tracy_place find_place(const struct told *v, size_t n, uint64_t key)
{
    struct told wanted = {.key = key};
    const struct told *found = n ? bsearch(&wanted, v, n, sizeof *v, by_place_key) : NULL;
    struct tracy_place none = {0};
    return found ? found->place : none;
}

static void skip_counts(struct tracy_in *in)
{
    for (uint64_t n = in_count(in, 10); n && !in->is_cut; n--)
        (void)tracy_in_take(in, 10);
}

void tracy_read_places(struct tracy_in *in)
{
    struct tracy *t = in->t;
    VEC(struct told) told = {0};
    for (uint64_t n = in_count(in, 43); n && !in->is_cut; n--) {
        uint64_t key = in_u64(in);
        vec_push(&told, (struct told){key, read_place(in)});
    }
    if (told.n)
        qsort(told.v, told.n, sizeof *told.v, by_place_key);
    for (uint64_t n = in_count(in, 8); n && !in->is_cut; n--) {
        uint64_t key = in_u64(in);
        if (t->places.n > TRACY_PLACES_MOST) // no zone can name it
            continue;
        vec_push(&t->place_keys, key);
        vec_push(&t->places, find_place(told.v, told.n, key));
    }
    vec_free(&told);
    for (uint64_t n = in_count(in, 35); n && !in->is_cut; n--) {
        struct tracy_place made = read_place(in);
        if (t->made_places.n <= TRACY_PLACES_MOST)
            vec_push(&t->made_places, made);
    }
    // Zones per place: whoever needs them counts the zones.
    skip_counts(in);
    skip_counts(in);
}
