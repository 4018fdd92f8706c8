// session.h - one connection with a Tracy server. Only the sender's thread uses it.
#ifndef TTP_RECORD_TRACY_SESSION_H
#define TTP_RECORD_TRACY_SESSION_H

#include "record/tracy/feed.h"
#include "record/tracy/keys.h"
#include "record/tracy/out.h"
#include "record/tracy/times.h"

#pragma GCC visibility push(hidden)

// Keys of texts and places are their numbers in the table; these are others.
enum tracy_keys {
    KEY_OWN = 1 << 30, // from here on
    KEY_EMPTY,         // a text of no bytes
    KEY_SHARED_PLACE,  // of zones whose places exceed the server's limit
    KEY_SHARED_NAME    // its name
};
#define KEY_SHARED_LOCKS                                                                   \
    UINT32_C(0x80000000) // added to a lock that turned out to be shared

// A thread of the program.
struct tracy_lane {
    uint32_t serial, tid, clock;
    uint32_t fiber;    // that it runs; 0: none
    uint32_t depth;    // open zones, fibers aside
    uint64_t position; // in its ring
    int64_t last_ns;
    struct tracy_held *held, *last_held; // held.c
    uint32_t next_held;                  // lane + 1
};

struct tracy_wait { // an event that waits for its turn among those of all threads
    int64_t ns;
    uint64_t order;
    uint64_t a, b, c;
    uint32_t tid;
    uint32_t kind; // enum tt_host_event
};

struct tracy_session {
    struct recorder_out out;
    int socket;
    int64_t begin_ns;     // time 0 of the trace
    uint64_t heard_ns;    // when the server last gave a sign of life
    bool is_over;         // the server is gone, or wants no more
    bool is_asked_to_end; // by the server: send the rest, then TERMINATE
    bool is_terminating;  // TERMINATE was sent
    // told.c
    uint64_t table_at;
    struct recorder_times times;
    struct recorder_keys tids;       // by serial
    struct recorder_keys names;      // strings, by tid
    struct recorder_keys locks;      // locations + 1
    struct recorder_keys lock_names; // strings
    // events.c
    struct recorder_keys lane_of; // index + 1, by serial
    struct tracy_lane *lanes;
    uint32_t n_lanes, lanes_room;
    struct recorder_keys fibers;      // open zones + 1
    struct recorder_keys fiber_lanes; // that entered them last; + 1
    uint8_t *has_place;               // by location
    uint32_t n_places;
    char *text; // room for one that is put together
    // serial.c
    struct tracy_wait *waiting; // a heap
    uint64_t n_waiting, waiting_room, order;
    int64_t complete_ns;               // earlier events are all here
    struct recorder_keys announced;    // locks: 1 plain, 2 shared
    struct recorder_keys lock_threads; // how many, by lock; and pairs of lock and thread
    uint64_t n_left_out;               // events of locks with too many threads
    struct recorder_keys live;         // memory: pool + 1, by address and pool
    // held.c
    bool has_fibers;
    uint32_t first_held; // lane + 1
    uint64_t held_bytes;
    // behind.c
    int stream; // descriptor, -1: closed
    uint64_t stream_at;
    struct block_reader *reader;
    uint8_t *block;
    // answers.c
    uint8_t asked[sizeof(struct tracy_ask)]; // received, not yet a whole question
    uint32_t n_asked;
    struct recorder_chunk chunk;
    struct tracy_devices *devices; // device.c
};

// --- told.c ---
void recorder_told_update(struct tracy_session *s);
struct recorder_piece recorder_told_program(void);
// --- events.c ---
void recorder_events_take(struct tracy_session *s, uint32_t thread, uint32_t clock,
                          uint64_t from, const uint64_t *words, uint64_t n);
void recorder_events_close_zones(struct tracy_session *s);
uint64_t recorder_events_place(struct tracy_session *s, uint64_t location);
// Words of a lane follow, from this position on; where the first new one of them is.
uint64_t recorder_events_begin(struct tracy_session *s, struct tracy_lane *l, uint64_t from,
                               uint64_t n);
int64_t recorder_events_ns(struct tracy_session *s, const struct tracy_lane *l,
                           const uint64_t *event);
void recorder_events_one(struct tracy_session *s, struct tracy_lane *l,
                         const uint64_t *event, uint32_t n);
void recorder_events_note(struct tracy_session *s, uint32_t tid, int64_t ns,
                          const char *form, uint64_t number);
// --- held.c ---
// False: no memory, and nothing is held any more.
bool recorder_held_put(struct tracy_session *s, struct tracy_lane *l, uint64_t from,
                       const uint64_t *words, uint64_t n);
// Takes what is older than this, all of which must be here; returns which events were.
int64_t recorder_held_release(struct tracy_session *s, int64_t ns);
void recorder_held_forget(struct tracy_session *s);
// --- serial.c ---
void recorder_serial_put(struct tracy_session *s, struct tracy_wait event);
// The time of ticks before which all events are here.
int64_t recorder_serial_until(struct tracy_session *s, uint64_t ticks);
// Sends what is older than this.
void recorder_serial_send(struct tracy_session *s, int64_t ns);
void recorder_serial_end(struct tracy_session *s); // the rest
// --- answers.c ---
// Takes what the server has asked so far and answers it.
void recorder_answers_take(struct tracy_session *s);
void recorder_answers_bytes(struct tracy_session *s, const uint8_t *bytes, size_t n);
// --- device.c ---
void recorder_device_start(struct tracy_session *s); // zones of devices may come
void recorder_device_announce(struct tracy_session *s);
bool recorder_device_take(struct tracy_session *s); // some of them; false: there are none
void recorder_device_end(struct tracy_session *s);  // the rest; no more come
// --- behind.c ---
void recorder_behind_take(struct tracy_session *s); // one block, or goes live again
void recorder_behind_end(struct tracy_session *s);
// --- blobs.c ---
uint64_t recorder_blob_put(const struct recorder_piece *pieces, size_t n); // as append
bool recorder_blob_get(uint64_t at, char *out, size_t n);
// --- session.c ---
// Serves the server behind this socket until it or the recorder ends; closes the socket.
void recorder_session_serve(struct tracy_session *s, int socket);
struct tracy_session *recorder_session_new(void); // NULL: no memory
void recorder_session_fork_child(struct tracy_session *s);

// --- listen.c ---
bool recorder_tracy_is_stopping(void); // end as soon as everything is sent
bool recorder_tracy_is_hurried(void);  // somebody waits for everything to be sent
void recorder_tracy_is_served(bool is_served);
// Waits until the socket can be read, the drainer has something, or a time has passed.
// False: it is no longer a socket.
bool recorder_tracy_poll(int socket, int ms);

#pragma GCC visibility pop
#endif
