// capture_memory.c - allocations and locks, whose events come in the order of their times.
#include "formats/tracy/capture/capture_parts.h"

// --- allocations -----------------------------------------------------------------------

uint32_t capture_pool(struct capture *c, uint64_t name)
{
    bool is_new;
    if (c->pools.n >= THINGS_MOST && capture_key_get(&c->pool_names, name) == MAP_NONE) {
        capture_odd(c, "pools beyond the limit");
        return 0;
    }
    uint32_t at = capture_key(c, &c->pool_names, name, &is_new);
    if (is_new) {
        vec_push(&c->pools, (struct pool_state){0});
        vec_push(&c->t->pools,
                 (struct tracy_pool){.name = name,
                                     .low = UINT64_MAX,
                                     .events = pile_of(sizeof(struct tracy_memory_event))});
        if (name)
            capture_need_text(c, name, TRACY_ASK_STRING);
    }
    return at;
}

static bool has_stack(unsigned item)
{
    return (item >= TRACY_ALLOC_STACK && item <= TRACY_FREE_STACK_NAMED) ||
           item == TRACY_DISCARD_STACK;
}

static bool has_pool(unsigned item)
{
    return item == TRACY_ALLOC_NAMED || item == TRACY_FREE_NAMED ||
           item == TRACY_ALLOC_STACK_NAMED || item == TRACY_FREE_STACK_NAMED;
}

static uint32_t take_pool(struct capture *c, unsigned item)
{
    uint64_t name = has_pool(item) ? c->pool_name : 0;
    c->pool_name = 0;
    return capture_pool(c, name);
}

static uint32_t take_stack(struct capture *c, unsigned item)
{
    return has_stack(item) ? capture_take_stack(c, &c->serial_stack) : 0;
}

static uint16_t memory_thread(struct capture *c, const struct item *it)
{
    uint64_t id = item_get(it, TRACY_THREAD_FIELD);
    (void)capture_thread(c, id);
    return capture_used_thread(c, id);
}

void capture_on_alloc(struct capture *c, const struct item *it)
{
    bool is_new;
    int64_t time = capture_time(c, it);
    uint64_t address = item_get(it, TRACY_ADDRESS_FIELD);
    uint64_t bytes = item_get(it, TRACY_SIZE_FIELD);
    uint32_t pool = take_pool(c, it->layout->item), stack = take_stack(c, it->layout->item);
    struct pool_state *s = &c->pools.v[pool];
    struct tracy_pool *p = &c->t->pools.v[pool];
    uint32_t at = capture_key(c, &s->addresses, address, &is_new);
    if (at == MAP_NONE)
        return;
    if (is_new)
        vec_push(&s->live, 0);
    bool is_live = s->live.v[at];
    // The end of the trace is the one that the reference finds in the same stream.
    if (!is_live || c->layouts.generation != TRACY_F10)
        capture_note_time(c, time);
    if (is_live) {
        capture_fail(c, CAPTURE_ALLOC);
        return;
    }
    struct tracy_memory_event *m = pile_add(&p->events, &c->t->store);
    *m = (struct tracy_memory_event){.address = address,
                                     .bytes = bytes,
                                     .alloc_time = time,
                                     .free_time = -1,
                                     .alloc_stack = stack,
                                     .alloc_thread = memory_thread(c, it)};
    s->live.v[at] = p->events.n;
    p->n_live++;
    p->usage += bytes;
    p->low = address < p->low ? address : p->low;
    p->high = address + bytes > p->high ? address + bytes : p->high;
}

static void free_event(struct capture *c, uint32_t pool, uint32_t at, int64_t time,
                       uint16_t thread, uint32_t stack)
{
    struct pool_state *s = &c->pools.v[pool];
    struct tracy_pool *p = &c->t->pools.v[pool];
    struct tracy_memory_event *m = pile_at(&p->events, s->live.v[at] - 1);
    s->live.v[at] = 0;
    m->free_time = time < m->alloc_time ? -1 : time;
    m->free_thread = thread;
    m->free_stack = stack;
    p->usage -= m->bytes;
    p->n_live--;
    p->n_frees++;
}

void capture_on_free(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    uint64_t address = item_get(it, TRACY_ADDRESS_FIELD);
    uint32_t pool = take_pool(c, it->layout->item), stack = take_stack(c, it->layout->item);
    if (!address)
        return;
    uint32_t at = capture_key_get(&c->pools.v[pool].addresses, address);
    if (at == MAP_NONE || !c->pools.v[pool].live.v[at]) {
        if (!c->ignores_free_faults)
            capture_fail(c, CAPTURE_FREE);
        return;
    }
    capture_note_time(c, time);
    free_event(c, pool, at, time, memory_thread(c, it), stack);
}

