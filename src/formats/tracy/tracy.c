// tracy.c - the contents of a Tracy trace: start, end, and what names stand for.
#include "formats/tracy/tracy.h"

static const str unknown = {"???", 3};

void tracy_start(struct tracy *t, const char *folder, uint64_t held_most)
{
    *t = (struct tracy){0};
    pile_store_start(&t->store, folder, held_most);
    t->messages = pile_of(sizeof(struct tracy_message));
    t->extras = pile_of(sizeof(struct tracy_extra));
    for (size_t i = 0; i < TRACY_CPUS; i++)
        t->cpu_switches[i] = pile_of(sizeof(struct tracy_cpu_switch));
}

static void free_threads(struct tracy *t)
{
    for (size_t i = 0; i < t->threads.n; i++) {
        pile_free(&t->threads.v[i].zones);
        vec_free(&t->threads.v[i].messages);
        pile_free(&t->threads.v[i].switch_samples);
        pile_free(&t->threads.v[i].samples);
    }
    vec_free(&t->threads);
}

static void free_gpus(struct tracy *t)
{
    for (size_t i = 0; i < t->gpus.n; i++) {
        struct tracy_gpu *g = &t->gpus.v[i];
        for (size_t k = 0; k < g->lanes.n; k++)
            pile_free(&g->lanes.v[k].zones);
        vec_free(&g->lanes);
        vec_free(&g->note_names);
        vec_free(&g->notes);
    }
    vec_free(&t->gpus);
}

static void free_events(struct tracy *t)
{
    for (size_t i = 0; i < t->frame_sets.n; i++)
        pile_free(&t->frame_sets.v[i].frames);
    vec_free(&t->frame_sets);
    for (size_t i = 0; i < t->sections.n; i++)
        vec_free(&t->sections.v[i].spans);
    vec_free(&t->sections);
    vec_free(&t->section_names);
    for (size_t i = 0; i < t->locks.n; i++) {
        vec_free(&t->locks.v[i].threads);
        pile_free(&t->locks.v[i].events);
    }
    vec_free(&t->locks);
    pile_free(&t->messages);
    pile_free(&t->extras);
    for (size_t i = 0; i < t->plots.n; i++)
        pile_free(&t->plots.v[i].points);
    vec_free(&t->plots);
    for (size_t i = 0; i < t->pools.n; i++)
        pile_free(&t->pools.v[i].events);
    vec_free(&t->pools);
    vec_free(&t->app_info);
}

static void free_rest(struct tracy *t)
{
    vec_free(&t->stacks);
    for (size_t i = 0; i < t->stack_entries.n; i++)
        vec_free(&t->stack_entries.v[i].frames);
    vec_free(&t->stack_entries);
    vec_free(&t->images);
    for (size_t i = 0; i < t->switches.n; i++)
        pile_free(&t->switches.v[i].switches);
    vec_free(&t->switches);
    for (size_t i = 0; i < TRACY_CPUS; i++)
        pile_free(&t->cpu_switches[i]);
    vec_free(&t->pids);
    vec_free(&t->cpu_threads);
    vec_free(&t->symbols);
    vec_free(&t->code);
    vec_free(&t->code_symbols);
    for (size_t i = 0; i < t->hardware.n; i++)
        for (size_t k = 0; k < TRACY_HW_KINDS; k++)
            pile_free(&t->hardware.v[i].times[k]);
    vec_free(&t->hardware);
    vec_free(&t->source_files);
}

void tracy_free(struct tracy *t)
{
    free_threads(t);
    free_gpus(t);
    free_events(t);
    free_rest(t);
    vec_free(&t->topology);
    map_free(&t->strings);
    vec_free(&t->keyed);
    vec_free(&t->thread_names);
    vec_free(&t->external_names);
    vec_free(&t->threads_used);
    vec_free(&t->external_used);
    vec_free(&t->place_keys);
    vec_free(&t->places);
    vec_free(&t->made_places);
    pile_store_end(&t->store);
    arena_free(&t->arena);
    *t = (struct tracy){0};
}

uint32_t tracy_text(struct tracy *t, str s)
{
    return map_put_copy(&t->strings, s.p, s.n, &t->arena);
}

str tracy_string(const struct tracy *t, uint32_t number)
{
    return number < t->strings.keys.n ? t->strings.keys.v[number] : unknown;
}

// The text of the key, in a list ordered by key.
static str find_text(const struct tracy *t, const struct keyed *v, size_t n, uint64_t key)
{
    size_t at = sort_find(v, n, key);
    return at < n ? tracy_string(t, v[at].a) : unknown;
}

str tracy_keyed_text(const struct tracy *t, uint64_t key)
{
    return find_text(t, t->keyed.v, t->keyed.n, key);
}

str tracy_thread_name(const struct tracy *t, uint64_t id)
{
    return find_text(t, t->thread_names.v, t->thread_names.n, id);
}

str tracy_ref_text(const struct tracy *t, struct tracy_ref ref)
{
    if (!ref.is_set)
        return unknown;
    return ref.is_number ? tracy_string(t, ref.value < UINT32_MAX ? (uint32_t)ref.value
                                                                  : TRACY_UNKNOWN)
                         : tracy_keyed_text(t, ref.value);
}

const struct tracy_place *tracy_place_of(const struct tracy *t, int32_t place)
{
    static const struct tracy_place none;
    if (place >= 0)
        return (size_t)place < t->places.n ? &t->places.v[place] : &none;
    size_t made = (size_t)(-1 - (int64_t)place);
    return made < t->made_places.n ? &t->made_places.v[made] : &none;
}

str tracy_place_name(const struct tracy *t, int32_t place)
{
    const struct tracy_place *p = tracy_place_of(t, place);
    return tracy_ref_text(t, p->name.is_set ? p->name : p->function);
}

uint64_t tracy_zone_count(const struct tracy *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->threads.n; i++)
        n += t->threads.v[i].zones.n;
    return n;
}
