// map.h - strings to small numbers: interning. Each distinct text gets the next id from 0.
//
// The map keeps views, not copies: keys must outlive it (a mapped file, an arena).
#ifndef TTP_BASE_DATA_MAP_H
#define TTP_BASE_DATA_MAP_H

#include "base/data/arena.h"
#include "base/data/vec.h"
#include "base/text/str.h"

struct map_slot {
    uint32_t hash; // upper half of the 64-bit hash; saves most comparisons
    uint32_t id;   // id + 1, 0 = free
};

struct map {
    struct map_slot *slots;
    size_t n_slots; // a power of two
    VEC(str) keys;  // by id
};

#define MAP_NONE UINT32_MAX

uint32_t map_put(struct map *m, str key); // id of key, new or known
// The same for a temporary key: a new one is copied into the arena.
uint32_t map_put_copy(struct map *m, const void *key, size_t size, struct arena *a);
uint32_t map_get(const struct map *m, str key); // MAP_NONE when unknown
void map_free(struct map *m);

#endif
