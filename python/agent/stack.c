// stack.c - the open zones of a thread.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

enum { FIRST_ROOM = 256 };

__thread struct agent_stack *agent_self;
static pthread_key_t end_key;
static bool has_end_key;

static void thread_end(void *value)
{
    struct agent_stack *s = value;
    if (agent_self == s)
        agent_self = NULL;
    free(s->kept);
    free(s->at);
    free(s);
}

struct agent_stack *agent_stack_make(void)
{
    struct agent_stack *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (!has_end_key)
        has_end_key = pthread_key_create(&end_key, thread_end) == 0;
    if (has_end_key)
        pthread_setspecific(end_key, s);
    agent_self = s;
    return s;
}

bool agent_stack_grow(struct agent_stack *s)
{
    uint32_t room = s->room ? 2 * s->room : FIRST_ROOM;
    struct agent_entry *at = realloc(s->at, room * sizeof *at);
    if (!at)
        return false;
    s->at = at;
    s->room = room;
    return true;
}

static bool keep(struct agent_stack *s, uintptr_t frame, struct agent_entry e)
{
    if (s->n_kept == s->kept_room) {
        uint32_t room = s->kept_room ? 2 * s->kept_room : 16;
        struct agent_kept *kept = realloc(s->kept, room * sizeof *kept);
        if (!kept)
            return false;
        s->kept = kept;
        s->kept_room = room;
    }
    s->kept[s->n_kept++] = (struct agent_kept){frame, e};
    return true;
}

void agent_stack_resume(struct agent_stack *s, uintptr_t frame)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_kept; i++) {
        struct agent_kept k = s->kept[i];
        if (k.frame == frame)
            agent_stack_push(s, k.entry.frame, ENTRY_OWN, k.entry.location, false);
        else
            s->kept[n++] = k;
    }
    s->n_kept = n;
}

static bool is_own(const struct agent_entry *e)
{
    return e->kind == ENTRY_OWN;
}

static bool never(const struct agent_entry *e)
{
    (void)e;
    return false;
}

static bool is_not_marked(const struct agent_entry *e)
{
    return !e->is_ending;
}

// What cannot be seen leaves no gap when it ends: the zones above need not end with it.
static bool is_spliced(struct agent_stack *s, uint32_t at,
                       bool (*continues)(const struct agent_entry *e))
{
    const struct agent_entry *first = &s->at[at];
    if (first->zone.is_open || first->has_lane || first->is_coroutine)
        return false;
    for (uint32_t i = at + 1; i < s->n; i++)
        if (!continues(&s->at[i]))
            return false;
    s->depth -= first->is_deep;
    s->n--;
    memmove(&s->at[at], &s->at[at + 1], (s->n - at) * sizeof *s->at);
    return true;
}

// Ends all from `at` on and begins those again that continue: the recorder's zones nest. A
// coroutine that returns may only wait: what is open in it waits, too.
static void end_from(struct agent_stack *s, uint32_t at,
                     bool (*continues)(const struct agent_entry *e),
                     const struct agent_epitaph *last)
{
    uint32_t n = s->n;
    while (s->n > at + 1)
        agent_entry_end(s, &s->at[--s->n]);
    struct agent_entry first = s->at[--s->n];
    if (last && last->bytes)
        ttprof_zone_name(first.zone, last->name, last->bytes);
    if (last && last->colour)
        ttprof_zone_colour(first.zone, last->colour);
    agent_entry_end(s, &first);
    for (uint32_t i = at; i < n; i++) {
        struct agent_entry e = s->at[i];
        if (!continues(&e) || (first.is_coroutine && keep(s, first.frame, e)))
            continue;
        e.has_lane = e.is_deep = false;
        s->at[s->n] = e;
        agent_entry_begin(s, &s->at[s->n++]);
    }
}

void agent_stack_remove(struct agent_stack *s, uint32_t at,
                        const struct agent_epitaph *last)
{
    bool (*continues)(const struct agent_entry *) =
        s->at[at].kind == ENTRY_OWN ? is_not_marked : is_own;
    s->at[at].is_ending = true;
    if (!is_spliced(s, at, continues))
        end_from(s, at, continues, last);
}

void agent_stack_end_all(struct agent_stack *s)
{
    if (s->n)
        end_from(s, 0, never, NULL);
}

void agent_stack_end_functions(struct agent_stack *s)
{
    if (s->n) {
        s->at[0].is_coroutine = false; // it goes on, though unseen
        end_from(s, 0, is_own, NULL);
    }
}
