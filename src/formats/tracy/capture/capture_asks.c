// capture_asks.c - keys that stand for texts, threads and places: each is asked for when it
// is first seen, and told by the client some time later.
#include "formats/tracy/capture/capture_parts.h"

void capture_ask(struct capture *c, enum tracy_query query, uint64_t key)
{
    vec_push(&c->asks, (struct tracy_ask){.query = (uint8_t)query, .key = key});
    c->n_asked++;
}

size_t capture_asks(struct capture *c, struct tracy_ask *asks, size_t most)
{
    // Answers that nobody asked for may have come first.
    uint64_t flying = c->n_sent > c->n_answered ? c->n_sent - c->n_answered : 0;
    size_t free = flying < c->window ? c->window - (size_t)flying : 0;
    size_t n = c->asks.n - c->first_ask;
    n = n < free ? n : free;
    n = n < most ? n : most;
    for (size_t i = 0; i < n; i++)
        asks[i] = c->asks.v[c->first_ask + i];
    c->first_ask += n;
    c->n_sent += n;
    if (c->first_ask == c->asks.n)
        c->first_ask = c->asks.n = 0;
    return n;
}

static str key_of(const uint64_t *key)
{
    return (str){(const char *)key, sizeof *key};
}

uint32_t capture_key(struct capture *c, struct map *m, uint64_t key, bool *is_new)
{
    *is_new = false;
    size_t n = m->keys.n;
    if (n >= KEYS_MOST && capture_key_get(m, key) == MAP_NONE) {
        capture_odd(c, "keys beyond the limit");
        return MAP_NONE;
    }
    uint32_t id = map_put_copy(m, &key, sizeof key, &c->arena);
    *is_new = id == n;
    return id;
}

uint32_t capture_key_get(const struct map *m, uint64_t key)
{
    return map_get(m, key_of(&key));
}

uint32_t capture_text(struct capture *c, str s)
{
    if (c->t->arena.used < TEXTS_MOST)
        return tracy_text(c->t, s.n ? s : S(""));
    capture_odd(c, "texts beyond the limit");
    return 0;
}

// --- texts -----------------------------------------------------------------------------

void capture_need_text(struct capture *c, uint64_t key, enum tracy_query query)
{
    bool is_new;
    (void)capture_key(c, &c->text_keys, key, &is_new);
    if (!is_new)
        return;
    vec_push(&c->t->keyed, (struct keyed){.key = key, .a = TRACY_UNKNOWN});
    capture_ask(c, query, key);
}

// Keeps what was told of number `at` of the list; what is known already is not changed.
static void tell(struct capture *c, struct keyed *list, uint32_t at, str text)
{
    if (at == MAP_NONE) {
        capture_odd(c, "an answer to a query that was not sent");
        return;
    }
    if (list[at].a != TRACY_UNKNOWN)
        return;
    list[at].a = capture_text(c, text);
    c->n_answered++;
}

void capture_on_text(struct capture *c, const struct item *it)
{
    uint32_t at = capture_key_get(&c->text_keys, item_get(it, TRACY_ADDRESS_FIELD));
    tell(c, c->t->keyed.v, at, it->tail);
}

void capture_on_string(struct capture *c, const struct item *it)
{
    unsigned kind = it->layout->item;
    uint32_t text = capture_text(c, it->tail);
    if (kind == TRACY_STRING || kind == TRACY_STRING_8)
        c->single = text;
    else
        c->second = text;
}

struct tracy_ref capture_take_single(struct capture *c)
{
    struct tracy_ref ref = {.value = c->single, .is_number = true, .is_set = true};
    c->single = 0;
    return ref;
}

// --- threads ---------------------------------------------------------------------------

void capture_need_thread(struct capture *c, uint64_t id)
{
    bool is_new;
    (void)capture_key(c, &c->thread_keys, id, &is_new);
    if (!is_new)
        return;
    vec_push(&c->t->thread_names, (struct keyed){.key = id, .a = TRACY_UNKNOWN});
    if (id >> 32 == 0) // the name of a fiber is asked for by its key
        capture_ask(c, TRACY_ASK_THREAD, id);
}

void capture_on_thread_name(struct capture *c, const struct item *it)
{
    uint64_t id = item_get(it, TRACY_ADDRESS_FIELD);
    uint32_t at = id >> 32 ? MAP_NONE : capture_key_get(&c->thread_keys, id);
    tell(c, c->t->thread_names.v, at, it->tail);
}

void capture_on_fiber_name(struct capture *c, const struct item *it)
{
    uint32_t at = capture_key_get(&c->fiber_keys, item_get(it, TRACY_ADDRESS_FIELD));
    if (at != MAP_NONE)
        at = capture_key_get(&c->thread_keys, c->fibers.v[at]->id);
    tell(c, c->t->thread_names.v, at, it->tail);
}

