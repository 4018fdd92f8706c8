// serial.c - events that a server wants in the order of their times over all threads:
// locks, memory, frames. They wait in a heap until no earlier one can arrive.
#include <string.h>
#include <sys/mman.h>

#include "record/tracy/session.h"

enum {
    FIRST_WAITING = 1 << 12,
    WAITING_MOST = 1 << 20, // then the oldest is sent: memory is bounded, order is not
    LOCKS_MOST = 1 << 20,
    LOCK_THREADS_MOST = 64, // more crash a server
    LIVE_MOST = 1 << 22
};
enum { LOCK_PLAIN = 1, LOCK_SHARED = 2 };

// --- locks ---
static bool is_shared_kind(uint32_t kind)
{
    return kind == TT_LOCK_WAIT_SHARED || kind == TT_LOCK_OBTAIN_SHARED ||
           kind == TT_LOCK_RELEASE_SHARED;
}

static void name_lock(struct tracy_session *s, uint32_t lock, uint32_t id)
{
    struct recorder_piece text;
    uint64_t string = recorder_keys_get(&s->lock_names, lock);
    if (!string || !recorder_string_get(string, &text))
        return;
    recorder_out_string(&s->out, text);
    recorder_out_set(&s->out, recorder_out_item(&s->out, TRACY_LOCK_NAME, 0),
                     TRACY_ID_FIELD, id);
}

// Nothing says that a lock is shared before it is used as one. If it was announced as a
// plain one by then, it goes on under another number.
static bool announce_lock(struct tracy_session *s, uint32_t lock, bool is_shared,
                          uint32_t *id)
{
    uint64_t how = recorder_keys_get(&s->announced, lock);
    bool is_right = how == LOCK_SHARED || (how == LOCK_PLAIN && !is_shared);
    *id = lock;
    if (how == LOCK_SHARED || is_shared)
        *id = lock | KEY_SHARED_LOCKS;
    uint64_t location = recorder_keys_get(&s->locks, lock);
    if (is_right || !location)
        return is_right;
    if (!recorder_keys_set(&s->announced, lock, is_shared ? LOCK_SHARED : LOCK_PLAIN,
                           LOCKS_MOST))
        return false;
    uint8_t *item = recorder_out_item(&s->out, TRACY_LOCK_ANNOUNCE, 0);
    recorder_out_set(&s->out, item, TRACY_ID_FIELD, *id);
    recorder_out_time(&s->out, item, s->begin_ns);
    recorder_out_set(&s->out, item, TRACY_PLACE_FIELD,
                     recorder_events_place(s, location - 1));
    recorder_out_set(&s->out, item, TRACY_TYPE_FIELD, is_shared);
    name_lock(s, lock, *id);
    return true;
}

// Whether the server can take an event of this thread.
static bool has_thread(struct tracy_session *s, uint32_t id, uint32_t tid)
{
    uint64_t pair = (uint64_t)id << 32 | tid, all = (uint64_t)id << 32;
    if (recorder_keys_get(&s->lock_threads, pair))
        return true;
    uint64_t n = recorder_keys_get(&s->lock_threads, all);
    return n < LOCK_THREADS_MOST &&
           recorder_keys_set(&s->lock_threads, all, n + 1, LOCKS_MOST) &&
           recorder_keys_set(&s->lock_threads, pair, 1, LOCKS_MOST);
}

// A session may end without the note at its end, so the first one says it, too.
static void leave_out(struct tracy_session *s, const struct tracy_wait *w, uint32_t id)
{
    if (!s->n_left_out++)
        recorder_events_note(s, w->tid, w->ns,
                             "ttprof: lock %llu has more than 64 threads: events of the "
                             "others are left out",
                             id & ~KEY_SHARED_LOCKS);
}

static void send_lock(struct tracy_session *s, const struct tracy_wait *w)
{
    static const enum tracy_item items[] = {
        [TT_LOCK_WAIT] = TRACY_LOCK_WAIT,
        [TT_LOCK_OBTAIN] = TRACY_LOCK_OBTAIN,
        [TT_LOCK_RELEASE] = TRACY_LOCK_RELEASE,
        [TT_LOCK_WAIT_SHARED] = TRACY_LOCK_WAIT_SHARED,
        [TT_LOCK_OBTAIN_SHARED] = TRACY_LOCK_OBTAIN_SHARED,
        [TT_LOCK_RELEASE_SHARED] = TRACY_LOCK_RELEASE_SHARED,
        [TT_LOCK_MARK] = TRACY_LOCK_MARK,
    };
    uint32_t id;
    if (!announce_lock(s, (uint32_t)w->a, is_shared_kind(w->kind), &id))
        return;
    if (!has_thread(s, id, w->tid)) {
        leave_out(s, w, id);
        return;
    }
    uint8_t *item = recorder_out_item(&s->out, items[w->kind], 0);
    recorder_out_set(&s->out, item, TRACY_ID_FIELD, id);
    recorder_out_set(&s->out, item, TRACY_THREAD_FIELD, w->tid);
    if (w->kind == TT_LOCK_MARK)
        recorder_out_set(&s->out, item, TRACY_PLACE_FIELD, recorder_events_place(s, w->b));
    else
        recorder_out_time(&s->out, item, w->ns);
}

// --- memory ---
static uint64_t live_key(uint64_t address, uint64_t pool)
{
    return address ^ pool << 48;
}

static uint8_t *put_memory(struct tracy_session *s, enum tracy_item plain,
                           enum tracy_item named, uint64_t pool)
{
    if (pool)
        recorder_out_set(&s->out, recorder_out_item(&s->out, TRACY_POOL, 0),
                         TRACY_NAME_FIELD, pool);
    return recorder_out_item(&s->out, pool ? named : plain, 0);
}

