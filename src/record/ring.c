// ring.c - a thread's ring: creation, reuse, end, and what happens when it is full.
//
// A ring belongs to one thread at a time. When that thread ends, the drainer empties the
// ring and frees it for the next one. Rings are not inherited by forked children, and their
// threads' memory is zeroed there: a child can never write into its parent's files.
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/event.h"
#include "record/record.h"
#include "record/tracy/feed.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum {
    RING_LEAST = 1 << 16,
    RING_MOST = 1 << 30,
    ARENA = 1 << 16,  // bytes of threads allocated together
    RETRY = 4096,     // events until a thread without a ring tries again
    WAKE_PART = 8,    // fraction of a ring between two checks of its fill level
    BLOCK_NS = 50000, // between two checks of a full ring
    WAIT_NS = 20000,  // between two checks of a thread inside an event
    WAIT_MOST_NS = 200000000
};

static struct recorder_thread nobody = {.state = UINT32_MAX};
__thread struct recorder_thread *recorder_self = &nobody;
static __thread bool is_entering;       // functions called while entering may record
static __thread uint32_t refused_state; // in which this thread got no ring
static __thread uint32_t n_refused;
static __thread uint32_t name; // of this thread, a string; outlives its ring

static struct recorder_thread *threads; // atomic
static char *arena;
static size_t arena_left;
static uint32_t n_rings, n_threads; // in this session
static uint64_t lost_before;        // of threads whose rings were reused
static pthread_key_t end_key;
static bool has_end_key;

struct recorder_thread *recorder_threads(void)
{
    return __atomic_load_n(&threads, __ATOMIC_ACQUIRE);
}

// --- creation ---
static struct recorder_thread *thread_make(void)
{
    if (arena_left < sizeof(struct recorder_thread)) {
        char *pages = recorder_pages(ARENA);
        if (!pages)
            return NULL;
        madvise(pages, ARENA, MADV_WIPEONFORK);
        arena = pages;
        arena_left = ARENA;
    }
    struct recorder_thread *t = (void *)arena;
    arena += sizeof *t;
    arena_left -= sizeof *t;
    return t;
}

static uint64_t ring_bytes(const struct tt_control *c)
{
    uint64_t bytes = RING_LEAST;
    while (bytes < c->ring_bytes && bytes < RING_MOST)
        bytes *= 2;
    return bytes;
}

static void ring_suffix(uint32_t number, char *out, size_t n)
{
    snprintf(out, n, "%u.ring", number);
}

// Without a folder the pages are those of no file, and cleared one by one as a thread first
// writes to them, which is most of what a zone costs then. All at once they are cheap; only
// threads that a server watches have such rings.
static void give_pages(struct recorder_thread *t)
{
    if (recorder_has_folder())
        return;
    recorder_touch(t->ring, TT_RING_HEADER + (t->mask + 1) * sizeof *t->words);
    t->has_pages = true;
}

static struct recorder_thread *ring_make(const struct tt_control *c)
{
    char suffix[24];
    uint64_t bytes = ring_bytes(c);
    struct recorder_thread *t = thread_make();
    if (!t)
        return NULL;
    ring_suffix(n_rings + 1, suffix, sizeof suffix);
    struct tt_ring *ring = recorder_map_file(suffix, NULL, TT_RING_HEADER + bytes);
    if (!ring) {
        arena -= sizeof *t;
        arena_left += sizeof *t;
        return NULL;
    }
    madvise(ring, TT_RING_HEADER + bytes, MADV_DONTFORK);
    ring->version = TT_RECORDING_VERSION;
    ring->number = ++n_rings;
    ring->capacity = bytes / sizeof *t->words;
    ring->policy = c->policy;
    __atomic_store_n(&ring->magic, TT_RING_MAGIC, __ATOMIC_RELEASE);
    t->ring = ring;
    t->words = (uint64_t *)(void *)((char *)ring + TT_RING_HEADER);
    t->mask = ring->capacity - 1;
    give_pages(t);
    t->next = threads;
    __atomic_store_n(&threads, t, __ATOMIC_RELEASE);
    return t;
}

// --- reuse ---
uint64_t recorder_ring_lost(const struct tt_ring *ring)
{
    uint64_t lost = 0;
    for (int i = 0; i < TT_LOSSES; i++)
        if (i != TT_LOSS_OLDEST) // losing the oldest is what the user chose
            lost += __atomic_load_n(&ring->lost[i], __ATOMIC_RELAXED);
    return lost;
}

