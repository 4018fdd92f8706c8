// index.c - numbers by hash. Lookup takes no lock: a slot is one word, written once; to
// grow, all slots move to a table twice the size, and the old one stays for those still
// reading it (all old ones together are smaller than the new one).
#include "record/record.h"

struct recorder_slots {
    uint64_t mask;   // number of slots - 1
    uint64_t slot[]; // hash << 32 | number; 0: free
};
enum { FIRST_SLOTS = 1024 };

uint32_t recorder_hash(const void *bytes, size_t n, uint32_t seed)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ^ UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(h ^ h >> 32);
}

uint32_t recorder_index_find(const struct recorder_index *x, uint32_t hash,
                             bool (*is)(uint32_t number, const void *what),
                             const void *what)
{
    const struct recorder_slots *s = __atomic_load_n(&x->slots, __ATOMIC_ACQUIRE);
    if (!s)
        return 0;
    for (uint64_t i = hash & s->mask;; i = (i + 1) & s->mask) {
        uint64_t slot = __atomic_load_n(&s->slot[i], __ATOMIC_ACQUIRE);
        if (!slot)
            return 0;
        if (slot >> 32 == hash && is((uint32_t)slot, what))
            return (uint32_t)slot;
    }
}

static void slot_take(struct recorder_slots *s, uint64_t slot)
{
    uint64_t i = slot >> 32 & s->mask;
    while (s->slot[i])
        i = (i + 1) & s->mask;
    __atomic_store_n(&s->slot[i], slot, __ATOMIC_RELEASE);
}

static bool index_grow(struct recorder_index *x)
{
    struct recorder_slots *old = x->slots;
    uint64_t n = old ? 2 * (old->mask + 1) : FIRST_SLOTS;
    struct recorder_slots *s = recorder_pages(sizeof *s + n * sizeof *s->slot);
    if (!s)
        return false;
    s->mask = n - 1;
    for (uint64_t i = 0; old && i <= old->mask; i++)
        if (old->slot[i])
            slot_take(s, old->slot[i]);
    __atomic_store_n(&x->slots, s, __ATOMIC_RELEASE);
    return true;
}

bool recorder_index_add(struct recorder_index *x, uint32_t hash, uint32_t number)
{
    if ((!x->slots || 2 * (uint64_t)x->used > x->slots->mask) && !index_grow(x))
        return false;
    slot_take(x->slots, (uint64_t)hash << 32 | number);
    x->used++;
    return true;
}
