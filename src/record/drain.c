// drain.c - the drainer: a thread that visits the rings, packs their events into blocks and
// appends those to the stream. A ring with few events is left alone for a while: its file
// is as safe as the stream, and larger blocks compress better. If the stream cannot be
// written, events stay in their ring while it has room.
//
// If a Tracy server is connected, a round also copies what is new to the sender: see
// tracy/feed.h.
//
// A round is made by the thread, or by whoever needs everything in the stream now; one at a
// time, under `turn`. A round takes no other lock of the recorder, because threads that
// hold one may wait for the round.
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
#include "record/tracy/client.h"
#include "record/tracy/feed.h"

enum round {
    ROUND_FULL, // rings that hold much
    ROUND_ALL,  // all rings
    ROUND_LAST  // same, and overwritten rings: nobody writes any more
};
enum {
    MUCH = 8,        // fraction of a ring worth a block
    HELD_MOST = 64,  // rings of ended threads waiting for the disk
    STACK = 1 << 18, // of the thread
    BUSY_NS = 1000000,
    IDLE_NS = 50000000,
    BEHIND_NS = 20000000, // between rounds over all rings while the sender needs the stream
    RETRY_NS = 200000000,
    FIRST_PAIR_NS = 10000000, // then doubles each time
    SECOND_NS = 1000000000
};

static struct {
    struct recorder_lock turn;
    // under `turn`
    struct block_coder *coder;
    struct recorder_stream stream;
    int error;    // of the last write
    bool is_full; // the run has reached its size limit
    uint64_t retry_ns;
    uint32_t n_held;
    uint64_t ended_events; // of threads whose rings were freed
    uint64_t events, lost; // already added to the control page
    struct recorder_feed_round round;
    bool is_whole; // all that was in the rings was handed on
    // under the lock of start and stop
    bool is_running;
    pthread_t thread;
    // unlocked
    uint32_t is_stopping;
    uint32_t wakes; // counter; the thread sleeps on it
    uint32_t is_asleep;
} drainer;

// --- writing a block ---
static int write_block(const struct packed_block *b)
{
    struct tt_control *control = recorder_control();
    struct tt_table *table = recorder_table();
    uint64_t used = control ? __atomic_load_n(&control->stream_bytes, __ATOMIC_RELAXED) : 0;
    if (control && control->most_bytes && used + b->n > control->most_bytes)
        drainer.is_full = true; // permanent: later events would follow a hole
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
// Releases the words before `to`. The clock comes first: a reader that sees the new tail
// must know the clock of its times.
static void move_tail(struct tt_ring *ring, uint64_t to, uint32_t clock)
{
    __atomic_store_n(&ring->clock, clock, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->tail, to, __ATOMIC_RELEASE);
}

// Drops events before `to`, to make room while the disk accepts nothing.
static void drop_events(struct recorder_thread *t, uint64_t to, uint64_t head)
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
    if (t->fed < at)
        t->fed = at;
}

// The first event still in an overwritten ring, and how many are gone.
static uint64_t oldest_event(const struct tt_ring *ring, uint64_t head, uint64_t *n_gone)
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

// Skips overwritten events, which can no longer reach the stream.
static void pass_over_the_gone(struct tt_ring *ring, uint64_t head)
{
    uint64_t n_gone, from = oldest_event(ring, head, &n_gone);
    if (from <= ring->tail) // part of it is already in the stream
        return;
    __atomic_store_n(&ring->lost[TT_LOSS_OLDEST], n_gone, __ATOMIC_RELAXED);
    ring->tail = from;
}

// Packs words from the tail to `head` into the stream, as far as the disk accepts them.
static bool pack_ring(struct recorder_thread *t, uint64_t head)
{
    struct tt_ring *ring = t->ring;
    while (ring->tail < head) {
        // Only clock 1 is finer than needed.
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
        if (recorder_feed_mode() == FEED_LIVE && t->fed < b.to)
            recorder_feed_fall_behind(recorder_stream_bytes(&drainer.stream));
        drainer.error = write_block(&b);
        if (drainer.error) {
            drainer.retry_ns = recorder_monotonic() + RETRY_NS;
            return false;
        }
        move_tail(ring, b.to, b.clock);
    }
    return true;
}

