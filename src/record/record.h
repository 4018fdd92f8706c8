// record.h - the recorder inside: one process, its threads, its files.
//
//   event.c     the calls of host.h: an event into the thread's ring
//   ring.c      a thread's ring: made, used again, ended; what happens when it is full
//   table.c     what events refer to by number
//   index.c     finds a number by what it stands for
//   clock.c     which clock, and how it runs against CLOCK_MONOTONIC
//   window.c    when the gate opens and closes
//   process.c   start, fork, end of the process
//   lock.c      the recorder's locks
//   drain.c     the drainer: rings -> blocks -> stream
//   stream.c    the stream file and its descriptor
//   block.c     how a block is packed
//   codes.c     prefix codes for it
//   files.c     files of the run folder: made with room on the disk, mapped, found again
//
// This folder needs libc, pthreads and lz4 and nothing else: it is linked into other
// people's programs. It never prints, never ends the program, never calls what the program
// may have replaced (malloc among them) on the way of an event.
#ifndef TTP_RECORD_RECORD_H
#define TTP_RECORD_RECORD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ttprof/host.h"
#include "ttprof/recording.h"

// What is not in host.h is nobody else's business: calls and variables need no table of
// addresses, neither in the archive nor in the shared library.
#pragma GCC visibility push(hidden)

#define recorder_likely(x)   __builtin_expect(!!(x), 1)
#define recorder_unlikely(x) __builtin_expect(!!(x), 0)

struct recorder_piece {
    const char *p;
    size_t n;
};

// --- the way of an event -----------------------------------------------------------------
// A thread as the way of an event sees it. `state` equals recorder_state as long as all
// other fields may be used; anything that changes (start, stop, fork, another clock) gives
// recorder_state a new value, and the next event goes the slow way once.
//
// It lives in memory that a fork wipes: in a child, however it was made, `state` is 0.
struct recorder_thread {
    uint32_t state;
    uint32_t is_busy; // an event is being written: a signal handler must not
    uint32_t uses_tsc;
    uint32_t session; // what an open zone remembers: ends belong to begins of one session
    uint64_t head;    // as in the ring
    uint64_t open;    // zones that are open: each has a word reserved for its end
    uint64_t limit;   // head + open may go so far before recorder_ring_room is asked
    uint64_t mask;    // capacity - 1
    uint64_t *words;
    struct tt_ring *ring;
    // what the slow way needs
    uint64_t missing;               // events lost since the last one that was written
    uint64_t (*now)(void *context); // of a program's clock
    void *now_context;
    uint32_t clock, serial;
    bool has_pages;               // all of its ring's
    uint64_t end_ns;              // when its thread ended
    struct recorder_thread *next; // all rings of the process, in use or free
} __attribute__((aligned(64)));
extern uint32_t recorder_state; // atomic; 0: off
extern __thread struct recorder_thread *recorder_self
    __attribute__((tls_model("initial-exec"))); // never NULL

// --- ring.c ---
// The thread's ring for the state of now, or NULL: recording is off, or there is no room.
struct recorder_thread *recorder_thread_enter(void);
// The same for what goes into the table and needs no room; it comes back busy.
struct recorder_thread *recorder_thread_enter_to_tell(void);
// Room for so many words, by the policy; open zones keep theirs. False: the event is lost,
// and counted. On the way of an event.
bool recorder_ring_room(struct recorder_thread *t, uint64_t words);
// All rings, for the drainer; valid until the process ends, new ones come in front.
struct recorder_thread *recorder_threads(void);
// Waits until no other thread is in the middle of an event of an earlier state. False: one
// did not come out of it in time.
bool recorder_threads_wait(void);
// The session is over: rings that are empty go. Their memory stays if somebody may need it.
void recorder_threads_end(bool may_unmap);
void recorder_threads_forget(void);
void recorder_ring_start(void); // before the first thread comes
uint64_t recorder_ring_lost(const struct tt_ring *ring);
uint64_t recorder_threads_lost(void);
void recorder_fork_begin(void); // before, and in parent and child after a fork
void recorder_fork_parent(void);
void recorder_fork_child(void);

// --- table.c: each returns a number, 0 when recording is off -----------------------------
uint32_t recorder_string(const char *text, size_t bytes);
uint32_t recorder_literal(const char *text); // found by its address
uint32_t recorder_location(struct ttprof_location *location);
uint32_t recorder_location_of(const struct tt_location *l); // the id is not looked at
uint32_t recorder_fiber(const char *name); // a literal; the table knows it as a fiber
uint32_t recorder_lock_number(uint32_t location);
void recorder_table_put(enum tt_entry kind, const void *fields, size_t bytes);
struct tt_table *recorder_table(void); // mapped; NULL: there is none yet
// Under the lock. A new table knows what the last one did, which may be the one of the
// process that this one was forked from: numbers stay what they are.
bool recorder_table_open(void); // false: errno
void recorder_table_close(bool is_in_child);
uint32_t recorder_string_locked(const char *text, size_t bytes);
bool recorder_table_put_locked(enum tt_entry kind, const void *fields, size_t bytes);

