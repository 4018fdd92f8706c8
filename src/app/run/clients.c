// clients.c - finds the Tracy clients of a run and serves their connections.
#include "app/run/clients.h"

#include <unistd.h>

#include "base/text/log.h"

#include "record/process_log_write.h"

static const uint64_t ms = 1000000;
static const uint64_t patience_ns = 1000 * ms; // for a socket that was bound to listen
static const uint64_t pause_ns = 100 * ms;     // between two looks without news
static const uint64_t quiet_ns = 2000 * ms;    // of a connection that nobody is left for
static const uint64_t held_most = UINT64_C(512) << 20;

struct client {
    struct capture_link link;
    struct clients_port at; // pid 0: whoever listens on TRACY_PORT itself
    uint64_t since_ns;      // when it was found
    uint64_t again_ns;      // when to start the link again; 0: it is started
    bool is_told, is_over;
};

struct run_clients {
    struct wrapped_run *r;
    struct clients_log log;
    uint64_t look_ns; // at the log, and at TRACY_PORT
    VEC(struct client *) all;
    VEC(struct run_capture) captures;
};

// --- found and forgotten ---------------------------------------------------------------
static void start_link(struct run_clients *c, struct client *one, uint64_t now)
{
    struct err e = {0};
    struct link_how how = {
        .port = one->at.port, .folder = c->r->folder, .held_most = held_most};
    one->again_ns = 0;
    if (!link_start(&one->link, &how, (int64_t)now, &e))
        one->is_over = true; // no loopback address has any meaning
}

static void add_client(struct run_clients *c, struct clients_port at, uint64_t now)
{
    struct client *one = mem_alloc(sizeof *one);
    *one = (struct client){.at = at, .since_ns = now};
    start_link(c, one, now);
    vec_push(&c->all, one);
}

struct run_clients *run_clients_start(struct wrapped_run *r)
{
    if (!r->folder || !r->process_log || !r->settings.port)
        return NULL;
    struct run_clients *c = mem_alloc(sizeof *c);
    *c = (struct run_clients){.r = r};
    clients_log_open(&c->log, r->process_log);
    uint64_t now = run_now_ns();
    add_client(c, (struct clients_port){.port = (uint16_t)r->settings.port}, now);
    c->look_ns = now;
    return c;
}

static bool is_alive(const struct client *one)
{
    return process_log_birth(one->at.pid) == one->at.birth;
}

static void free_client(struct client *one)
{
    link_free(&one->link);
    mem_free(one);
}

void run_clients_free(struct run_clients *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->all.n; i++)
        free_client(c->all.v[i]);
    for (size_t i = 0; i < c->captures.n; i++)
        mem_free(c->captures.v[i].path);
    clients_log_close(&c->log);
    vec_free(&c->all);
    vec_free(&c->captures);
    mem_free(c);
}

// --- the end of a connection -----------------------------------------------------------
static void tell_mismatch(struct run_clients *c, struct client *one)
{
    const struct capture_link *l = &one->link;
    if (one->is_told)
        return;
    one->is_told = true;
    uint32_t number = clients_let_go((const struct sockaddr *)&l->addresses[l->address].to,
                                     l->addresses[l->address].bytes);
    struct buf b = {0};
    if (one->at.pid)
        buf_printf(&b, "process %u: ", one->at.pid);
    buf_z(&b, "its Tracy client is not captured: it speaks ");
    if (number)
        buf_printf(&b, "protocol %u", number);
    else
        buf_z(&b, "another protocol");
    run_problem(c->r, "%.*s, ttprof 66 (0.10, tt-metal) and 82 (0.14)", STR(b));
    buf_free(&b);
}

// A client whose handshake failed goes on listening, and one after the other may listen on
// TRACY_PORT.
static void start_again(struct client *one, uint64_t now)
{
    link_free(&one->link);
    one->again_ns = now + pause_ns;
}

static void finish_link(struct run_clients *c, struct client *one, uint64_t now)
{
    bool is_failed = one->link.state == LINK_NO_WELCOME || one->link.state == LINK_STOPPED;
    if (link_trace(&one->link))
        vec_push(&c->captures, clients_save(c->r, &one->link));
    else if (one->link.state == LINK_MISMATCH)
        tell_mismatch(c, one);
    else if (one->link.state == LINK_TAKEN && one->at.pid)
        run_problem(c->r, "process %u: another server has captured its Tracy client",
                    one->at.pid);
    if (one->at.pid == 0 || (is_failed && is_alive(one)))
        start_again(one, now);
    else
        one->is_over = true;
}

