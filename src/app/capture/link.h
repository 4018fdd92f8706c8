// link.h - one connection to a Tracy client: its socket, and the capture that it feeds.
// Links are polled: any number of them share one loop, and none of the calls waits.
//
//     struct capture_link l;
//     link_start(&l, &how, now);
//     while (!link_is_over(&l)) {
//         struct pollfd p = link_poll(&l);
//         poll(&p, 1, until link_due(&l));
//         link_step(&l, p.revents, now);
//     }
//     link_trace(&l); // what was captured
//     link_free(&l);
//
// Times are ns of the monotonic clock.
#ifndef TTP_APP_CAPTURE_LINK_H
#define TTP_APP_CAPTURE_LINK_H

#include <poll.h>
#include <sys/socket.h>

#include "base/text/buf.h"
#include "base/text/err.h"

#include "app/capture/link_clock.h"
#include "formats/tracy/capture/capture.h"

struct link_how {
    const char *address; // a name or number; NULL: this machine, by either protocol
    uint16_t port;
    const char *folder;          // for what does not fit in memory
    uint64_t held_most;          // bytes of long lists held in memory; 0: no limit
    enum tracy_generation first; // offered first
};

enum link_state {
    LINK_CONNECTING, // tries again until it succeeds
    LINK_GREETING,   // the client has not answered yet
    LINK_STREAMING,
    LINK_DONE,      // the client has told everything
    LINK_LOST,      // the connection broke, or what came made no sense: see link_trouble
    LINK_STOPPED,   // on request
    LINK_MISMATCH,  // the client speaks none of our protocol numbers
    LINK_TAKEN,     // another server was connected to the client before
    LINK_NO_WELCOME // the connection broke in the handshake
};

enum { LINK_ADDRESSES = 8 };
struct capture_link {
    enum link_state state;
    struct link_how how;
    struct {
        struct sockaddr_storage to;
        socklen_t bytes;
    } addresses[LINK_ADDRESSES];
    size_t n_addresses, address;      // the one that is tried
    enum tracy_generation generation; // offered
    int n_refused;                    // generations
    int fd;                           // -1: none
    int64_t due_ns;                   // of the next attempt, or of the end of a stop
    bool is_pending;                  // connect() has not decided yet
    bool is_stopping;
    struct tracy trace;
    struct capture *capture; // NULL: not yet, or no longer
    struct link_clock clock; // of a client on this machine
    bool is_started;         // the trace is
    bool has_trace;          // the client has introduced itself
    uint64_t failures[CAPTURE_FAILURE_KINDS];
    const char *trouble;
    uint64_t received;    // bytes
    uint64_t n_answers;   // when due_ns was set, once the client has ended
    uint64_t drain_limit; // of them, once the link is to stop
    struct buf out;       // queries that the socket did not take yet
    char *chunk;
};

// False: the address has no meaning.
bool link_start(struct capture_link *l, const struct link_how *how, int64_t now,
                struct err *e);
struct pollfd link_poll(const struct capture_link *l);
int64_t link_due(const struct capture_link *l); // INT64_MAX: only the socket matters
void link_step(struct capture_link *l, short events, int64_t now);
// Asks the client to end the session; what it still has to say is taken, for some seconds.
// The second time the link ends at once.
void link_stop(struct capture_link *l, int64_t now);
bool link_is_over(const struct capture_link *l);
// The contents of the trace; NULL: the client never said hello.
struct tracy *link_trace(struct capture_link *l);
void link_free(struct capture_link *l);

#endif
