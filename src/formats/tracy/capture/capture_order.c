// capture_order.c - the order that the contents of a trace have: see file format,
// section 8.

#include "base/data/sort.h"

#include "formats/tracy/capture/capture_parts.h"

// Negative times are before the others.
static uint64_t time_key(int64_t time)
{
    return (uint64_t)time ^ UINT64_C(1) << 63;
}

typedef int64_t time_of(const void *record);

static bool is_in_order(const struct pile *p, time_of *get)
{
    for (size_t i = 1; i < p->n; i++)
        if (get(pile_at(p, i)) < get(pile_at(p, i - 1)))
            return false;
    return true;
}

// Orders the records by time, stably. If `places` is not NULL, *places becomes a list of
// their new places by old number, which the caller frees.
static void order_pile(struct tracy *t, struct pile *p, time_of *get, uint32_t **places)
{
    if (is_in_order(p, get) || p->n > UINT32_MAX)
        return;
    size_t bytes = mem_bytes(sizeof(struct keyed), p->n);
    struct keyed *keys = mem_alloc(bytes), *scratch = mem_alloc(bytes);
    struct pile sorted = pile_of(p->bytes);
    for (size_t i = 0; i < p->n; i++)
        keys[i] = (struct keyed){.key = time_key(get(pile_at(p, i))), .a = (uint32_t)i};
    sort_keyed(keys, scratch, p->n);
    if (places)
        *places = mem_alloc(mem_bytes(sizeof **places, p->n));
    for (size_t i = 0; i < p->n; i++) {
        memcpy(pile_add(&sorted, &t->store), pile_at(p, keys[i].a), p->bytes);
        if (places)
            (*places)[keys[i].a] = (uint32_t)i;
    }
    mem_free(keys);
    mem_free(scratch);
    pile_free(p);
    *p = sorted;
}

static int64_t message_time(const void *record)
{
    return ((const struct tracy_message *)record)->time;
}
static int64_t point_time(const void *record)
{
    return ((const struct tracy_point *)record)->time;
}
static int64_t lock_time(const void *record)
{
    return ((const struct tracy_lock_event *)record)->time;
}

static void order_messages(struct tracy *t)
{
    uint32_t *places = NULL;
    order_pile(t, &t->messages, message_time, &places);
    if (!places)
        return;
    for (size_t i = 0; i < t->threads.n; i++)
        for (size_t k = 0; k < t->threads.v[i].messages.n; k++) {
            uint32_t *m = &t->threads.v[i].messages.v[k];
            *m = places[*m];
        }
    mem_free(places);
}

// The trace has the switches of its own threads only.
static void keep_own_switches(struct capture *c)
{
    struct tracy *t = c->t;
    size_t n = 0;
    for (size_t i = 0; i < t->switches.n; i++) {
        struct tracy_switches *s = &t->switches.v[i];
        if (capture_key_get(&c->threads, s->thread) == MAP_NONE)
            pile_free(&s->switches);
        else
            t->switches.v[n++] = *s;
    }
    t->switches.n = n;
}

static void count_symbols(struct tracy *t)
{
    t->n_inline_symbols = 1;
    for (size_t i = 0; i < t->symbols.n; i++)
        if (t->symbols.v[i].is_inline)
            t->n_inline_symbols++;
        else
            t->n_plain_symbols++;
}

void capture_order(struct capture *c)
{
    struct tracy *t = c->t;
    order_messages(t);
    for (size_t i = 0; i < t->plots.n; i++)
        order_pile(t, &t->plots.v[i].points, point_time, NULL);
    for (size_t i = 0; i < t->locks.n; i++)
        order_pile(t, &t->locks.v[i].events, lock_time, NULL);
    keep_own_switches(c);
    count_symbols(t);
    sort_keys(t->keyed.v, t->keyed.n);
    sort_keys(t->thread_names.v, t->thread_names.n);
}
