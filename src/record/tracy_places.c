// tracy_places.c - finds a location by its address. Locations are only added, each by one
// exchange of a list's head: no lock, and safe in signal handlers.
#define TRACY_ENABLE
#include "record/tracy_places.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "tracy/common/TracyCFunctions.h"

enum { LIST_BITS = 12, CHUNK_PLACES = 1000 };

struct place {
    struct place *next;
    const struct ___tracy_source_location_data *at;
    struct ttprof_location location;
};
struct chunk {
    size_t used;
    struct place places[CHUNK_PLACES];
};

static struct place *lists[1 << LIST_BITS];
static struct chunk *current;

static struct place **list_of(const void *at)
{
    uint64_t mixed = (uint64_t)(uintptr_t)at * UINT64_C(0x9E3779B97F4A7C15);
    return &lists[mixed >> (64 - LIST_BITS)];
}

// An unloaded library may leave its addresses to other locations.
static bool is_same(const struct place *p, const struct ___tracy_source_location_data *s)
{
    const struct ttprof_location *l = &p->location;
    return p->at == s && l->name == s->name && l->function == s->function &&
           l->file == s->file && l->line == s->line && l->colour == s->color;
}

// If two threads find the chunk full, both map one; the loser unmaps its own.
static struct place *place_alloc(void)
{
    for (;;) {
        struct chunk *chunk = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
        if (chunk) {
            size_t i = __atomic_fetch_add(&chunk->used, 1, __ATOMIC_RELAXED);
            if (i < CHUNK_PLACES)
                return &chunk->places[i];
        }
        struct chunk *fresh = mmap(NULL, sizeof *fresh, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh == MAP_FAILED)
            return NULL;
        if (!__atomic_compare_exchange_n(&current, &chunk, fresh, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            munmap(fresh, sizeof *fresh);
    }
}

// Two threads adding the same location at once leave a harmless duplicate.
static struct ttprof_location *place_add(struct place **list,
                                         const struct ___tracy_source_location_data *s)
{
    struct place *p = place_alloc();
    if (!p)
        return NULL;
    p->at = s;
    p->location =
        (struct ttprof_location){s->name, s->function, s->file, s->line, s->color, 0};
    p->next = __atomic_load_n(list, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(list, &p->next, p, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return &p->location;
}

struct ttprof_location *tracy_place(const struct ___tracy_source_location_data *srcloc)
{
    struct place **list = list_of(srcloc);
    for (struct place *p = __atomic_load_n(list, __ATOMIC_ACQUIRE); p; p = p->next)
        if (is_same(p, srcloc))
            return &p->location;
    return place_add(list, srcloc);
}
