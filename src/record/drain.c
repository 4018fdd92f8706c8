// drain.c - the drainer: a thread that goes round the rings, packs what is in them into
// blocks and appends those to the stream. A ring that holds little is left alone for a
// while: its file is as safe as the stream, and large blocks are short. When the stream
// cannot be written, events stay in their ring as long as it has room.
//
// Rounds are made by the thread and by whoever wants everything in the stream now; one at a
// time, under `turn`. In a round no other lock of the recorder is taken: threads that hold
// one may wait for the round.
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/format/block.h"
#include "record/record.h"
#include "record/stream.h"

enum round {
    ROUND_FULL, // rings that hold much
    ROUND_ALL,  // whatever they hold
    ROUND_LAST  // the same, and rings that are overwritten: nobody writes any more
};
enum {
    MUCH = 8,        // part of a ring that is worth a block
    HELD_MOST = 64,  // rings of ended threads that wait for the disk
    STACK = 1 << 18, // of the thread
    BUSY_NS = 1000000,
    IDLE_NS = 50000000,
    RETRY_NS = 200000000,
    FIRST_PAIR_NS = 10000000, // from there on twice as long each time
    SECOND_NS = 1000000000
};

static struct {
    struct recorder_lock turn;
    // under `turn`
    struct block_coder *coder;
    struct recorder_stream stream;
    int error;    // of the last write
    bool is_full; // the run has all the bytes that it may have
    uint64_t retry_ns;
    uint32_t n_held;
    uint64_t ended_events; // of threads whose rings are free again
    uint64_t events, lost; // that the control page knows of
    // under the lock of who starts and stops
    bool is_running;
    pthread_t thread;
    // anybody's
    uint32_t is_stopping;
    uint32_t wakes; // counts; the thread sleeps on it
    uint32_t is_asleep;
} drainer;

// --- writing a block ---
static int write_block(const struct packed_block *b)
{
    struct tt_control *control = recorder_control();
    struct tt_table *table = recorder_table();
    uint64_t used = control ? __atomic_load_n(&control->stream_bytes, __ATOMIC_RELAXED) : 0;
    if (control && control->most_bytes && used + b->n > control->most_bytes)
        drainer.is_full = true; // for good: what comes later would stand behind a hole
    int error =
        drainer.is_full ? EFBIG : recorder_stream_write(&drainer.stream, b->bytes, b->n);
    if (error) {
        if (table && !table->stream_error)
            table->stream_error = (uint32_t)error;
        return error;
    }
    if (table)
        table->stream_bytes += b->n;
    if (control)
        __atomic_fetch_add(&control->stream_bytes, b->n, __ATOMIC_RELAXED);
    return 0;
}

// --- one ring ---
// The words before `to` are done with. The clock first: a reader that finds the new tail
// knows what its times are.
static void move_tail(struct tt_ring *ring, uint64_t to, uint32_t clock)
{
    __atomic_store_n(&ring->clock, clock, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->tail, to, __ATOMIC_RELEASE);
}

// Makes room in a ring that fills up while the disk takes nothing: events before `to` go.
static void drop(struct recorder_thread *t, uint64_t to, uint64_t head)
{
    struct tt_ring *ring = t->ring;
    uint64_t at = ring->tail, n_lost = 0;
    uint32_t clock = ring->clock;
    for (; at < to; n_lost++) {
        uint32_t n = block_event_words(t->words, t->mask, at, head);
        if (n && t->words[at & t->mask] >> TT_TIME_BITS == TT_CLOCK)
            clock = (uint32_t)t->words[(at + 1) & t->mask];
        at += n ? n : 1;
    }
    __atomic_fetch_add(&ring->lost[TT_LOSS_DISK], n_lost, __ATOMIC_RELAXED);
    move_tail(ring, at, clock);
}

// Where the events begin that are still in a ring which is overwritten, and how many are
// gone.
static uint64_t oldest(const struct tt_ring *ring, uint64_t head, uint64_t *n_gone)
{
    uint64_t from = head;
    *n_gone = 0;
    if (head - ring->first <= ring->capacity)
        return ring->first;
    for (int i = 0; i < TT_RING_SEGMENTS; i++) {
        uint64_t at = ring->segments[i].position;
        if (at + ring->capacity >= head && at < from && at >= ring->first) {
            from = at;
            *n_gone = ring->segments[i].events;
        }
    }
    return from;
}

