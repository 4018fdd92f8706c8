// feed.c - see feed.h.
#include "record/tracy/feed.h"

#include <string.h>
#include <sys/mman.h>

#include "record/format/block.h"

enum {
    QUEUE_WORDS = 1 << 20,
    CHUNK_HEAD = 3, // words: thread and clock, position, number of words
    SPINS = 2000,   // an event takes less
    MARKS = 64
};
// Ends of complete rounds in the stream.
struct mark {
    uint64_t stream_bytes, ticks;
};

static struct {
    uint32_t mode;       // atomic; changes under the drainer's turn
    uint64_t head, tail; // atomic; of the queue
    uint64_t *queue;
    uint64_t behind_from; // in the stream
    struct mark marks[MARKS];
    uint32_t n_marks;
    uint32_t marks_word; // lock: marks are read without the turn
} feed;

enum recorder_feed_mode recorder_feed_mode(void)
{
    return (enum recorder_feed_mode)__atomic_load_n(&feed.mode, __ATOMIC_ACQUIRE);
}

static void set_mode(enum recorder_feed_mode mode)
{
    __atomic_store_n(&feed.mode, (uint32_t)mode, __ATOMIC_RELEASE);
}

// --- the queue ---
static uint64_t queue_room(void)
{
    return QUEUE_WORDS - (feed.head - __atomic_load_n(&feed.tail, __ATOMIC_ACQUIRE));
}

static void queue_put(uint64_t at, uint64_t word)
{
    feed.queue[at & (QUEUE_WORDS - 1)] = word;
}

static void queue_put_head(uint32_t thread, uint32_t clock, uint64_t from, uint32_t n)
{
    queue_put(feed.head, (uint64_t)thread << 32 | clock);
    queue_put(feed.head + 1, from);
    queue_put(feed.head + 2, n);
}

static void queue_publish(uint32_t n_words)
{
    __atomic_store_n(&feed.head, feed.head + CHUNK_HEAD + n_words, __ATOMIC_RELEASE);
}

bool recorder_feed_take(struct recorder_chunk *c)
{
    uint64_t at = feed.tail, mask = QUEUE_WORDS - 1;
    if (at == __atomic_load_n(&feed.head, __ATOMIC_ACQUIRE))
        return false;
    uint64_t who = feed.queue[at & mask];
    c->thread = (uint32_t)(who >> 32);
    c->clock = (uint32_t)who;
    c->from = feed.queue[(at + 1) & mask];
    c->n_words = (uint32_t)feed.queue[(at + 2) & mask];
    at += CHUNK_HEAD;
    uint64_t first = QUEUE_WORDS - (at & mask);
    first = first < c->n_words ? first : c->n_words;
    memcpy(c->words, feed.queue + (at & mask), first * sizeof *c->words);
    memcpy(c->words + first, feed.queue, (c->n_words - first) * sizeof *c->words);
    __atomic_store_n(&feed.tail, at + c->n_words, __ATOMIC_RELEASE);
    return true;
}

bool recorder_feed_has_some(void)
{
    enum recorder_feed_mode mode = recorder_feed_mode();
    return mode == FEED_BEHIND ||
           (mode == FEED_LIVE &&
            feed.tail != __atomic_load_n(&feed.head, __ATOMIC_ACQUIRE));
}

// --- one ring ---
// Words of whole events from t->fed on, as many as make one chunk.
static uint32_t chunk_words(const struct recorder_thread *t, uint64_t head)
{
    if (head - t->fed <= FEED_CHUNK_MOST)
        return (uint32_t)(head - t->fed);
    uint64_t at = t->fed;
    while (at - t->fed < FEED_CHUNK_MOST - TT_EVENT_WORDS_MOST) {
        uint32_t n = block_event_words(t->words, t->mask, at, head);
        at += n ? n : 1;
    }
    return (uint32_t)(at - t->fed);
}

// Whether a ring whose oldest events are overwritten still had the words that were copied.
static bool was_overwritten(const struct recorder_thread *t)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint64_t now = __atomic_load_n(&t->ring->head, __ATOMIC_ACQUIRE);
    return t->ring->policy == TT_DROP_OLDEST &&
           now + TT_EVENT_WORDS_MOST - t->fed > t->mask + 1;
}

void recorder_feed_ring(struct recorder_thread *t, uint64_t head)
{
    if (recorder_feed_mode() != FEED_LIVE)
        return;
    if (was_overwritten(t))
        t->fed = head;
    while (t->fed < head) {
        uint32_t n = chunk_words(t, head);
        if (queue_room() < n + CHUNK_HEAD)
            return;
        queue_put_head(t->ring->thread, t->fed_clock, t->fed, n);
        for (uint32_t i = 0; i < n; i++)
            queue_put(feed.head + CHUNK_HEAD + i, t->words[(t->fed + i) & t->mask]);
        if (was_overwritten(t)) {
            t->fed = head; // the sender sees the gap
            return;
        }
        queue_publish(n);
        t->fed += n;
    }
}

