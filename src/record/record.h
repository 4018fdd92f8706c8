// record.h - recorder internals: one process, its threads, its files.
//
//   event.c     the calls of host.h: puts an event into the thread's ring
//   ring.c      a thread's ring: creation, reuse, end, and the policy when it is full
//   table.c     what events refer to by number
//   index.c     finds a number by what it stands for
//   clock.c     the clock in use, and its relation to CLOCK_MONOTONIC
//   window.c    when the gate opens and closes
//   process.c   start, fork and end of the process
//   lock.c      the recorder's locks
//   drain.c     the drainer: rings -> blocks -> stream
//   stream.c    the stream file and its descriptor
//   format/     packs and unpacks a block; codes; items and devices of Tracy; long ops
//   files.c     files of the run folder: created with disk space, mapped, found again
//
// This folder needs only libc, pthreads and lz4: it is linked into other people's programs.
// It never prints, never ends the program, and while recording an event never calls what
// the program may have replaced (such as malloc).
#ifndef TTP_RECORD_RECORD_H
#define TTP_RECORD_RECORD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ttprof/host.h"
#include "ttprof/recording.h"

// Only host.h is public: other functions and variables are hidden, so access needs no GOT
// or PLT, in the archive or the shared library.
#pragma GCC visibility push(hidden)

#define recorder_likely(x)   __builtin_expect(!!(x), 1)
#define recorder_unlikely(x) __builtin_expect(!!(x), 0)

struct recorder_piece {
    const char *p;
    size_t n;
};

// --- the event path ----------------------------------------------------------------------
// A thread as the event path sees it. While `state` equals recorder_state all other fields
// are valid; any change (start, stop, fork, another clock) gives recorder_state a new
// value, and the next event takes the slow path once.
//
// It lives in memory that a fork wipes: in a child, however made, `state` is 0.
struct recorder_thread {
    uint32_t state;
    uint32_t is_busy; // an event is being written: a signal handler must not write
    uint32_t uses_tsc;
    uint32_t session; // stored in open zones: begin and end must be of one session
    uint64_t head;    // as in the ring
    uint64_t open;    // open zones: each has a word reserved for its end
    uint64_t limit;   // head + open may go this far before recorder_ring_room is called
    uint64_t mask;    // capacity - 1
    uint64_t *words;
    struct tt_ring *ring;
    // for the slow path
    uint64_t missing;               // events lost since the last one written
    uint64_t (*now)(void *context); // of a program's clock
    void *now_context;
    uint32_t clock, serial;
    bool has_pages;               // its whole ring is prefaulted
    uint64_t end_ns;              // when its thread ended
    uint64_t fed;                 // words before this were given to the sender: see feed.h
    uint64_t complete;            // of clock 1: earlier events are published
    uint32_t fed_clock;           // at `fed` when feeding began
    struct recorder_thread *next; // all rings of the process, in use or free
} __attribute__((aligned(64)));
extern uint32_t recorder_state; // atomic; 0: off
extern __thread struct recorder_thread *recorder_self
    __attribute__((tls_model("initial-exec"))); // never NULL

// --- ring.c ---
// The thread's ring for the current state; NULL if recording is off or there is no room.
struct recorder_thread *recorder_thread_enter(void);
// Same for table entries, which need no room; the thread comes back busy.
struct recorder_thread *recorder_thread_enter_to_tell(void);
// Makes room for this many words, by the policy; open zones keep theirs. False: the event
// is lost and counted. Part of the event path.
bool recorder_ring_room(struct recorder_thread *t, uint64_t words);
// All rings, for the drainer; valid until the process ends, new ones are added at the
// front.
struct recorder_thread *recorder_threads(void);
// Waits until no other thread is inside an event of an earlier state. False if one did not
// leave in time.
bool recorder_threads_wait(void);
// Ends the session: drops empty rings. Their memory stays if somebody may still need it.
void recorder_threads_end(bool may_unmap);
void recorder_threads_forget(void);
void recorder_ring_start(void); // before the first thread enters
uint64_t recorder_ring_lost(const struct tt_ring *ring);
uint64_t recorder_threads_lost(void);
void recorder_fork_begin(void); // before a fork, and after it in parent and child
void recorder_fork_parent(void);
void recorder_fork_child(void);

// --- table.c: each returns a number, 0 if recording is off -------------------------------
uint32_t recorder_string(const char *text, size_t bytes);
uint32_t recorder_literal(const char *text); // found by its address
uint32_t recorder_location(struct ttprof_location *location);
uint32_t recorder_location_of(const struct tt_location *l); // the id is ignored
uint32_t recorder_fiber(uint32_t name); // a string, which becomes known as a fiber
uint32_t recorder_lock_number(uint32_t location);
void recorder_table_put(enum tt_entry kind, const void *fields, size_t bytes);
// False: there is no such number. The text stays where it is.
bool recorder_string_get(uint64_t number, struct recorder_piece *text);
bool recorder_location_get(uint64_t number, struct tt_location *location);
struct tt_table *recorder_table(void); // mapped; NULL if there is none yet
// Call under the lock. A new table knows what the previous one did, which may be that of
// the parent before a fork: numbers stay the same.
bool recorder_table_open(void); // on false see errno
void recorder_table_close(bool is_in_child);
uint32_t recorder_string_locked(const char *text, size_t bytes);
bool recorder_table_put_locked(enum tt_entry kind, const void *fields, size_t bytes);

