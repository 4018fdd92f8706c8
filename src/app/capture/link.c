// link.c - one connection to a Tracy client.
#include "app/capture/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, CHUNKS_A_STEP = 16, ASKS_AT_ONCE = 256 };
static const int64_t again_ns = 10000000;       // between two attempts to connect
static const int64_t patience_ns = 10000000000; // for the end that was asked for
static const uint64_t drain_most = UINT64_C(8) << 30;

// --- connecting ------------------------------------------------------------------------

static bool find_addresses(struct capture_link *l, struct err *e)
{
    const char *own[] = {"::1", "127.0.0.1"}, *given[] = {l->how.address};
    const char **names = l->how.address ? given : own;
    char port[8];
    (void)snprintf(port, sizeof port, "%u", l->how.port);
    for (size_t i = 0; i < (l->how.address ? 1U : 2U); i++) {
        struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
        int why = getaddrinfo(names[i], port, &hints, &found);
        if (why && l->how.address)
            return err_set(e, ERR_IO, "%s: %s; check the address", names[i],
                           gai_strerror(why));
        for (struct addrinfo *a = found; a && l->n_addresses < LINK_ADDRESSES;
             a = a->ai_next) {
            memcpy(&l->addresses[l->n_addresses].to, a->ai_addr, a->ai_addrlen);
            l->addresses[l->n_addresses++].bytes = a->ai_addrlen;
        }
        if (found)
            freeaddrinfo(found);
    }
    return true;
}

bool link_start(struct capture_link *l, const struct link_how *how, int64_t now,
                struct err *e)
{
    *l = (struct capture_link){
        .how = *how, .generation = how->first, .fd = -1, .due_ns = now};
    if (!find_addresses(l, e))
        return false;
    l->chunk = mem_alloc(CHUNK);
    return true;
}

static void close_socket(struct capture_link *l)
{
    if (l->fd >= 0)
        (void)close(l->fd);
    l->fd = -1;
    l->is_pending = false;
    l->out.n = 0;
}

// The next address; after the last one, a pause.
static void try_next(struct capture_link *l, int64_t now)
{
    close_socket(l);
    l->state = LINK_CONNECTING;
    l->address++;
    l->due_ns = now;
    if (l->address >= l->n_addresses) {
        l->address = 0;
        l->due_ns = now + again_ns;
    }
}

static void greet(struct capture_link *l)
{
    uint32_t number = tracy_protocols[l->generation];
    int yes = 1;
    // Queries are small and the client's end waits for them.
    (void)setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    l->is_pending = false;
    l->state = LINK_GREETING;
    l->due_ns = INT64_MAX;
    buf_str(&l->out, (str){TRACY_MAGIC, TRACY_MAGIC_BYTES});
    buf_str(&l->out, (str){(const char *)&number, sizeof number});
}

static void connect_now(struct capture_link *l, int64_t now)
{
    const struct sockaddr *to = (const struct sockaddr *)&l->addresses[l->address].to;
    l->due_ns = INT64_MAX;
    l->fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->fd >= 0 && connect(l->fd, to, l->addresses[l->address].bytes) == 0)
        greet(l);
    else if (l->fd >= 0 && errno == EINPROGRESS)
        l->is_pending = true;
    else
        try_next(l, now);
}

static void finish_connect(struct capture_link *l, int64_t now)
{
    int why = 0;
    socklen_t bytes = sizeof why;
    if (getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &why, &bytes) == 0 && why == 0)
        greet(l);
    else
        try_next(l, now);
}

// --- the end ---------------------------------------------------------------------------

bool link_is_over(const struct capture_link *l)
{
    return l->state >= LINK_DONE;
}

static void end(struct capture_link *l, enum link_state how)
{
    close_socket(l);
    l->state = how;
    if (!l->capture)
        return;
    l->has_trace = capture_is_welcome(l->capture);
    link_clock_end(&l->clock, &l->trace);
    l->trouble = capture_trouble(l->capture);
    memcpy(l->failures, capture_failures(l->capture), sizeof l->failures);
    capture_finish(l->capture);
    l->capture = NULL;
    if (!l->has_trace && how == LINK_LOST)
        l->state = LINK_NO_WELCOME;
}

// The connection ended without being asked to.
static void lose(struct capture_link *l)
{
    if (l->is_stopping)
        end(l, LINK_STOPPED);
    else
        end(l, l->state == LINK_STREAMING ? LINK_LOST : LINK_NO_WELCOME);
}

static void put_ask(struct capture_link *l, enum tracy_query query)
{
    struct tracy_ask ask = {.query = (uint8_t)query};
    buf_str(&l->out, (str){(const char *)&ask, sizeof ask});
}

// --- streaming -------------------------------------------------------------------------

static void begin_stream(struct capture_link *l)
{
    int bytes = 0;
    socklen_t size = sizeof bytes;
    if (getsockopt(l->fd, SOL_SOCKET, SO_SNDBUF, &bytes, &size) < 0 || bytes < 0)
        bytes = 0;
    tracy_start(&l->trace, l->how.folder, l->how.held_most);
    l->capture = capture_start(&l->trace, l->generation, capture_window((size_t)bytes));
    l->is_started = true;
    l->state = LINK_STREAMING;
}

static void take_status(struct capture_link *l, uint8_t status, int64_t now)
{
    switch (status) {
    case TRACY_WELCOME: begin_stream(l); return;
    case TRACY_NOT_AVAILABLE: end(l, LINK_TAKEN); return;
    case TRACY_MISMATCH:
        if (++l->n_refused == TRACY_GENERATIONS) {
            end(l, LINK_MISMATCH);
            return;
        }
        // The client goes on listening.
        l->generation = (l->generation + 1) % TRACY_GENERATIONS;
        close_socket(l);
        l->state = LINK_CONNECTING;
        l->due_ns = now;
        return;
    default: lose(l);
    }
}