// What was overwritten is neither in the ring nor, by now, to come.
static void pass_over_the_gone(struct tt_ring *ring, uint64_t head)
{
    uint64_t n_gone, from = oldest(ring, head, &n_gone);
    if (from <= ring->tail) // a part of it is in the stream already
        return;
    __atomic_store_n(&ring->lost[TT_LOSS_OLDEST], n_gone, __ATOMIC_RELAXED);
    ring->tail = from;
}

// Words from the tail to `head` into the stream, as far as the disk takes them.
static bool pack_ring(struct recorder_thread *t, uint64_t head)
{
    struct tt_ring *ring = t->ring;
    while (ring->tail < head) {
        // Only the process's own clock has steps that are finer than needed.
        bool is_own = ring->clock == 1;
        struct block_source source = {
            .words = t->words,
            .mask = t->mask,
            .from = ring->tail,
            .to = head,
            .thread = ring->thread,
            .clock = ring->clock,
            .shift = is_own ? recorder_clock_shift() : 0,
            .lost = recorder_ring_lost(ring) + ring->lost[TT_LOSS_OLDEST],
        };
        struct packed_block b = recorder_block_pack(drainer.coder, &source);
        drainer.error = write_block(&b);
        if (drainer.error) {
            drainer.retry_ns = recorder_monotonic() + RETRY_NS;
            return false;
        }
        move_tail(ring, b.to, b.clock);
    }
    return true;
}

// After a write that failed the ring's events wait for the next try, unless it gets full.
static bool hold(struct recorder_thread *t, uint64_t head, bool is_ended)
{
    struct tt_ring *ring = t->ring;
    if (is_ended && drainer.n_held++ >= HELD_MOST)
        drop(t, head, head);
    else if (head - ring->tail > ring->capacity / 2)
        drop(t, head - ring->capacity / 4, head);
    return ring->tail == head;
}

// A thread that has used half of the pages it was given is likely to need them all.
static void make_pages(struct recorder_thread *t, uint64_t head)
{
    if (t->has_pages || head * sizeof *t->words < RECORDER_TOUCHED / 2)
        return;
    t->has_pages = true;
    recorder_touch(t->ring, TT_RING_HEADER + (t->mask + 1) * sizeof *t->words);
}

// True: there was something to do.
static bool drain_ring(struct recorder_thread *t, enum round round)
{
    struct tt_ring *ring = t->ring;
    uint32_t state = __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE);
    uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    bool is_ended = state == TT_RING_ENDED;
    if (state == TT_RING_FREE)
        return false;
    if (round == ROUND_FULL)
        make_pages(t, head);
    if (ring->policy == TT_DROP_OLDEST) {
        if (!is_ended && round != ROUND_LAST)
            return false;
        pass_over_the_gone(ring, head);
    }
    if (!is_ended && round == ROUND_FULL && head - ring->tail < ring->capacity / MUCH)
        return false;
    bool had = head != ring->tail;
    bool is_empty;
    if (round == ROUND_FULL && drainer.error && recorder_monotonic() < drainer.retry_ns)
        is_empty = hold(t, head, is_ended);
    else
        is_empty = pack_ring(t, head) || (round == ROUND_FULL && hold(t, head, is_ended));
    if (is_ended && is_empty) {
        drainer.ended_events += ring->events;
        __atomic_store_n(&ring->state, TT_RING_FREE, __ATOMIC_RELEASE);
    }
    return had;
}

// --- rounds ---
static uint64_t count_events(void)
{
    uint64_t n = drainer.ended_events;
    for (struct recorder_thread *t = recorder_threads(); t; t = t->next)
        if (__atomic_load_n(&t->ring->state, __ATOMIC_ACQUIRE) != TT_RING_FREE)
            n += __atomic_load_n(&t->ring->events, __ATOMIC_RELAXED);
    return n;
}

// Adds to a counter of all processes what is new since the last time.
static void tell(uint64_t *counter, uint64_t *told, uint64_t now)
{
    if (now > *told) {
        __atomic_fetch_add(counter, now - *told, __ATOMIC_RELAXED);
        *told = now;
    }
}