static void send_free(struct tracy_session *s, const struct tracy_wait *w, uint64_t address,
                      uint64_t pool)
{
    uint8_t *item = put_memory(s, TRACY_FREE, TRACY_FREE_NAMED, pool);
    recorder_out_time(&s->out, item, w->ns);
    recorder_out_set(&s->out, item, TRACY_THREAD_FIELD, w->tid);
    recorder_out_set(&s->out, item, TRACY_ADDRESS_FIELD, address);
    recorder_keys_remove(&s->live, live_key(address, pool));
}

// A server gives up if memory is allocated twice; the free in between may be lost.
static void send_alloc(struct tracy_session *s, const struct tracy_wait *w)
{
    const uint64_t size_most = (UINT64_C(1) << 48) - 1;
    uint64_t key = live_key(w->a, w->c);
    if (recorder_keys_get(&s->live, key))
        send_free(s, w, w->a, w->c);
    if (!recorder_keys_set(&s->live, key, w->c + 1, LIVE_MOST))
        return; // it could not be seen to be free
    uint8_t *item = put_memory(s, TRACY_ALLOC, TRACY_ALLOC_NAMED, w->c);
    recorder_out_time(&s->out, item, w->ns);
    recorder_out_set(&s->out, item, TRACY_THREAD_FIELD, w->tid);
    recorder_out_set(&s->out, item, TRACY_ADDRESS_FIELD, w->a);
    recorder_out_set(&s->out, item, TRACY_SIZE_FIELD, w->b < size_most ? w->b : size_most);
}

// Everything of a pool at once. Removing one may move another into its slot.
static void send_discard(struct tracy_session *s, const struct tracy_wait *w)
{
    for (uint64_t i = 0; i < s->live.n_slots;) {
        struct recorder_key *k = &s->live.slots[i];
        if (k->value == w->b + 1)
            send_free(s, w, k->key ^ w->b << 48, w->b);
        else
            i++;
    }
}

// --- frames ---
static void send_frame(struct tracy_session *s, const struct tracy_wait *w)
{
    enum tracy_item item = w->kind == TT_FRAME_MARK    ? TRACY_FRAME_MARK
                           : w->kind == TT_FRAME_START ? TRACY_FRAME_START
                                                       : TRACY_FRAME_END;
    uint8_t *at = recorder_out_item(&s->out, item, 0);
    recorder_out_time(&s->out, at, w->ns);
    recorder_out_set(&s->out, at, TRACY_NAME_FIELD, w->a);
}

static void send_one(struct tracy_session *s, const struct tracy_wait *w)
{
    switch (w->kind) {
    case TT_ALLOC: send_alloc(s, w); break;
    case TT_FREE:
        if (w->a)
            send_free(s, w, w->a, w->b);
        else
            send_discard(s, w);
        break;
    case TT_FRAME_MARK:
    case TT_FRAME_START:
    case TT_FRAME_END: send_frame(s, w); break;
    default: send_lock(s, w); break;
    }
}

// --- the heap ---
static bool is_before(const struct tracy_wait *a, const struct tracy_wait *b)
{
    return a->ns != b->ns ? a->ns < b->ns : a->order < b->order;
}

static bool waiting_grow(struct tracy_session *s)
{
    uint64_t room = s->waiting_room ? 2 * s->waiting_room : FIRST_WAITING;
    struct tracy_wait *more = recorder_pages(room * sizeof *more);
    if (!more)
        return false;
    if (s->waiting) {
        memcpy(more, s->waiting, s->n_waiting * sizeof *more);
        munmap(s->waiting, s->waiting_room * sizeof *more);
    }
    s->waiting = more;
    s->waiting_room = room;
    return true;
}

static struct tracy_wait take_first(struct tracy_session *s)
{
    struct tracy_wait *h = s->waiting, first = h[0], last = h[--s->n_waiting];
    uint64_t at = 0;
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= s->n_waiting)
            break;
        if (child + 1 < s->n_waiting && is_before(&h[child + 1], &h[child]))
            child++;
        if (!is_before(&h[child], &last))
            break;
        h[at] = h[child];
        at = child;
    }
    h[at] = last;
    return first;
}

void recorder_serial_put(struct tracy_session *s, struct tracy_wait event)
{
    bool is_full = s->n_waiting == WAITING_MOST ||
                   (s->n_waiting == s->waiting_room && !waiting_grow(s));
    if (is_full && s->n_waiting) {
        struct tracy_wait first = take_first(s);
        send_one(s, &first);
    } else if (is_full) {
        return;
    }
    event.order = s->order++;
    uint64_t at = s->n_waiting++;
    for (; at && is_before(&event, &s->waiting[(at - 1) / 2]); at = (at - 1) / 2)
        s->waiting[at] = s->waiting[(at - 1) / 2];
    s->waiting[at] = event;
}

void recorder_serial_send(struct tracy_session *s, int64_t ns)
{
    ns = recorder_held_release(s, ns);
    while (s->n_waiting && s->waiting[0].ns < ns) {
        struct tracy_wait first = take_first(s);
        send_one(s, &first);
    }
}

void recorder_serial_end(struct tracy_session *s)
{
    recorder_serial_send(s, INT64_MAX);
    if (s->n_left_out && s->n_lanes)
        recorder_events_note(s, s->lanes[0].tid, s->lanes[0].last_ns,
                             "ttprof: %llu events of locks with more than 64 threads are "
                             "left out",
                             s->n_left_out);
}

int64_t recorder_serial_until(struct tracy_session *s, uint64_t ticks)
{
    enum { OWN_CLOCK = 1 };
    return ticks == UINT64_MAX ? INT64_MAX : recorder_times_ns(&s->times, OWN_CLOCK, ticks);
}