// Saves to the table what only the ring knew about its thread.
static void thread_tell(struct recorder_thread *t)
{
    struct tt_ring *ring = t->ring;
    if (!ring->thread)
        return;
    struct tt_thread_end end = {
        .thread = ring->thread, .end_ns = t->end_ns, .events = ring->events};
    uint64_t lost = 0;
    for (int i = 0; i < TT_LOSSES; i++) {
        end.lost[i] = __atomic_load_n(&ring->lost[i], __ATOMIC_RELAXED);
        lost += i == TT_LOSS_OLDEST ? 0 : end.lost[i];
    }
    // Clear it in the ring only after the table has it: the process may be killed in
    // between.
    recorder_table_put_locked(TT_ENTRY_THREAD_END, &end, sizeof end);
    for (int i = 0; i < TT_LOSSES; i++)
        __atomic_fetch_sub(&ring->lost[i], end.lost[i], __ATOMIC_RELAXED);
    __atomic_fetch_add(&lost_before, lost, __ATOMIC_RELAXED);
    if (ring->head == ring->tail) // else somebody will read it
        ring->thread = 0;
}

static struct recorder_thread *ring_find_free(void)
{
    for (struct recorder_thread *t = threads; t; t = t->next)
        if (__atomic_load_n(&t->ring->state, __ATOMIC_ACQUIRE) == TT_RING_FREE) {
            thread_tell(t);
            return t;
        }
    return NULL;
}

static void name_put(uint32_t thread)
{
    uint32_t fields[2] = {thread, name};
    recorder_table_put_locked(TT_ENTRY_THREAD_NAME, fields, sizeof fields);
}

// A thread has the name the program gave it, else the system's; unnamed threads have the
// name of the process.
static void thread_name_find(uint32_t thread, uint32_t tid)
{
    char own[16] = "", first[16] = "";
    size_t n = 0;
    if (!name && tid != (uint32_t)getpid() && prctl(PR_GET_NAME, own) == 0 &&
        (n = recorder_read_file("/proc/self/comm", first, sizeof first - 1)) > 0) {
        first[n - (first[n - 1] == '\n')] = 0;
        if (strncmp(own, first, sizeof own - 1) != 0)
            name = recorder_string_locked(own, strnlen(own, sizeof own));
    }
    if (name)
        name_put(thread);
}

static void thread_take(struct recorder_thread *t)
{
    struct tt_ring *ring = t->ring;
    struct tt_thread entry = {++n_threads, (uint32_t)syscall(SYS_gettid),
                              recorder_monotonic()};
    recorder_table_put_locked(TT_ENTRY_THREAD, &entry, sizeof entry);
    thread_name_find(entry.thread, entry.tid);
    __atomic_fetch_add(&recorder_control()->threads, 1, __ATOMIC_RELAXED);
    recorder_clock_enter(t);
    t->session = recorder_session();
    t->serial = ring->thread = entry.thread;
    t->head = ring->first = ring->head;
    t->limit = t->open = t->missing = t->end_ns = 0;
    recorder_feed_thread_starts(t);
    ring->events = 0;
    __atomic_store_n(&ring->tail, ring->head, __ATOMIC_RELAXED);
    ring->clock = t->clock;
    __atomic_store_n(&ring->state, TT_RING_USED, __ATOMIC_RELEASE);
    recorder_self = t;
    if (has_end_key)
        pthread_setspecific(end_key, t);
}

static void thread_end(void *value)
{
    struct recorder_thread *t = value;
    if (recorder_self != t || is_entering)
        return;
    if (syscall(SYS_gettid) == getpid())
        recorder_process_main_ended();
    recorder_lock(&recorder_short);
    recorder_self = &nobody;
    event_close(t); // it may have been cancelled inside an event
    if (t->session == recorder_session() && recorder_table()) {
        t->state = 0;
        t->end_ns = recorder_monotonic();
        __atomic_store_n(&t->ring->state, TT_RING_ENDED, __ATOMIC_RELEASE);
    }
    recorder_unlock(&recorder_short);
    recorder_drain_wake();
}

