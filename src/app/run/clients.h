// clients.h - Tracy clients in the processes of a run. A program with Tracy's own library
// inside, as tt-metal is, listens for a server; the run is that server.
//
// TRACY_PORT is set for all processes. The preload library gives each client a port of its
// own and notes it in the process log, which is followed here. Programs that cannot be
// preloaded listen on TRACY_PORT itself: that port is tried from time to time.
// TRACY_NO_EXIT makes clients that end early wait for the connection.
//
//   clients.c         finds clients and serves their connections
//   clients_log.c     ports in the process log
//   clients_free.c    lets clients go whose protocol is not known
//   clients_save.c    RUN/tracy/PID.tracy, see captures.h
#ifndef TTP_APP_RUN_CLIENTS_H
#define TTP_APP_RUN_CLIENTS_H

#include <poll.h>

#include "app/capture/link.h"
#include "app/run/run.h"

// What was captured from one client.
struct run_capture {
    char *path; // RUN/tracy/PID.tracy; NULL: it could not be written
    uint32_t pid;
    uint64_t n_zones, n_messages;
    bool is_whole; // the client has told everything
};
typedef VEC(struct pollfd) pollfds;

// NULL: nothing can be captured. Before the command's environment is made.
struct run_clients *run_clients_start(struct wrapped_run *r);
// What to wait for, and until when.
void run_clients_poll(const struct run_clients *c, pollfds *list);
uint64_t run_clients_due(const struct run_clients *c);
// `polled` is what run_clients_poll listed.
void run_clients_step(struct run_clients *c, const struct pollfd *polled, uint64_t now);
// All processes have ended: takes what is still on its way.
void run_clients_end(struct run_clients *c);
void run_clients_free(struct run_clients *c);

size_t run_clients_count(const struct run_clients *c); // of captures
const struct run_capture *run_clients_at(const struct run_clients *c, size_t i);

// --- clients_log.c ---
struct clients_log {
    int fd, news; // the log, and what tells that it grows; -1: none
    struct buf rest;
};
struct clients_port {
    uint32_t pid;
    uint64_t birth;
    uint16_t port;
};
void clients_log_open(struct clients_log *l, const char *path);
void clients_log_close(struct clients_log *l);
// The next port that was noted since; false: there is none yet.
bool clients_log_next(struct clients_log *l, struct clients_port *found);

// --- clients_free.c ---
// A client that knows no common protocol would wait for a server of its own for ever, when
// its program ends. It is enough to greet it with its number and to hang up. Returns that
// number; 0: it did not answer.
uint32_t clients_let_go(const struct sockaddr *to, socklen_t bytes);

// --- clients_save.c ---
// Writes what the link captured.
struct run_capture clients_save(struct wrapped_run *r, struct capture_link *link);

#endif
