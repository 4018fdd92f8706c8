// tracy_from_memory.c - allocations with the free that ends them, and locks.
#include "formats/diags.h"
#include "formats/tracy/tracy_from_parts.h"

// --- memory ----------------------------------------------------------------------------

struct live_key {
    uint64_t address;
    uint32_t process, pool; // pool: string of the trace
};
struct live { // of a key: the allocation that is not freed yet
    uint32_t pool, event;
    bool is_live;
};
struct lives {
    struct map keys;
    struct arena arena;
    VEC(struct live) v;
};

static uint32_t pool_of(struct tracy *to, uint64_t name)
{
    for (size_t i = 0; i < to->pools.n; i++)
        if (to->pools.v[i].name == name)
            return (uint32_t)i;
    vec_push(&to->pools,
             (struct tracy_pool){.name = name,
                                 .low = UINT64_MAX,
                                 .events = pile_of(sizeof(struct tracy_memory_event))});
    return (uint32_t)to->pools.n - 1;
}

static struct live *live_of(struct lives *l, uint64_t address, uint32_t process,
                            uint32_t pool)
{
    struct live_key key = {address, process, pool};
    uint32_t id = map_put_copy(&l->keys, &key, sizeof key, &l->arena);
    if (id == l->v.n)
        vec_push(&l->v, (struct live){0});
    return &l->v.v[id];
}

static uint16_t used_number(const struct from_event *ev)
{
    return ev->thread + 1 <= UINT16_MAX ? (uint16_t)(ev->thread + 1) : 0;
}

static void put_free(struct tracy *to, struct live *live, const struct from_event *ev)
{
    if (!live->is_live)
        return; // freed twice, or allocated before the recording
    struct tracy_pool *pool = &to->pools.v[live->pool];
    struct tracy_memory_event *e = pile_at(&pool->events, live->event);
    e->free_time = (int64_t)ev->time;
    e->free_thread = used_number(ev);
    pool->usage -= e->bytes;
    pool->n_live--;
    pool->n_frees++;
    live->is_live = false;
}

static void put_alloc(struct from_making *m, struct lives *l, const struct from_event *ev)
{
    struct live *live = live_of(l, ev->a, ev->process, (uint32_t)ev->c);
    put_free(m->to, live, ev); // its end was lost
    uint32_t at = pool_of(m->to, from_key(m, (uint32_t)ev->c));
    struct tracy_pool *pool = &m->to->pools.v[at];
    *live = (struct live){at, (uint32_t)pool->events.n, true};
    struct tracy_memory_event *e = pile_add(&pool->events, &m->to->store);
    *e = (struct tracy_memory_event){.address = ev->a,
                                     .bytes = ev->b,
                                     .alloc_time = (int64_t)ev->time,
                                     .free_time = -1,
                                     .alloc_thread = used_number(ev)};
    pool->low = ev->a < pool->low ? ev->a : pool->low;
    pool->high = ev->a + ev->b > pool->high ? ev->a + ev->b : pool->high;
    pool->usage += ev->b;
    pool->n_live++;
}

// A free of address 0 frees everything that the process has in the pool.
static void free_pool(struct tracy *to, struct lives *l, const struct from_event *ev)
{
    for (size_t i = 0; i < l->keys.keys.n; i++) {
        struct live_key key;
        memcpy(&key, l->keys.keys.v[i].p, sizeof key);
        if (key.process == ev->process && key.pool == (uint32_t)ev->b)
            put_free(to, &l->v.v[i], ev);
    }
}

void from_put_memory(struct from_making *m, const struct from_event *v, size_t n)
{
    struct lives l = {0};
    for (size_t i = 0; i < n; i++) {
        if (v[i].kind == TT_ALLOC)
            put_alloc(m, &l, &v[i]);
        else if (v[i].kind == TT_FREE && !v[i].a && v[i].b)
            free_pool(m->to, &l, &v[i]);
        else if (v[i].kind == TT_FREE)
            put_free(m->to, live_of(&l, v[i].a, v[i].process, (uint32_t)v[i].b), &v[i]);
    }
    map_free(&l.keys);
    vec_free(&l.v);
    arena_free(&l.arena);
}

// --- locks -----------------------------------------------------------------------------

enum { LOCK_THREADS = 64 }; // the reference keeps them in the bits of a word

struct lock_key {
    uint64_t lock;
    uint64_t process;
};

static struct tracy_lock *lock_of(struct from_making *m, struct map *locks,
                                  const struct from_event *ev)
{
    struct lock_key key = {ev->a, ev->process};
    uint32_t id = map_put_copy(locks, &key, sizeof key, &m->to->arena);
    if (id == m->to->locks.n)
        vec_push(&m->to->locks,
                 (struct tracy_lock){.id = id,
                                     .is_valid = 1,
                                     .announced = (int64_t)ev->time,
                                     .events = pile_of(sizeof(struct tracy_lock_event))});
    return &m->to->locks.v[id];
}

// False: the lock has no room for another thread.
static bool lock_thread(struct from_making *m, struct tracy_lock *lock, uint32_t thread,
                        uint8_t *number)
{
    uint64_t id = m->to->threads.v[thread].id;
    for (size_t i = 0; i < lock->threads.n; i++)
        if (lock->threads.v[i] == id) {
            *number = (uint8_t)i;
            return true;
        }
    if (lock->threads.n == LOCK_THREADS)
        return false;
    *number = (uint8_t)lock->threads.n;
    vec_push(&lock->threads, id);
    return true;
}

static void put_lock(struct from_making *m, struct map *locks, const struct from_event *ev)
{
    struct tracy_lock *lock = lock_of(m, locks, ev);
    uint8_t thread;
    if (!lock_thread(m, lock, ev->thread, &thread)) {
        if (diag_count(&m->to->diag, DIAG_TRACY_UNWRITTEN))
            diag_note(&m->to->diag, DIAG_TRACY_UNWRITTEN,
                      "the first is an event of a lock that more than 64 threads use");
        return;
    }
    if (ev->kind == TT_LOCK_MARK) { // of the event before it
        struct tracy_lock_event *last =
            lock->events.n ? pile_at(&lock->events, lock->events.n - 1) : NULL;
        if (last && last->thread == thread)
            last->place = (int32_t)ev->b + 1;
        return;
    }
    if (ev->kind >= TT_LOCK_WAIT_SHARED)
        lock->type = 1;
    struct tracy_lock_event *e = pile_add(&lock->events, &m->to->store);
    *e = (struct tracy_lock_event){.time = (int64_t)ev->time,
                                   .thread = thread,
                                   .kind = (uint8_t)(ev->kind - TT_LOCK_WAIT)};
}

void from_put_locks(struct from_making *m, const struct from_event *v, size_t n)
{
    struct map locks = {0};
    for (size_t i = 0; i < n; i++)
        if (v[i].kind >= TT_LOCK_WAIT && v[i].kind <= TT_LOCK_MARK)
            put_lock(m, &locks, &v[i]);
    map_free(&locks);
}