void recorder_ring_start(void)
{
    if (!has_end_key)
        has_end_key = pthread_key_create(&end_key, thread_end) == 0;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

// --- entering ---
// The drainer looks at it, too.
static void become_busy(struct recorder_thread *t)
{
    __atomic_store_n(&t->is_busy, 1, __ATOMIC_RELAXED);
}

// Call under the lock, so that the state does not change.
static struct recorder_thread *enter_locked(bool is_telling, bool *has_new_clock)
{
    uint32_t state = recorder_state;
    if (!state || !recorder_process_open())
        return NULL;
    struct recorder_thread *t = recorder_self;
    if (t == &nobody || t->session != recorder_session() || !t->ring) {
        t = ring_find_free();
        if (!t)
            t = ring_make(recorder_control());
        if (!t) {
            if (!recorder_table()->ring_error)
                recorder_table()->ring_error = (uint32_t)errno;
            refused_state = state;
            __atomic_fetch_add(&recorder_table()->lost, 1, __ATOMIC_RELAXED);
            return NULL;
        }
        thread_take(t);
    } else if (t->clock != recorder_clock()) {
        become_busy(t); // no handler's event may precede the clock's: see put_clock
        if (is_telling) // table entries need no clock; the next event writes it
            return t;
        recorder_clock_enter(t);
        *has_new_clock = true;
    }
    if (is_telling)
        become_busy(t);
    t->state = state;
    return t;
}

// Not counted among the thread's events.
static void put_clock_word(struct recorder_thread *t)
{
    event_word(t, t->head, event_first(TT_CLOCK, recorder_ticks(t)));
    event_word(t, t->head + 1, t->clock);
    t->head += 2;
    __atomic_store_n(&t->ring->head, t->head, __ATOMIC_RELEASE);
}

// An event without its clock would have a wrong time: if there is no room for both, neither
// is recorded, and the next event tries again. Lost events are reported after it, since
// their time uses the new clock, too.
static bool put_clock(struct recorder_thread *t)
{
    uint64_t missing = t->missing, step = missing ? t->ring->capacity / WAKE_PART : 0;
    t->missing = 0;
    bool has_room = event_room(t, 2 + step);
    if (has_room)
        put_clock_word(t);
    else
        t->state = t->clock = 0;
    t->missing += missing;
    if (missing)
        t->limit = 0;
    event_close(t);
    return has_room;
}

static bool is_refused(void)
{
    struct tt_table *table = recorder_table();
    uint32_t state = __atomic_load_n(&recorder_state, __ATOMIC_RELAXED);
    return table && refused_state == state && ++n_refused % RETRY != 0;
}

static void lose_without_ring(void)
{
    struct tt_table *table = recorder_table();
    if (table)
        __atomic_fetch_add(&table->lost, 1, __ATOMIC_RELAXED);
}

static struct recorder_thread *thread_enter(bool is_telling)
{
    if (!__atomic_load_n(&recorder_state, __ATOMIC_ACQUIRE))
        return NULL;
    if (is_entering || is_refused()) {
        if (!is_telling)
            lose_without_ring();
        return NULL;
    }
    is_entering = true;
    bool has_new_clock = false;
    recorder_process_check();
    recorder_lock(&recorder_short);
    while (recorder_clock_is_changing()) {
        recorder_unlock(&recorder_short);
        recorder_clock_wait();
        recorder_lock(&recorder_short);
    }
    struct recorder_thread *t = enter_locked(is_telling, &has_new_clock);
    recorder_unlock(&recorder_short);
    is_entering = false;
    return t && has_new_clock && !put_clock(t) ? NULL : t;
}

struct recorder_thread *recorder_thread_enter(void)
{
    return thread_enter(false);
}

struct recorder_thread *recorder_thread_enter_to_tell(void)
{
    return thread_enter(true);
}

void ttprof_thread_name_put(const char *text)
{
    struct recorder_thread *t = text ? event_open_to_tell() : NULL;
    if (!t)
        return;
    recorder_lock(&recorder_short);
    name = recorder_string_locked(text, strlen(text));
    name_put(t->serial);
    recorder_unlock(&recorder_short);
    event_close(t);
}

// --- room ---
static void put_lost(struct recorder_thread *t)
{
    event_put_1(t, TT_LOST, t->missing);
    t->missing = 0;
}

// Overwriting: there is always room. Notes where each segment begins as it is passed.
static bool room_over_the_oldest(struct recorder_thread *t)
{
    struct tt_ring *ring = t->ring;
    uint64_t words = ring->capacity / TT_RING_SEGMENTS;
    if (t->head < t->limit)
        return true; // an event that crosses into the next segment; the next one notes it
    uint64_t segment = t->head / words, position = t->head;
    t->limit = (segment + 1) * words;
    t->open = 0;
    put_clock_word(t);
    // Invalidate first, so nobody pairs the new count with the old position.
    uint64_t *noted = &ring->segments[segment % TT_RING_SEGMENTS].position;
    (void)__atomic_exchange_n(noted, UINT64_MAX, __ATOMIC_SEQ_CST);
    ring->segments[segment % TT_RING_SEGMENTS].events = ring->events;
    __atomic_store_n(noted, position, __ATOMIC_RELEASE);
    return true;
}

// Waits for room, even while a clock change waits for this thread. False if the recorder
// was stopped meanwhile.
static bool wait_for_room(struct recorder_thread *t)
{
    static const struct timespec moment = {.tv_nsec = BLOCK_NS};
    if (!recorder_process_has_drainer())
        recorder_drain_now();
    else {
        recorder_drain_wake();
        nanosleep(&moment, NULL);
    }
    return __atomic_load_n(&recorder_state, __ATOMIC_RELAXED) &&
           t->session == recorder_session();
}

static uint64_t ring_free(const struct recorder_thread *t)
{
    const struct tt_ring *ring = t->ring;
    return ring->capacity - (t->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE));
}