// After a failed write the ring's events wait for the next try, unless it is nearly full.
static void hold_ring(struct recorder_thread *t, uint64_t head, bool is_ended)
{
    struct tt_ring *ring = t->ring;
    if (is_ended && drainer.n_held++ >= HELD_MOST)
        drop_events(t, head, head);
    else if (head - ring->tail > ring->capacity / 2)
        drop_events(t, head - ring->capacity / 4, head);
}

// A thread that used half of its prefaulted pages is likely to need all of them.
static void make_pages(struct recorder_thread *t, uint64_t head)
{
    if (t->has_pages || head * sizeof *t->words < RECORDER_TOUCHED / 2)
        return;
    t->has_pages = true;
    recorder_touch(t->ring, TT_RING_HEADER + (t->mask + 1) * sizeof *t->words);
}

static void free_ring(struct tt_ring *ring)
{
    drainer.ended_events += ring->events;
    __atomic_store_n(&ring->state, TT_RING_FREE, __ATOMIC_RELEASE);
}

// Without a folder nothing is stored: what the sender has, or nobody wants, is gone.
static void empty_ring(struct recorder_thread *t, uint64_t head)
{
    uint64_t to = recorder_feed_mode() == FEED_OFF ? head : t->fed;
    move_tail(t->ring, to, t->ring->clock);
}

static bool store_ring(struct recorder_thread *t, enum round round, uint64_t head,
                       bool is_ended)
{
    struct tt_ring *ring = t->ring;
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
    bool waits =
        round == ROUND_FULL && drainer.error && recorder_monotonic() < drainer.retry_ns;
    if ((waits || !pack_ring(t, head)) && round == ROUND_FULL)
        hold_ring(t, head, is_ended);
    return had;
}

// True if there was something to do.
static bool drain_ring(struct recorder_thread *t, enum round round)
{
    struct tt_ring *ring = t->ring;
    uint32_t state = __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE);
    if (state == TT_RING_FREE)
        return false;
    uint64_t head = recorder_feed_head(&drainer.round, t), fed = t->fed;
    bool is_ended = state == TT_RING_ENDED, had_work = false;
    recorder_feed_ring(t, head);
    if (recorder_has_folder())
        had_work = store_ring(t, round, head, is_ended);
    else
        empty_ring(t, head);
    bool is_behind = recorder_feed_mode() == FEED_BEHIND;
    drainer.is_whole &= (is_behind ? ring->tail : t->fed) == head;
    had_work |= t->fed != fed;
    if (is_ended && ring->tail == head)
        free_ring(ring); // from here on another thread may have it
    return had_work;
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

// Adds the increase since the last call to a counter shared by all processes.
static void add_increase(uint64_t *counter, uint64_t *told, uint64_t now)
{
    if (now > *told) {
        __atomic_fetch_add(counter, now - *told, __ATOMIC_RELAXED);
        *told = now;
    }
}

static bool drain_round(enum round round)
{
    bool had_work = false;
    recorder_lock(&drainer.turn);
    if (!drainer.coder)
        drainer.coder = recorder_pages(recorder_block_coder_bytes());
    drainer.n_held = 0;
    drainer.is_whole = true;
    recorder_feed_begin(&drainer.round);
    for (struct recorder_thread *t = drainer.coder ? recorder_threads() : NULL; t;
         t = t->next)
        had_work |= drain_ring(t, round);
    struct tt_control *control = recorder_control();
    if (control) {
        add_increase(&control->events, &drainer.events, count_events());
        add_increase(&control->lost, &drainer.lost, recorder_threads_lost());
    }
    recorder_feed_end(
        &drainer.round, drainer.is_whole,
        recorder_feed_mode() == FEED_BEHIND ? recorder_stream_bytes(&drainer.stream) : 0);
    recorder_unlock(&drainer.turn);
    if (had_work)
        recorder_tracy_wake();
    return had_work;
}