void capture_need_external(struct capture *c, uint64_t tid)
{
    bool is_new;
    (void)capture_key(c, &c->external_keys, tid, &is_new);
    if (!is_new)
        return;
    vec_push(&c->t->external_names,
             (struct tracy_external){tid, TRACY_UNKNOWN, TRACY_UNKNOWN});
    capture_ask(c, TRACY_ASK_EXTERNAL, tid);
}

// Two answers to one query: the name of the thread, then that of its program.
void capture_on_external(struct capture *c, const struct item *it)
{
    uint32_t at = capture_key_get(&c->external_keys, item_get(it, TRACY_ADDRESS_FIELD));
    if (at == MAP_NONE) {
        capture_odd(c, "an answer to a query that was not sent");
        return;
    }
    struct tracy_external *x = &c->t->external_names.v[at];
    if (it->layout->item == TRACY_EXTERNAL_THREAD_NAME) {
        x->thread_name = capture_text(c, it->tail);
        return;
    }
    c->n_answered += x->name == TRACY_UNKNOWN;
    x->name = capture_text(c, it->tail);
}

// --- places ----------------------------------------------------------------------------

static int32_t new_place(struct capture *c, uint64_t key)
{
    bool is_new;
    uint32_t id = capture_key(c, &c->place_keys, key, &is_new);
    if (id == MAP_NONE)
        return 0;
    if (is_new) {
        vec_push(&c->t->place_keys, key);
        vec_push(&c->t->places, (struct tracy_place){0});
        vec_push(&c->asked_places, (int32_t)id);
        capture_ask(c, TRACY_ASK_PLACE, key);
    }
    return (int32_t)id;
}

int32_t capture_place(struct capture *c, uint64_t key)
{
    // Keys are addresses: the lowest bits are often equal.
    struct place_slot *s = &c->slots[(key ^ key >> 5 ^ key >> 13) & (PLACE_SLOTS - 1)];
    if (s->key != key || !s->place)
        *s = (struct place_slot){key, new_place(c, key)};
    return s->place;
}

// The answer does not say which place it is: answers come in the order of the queries.
void capture_on_place(struct capture *c, const struct item *it)
{
    if (c->first_place == c->asked_places.n) {
        capture_odd(c, "an answer to a query that was not sent");
        return;
    }
    struct tracy_place *p = &c->t->places.v[c->asked_places.v[c->first_place++]];
    uint64_t name = item_get(it, TRACY_NAME_FIELD);
    p->name = (struct tracy_ref){.value = name, .is_set = name != 0};
    p->function =
        (struct tracy_ref){.value = item_get(it, TRACY_FUNCTION_FIELD), .is_set = true};
    p->file = (struct tracy_ref){.value = item_get(it, TRACY_PLACE_FIELD), .is_set = true};
    p->line = (uint32_t)item_get(it, TRACY_LINE_FIELD);
    p->colour = (uint32_t)item_get(it, TRACY_COLOUR_FIELD);
    c->n_answered++;
    if (name)
        capture_need_text(c, name, TRACY_ASK_STRING);
    capture_need_text(c, p->file.value, TRACY_ASK_STRING);
    capture_need_text(c, p->function.value, TRACY_ASK_STRING);
}

// Made places: colour, line, function, file and name in the item itself.
void capture_on_made_place(struct capture *c, const struct item *it)
{
    enum { NUMBERS = 8 };
    struct tracy *t = c->t;
    size_t n = t->made_places.n;
    c->made_place = 0;
    if (it->tail.n < NUMBERS || c->arena.used >= TEXTS_MOST) {
        capture_odd(c, "a source location that is too short");
        return;
    }
    uint32_t id = map_put_copy(&c->made, it->tail.p, it->tail.n, &c->arena);
    c->made_place = -1 - (int32_t)id;
    if (id != n)
        return;
    str rest = str_from(it->tail, NUMBERS);
    struct tracy_place p = {.colour = (uint32_t)0};
    memcpy(&p.colour, it->tail.p, 4);
    memcpy(&p.line, it->tail.p + 4, 4);
    struct tracy_ref *refs[] = {&p.function, &p.file, &p.name};
    for (int i = 0; i < 3; i++) {
        str text = i < 2 ? str_cut(&rest, 0) : rest;
        if (text.n || i < 2)
            *refs[i] = (struct tracy_ref){capture_text(c, text), true, true};
    }
    p.colour &= 0xFFFFFF;
    vec_push(&t->made_places, p);
}
