// client.h - the Tracy client: a thread that listens for a Tracy server (its GUI, its
// capture tool, `ttprof capture`) and sends it what the drainer hands over.
//
// Off unless the environment asks for it:
//
//   TTPROF_TRACY=WORD[,WORD...]
//     1       listen; only events from a connection on are sent
//     wait    the same, and the program waits for a server before main
//     all     on all interfaces, not only for this machine
//     block   without a run folder: a full ring makes its thread wait
//     0       do not listen
//   TTPROF_TRACY_PORT=N   listen on this port only; 0: the system chooses one
//
//   listen.c    ports, announcements, one server after the other
//   session.c   one connection from handshake to end
//   events.c    words of rings become items
//   held.c      words of all threads, ordered by time once there are fibers
//   serial.c    items of all threads, ordered by time
//   told.c      what the recorder's table says: threads, locks, plots, clocks
//   answers.c   a server's questions
//   behind.c    reads the stream when the queue was full
//   blobs.c     long texts
//   device*.c   zones of devices
//   feed.c      the queue between drainer and sender
//   out.c       items, blocks, compression
//   times.c     ticks become nanoseconds
//   keys.c      a map that does not call malloc
#ifndef TTP_RECORD_TRACY_CLIENT_H
#define TTP_RECORD_TRACY_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct recorder_tracy_wish {
    bool is_on, waits, is_for_all, blocks;
    int port; // -1: the first free one
};
struct recorder_tracy_wish recorder_tracy_wish(void); // from the environment

// Starts to listen, if asked to; a problem means that nobody can connect. Call under the
// short lock.
void recorder_tracy_start(void);
void recorder_tracy_wait(void); // until a server is connected
// Sends the rest, ends the connection and the thread. What the server does not take for a
// few seconds is given up.
void recorder_tracy_stop(void);
// Without a folder: whether rings hold something that a server has yet to take. Takes a nap
// if so.
bool recorder_tracy_is_slow(void);
bool recorder_tracy_has_thread(void);
void recorder_tracy_wake(void); // there is something in the queue
void recorder_tracy_fork_child(void);
uint32_t recorder_tracy_port(void); // 0: not listening

#pragma GCC visibility pop
#endif
