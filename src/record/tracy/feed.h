// feed.h - from the drainer to the sender: a queue of words, bounded. The drainer stays the
// only reader of the rings.
//
//   off      nobody is connected
//   live     each round copies what is new in the rings into the queue
//   behind   the queue was full when a ring had to be emptied. What is missing is in the
//            stream: the sender reads it there, then goes live again
//
// Without a run folder there is no stream, so words stay in their ring until the queue
// has room, and a full ring is a matter of the policy.
//
// Functions are called by the drainer under its turn, unless they say otherwise.
#ifndef TTP_RECORD_TRACY_FEED_H
#define TTP_RECORD_TRACY_FEED_H

#include "record/record.h"

#pragma GCC visibility push(hidden)

enum recorder_feed_mode { FEED_OFF, FEED_LIVE, FEED_BEHIND };
enum recorder_feed_mode recorder_feed_mode(void); // any thread

// --- the drainer ---
struct recorder_feed_round {
    uint64_t ticks;    // when it began
    uint64_t complete; // every event before this is in the queue or the stream
};
void recorder_feed_begin(struct recorder_feed_round *r);
// The end of what a thread has written so far, and whether an event may be under way that
// began before the round.
uint64_t recorder_feed_head(struct recorder_feed_round *r, struct recorder_thread *t);
void recorder_feed_ring(struct recorder_thread *t, uint64_t head);
// Call before words after t->fed leave the ring for the stream, which has this size.
void recorder_feed_fall_behind(uint64_t stream_bytes);
// `is_whole`: nothing is left in the rings but what came after the round began.
void recorder_feed_end(const struct recorder_feed_round *r, bool is_whole,
                       uint64_t stream_bytes);
void recorder_feed_thread_starts(struct recorder_thread *t); // by the thread itself

// --- the sender ---
enum { FEED_CHUNK_MOST = 1 << 14 }; // words
struct recorder_chunk {
    uint32_t thread, clock; // thread 0: no words; all events before `from` were handed over
    uint64_t from;          // position in the ring
    uint32_t n_words;
    uint64_t words[FEED_CHUNK_MOST];
};
// Call under the drainer's turn.
bool recorder_feed_start(void); // from the newest event of each thread on
void recorder_feed_stop(void);
void recorder_feed_fork_child(void);
void recorder_feed_resume(void); // the sender has read all of the stream
// False: the queue is empty.
bool recorder_feed_take(struct recorder_chunk *c);
bool recorder_feed_has_some(void);         // in the queue or in the stream
uint64_t recorder_feed_stream_start(void); // where to read when behind
// When behind: everything before these ticks is in the stream before `stream_bytes`.
uint64_t recorder_feed_complete(uint64_t stream_bytes);

#pragma GCC visibility pop
#endif