void recorder_drain_hold(void)
{
    recorder_lock(&drainer.turn);
}

void recorder_drain_release(void)
{
    recorder_unlock(&drainer.turn);
}

uint64_t recorder_drain_stream_bytes(void)
{
    return recorder_stream_bytes(&drainer.stream);
}

static void sleep_until_woken(uint32_t wakes, uint64_t ns)
{
    struct timespec t = {.tv_nsec = (long)ns};
    __atomic_store_n(&drainer.is_asleep, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&drainer.wakes, __ATOMIC_SEQ_CST) == wakes)
        (void)syscall(SYS_futex, &drainer.wakes, FUTEX_WAIT_PRIVATE, wakes, &t, NULL, 0);
    __atomic_store_n(&drainer.is_asleep, 0, __ATOMIC_RELAXED);
}

// A program may end with its last thread instead of main. Then only this thread is left;
// when it returns, the C library ends the process and runs its handlers here, as it would
// have in that last thread.
static void be_the_last_thread(void)
{
    sigset_t none;
    drainer.is_running = false; // there is no thread to join
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void *drainer_main(void *unused)
{
    uint64_t step_ns = FIRST_PAIR_NS, nap_ns = BUSY_NS;
    uint64_t pair_ns = recorder_monotonic() + step_ns, behind_ns = 0;
    (void)prctl(PR_SET_NAME, "ttprof");
    while (!__atomic_load_n(&drainer.is_stopping, __ATOMIC_ACQUIRE)) {
        uint32_t wakes = __atomic_load_n(&drainer.wakes, __ATOMIC_SEQ_CST);
        uint64_t now = recorder_monotonic();
        bool is_due = now >= pair_ns;
        bool is_wanted = recorder_feed_mode() == FEED_BEHIND && now >= behind_ns;
        bool had_work = drain_round(is_due || is_wanted ? ROUND_ALL : ROUND_FULL);
        if (is_wanted)
            behind_ns = now + BEHIND_NS;
        recorder_window_tick();
        if (is_due) {
            recorder_clock_pair();
            step_ns = step_ns * 2 < SECOND_NS ? step_ns * 2 : SECOND_NS;
            pair_ns = recorder_monotonic() + step_ns;
        }
        if (recorder_process_is_alone(is_due)) {
            (void)drain_round(ROUND_ALL);
            recorder_tracy_stop();
            be_the_last_thread();
            break;
        }
        nap_ns = had_work ? BUSY_NS : nap_ns * 2 < IDLE_NS ? nap_ns * 2 : IDLE_NS;
        sleep_until_woken(wakes, nap_ns);
    }
    return unused;
}

// --- start and end ---
static bool start_thread(const pthread_attr_t *attributes)
{
    return pthread_create(&drainer.thread, attributes, drainer_main, NULL) == 0;
}

bool recorder_drain_start(void)
{
    if (drainer.is_running)
        return true;
    sigset_t all, before;
    pthread_attr_t attributes;
    drainer.is_stopping = 0;
    recorder_lock(&drainer.turn);
    int error = recorder_has_folder() ? recorder_stream_open(&drainer.stream) : 0;
    if (error && recorder_table())
        recorder_table()->stream_error = (uint32_t)error;
    recorder_unlock(&drainer.turn);
    // Block signals: their handlers would run on a small stack, in a thread unknown to the
    // program. Do not inherit the creator's priority and policy either.
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
    (void)drain_round(ROUND_ALL);
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
    (void)drain_round(ROUND_LAST);
    while (recorder_tracy_is_slow()) // without a folder: until the server has taken it
        (void)drain_round(ROUND_LAST);
    recorder_tracy_stop();
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
