// zones.c - see zones.h.
#include "sim/program/zones.h"

#include "base/data/zone_fold.h"

void zones_free(struct zone_table *t)
{
    vec_free(&t->zones);
    vec_free(&t->v);
    map_free(&t->locations);
    arena_free(&t->arena);
}

// Post-processors skip rows with id 0, and decoders interpret these ids before any names.
static bool is_special(uint32_t id)
{
    return id == 0 || id == TT_ID_PERF_COUNTER || id == TT_ID_NOC_EVENT ||
           id == TT_ID_NOC_LOCK || id == TT_ID_OVERFLOW;
}

bool zones_reserve(struct zone_table *t, uint32_t id)
{
    uint64_t bit = (uint64_t)1 << id % 64;
    if (is_special(id) || t->taken[id / 64] & bit)
        return false;
    t->taken[id / 64] |= bit;
    t->n_taken++;
    return true;
}

static uint32_t next_free(struct zone_table *t, uint32_t wanted)
{
    if (t->n_taken == ZONE_IDS)
        return TT_ID_OVERFLOW;
    uint32_t id = wanted;
    while (!zones_reserve(t, id))
        id = (id + 1) & 0xFFFF;
    return id;
}

static uint32_t fold_of(struct zone_table *t, str name, str file, uint32_t line)
{
    struct arena_mark mark = arena_mark(&t->arena);
    uint32_t id = zone_fold(arena_printf(&t->arena, "%.*s,%.*s,%u,KERNEL_PROFILER",
                                         STR(name), STR(file), (unsigned)line));
    arena_rewind(&t->arena, mark);
    return id;
}

// All locations without an id of their own share one zone. It is the last one, as nothing
// is added to a full table.
static uint32_t nameless(struct zone_table *t)
{
    if (t->n_without++ == 0)
        vec_push(&t->v, (struct tt_zone){.id = TT_ID_OVERFLOW, .name = "?", .file = ""});
    return (uint32_t)t->v.n - 1;
}

static uint32_t add_zone(struct zone_table *t, str name, str file, uint32_t line)
{
    uint32_t id = next_free(t, fold_of(t, name, file, line));
    if (id == TT_ID_OVERFLOW)
        return nameless(t);
    struct tt_zone zone = {.id = id,
                           .line = line,
                           .name = arena_str(&t->arena, name).p,
                           .file = arena_str(&t->arena, file).p};
    vec_push(&t->v, zone);
    return (uint32_t)t->v.n - 1;
}

uint32_t zones_give(struct zone_table *t, str name, str file, uint32_t line)
{
    struct arena_mark mark = arena_mark(&t->arena);
    str key = arena_printf(&t->arena, "%.*s%c%.*s%c%u", STR(name), 0, STR(file), 0,
                           (unsigned)line);
    uint32_t number = map_get(&t->locations, key);
    if (number != MAP_NONE) {
        arena_rewind(&t->arena, mark);
        return t->v.v[t->zones.v[number]].id;
    }
    (void)map_put(&t->locations, key);
    vec_push(&t->zones, add_zone(t, name, file, line));
    return t->v.v[t->zones.v[t->zones.n - 1]].id;
}
