// event.h - putting an event into the ring of its thread.
//
//     struct recorder_thread *t = event_open();
//     if (t) {
//         if (event_room(t, 2))
//             event_put_1(t, TT_FRAME_MARK, name);
//         event_close(t);
//     }
//
// Between open and close the thread is busy: a signal handler that records sees this, and
// its event counts as lost. Names are looked up in between, too.
#ifndef TTP_RECORD_EVENT_H
#define TTP_RECORD_EVENT_H

#include "record/record.h"

#pragma GCC visibility push(hidden)
struct recorder_thread *event_open_slow(void);
#pragma GCC visibility pop

static inline bool event_is_ready(const struct recorder_thread *t)
{
    return t->state == __atomic_load_n(&recorder_state, __ATOMIC_RELAXED) &&
           !__atomic_load_n(&t->is_busy, __ATOMIC_RELAXED);
}

static inline void event_close(struct recorder_thread *t)
{
    // A thread waiting for this one must see what it wrote.
    __atomic_store_n(&t->is_busy, 0, __ATOMIC_RELEASE);
}

// False if the state just changed. Whoever changes it makes all processors see each other's
// writes (recorder_threads_wait), so either this thread sees the new state or it is seen to
// be busy; here a compiler barrier is enough.
static inline bool event_busy(struct recorder_thread *t)
{
    __atomic_store_n(&t->is_busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (recorder_likely(t->state == __atomic_load_n(&recorder_state, __ATOMIC_RELAXED)))
        return true;
    event_close(t);
    return false;
}

// NULL if nothing is to be recorded.
static inline struct recorder_thread *event_open(void)
{
    struct recorder_thread *t = recorder_self;
    if (recorder_unlikely(!event_is_ready(t) || !event_busy(t)))
        return event_open_slow();
    return t;
}

// For entries of the table, which are not events: never counted as lost, and a full ring
// does not matter.
static inline struct recorder_thread *event_open_to_tell(void)
{
    struct recorder_thread *t = recorder_self;
    if (__atomic_load_n(&t->is_busy, __ATOMIC_RELAXED))
        return NULL;
    return event_is_ready(t) && event_busy(t) ? t : recorder_thread_enter_to_tell();
}

static inline bool event_room(struct recorder_thread *t, uint64_t words)
{
    return recorder_likely(t->head + t->open + words <= t->limit) ||
           recorder_ring_room(t, words);
}

// Whether there is room up to this position, and the clock is read without a call.
static inline bool event_is_quick(const struct recorder_thread *t, uint64_t to)
{
#if defined(__x86_64__) || defined(__i386__)
    return recorder_likely(to <= t->limit && t->uses_tsc);
#else
    (void)t, (void)to;
    return false;
#endif
}

static inline void event_word(struct recorder_thread *t, uint64_t at, uint64_t word)
{
    t->words[at & t->mask] = word;
}

static inline uint64_t event_first(enum tt_host_event kind, uint64_t time)
{
    return (uint64_t)kind << TT_TIME_BITS | (time & ((UINT64_C(1) << TT_TIME_BITS) - 1));
}

// Publishes the event after all its words: from here on it is recorded, whatever happens.
static inline void event_done(struct recorder_thread *t, uint64_t head)
{
    struct tt_ring *ring = t->ring;
    t->head = head;
    __atomic_store_n(&ring->events, ring->events + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
}

// Counts a lost event. Handlers and the drainer count, too.
static inline void event_lose(struct recorder_thread *t, enum tt_loss why)
{
    __atomic_fetch_add(&t->ring->lost[why], 1, __ATOMIC_RELAXED);
}

static inline void event_put_0(struct recorder_thread *t, enum tt_host_event kind)
{
    uint64_t head = t->head;
    event_word(t, head, event_first(kind, recorder_ticks(t)));
    event_done(t, head + 1);
}

static inline void event_put_1(struct recorder_thread *t, enum tt_host_event kind,
                               uint64_t a)
{
    uint64_t head = t->head;
    event_word(t, head, event_first(kind, recorder_ticks(t)));
    event_word(t, head + 1, a);
    event_done(t, head + 2);
}

#endif
