// keys.c - open addressing with linear probing; what is removed leaves no hole.
#include "record/tracy/keys.h"

#include <string.h>
#include <sys/mman.h>

#include "record/record.h"

enum { FIRST_SLOTS = 1024 };

static uint64_t home_of(const struct recorder_keys *k, uint64_t key)
{
    return (key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (k->n_slots - 1);
}

// The slot of a key, or the free one where it would be.
static uint64_t slot_of(const struct recorder_keys *k, uint64_t key)
{
    uint64_t i = home_of(k, key);
    while (k->slots[i].value && k->slots[i].key != key)
        i = (i + 1) & (k->n_slots - 1);
    return i;
}

uint64_t recorder_keys_get(const struct recorder_keys *k, uint64_t key)
{
    return k->n_slots ? k->slots[slot_of(k, key)].value : 0;
}

static bool keys_grow(struct recorder_keys *k)
{
    struct recorder_keys more = {.n_slots = k->n_slots ? 2 * k->n_slots : FIRST_SLOTS};
    more.slots = recorder_pages(more.n_slots * sizeof *more.slots);
    if (!more.slots)
        return false;
    for (uint64_t i = 0; i < k->n_slots; i++)
        if (k->slots[i].value)
            more.slots[slot_of(&more, k->slots[i].key)] = k->slots[i];
    more.used = k->used;
    if (k->slots)
        munmap(k->slots, k->n_slots * sizeof *k->slots);
    *k = more;
    return true;
}

bool recorder_keys_set(struct recorder_keys *k, uint64_t key, uint64_t value, uint64_t most)
{
    if (2 * k->used >= k->n_slots && !keys_grow(k))
        return false;
    struct recorder_key *at = &k->slots[slot_of(k, key)];
    if (!at->value) {
        if (k->used >= most)
            return false;
        k->used++;
    }
    *at = (struct recorder_key){key, value};
    return true;
}

// Moves up those that are behind the hole only because it was taken.
void recorder_keys_remove(struct recorder_keys *k, uint64_t key)
{
    if (!recorder_keys_get(k, key))
        return;
    uint64_t mask = k->n_slots - 1, hole = slot_of(k, key);
    for (uint64_t i = (hole + 1) & mask; k->slots[i].value; i = (i + 1) & mask) {
        uint64_t home = home_of(k, k->slots[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            k->slots[hole] = k->slots[i];
            hole = i;
        }
    }
    k->slots[hole].value = 0;
    k->used--;
}

void recorder_keys_clear(struct recorder_keys *k)
{
    if (k->slots)
        munmap(k->slots, k->n_slots * sizeof *k->slots);
    memset(k, 0, sizeof *k);
}