// --- index.c: numbers by hash, looked up without a lock ----------------------------------
// Entries are added under the lock. What is found must be compared by the caller.
struct recorder_index {
    struct recorder_slots *slots; // atomic
    uint32_t used;
};
uint32_t recorder_hash(const void *bytes, size_t n, uint32_t seed);
// Calls `is` for numbers of this hash until it says yes. 0: there is none.
uint32_t recorder_index_find(const struct recorder_index *x, uint32_t hash,
                             bool (*is)(uint32_t number, const void *what),
                             const void *what);
bool recorder_index_add(struct recorder_index *x, uint32_t hash, uint32_t number);

// --- clock.c ---
uint64_t recorder_clock_ticks(const struct recorder_thread *t); // where it is not the TSC
void recorder_clock_start(void);                      // choose, first pair; under the lock
void recorder_clock_enter(struct recorder_thread *t); // the clock in use; under the lock
bool recorder_clock_is_changing(void); // under the lock: no thread may come in now
void recorder_clock_wait(void);        // until it has changed
void recorder_clock_fork_child(void);
void recorder_clock_pair(void);      // one more pair of the clock in use: from the drainer
uint32_t recorder_clock(void);       // number of the clock in use
uint32_t recorder_clock_shift(void); // for the stream: of clock 1; others have 0
uint64_t recorder_monotonic(void);   // ns

static inline uint64_t recorder_ticks(const struct recorder_thread *t)
{
#if defined(__x86_64__) || defined(__i386__)
    if (recorder_likely(t->uses_tsc))
        return __builtin_ia32_rdtsc();
#endif
    return recorder_clock_ticks(t);
}

// --- window.c ---
struct tt_control *recorder_control(void); // NULL: none
// True: this signpost opens the window, and must be in it.
bool recorder_window_opens(const char *header);
void recorder_window_closes(const char *header); // after the signpost was recorded
void recorder_window_frame(void);
void recorder_window_tick(void); // from the drainer: --for
void recorder_control_set(struct tt_control *c);

// --- process.c ---
// The process begins to record, with its first event; under the lock. False: it cannot,
// and the control page says why.
bool recorder_process_open(void);
// Every call that may be the first one after a fork that nobody told of begins with this.
void recorder_process_check(void);
bool recorder_process_has_drainer(void);
// All threads but the calling one have ended, main among them. Looks if it is time to, or
// if main is known to have ended.
bool recorder_process_is_alone(bool is_time);
void recorder_process_main_ended(void);
uint32_t recorder_session(void); // changes with every start and fork
// A new value of recorder_state: every thread goes the slow way once.
void recorder_state_change(void);

// --- lock.c ---
// Two locks, `recorder_short` taken last and for moments. Signals wait as long as one is
// held, so no handler ever finds its own thread inside, and a fork always finds them free.
// pthread_cancel waits, too: calls that are made inside would end the thread.
struct recorder_lock {
    uint32_t word;
    sigset_t signals; // of the holder, as they were
    int cancellation; // whether it could be cancelled
    int error;        // its errno, which comes back, too
};
extern struct recorder_lock recorder_short, recorder_long;
void recorder_lock(struct recorder_lock *l);
void recorder_unlock(struct recorder_lock *l);

// --- drain.c ---
bool recorder_drain_start(void); // the thread; no-op when it runs
void recorder_drain_now(void);  // what is in the rings now is in the stream when it returns
void recorder_drain_stop(void); // the same, and the thread ends
void recorder_drain_after_fork(void); // in the child: there is no thread
void recorder_drain_wake(void);       // a ring fills up

// --- files.c ---
bool recorder_folder_set(const char *folder); // absolute; false: too long
// This process gets a name P that no other file of the folder has, and P.table, mapped.
void *recorder_map_table(void *at, size_t bytes);
// A file of this process that has all its bytes on the disk already, mapped shared at `at`
// (NULL: anywhere), its descriptor closed. NULL: errno says why.
void *recorder_map_file(const char *suffix, void *at, size_t bytes);
// Its first pages are there: they cost no fault on the way of an event. The drainer makes
// the others of a ring, which are too many for a process that lives for a moment only.
enum { RECORDER_TOUCHED = 1 << 17 };
void recorder_touch(void *at, size_t bytes);
// The same for more bytes behind the first `had`, which are mapped at `at`.
bool recorder_map_more(const char *suffix, void *at, size_t had, size_t bytes);
void *recorder_map_path(const char *path, void *at, size_t bytes);
bool recorder_file_path(const char *suffix, char *out, size_t n);
void recorder_file_remove(const char *suffix);
void recorder_file_cut(const char *suffix, uint64_t bytes);
// Appends to a file of this process; where it begins, UINT64_MAX: errno says why.
uint64_t recorder_file_append(const char *suffix, const struct recorder_piece *pieces,
                              size_t n);
void *recorder_pages(size_t bytes); // anonymous memory; NULL: there is none
size_t recorder_read_file(const char *path, char *out, size_t n); // bytes; 0: cannot

#pragma GCC visibility pop
#endif
