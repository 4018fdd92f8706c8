// serve_tracy.c - stands in for a program with Tracy's client inside, as tt-metal is: what
// a .tracy file holds is what this program has recorded. It listens as that client does,
// serves one server, and ends.
//
//     serve_tracy [--die | --unasked] FILE.tracy
//
// --die: it is killed when half is sent; --unasked: it also sends answers to questions that
// nobody asked. As the client's, its protocol is that of its generation: 66 for files of
// version 0.10, else 82. It has nothing to do: without TRACY_NO_EXIT=1 it ends at once.
#include "serve_tracy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "formats/tracy/tracy_file.h"

enum { HANDSHAKE_MS = 2000, MOMENTS = 500 }; // sent before questions are answered

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value == '1';
}

// --- listening -------------------------------------------------------------------------

static int bind_to(int family, uint16_t port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    bool is_local = is_set("TRACY_ONLY_LOCALHOST"), is_six = family == AF_INET6;
    six.sin6_addr = is_local ? in6addr_loopback : in6addr_any;
    four.sin_addr.s_addr = htonl(is_local ? INADDR_LOOPBACK : INADDR_ANY);
    int fd = socket(family, SOCK_STREAM, 0), off = 0, on = 1;
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (is_six)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four,
             is_six ? sizeof six : sizeof four) == 0 &&
        listen(fd, 4) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static int listen_as_client(void)
{
    const char *said = getenv("TRACY_PORT");
    int only = said ? atoi(said) : 0, fd = -1;
    for (int i = 0; i < (only ? 1 : TRACY_PORTS) && fd < 0; i++) {
        uint16_t port = (uint16_t)(only ? only : TRACY_PORT + i);
        fd = is_set("TRACY_ONLY_IPV4") ? -1 : bind_to(AF_INET6, port);
        if (fd < 0)
            fd = bind_to(AF_INET, port);
    }
    return fd;
}

static bool receive_all(int fd, void *to, size_t n)
{
    while (n) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t got = poll(&p, 1, HANDSHAKE_MS) == 1 ? recv(fd, to, n, 0) : 0;
        if (got <= 0)
            return false;
        to = (char *)to + got;
        n -= (size_t)got;
    }
    return true;
}

static bool send_all(void *context, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n) {
        ssize_t sent = send(*(const int *)context, p, n, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        p += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

// A server of our protocol; -1: there will be none.
static int accept_server(int listening, enum tracy_generation g)
{
    struct pollfd p = {.fd = listening, .events = POLLIN};
    while (poll(&p, 1, is_set("TRACY_NO_EXIT") ? -1 : 0) == 1) {
        char magic[TRACY_MAGIC_BYTES];
        uint32_t protocol;
        int fd = accept(listening, NULL, NULL);
        if (receive_all(fd, magic, sizeof magic) &&
            memcmp(magic, TRACY_MAGIC, sizeof magic) == 0 &&
            receive_all(fd, &protocol, sizeof protocol)) {
            uint8_t status =
                protocol == tracy_protocols[g] ? TRACY_WELCOME : TRACY_MISMATCH;
            if (send_all(&fd, &status, sizeof status) && status == TRACY_WELCOME)
                return fd;
        }
        (void)close(fd);
    }
    return -1;
}

// --- the session -----------------------------------------------------------------------

static bool send_welcome(const struct serving *s, int fd)
{
    const struct tracy *t = s->t;
    char bytes[TRACY_WELCOME_MOST];
    struct tracy_welcome w = {.ns_per_tick = 1,
                              .begin = s->begin,
                              .end = s->begin + serve_start_end(s),
                              .delay = (uint64_t)t->delay,
                              .resolution = (uint64_t)t->resolution,
                              .epoch = t->capture_time,
                              .pid = (uint64_t)getpid(),
                              .cpu_arch = t->cpu_arch,
                              .cpu_id = t->cpu_id};
    memcpy(w.cpu_maker, t->cpu_maker, sizeof w.cpu_maker);
    str program = str_clip(t->program, sizeof w.program - 1);
    str info = str_clip(t->info, sizeof w.info - 1);
    memcpy(w.program, program.n ? program.p : "", program.n);
    memcpy(w.info, info.n ? info.p : "", info.n);
    return send_all(&fd, bytes, tracy_welcome_put(t->generation, &w, bytes));
}

// Waits so long for questions; -1: until there is one.
static void answer_all(struct serving *s, int fd, int ms)
{
    static struct tracy_ask ask;
    static size_t have;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (; !s->is_over && poll(&p, 1, ms) == 1; ms = 0) {
        ssize_t n = recv(fd, (char *)&ask + have, sizeof ask - have, 0);
        s->is_over = n <= 0;
        have = n > 0 ? (have + (size_t)n) % sizeof ask : 0;
        if (n > 0 && have == 0)
            serve_answer(s, &ask);
    }
    recorder_out_flush(s->out);
    s->is_over |= s->out->is_broken;
}

static void serve(struct serving *s, int fd, bool dies, bool is_unasked)
{
    size_t n = dies ? s->all.n / 2 : s->all.n;
    serve_devices(s);
    for (size_t i = 0; i < n && !s->is_over; i += MOMENTS) {
        if (is_unasked && i == 0)
            serve_unasked(s, false);
        serve_moments(s, i, i + MOMENTS < n ? i + MOMENTS : n);
        recorder_out_flush(s->out);
        answer_all(s, fd, 0);
    }
    if (dies) {
        answer_all(s, fd, -1); // the server has read something
        (void)kill(getpid(), SIGKILL);
    }
    if (is_unasked)
        serve_unasked(s, true);
    recorder_out_flush(s->out);
    (void)recorder_out_item(s->out, TRACY_TERMINATE, 0);
    recorder_out_flush(s->out);
    while (!s->is_over)
        answer_all(s, fd, -1);
}

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int serve_file(const char *path, bool dies, bool is_unasked)
{
    static struct recorder_out out;
    struct tracy t;
    struct err e = {0};
    struct serving s = {.t = &t, .out = &out, .begin = now_ns()};
    if (!tracy_read(&t, path, (struct tracy_read_how){.is_strict = true}, &e)) {
        (void)fprintf(stderr, "serve_tracy: %s\n", e.text);
        tracy_free(&t);
        return 1;
    }
    serve_gather(&s);
    int listening = listen_as_client();
    (void)printf("ready to exit after %.3f ms\n", 1e-6 * (double)(now_ns() - s.begin));
    (void)fflush(stdout);
    int fd = listening < 0 ? -1 : accept_server(listening, t.generation);
    recorder_out_start(&out, t.generation);
    out.send = send_all;
    out.context = &fd;
    if (fd >= 0 && send_welcome(&s, fd))
        serve(&s, fd, dies, is_unasked);
    vec_free(&s.all);
    vec_free(&s.order);
    tracy_free(&t);
    return 0;
}

int main(int argc, char **argv)
{
    bool dies = argc == 3 && strcmp(argv[1], "--die") == 0;
    bool is_unasked = argc == 3 && strcmp(argv[1], "--unasked") == 0;
    if (argc != 2 + (dies || is_unasked)) {
        (void)fprintf(stderr, "usage: %s [--die | --unasked] FILE.tracy\n", argv[0]);
        return 2;
    }
    return serve_file(argv[argc - 1], dies, is_unasked);
}