void capture_on_discard(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    uint32_t stack = take_stack(c, it->layout->item);
    uint32_t pool = capture_key_get(&c->pool_names, item_get(it, TRACY_NAME_FIELD));
    if (pool == MAP_NONE)
        return; // nothing was allocated
    capture_note_time(c, time);
    uint16_t thread = memory_thread(c, it);
    for (uint32_t at = 0; at < c->pools.v[pool].live.n; at++)
        if (c->pools.v[pool].live.v[at])
            free_event(c, pool, at, time, thread, stack);
}

// --- locks -----------------------------------------------------------------------------

void capture_on_lock_announce(struct capture *c, const struct item *it)
{
    bool is_new;
    uint64_t id = item_get(it, TRACY_ID_FIELD);
    if (!capture_is_room(c, c->locks.n, THINGS_MOST, "locks beyond the limit"))
        return;
    (void)capture_key(c, &c->lock_ids, id, &is_new);
    if (!is_new)
        return;
    vec_push(&c->locks, (struct lock_state){0});
    vec_push(&c->t->locks,
             (struct tracy_lock){.id = (uint32_t)id,
                                 .place = capture_place(c, item_get(it, TRACY_PLACE_FIELD)),
                                 .type = (uint8_t)item_get(it, TRACY_TYPE_FIELD),
                                 .is_valid = 1,
                                 .announced = capture_time(c, it),
                                 .events = pile_of(sizeof(struct tracy_lock_event))});
}

// The number of the lock that the item is about; MAP_NONE: it is unknown.
static uint32_t lock_of(struct capture *c, const struct item *it)
{
    uint32_t at = capture_key_get(&c->lock_ids, item_get(it, TRACY_ID_FIELD));
    if (at == MAP_NONE)
        capture_odd(c, "a lock that was not announced");
    return at;
}

static int lock_thread(struct capture *c, uint32_t lock, uint64_t id)
{
    struct tracy_lock *l = &c->t->locks.v[lock];
    for (size_t i = 0; i < l->threads.n; i++)
        if (l->threads.v[i] == id)
            return (int)i;
    if (!capture_is_room(c, l->threads.n, LOCK_THREADS_MOST, "threads of one lock"))
        return -1;
    vec_push(&l->threads, id);
    vec_push(&c->locks.v[lock].latest, 0);
    return (int)l->threads.n - 1;
}

void capture_on_lock_event(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    unsigned kind = it->layout->item - TRACY_LOCK_WAIT;
    uint32_t lock = lock_of(c, it);
    if (lock == MAP_NONE)
        return;
    struct lock_state *s = &c->locks.v[lock];
    bool is_release = it->layout->item == TRACY_LOCK_RELEASE;
    uint64_t id = is_release ? s->owner : item_get(it, TRACY_THREAD_FIELD);
    if (it->layout->item == TRACY_LOCK_OBTAIN)
        s->owner = id;
    (void)capture_thread(c, id);
    capture_note_time(c, time);
    int thread = lock_thread(c, lock, id);
    if (thread < 0)
        return;
    struct pile *events = &c->t->locks.v[lock].events;
    struct tracy_lock_event *e = pile_add(events, &c->t->store);
    *e = (struct tracy_lock_event){
        .time = time, .thread = (uint8_t)thread, .kind = (uint8_t)kind};
    if (kind % 3 != 2) // not a release
        s->latest.v[thread] = events->n;
}

void capture_on_lock_mark(struct capture *c, const struct item *it)
{
    uint32_t lock = lock_of(c, it);
    int32_t place = capture_place(c, item_get(it, TRACY_PLACE_FIELD));
    if (lock == MAP_NONE)
        return;
    struct tracy_lock *l = &c->t->locks.v[lock];
    uint64_t id = item_get(it, TRACY_THREAD_FIELD);
    for (size_t i = 0; i < l->threads.n; i++)
        if (l->threads.v[i] == id && c->locks.v[lock].latest.v[i]) {
            uint64_t at = c->locks.v[lock].latest.v[i] - 1;
            ((struct tracy_lock_event *)pile_at(&l->events, at))->place = place;
        }
}

void capture_on_lock_name(struct capture *c, const struct item *it)
{
    uint32_t text = (uint32_t)capture_take_single(c).value, lock = lock_of(c, it);
    if (lock != MAP_NONE)
        c->t->locks.v[lock].name = text + 1;
}

void capture_on_lock_end(struct capture *c, const struct item *it)
{
    uint32_t lock = lock_of(c, it);
    if (lock != MAP_NONE)
        c->t->locks.v[lock].terminated = capture_time(c, it);
}