static bool go_round(enum round round)
{
    bool had_work = false;
    recorder_lock(&drainer.turn);
    if (!drainer.coder)
        drainer.coder = recorder_pages(recorder_block_coder_bytes());
    drainer.n_held = 0;
    for (struct recorder_thread *t = drainer.coder ? recorder_threads() : NULL; t;
         t = t->next)
        had_work |= drain_ring(t, round);
    struct tt_control *control = recorder_control();
    if (control) {
        tell(&control->events, &drainer.events, count_events());
        tell(&control->lost, &drainer.lost, recorder_threads_lost());
    }
    recorder_unlock(&drainer.turn);
    return had_work;
}

static void nap(uint32_t wakes, uint64_t ns)
{
    struct timespec t = {.tv_nsec = (long)ns};
    __atomic_store_n(&drainer.is_asleep, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&drainer.wakes, __ATOMIC_SEQ_CST) == wakes)
        (void)syscall(SYS_futex, &drainer.wakes, FUTEX_WAIT_PRIVATE, wakes, &t, NULL, 0);
    __atomic_store_n(&drainer.is_asleep, 0, __ATOMIC_RELAXED);
}

// A program may end with its last thread instead of with main. Then this one is left; when
// it returns the C library ends the process, whose handlers run here, as they would have in
// that last thread.
static void be_the_last_thread(void)
{
    sigset_t none;
    drainer.is_running = false; // there is nobody to wait for
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void *drain(void *unused)
{
    uint64_t step_ns = FIRST_PAIR_NS, nap_ns = BUSY_NS;
    uint64_t pair_ns = recorder_monotonic() + step_ns;
    (void)prctl(PR_SET_NAME, "ttprof");
    while (!__atomic_load_n(&drainer.is_stopping, __ATOMIC_ACQUIRE)) {
        uint32_t wakes = __atomic_load_n(&drainer.wakes, __ATOMIC_SEQ_CST);
        bool is_due = recorder_monotonic() >= pair_ns;
        bool had_work = go_round(is_due ? ROUND_ALL : ROUND_FULL);
        recorder_window_tick();
        if (is_due) {
            recorder_clock_pair();
            step_ns = step_ns * 2 < SECOND_NS ? step_ns * 2 : SECOND_NS;
            pair_ns = recorder_monotonic() + step_ns;
        }
        if (recorder_process_is_alone(is_due)) {
            be_the_last_thread();
            break;
        }
        nap_ns = had_work ? BUSY_NS : nap_ns * 2 < IDLE_NS ? nap_ns * 2 : IDLE_NS;
        nap(wakes, nap_ns);
    }
    return unused;
}

// --- start and end ---
static bool start_thread(const pthread_attr_t *attributes)
{
    return pthread_create(&drainer.thread, attributes, drain, NULL) == 0;
}

bool recorder_drain_start(void)
{
    if (drainer.is_running)
        return true;
    sigset_t all, before;
    pthread_attr_t attributes;
    drainer.is_stopping = 0;
    recorder_lock(&drainer.turn);
    int error = recorder_stream_open(&drainer.stream);
    if (error && recorder_table())
        recorder_table()->stream_error = (uint32_t)error;
    recorder_unlock(&drainer.turn);
    // Its signals would be handled on a small stack, and by a thread the program does not
    // know. Of its creator it also takes over neither priority nor policy.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    drainer.is_running = start_thread(&attributes) || start_thread(NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return drainer.is_running;
}

void recorder_drain_now(void)
{
    (void)go_round(ROUND_ALL);
}

static void session_reset(void)
{
    drainer.error = 0;
    drainer.is_full = false;
    drainer.ended_events = drainer.events = drainer.lost = 0;
}

void recorder_drain_stop(void)
{
    if (drainer.is_running) {
        __atomic_store_n(&drainer.is_stopping, 1, __ATOMIC_RELEASE);
        recorder_drain_wake();
        pthread_join(drainer.thread, NULL);
        drainer.is_running = false;
    }
    (void)go_round(ROUND_LAST);
    recorder_lock(&drainer.turn);
    recorder_stream_close(&drainer.stream);
    session_reset();
    recorder_unlock(&drainer.turn);
}

void recorder_drain_after_fork(void)
{
    recorder_stream_close(&drainer.stream); // the parent's
    drainer.turn.word = 0;
    drainer.is_running = false;
    drainer.is_stopping = drainer.is_asleep = 0;
    session_reset();
}

void recorder_drain_wake(void)
{
    __atomic_fetch_add(&drainer.wakes, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&drainer.is_asleep, __ATOMIC_SEQ_CST))
        (void)syscall(SYS_futex, &drainer.wakes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