// Zones ended by other threads (fibers do that) never return their word.
static void check_open(struct recorder_thread *t)
{
    uint64_t most = t->ring->capacity / WAKE_PART;
    t->open = t->open < most ? t->open : most;
}

// Free words, after the policy has done what it can to make this many.
static uint64_t ring_free_for(struct recorder_thread *t, uint64_t words)
{
    int error = errno, cancellation;
    uint64_t free = ring_free(t);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    while (free < words && t->ring->policy == TT_BLOCK && wait_for_room(t))
        free = ring_free(t);
    if (free < t->ring->capacity / 2)
        recorder_drain_wake();
    pthread_setcancelstate(cancellation, NULL);
    errno = error;
    return free;
}

bool recorder_ring_room(struct recorder_thread *t, uint64_t words)
{
    struct tt_ring *ring = t->ring;
    if (ring->policy == TT_DROP_OLDEST)
        return room_over_the_oldest(t);
    check_open(t);
    uint64_t step = ring->capacity / WAKE_PART, free = ring_free_for(t, words + t->open);
    // After a loss, recording resumes only when there is room for several events.
    if (free < words + t->open + (t->missing ? step : 0)) {
        event_lose(t, TT_LOSS_FULL);
        t->missing++;
        t->limit = 0;
        return false;
    }
    if (t->missing) {
        put_lost(t);
        free -= 2;
    }
    t->limit = t->head + (free < step + t->open ? free : step + t->open);
    return true;
}

// --- end of a session ---
bool recorder_threads_wait(void)
{
    static const struct timespec moment = {.tv_nsec = WAIT_NS};
    // Now each thread has seen the new state, or is seen to be busy here.
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        nanosleep(&moment, NULL);
    uint64_t start = recorder_monotonic();
    bool is_handler = __atomic_load_n(&recorder_self->is_busy, __ATOMIC_RELAXED);
    for (struct recorder_thread *t = recorder_threads(); t; t = t->next)
        while (t != recorder_self && __atomic_load_n(&t->is_busy, __ATOMIC_ACQUIRE)) {
            if (recorder_monotonic() - start > WAIT_MOST_NS)
                return false;
            nanosleep(&moment, NULL);
        }
    return !is_handler; // the interrupted event is finished later
}

void recorder_threads_end(bool may_unmap)
{
    char suffix[24];
    for (struct recorder_thread *t = threads; t; t = t->next) {
        struct tt_ring *ring = t->ring;
        bool is_empty = ring->head == __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
        thread_tell(t);
        ring_suffix(ring->number, suffix, sizeof suffix);
        if (is_empty)
            recorder_file_remove(suffix);
        if (may_unmap)
            munmap(ring, TT_RING_HEADER + ring->capacity * sizeof *t->words);
    }
    recorder_threads_forget();
}

void recorder_threads_forget(void)
{
    __atomic_store_n(&threads, NULL, __ATOMIC_RELEASE);
    n_rings = n_threads = 0;
    __atomic_store_n(&lost_before, 0, __ATOMIC_RELAXED);
}

uint64_t recorder_threads_lost(void)
{
    const struct tt_table *table = recorder_table();
    uint64_t lost = __atomic_load_n(&lost_before, __ATOMIC_RELAXED);
    for (struct recorder_thread *t = recorder_threads(); t; t = t->next)
        lost += recorder_ring_lost(t->ring);
    return lost + (table ? __atomic_load_n(&table->lost, __ATOMIC_RELAXED) : 0);
}

// --- fork ---
// A handler may fork in the middle of an event. The child returns to that event and needs
// memory to finish it in.
static struct recorder_thread interrupted;

static size_t interrupted_bytes(void)
{
    return TT_RING_HEADER + (interrupted.mask + 1) * sizeof *interrupted.words;
}

void recorder_fork_begin(void)
{
    interrupted.ring = NULL;
    if (!recorder_self->is_busy)
        return;
    interrupted = *recorder_self;
    madvise(interrupted.ring, interrupted_bytes(), MADV_DOFORK);
}

void recorder_fork_parent(void)
{
    if (interrupted.ring)
        madvise(interrupted.ring, interrupted_bytes(), MADV_DONTFORK);
}

void recorder_fork_child(void)
{
    if (interrupted.ring) {
        *recorder_self = interrupted;
        recorder_self->state = 0;
        (void)mmap(interrupted.ring, interrupted_bytes(), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    recorder_self = &nobody;
    arena = NULL;
    arena_left = 0;
    recorder_threads_forget();
}