// --- one round -------------------------------------------------------------------------
static void step_client(struct run_clients *c, struct client *one, short events,
                        uint64_t now)
{
    struct capture_link *l = &one->link;
    if (one->again_ns) {
        if (now >= one->again_ns)
            start_link(c, one, now);
        return;
    }
    // The port of the run is only looked at, not watched.
    if (one->at.pid == 0 && l->state == LINK_CONNECTING && l->fd < 0 && now < c->look_ns)
        return;
    link_step(l, events, (int64_t)now);
    if (link_is_over(l))
        finish_link(c, one, now);
    else if (one->at.pid && l->state == LINK_CONNECTING && !is_alive(one) &&
             now >= one->since_ns + patience_ns)
        one->is_over = true; // it ended before it was connected to
}

static void drop_over(struct run_clients *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->all.n; i++) {
        if (c->all.v[i]->is_over)
            free_client(c->all.v[i]);
        else
            c->all.v[n++] = c->all.v[i];
    }
    c->all.n = n;
}

static void step_all(struct run_clients *c, const struct pollfd *polled, uint64_t now)
{
    for (size_t i = 0; i < c->all.n; i++)
        step_client(c, c->all.v[i], polled[i].revents, now);
    drop_over(c);
}

void run_clients_poll(const struct run_clients *c, pollfds *list)
{
    if (!c)
        return;
    vec_push(list, (struct pollfd){.fd = c->log.news, .events = POLLIN});
    for (size_t i = 0; i < c->all.n; i++)
        vec_push(list, link_poll(&c->all.v[i]->link));
}

uint64_t run_clients_due(const struct run_clients *c)
{
    if (!c)
        return UINT64_MAX;
    uint64_t due = c->look_ns;
    for (size_t i = 0; i < c->all.n; i++) {
        const struct client *one = c->all.v[i];
        bool is_watched = one->at.pid || one->link.state != LINK_CONNECTING;
        uint64_t own = one->again_ns ? one->again_ns
                       : is_watched  ? (uint64_t)link_due(&one->link)
                                     : UINT64_MAX;
        due = own < due ? own : due;
    }
    return due;
}

void run_clients_step(struct run_clients *c, const struct pollfd *polled, uint64_t now)
{
    if (!c)
        return;
    struct clients_port found;
    step_all(c, polled + 1, now);
    while (clients_log_next(&c->log, &found))
        add_client(c, found, now);
    if (now >= c->look_ns)
        c->look_ns = now + pause_ns;
}

// --- the end ---------------------------------------------------------------------------
static bool is_busy(const struct client *one)
{
    return !one->again_ns && one->link.state != LINK_CONNECTING;
}

static uint64_t received(const struct run_clients *c, size_t *n_busy)
{
    uint64_t sum = 0;
    *n_busy = 0;
    for (size_t i = 0; i < c->all.n; i++) {
        *n_busy += is_busy(c->all.v[i]);
        sum += c->all.v[i]->link.received;
    }
    return sum;
}

static void stop_all(struct run_clients *c, uint64_t now)
{
    for (size_t i = 0; i < c->all.n; i++) {
        struct client *one = c->all.v[i];
        if (one->again_ns)
            continue;
        link_stop(&one->link, (int64_t)now);
        link_stop(&one->link, (int64_t)now); // at once
        finish_link(c, one, now);
    }
}

// Sockets of ended processes are closed: what they hold can be read without waiting. Only a
// process that is not followed can keep one open.
void run_clients_end(struct run_clients *c)
{
    if (!c)
        return;
    pollfds list = {0};
    size_t n_busy;
    uint64_t now = run_now_ns(), moved_ns = now, bytes = received(c, &n_busy);
    while (n_busy && now < moved_ns + quiet_ns) {
        list.n = 0;
        run_clients_poll(c, &list);
        (void)poll(list.v, (nfds_t)list.n, (int)(pause_ns / ms));
        now = run_now_ns();
        run_clients_step(c, list.v, now);
        uint64_t before = bytes;
        size_t busy_before = n_busy;
        bytes = received(c, &n_busy);
        if (bytes != before || n_busy != busy_before)
            moved_ns = now;
    }
    stop_all(c, now);
    vec_free(&list);
}

size_t run_clients_count(const struct run_clients *c)
{
    return c ? c->captures.n : 0;
}

const struct run_capture *run_clients_at(const struct run_clients *c, size_t i)
{
    return &c->captures.v[i];
}
