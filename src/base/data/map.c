// map.c - open addressing with linear probing, at most half full.
#include "base/data/map.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

// The slot that holds `key`, or the free one where it belongs.
static size_t map_slot(const struct map *m, str key, uint64_t hash)
{
    size_t mask = m->n_slots - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        const struct map_slot *s = &m->slots[i];
        if (s->id == 0)
            return i;
        if (s->hash == (uint32_t)(hash >> 32) && str_eq(m->keys.v[s->id - 1], key))
            return i;
    }
}

static void map_grow(struct map *m)
{
    mem_free(m->slots);
    m->n_slots = m->n_slots ? m->n_slots * 2 : 64;
    m->slots = mem_alloc(mem_bytes(sizeof *m->slots, m->n_slots));
    for (size_t id = 0; id < m->keys.n; id++) {
        uint64_t hash = XXH3_64bits(m->keys.v[id].p, m->keys.v[id].n);
        size_t i = map_slot(m, m->keys.v[id], hash);
        m->slots[i] = (struct map_slot){(uint32_t)(hash >> 32), (uint32_t)id + 1};
    }
}

uint32_t map_put(struct map *m, str key)
{
    if (m->keys.n * 2 >= m->n_slots)
        map_grow(m);
    uint64_t hash = XXH3_64bits(key.p, key.n);
    struct map_slot *s = &m->slots[map_slot(m, key, hash)];
    if (s->id == 0) {
        vec_push(&m->keys, key);
        *s = (struct map_slot){(uint32_t)(hash >> 32), (uint32_t)m->keys.n};
    }
    return s->id - 1;
}

uint32_t map_put_copy(struct map *m, const void *key, size_t size, struct arena *a)
{
    uint32_t id = map_get(m, (str){key, size});
    if (id != MAP_NONE)
        return id;
    void *copy = arena_push(a, size, 8);
    memcpy(copy, key, size);
    return map_put(m, (str){copy, size});
}

uint32_t map_get(const struct map *m, str key)
{
    if (!m->n_slots)
        return MAP_NONE;
    uint32_t id = m->slots[map_slot(m, key, XXH3_64bits(key.p, key.n))].id;
    return id ? id - 1 : MAP_NONE;
}

void map_free(struct map *m)
{
    mem_free(m->slots);
    vec_free(&m->keys);
    *m = (struct map){0};
}