// A clock can only be compared with that of the same machine.
static bool is_local(const struct capture_link *l)
{
    const struct sockaddr_storage *to = &l->addresses[l->address].to;
    const struct sockaddr_in *four = (const struct sockaddr_in *)to;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)to;
    if (to->ss_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return to->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static void take_bytes(struct capture_link *l, const char *p, size_t n, int64_t now)
{
    l->received += n;
    if (l->state == LINK_GREETING && n) {
        take_status(l, (uint8_t)*p, now);
        p++, n--;
    }
    if (l->state != LINK_STREAMING || !n)
        return;
    bool was_welcome = capture_is_welcome(l->capture);
    struct clock_reading arrived = {0};
    if (!was_welcome)
        arrived = clock_reading();
    bool is_fine = capture_feed(l->capture, p, n);
    if (!was_welcome && capture_is_welcome(l->capture) && is_local(l))
        link_clock_start(&l->clock, &l->trace, capture_begin_tick(l->capture), &arrived);
    if (!is_fine)
        lose(l);
}

static void receive(struct capture_link *l, int64_t now)
{
    for (int i = 0; i < CHUNKS_A_STEP && l->fd >= 0; i++) {
        ssize_t n = recv(l->fd, l->chunk, CHUNK, 0);
        if (n > 0) {
            take_bytes(l, l->chunk, (size_t)n, now);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
            lose(l);
        return;
    }
}

static void send_out(struct capture_link *l)
{
    size_t done = 0;
    while (done < l->out.n) {
        ssize_t n = send(l->fd, l->out.p + done, l->out.n - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; // a broken connection is noticed when it is read
        done += (size_t)n;
    }
    if (done)
        memmove(l->out.p, l->out.p + done, l->out.n - done);
    l->out.n -= done;
}

static void ask(struct capture_link *l)
{
    struct tracy_ask asks[ASKS_AT_ONCE];
    size_t n;
    // More than this waits in the capture.
    while (l->out.n < sizeof asks && (n = capture_asks(l->capture, asks, ASKS_AT_ONCE)))
        buf_str(&l->out, (str){(const char *)asks, n * sizeof *asks});
}

// A session that we end has open zones: only the answers are waited for.
static bool is_complete(const struct capture_link *l)
{
    if (l->is_stopping)
        return capture_is_ending(l->capture) && capture_is_answered(l->capture);
    return capture_is_done(l->capture);
}

// A client that has ended only answers; one that stops answering, or that left a zone open,
// is not waited for.
static void limit_wait(struct capture_link *l, int64_t now)
{
    uint64_t n = capture_answer_count(l->capture);
    if (!capture_is_ending(l->capture) || (l->due_ns != INT64_MAX && n == l->n_answers))
        return;
    l->n_answers = n;
    l->due_ns = now + patience_ns;
}

static void stream(struct capture_link *l, int64_t now)
{
    ask(l);
    send_out(l);
    limit_wait(l, now);
    if (is_complete(l) && !l->out.n) {
        put_ask(l, TRACY_ASK_TERMINATE);
        send_out(l);
        end(l, l->is_stopping ? LINK_STOPPED : LINK_DONE);
    } else if (now >= l->due_ns || (l->is_stopping && l->received > l->drain_limit))
        end(l, l->is_stopping ? LINK_STOPPED : LINK_LOST);
}

// --- the loop --------------------------------------------------------------------------

struct pollfd link_poll(const struct capture_link *l)
{
    bool wants_out = l->is_pending || l->out.n;
    return (struct pollfd){
        .fd = l->fd,
        .events = (short)((l->is_pending ? 0 : POLLIN) | (wants_out ? POLLOUT : 0))};
}

int64_t link_due(const struct capture_link *l)
{
    return link_is_over(l) ? INT64_MAX : l->due_ns;
}

void link_step(struct capture_link *l, short events, int64_t now)
{
    if (link_is_over(l))
        return;
    if (l->state == LINK_CONNECTING) {
        if (l->is_pending && events)
            finish_connect(l, now);
        else if (l->fd < 0 && now >= l->due_ns)
            connect_now(l, now);
    } else if (events)
        receive(l, now);
    if (l->state == LINK_STREAMING)
        stream(l, now);
    if (l->fd >= 0 && !l->is_pending && l->out.n)
        send_out(l);
}

void link_stop(struct capture_link *l, int64_t now)
{
    if (link_is_over(l))
        return;
    if (l->state != LINK_STREAMING || l->is_stopping) {
        end(l, LINK_STOPPED);
        return;
    }
    l->is_stopping = true;
    l->due_ns = now + patience_ns;
    l->drain_limit = l->received + drain_most;
    put_ask(l, TRACY_ASK_DISCONNECT);
    send_out(l);
}

struct tracy *link_trace(struct capture_link *l)
{
    return l->has_trace || (l->capture && capture_is_welcome(l->capture)) ? &l->trace
                                                                          : NULL;
}

void link_free(struct capture_link *l)
{
    if (!link_is_over(l))
        end(l, LINK_STOPPED);
    if (l->is_started)
        tracy_free(&l->trace);
    l->is_started = l->has_trace = false;
    buf_free(&l->out);
    mem_free(l->chunk);
    l->chunk = NULL;
}