void recorder_feed_thread_starts(struct recorder_thread *t)
{
    t->fed = t->head;
    t->fed_clock = t->clock;
    t->complete = 0;
}

// --- rounds ---
void recorder_feed_begin(struct recorder_feed_round *r)
{
    r->ticks = recorder_clock_complete();
    r->complete = UINT64_MAX;
}

// An event reads the clock before it is published. So a thread that is inside an event now
// may yet publish one from before the round, unless it is seen to leave that event.
uint64_t recorder_feed_head(struct recorder_feed_round *r, struct recorder_thread *t)
{
    uint64_t head = __atomic_load_n(&t->ring->head, __ATOMIC_ACQUIRE), now = head;
    if (recorder_feed_mode() == FEED_OFF)
        return head;
    bool is_busy = __atomic_load_n(&t->is_busy, __ATOMIC_ACQUIRE);
    for (int i = 0; i < SPINS && is_busy && now == head; i++) {
        is_busy = __atomic_load_n(&t->is_busy, __ATOMIC_ACQUIRE);
        now = __atomic_load_n(&t->ring->head, __ATOMIC_ACQUIRE);
    }
    now = __atomic_load_n(&t->ring->head, __ATOMIC_ACQUIRE);
    if (!is_busy || now != head)
        t->complete = r->ticks;
    if (t->complete < r->complete)
        r->complete = t->complete;
    return now;
}

static void mark_lock(void)
{
    while (__atomic_exchange_n(&feed.marks_word, 1, __ATOMIC_ACQUIRE))
        ;
}

static void mark_unlock(void)
{
    __atomic_store_n(&feed.marks_word, 0, __ATOMIC_RELEASE);
}

// If the sender is far behind, the newest mark replaces the one before it.
static void mark_add(uint64_t stream_bytes, uint64_t ticks)
{
    mark_lock();
    if (feed.n_marks == MARKS)
        feed.n_marks--;
    feed.marks[feed.n_marks++] = (struct mark){stream_bytes, ticks};
    mark_unlock();
}

void recorder_feed_end(const struct recorder_feed_round *r, bool is_whole,
                       uint64_t stream_bytes)
{
    enum recorder_feed_mode mode = recorder_feed_mode();
    if (!is_whole || !r->complete)
        return;
    if (mode == FEED_BEHIND)
        mark_add(stream_bytes, r->complete);
    if (mode == FEED_LIVE && queue_room() >= CHUNK_HEAD) {
        queue_put_head(0, 0, r->complete, 0);
        queue_publish(0);
    }
}

uint64_t recorder_feed_complete(uint64_t stream_bytes)
{
    uint64_t ticks = 0;
    uint32_t n = 0;
    mark_lock();
    while (n < feed.n_marks && feed.marks[n].stream_bytes <= stream_bytes)
        ticks = feed.marks[n++].ticks;
    feed.n_marks -= n;
    memmove(feed.marks, feed.marks + n, feed.n_marks * sizeof *feed.marks);
    mark_unlock();
    return ticks;
}

// --- modes ---
void recorder_feed_fall_behind(uint64_t stream_bytes)
{
    feed.behind_from = stream_bytes;
    feed.n_marks = 0;
    set_mode(FEED_BEHIND);
}

uint64_t recorder_feed_stream_start(void)
{
    return feed.behind_from;
}

// A ring that is free now sets its own position when a thread takes it.
static bool is_used(const struct recorder_thread *t)
{
    return __atomic_load_n(&t->ring->state, __ATOMIC_ACQUIRE) != TT_RING_FREE;
}

bool recorder_feed_start(void)
{
    if (!feed.queue)
        feed.queue = recorder_pages(QUEUE_WORDS * sizeof *feed.queue);
    if (!feed.queue)
        return false;
    feed.head = feed.tail = 0;
    for (struct recorder_thread *t = recorder_threads(); t; t = t->next)
        if (is_used(t)) {
            t->fed = __atomic_load_n(&t->ring->head, __ATOMIC_ACQUIRE);
            t->fed_clock = t->clock;
        }
    set_mode(FEED_LIVE);
    return true;
}

void recorder_feed_stop(void)
{
    set_mode(FEED_OFF);
    if (feed.queue)
        munmap(feed.queue, QUEUE_WORDS * sizeof *feed.queue);
    feed.queue = NULL;
}

void recorder_feed_fork_child(void)
{
    feed.marks_word = 0;
    recorder_feed_stop();
}

void recorder_feed_resume(void)
{
    for (struct recorder_thread *t = recorder_threads(); t; t = t->next)
        if (is_used(t) && t->fed < t->ring->tail)
            t->fed = t->ring->tail;
    set_mode(FEED_LIVE);
}
