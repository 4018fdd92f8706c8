// held.c - threads of a program with fibers, merged. A fiber's zones continue on whatever
// thread enters it next, so once a program has fibers, what its threads wrote waits until
// nothing earlier can arrive, and is taken in the order of time.
//
// A processor may read the clock of an event a little too early. So a fiber that is still
// inside another thread is left there first, if that thread does so within this time.
#include <string.h>
#include <sys/mman.h>

#include "record/format/block.h"
#include "record/tracy/events.h"

enum { EARLY_NS = 1000 };
#define HELD_MOST (UINT64_C(64) << 20) // bytes; then order is given up, nothing else

struct tracy_held {
    struct tracy_held *next;
    uint64_t bytes; // of this and its words
    uint64_t from, n, at;
    bool is_begun;
    uint64_t words[];
};

static void list_lane(struct tracy_session *s, struct tracy_lane *l)
{
    l->next_held = s->first_held;
    s->first_held = (uint32_t)(l - s->lanes) + 1;
}

static struct tracy_lane *lane_at(const struct tracy_session *s, uint32_t number)
{
    return number ? &s->lanes[number - 1] : NULL;
}

bool recorder_held_put(struct tracy_session *s, struct tracy_lane *l, uint64_t from,
                       const uint64_t *words, uint64_t n)
{
    uint64_t bytes = sizeof(struct tracy_held) + n * sizeof *words;
    if (s->held_bytes + bytes > HELD_MOST)
        recorder_held_release(s, INT64_MAX);
    struct tracy_held *h = recorder_pages(bytes);
    if (!h) {
        recorder_held_release(s, INT64_MAX);
        return false;
    }
    *h = (struct tracy_held){.bytes = bytes, .from = from, .n = n};
    memcpy(h->words, words, n * sizeof *words);
    s->held_bytes += bytes;
    if (!l->held)
        list_lane(s, l);
    *(l->held ? &l->last_held->next : &l->held) = h;
    l->last_held = h;
    return true;
}

static void drop_first(struct tracy_session *s, struct tracy_lane *l)
{
    struct tracy_held *h = l->held;
    l->held = h->next;
    s->held_bytes -= h->bytes;
    munmap(h, h->bytes);
}

// The words of the lane's next event, and its time; NULL: it has none.
static const uint64_t *next_event(struct tracy_session *s, struct tracy_lane *l,
                                  int64_t *ns)
{
    for (struct tracy_held *h; (h = l->held); drop_first(s, l)) {
        if (!h->is_begun)
            h->at = recorder_events_begin(s, l, h->from, h->n);
        h->is_begun = true;
        for (; h->at < h->n; h->at++)
            if (block_event_words(h->words, UINT64_MAX, h->at, h->n)) {
                *ns = recorder_events_ns(s, l, h->words + h->at);
                return h->words + h->at;
            }
    }
    return NULL;
}

static void take_next(struct tracy_session *s, struct tracy_lane *l)
{
    struct tracy_held *h = l->held;
    uint32_t n = block_event_words(h->words, UINT64_MAX, h->at, h->n);
    recorder_events_one(s, l, h->words + h->at, n);
    h->at += n;
}

// The lane whose next event is the earliest, and when the next of any other one is.
static struct tracy_lane *earliest(struct tracy_session *s, int64_t *ns, int64_t *other_ns)
{
    struct tracy_lane *first = NULL;
    *ns = *other_ns = INT64_MAX;
    for (uint32_t *link = &s->first_held; *link;) {
        struct tracy_lane *l = lane_at(s, *link);
        int64_t at;
        if (!next_event(s, l, &at)) {
            *link = l->next_held;
            continue;
        }
        bool is_first = !first || at < *ns;
        if (is_first ? first != NULL : at < *other_ns)
            *other_ns = is_first ? *ns : at;
        if (is_first) {
            first = l;
            *ns = at;
        }
        link = &l->next_held;
    }
    return first;
}

// The thread that is about to leave the fiber that this event enters.
static struct tracy_lane *leaver(struct tracy_session *s, const struct tracy_lane *l,
                                 const uint64_t *event, int64_t ns)
{
    int64_t at;
    if (event[0] >> TT_TIME_BITS != TT_FIBER_ENTER)
        return NULL;
    struct tracy_lane *in =
        lane_at(s, (uint32_t)recorder_keys_get(&s->fiber_lanes, event[1]));
    if (!in || in == l || in->fiber != event[1] || !next_event(s, in, &at))
        return NULL;
    return at - ns <= EARLY_NS ? in : NULL;
}

// Takes events of one lane while they are the earliest.
static void take_run(struct tracy_session *s, struct tracy_lane *l, int64_t until)
{
    int64_t ns;
    for (const uint64_t *event; (event = next_event(s, l, &ns)) && ns <= until;) {
        struct tracy_lane *in = leaver(s, l, event, ns);
        take_next(s, in ? in : l);
        if (in)
            return; // its next event may be the earliest now
    }
}

int64_t recorder_held_release(struct tracy_session *s, int64_t ns)
{
    int64_t first, other;
    if (s->has_fibers && ns != INT64_MAX)
        ns -= EARLY_NS;
    for (struct tracy_lane *l; (l = earliest(s, &first, &other)) && first < ns;)
        take_run(s, l, other < ns ? other : ns - 1);
    return ns;
}

void recorder_held_forget(struct tracy_session *s)
{
    for (uint32_t i = s->first_held; i; i = s->lanes[i - 1].next_held)
        while (s->lanes[i - 1].held)
            drop_first(s, &s->lanes[i - 1]);
    s->first_held = 0;
    s->has_fibers = false;
}
