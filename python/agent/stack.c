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

static bool keep(struct agent_stack *s, const void *frame, struct agent_entry e)
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

void agent_stack_resume(struct agent_stack *s, const void *frame)
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

// Ends all from `at` on and begins those again that continue: the recorder's zones nest. A
// coroutine that returns may only wait: what is open in it waits, too.
static void end_from(struct agent_stack *s, uint32_t at,
                     bool (*continues)(const struct agent_entry *e))
{
    uint32_t n = s->n;
    struct agent_entry first = s->at[at];
    while (s->n > at)
        agent_entry_end(s, &s->at[--s->n]);
    for (uint32_t i = at; i < n; i++) {
        struct agent_entry e = s->at[i];
        if (!continues(&e) || (first.is_coroutine && keep(s, first.frame, e)))
            continue;
        e.has_lane = e.is_deep = false;
        s->at[s->n] = e;
        agent_entry_begin(s, &s->at[s->n++]);
    }
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

void agent_stack_remove(struct agent_stack *s, uint32_t at)
{
    s->at[at].is_ending = true;
    end_from(s, at, s->at[at].kind == ENTRY_OWN ? is_not_marked : is_own);
}

void agent_stack_end_all(struct agent_stack *s)
{
    if (s->n)
        end_from(s, 0, never);
}

void agent_stack_end_functions(struct agent_stack *s)
{
    if (s->n) {
        s->at[0].is_coroutine = false; // it goes on, though unseen
        end_from(s, 0, is_own);
    }
}