// --- index.c: numbers by hash, lock-free lookup ------------------------------------------
// Entries are added under the lock. The caller must compare what is found.
struct recorder_index {
    struct recorder_slots *slots; // atomic
    uint32_t used;
};
uint32_t recorder_hash(const void *bytes, size_t n, uint32_t seed);
// Calls `is` for numbers of this hash until it returns true. 0 if it never does.
uint32_t recorder_index_find(const struct recorder_index *x, uint32_t hash,
                             bool (*is)(uint32_t number, const void *what),
                             const void *what);
bool recorder_index_add(struct recorder_index *x, uint32_t hash, uint32_t number);

// --- clock.c ---
uint64_t recorder_clock_ticks(const struct recorder_thread *t); // if it is not the TSC
void recorder_clock_start(void); // chooses a clock, first pair; under the lock
void recorder_clock_enter(struct recorder_thread *t); // the clock in use; under the lock
bool recorder_clock_is_changing(void); // under the lock: no thread may enter now
void recorder_clock_wait(void);        // until it has changed
void recorder_clock_fork_child(void);
void recorder_clock_pair(void); // another pair of the clock in use; called by the drainer
uint32_t recorder_clock(void);  // number of the clock in use
uint32_t recorder_clock_shift(void); // for the stream: of clock 1; others have 0
uint64_t recorder_monotonic(void);   // ns
// From the newest clock of the program to CLOCK_MONOTONIC. False: there was none.
bool recorder_clock_of_program(uint64_t *ns);
// Ticks of clock 1 a little while ago: a thread that reads the clock now is seen to be
// busy. UINT64_MAX if another clock is in use.
uint64_t recorder_clock_complete(void);

static inline uint64_t recorder_ticks(const struct recorder_thread *t)
{
#if defined(__x86_64__) || defined(__i386__)
    if (recorder_likely(t->uses_tsc))
        return __builtin_ia32_rdtsc();
#endif
    return recorder_clock_ticks(t);
}

// --- window.c ---
struct tt_control *recorder_control(void); // NULL if there is none
// True if this signpost opens the window; it must be inside.
bool recorder_window_opens(const char *header);
void recorder_window_closes(const char *header); // after the signpost was recorded
void recorder_window_frame(void);
void recorder_window_tick(void); // called by the drainer: --for
void recorder_control_set(struct tt_control *c);

// --- process.c ---
// Starts recording in this process, at its first event; call under the lock. On false the
// control page says why.
bool recorder_process_open(void);
// Must begin every call that may be the first after an unnoticed fork.
void recorder_process_check(void);
bool recorder_process_has_drainer(void);
// Whether all threads but the caller have ended, including main. Checks only if is_time, or
// if main is known to have ended.
bool recorder_process_is_alone(bool is_time);
void recorder_process_main_ended(void);
uint32_t recorder_session(void); // changes at every start and fork
// Gives recorder_state a new value: every thread takes the slow path once.
void recorder_state_change(void);

// --- lock.c ---
// Two locks; `recorder_short` is taken last and briefly. Signals are blocked while one is
// held, so no handler ever finds its own thread inside, and a fork always finds them free.
// Cancellation is deferred too: cancellation points inside would end the thread.
struct recorder_lock {
    uint32_t word;
    sigset_t signals; // the holder's signal mask
    int cancellation; // the holder's cancel state
    int error;        // the holder's errno, restored too
};
extern struct recorder_lock recorder_short, recorder_long;
void recorder_lock(struct recorder_lock *l);
void recorder_unlock(struct recorder_lock *l);

// --- drain.c ---
bool recorder_drain_start(void);      // starts the thread; no-op if it runs
void recorder_drain_now(void);        // on return, what was in the rings is in the stream
void recorder_drain_stop(void);       // same, and ends the thread
void recorder_drain_after_fork(void); // in the child: there is no thread
void recorder_drain_wake(void);       // a ring fills up
// No round is made between these two. Brief, and without other locks.
void recorder_drain_hold(void);
void recorder_drain_release(void);
uint64_t recorder_drain_stream_bytes(void); // in between: size of the stream's file

// --- files.c ---
bool recorder_folder_set(const char *folder); // absolute; false if too long
// Without a folder the files below are anonymous memory, and nothing is written to disk.
void recorder_folder_clear(void);
bool recorder_has_folder(void);
// Gives this process a name P that no other file of the folder has, and maps P.table.
void *recorder_map_table(void *at, size_t bytes);
// A file of this process with all its disk space allocated, mapped shared at `at` (NULL:
// anywhere), its descriptor closed. On NULL, errno says why.
void *recorder_map_file(const char *suffix, void *at, size_t bytes);
// The first pages are prefaulted, so events cause no page faults. The drainer prefaults the
// rest of a ring, which is too much for a short-lived process.
enum { RECORDER_TOUCHED = 1 << 17 };
void recorder_touch(void *at, size_t bytes);
// Same for more bytes after the first `had`, which are mapped at `at`.
bool recorder_map_more(const char *suffix, void *at, size_t had, size_t bytes);
void *recorder_map_path(const char *path, void *at, size_t bytes);
bool recorder_file_path(const char *suffix, char *out, size_t n);
void recorder_file_remove(const char *suffix);
void recorder_file_cut(const char *suffix, uint64_t bytes);
// Appends to a file of this process; returns the offset. On UINT64_MAX, errno says why.
uint64_t recorder_file_append(const char *suffix, const struct recorder_piece *pieces,
                              size_t n);
void *recorder_pages(size_t bytes); // anonymous memory or NULL
size_t recorder_read_file(const char *path, char *out,
                          size_t n); // bytes read; 0 on failure

#pragma GCC visibility pop
#endif
