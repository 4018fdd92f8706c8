// listen.c - the thread that waits for servers: ports, announcements, one server at a time.
//
// The program may close descriptors that are not its own, or use up all of them: then
// nobody can connect, and nothing else happens.
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "record/stream.h"
#include "record/tracy/client.h"
#include "record/tracy/devices.h"
#include "record/tracy/session.h"

enum {
    BACKLOG = 4,
    STACK = 1 << 18,
    ANNOUNCE_MS = 3000,
    NAP_NS = 1000000,
    N_SOCKETS = 2 // one per family
};

static struct {
    bool is_running;
    pthread_t thread;
    struct recorder_tracy_wish wish;
    struct tracy_session *session;
    int sockets[N_SOCKETS], event;
    uint32_t port;
    uint64_t start_ns;
    uint32_t is_hurried, is_stopping, is_served, is_asleep; // atomic
} client = {.sockets = {-1, -1}, .event = -1};

// --- what is asked for ---
static bool word_is(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && memcmp(word, name, n) == 0;
}

struct recorder_tracy_wish recorder_tracy_wish(void)
{
    struct recorder_tracy_wish w = {.port = -1};
    const char *words = secure_getenv("TTPROF_TRACY"),
               *port = secure_getenv("TTPROF_TRACY_PORT");
    while (words && *words) {
        size_t n = strcspn(words, ",");
        w.is_on |= n && !word_is(words, n, "0");
        w.waits |= word_is(words, n, "wait");
        w.is_for_all |= word_is(words, n, "all");
        w.blocks |= word_is(words, n, "block");
        words += n + (words[n] == ',');
    }
    if (port && *port)
        w.port = (int)strtol(port, NULL, 10);
    if (w.port > UINT16_MAX)
        w.port = -1;
    return w;
}

// --- sockets ---
static int socket_make(int family, int type)
{
    int low = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return low < 0 ? -1 : recorder_descriptor_move_up(low);
}

static void socket_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static int bind_and_listen(int fd, const void *address, socklen_t n, bool both)
{
    int one = 1, only = !both;
    const struct sockaddr *a = address;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (a->sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
    return bind(fd, a, n) == 0 && listen(fd, BACKLOG) == 0 ? 0 : errno;
}

static int listen_4(uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    a.sin_addr.s_addr = htonl(client.wish.is_for_all ? INADDR_ANY : INADDR_LOOPBACK);
    client.sockets[0] = socket_make(AF_INET, SOCK_STREAM);
    return client.sockets[0] < 0 ? errno
                                 : bind_and_listen(client.sockets[0], &a, sizeof a, false);
}

static int listen_6(uint16_t port)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    a.sin6_addr = client.wish.is_for_all ? in6addr_any : in6addr_loopback;
    client.sockets[1] = socket_make(AF_INET6, SOCK_STREAM);
    return client.sockets[1] < 0 ? errno
                                 : bind_and_listen(client.sockets[1], &a, sizeof a, false);
}

static uint16_t port_of(int fd)
{
    struct sockaddr_in a = {0};
    socklen_t n = sizeof a;
    return getsockname(fd, (struct sockaddr *)&a, &n) == 0 ? ntohs(a.sin_port) : 0;
}

// Both families or, without IPv6, the first one: a server may try either address.
static bool listen_on(uint16_t port)
{
    int error = listen_4(port);
    uint16_t got = error ? 0 : port_of(client.sockets[0]);
    if (!error && listen_6(got) != 0) {
        error = errno == EADDRINUSE ? EADDRINUSE : 0;
        socket_close(&client.sockets[1]);
    }
    if (error) {
        socket_close(&client.sockets[0]);
        return false;
    }
    __atomic_store_n(&client.port, got, __ATOMIC_RELEASE);
    return true;
}

static bool listen_somewhere(void)
{
    if (client.wish.port >= 0)
        return listen_on((uint16_t)client.wish.port);
    // A client of Tracy itself, in this program or another, is to have this one.
    const char *other = secure_getenv("TRACY_PORT");
    long taken = other ? strtol(other, NULL, 10) : 0;
    for (int i = 0; i < TRACY_PORTS; i++)
        if (TRACY_PORT + i != taken && listen_on((uint16_t)(TRACY_PORT + i)))
            return true;
    return false;
}

// --- announcements ---
static void announce(int32_t active_seconds)
{
    struct tracy_broadcast b = {.version = TRACY_BROADCAST_VERSION,
                                .port = (uint16_t)client.port,
                                .protocol = tracy_protocols[TRACY_F10],
                                .pid = (uint64_t)getpid(),
                                .active_seconds = active_seconds};
    struct recorder_piece program = recorder_told_program();
    size_t n = program.n < sizeof b.program - 1 ? program.n : sizeof b.program - 1;
    memcpy(b.program, program.p, n);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(TRACY_PORT)};
    inet_pton(AF_INET, client.wish.is_for_all ? "255.255.255.255" : "127.255.255.255",
              &to.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0)
        return;
    (void)setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof one);
    (void)sendto(fd, &b, offsetof(struct tracy_broadcast, program) + strlen(b.program) + 1,
                 MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to);
    (void)close(fd);
}

static int32_t seconds_active(void)
{
    return (int32_t)((recorder_monotonic() - client.start_ns) / 1000000000);
}

// --- waiting ---
bool recorder_tracy_is_stopping(void)
{
    return __atomic_load_n(&client.is_stopping, __ATOMIC_ACQUIRE);
}

bool recorder_tracy_is_hurried(void)
{
    return __atomic_load_n(&client.is_hurried, __ATOMIC_ACQUIRE);
}

static void wake_up(void)
{
    static const uint64_t one = 1;
    (void)!write(client.event, &one, sizeof one);
}

void recorder_tracy_wake(void)
{
    if (__atomic_load_n(&client.is_asleep, __ATOMIC_SEQ_CST))
        wake_up();
}

// True if one of them is ready or the time is over; false if one is no longer what it was.
static bool poll_all(struct pollfd *all, nfds_t n, int ms)
{
    uint64_t count;
    all[0] = (struct pollfd){.fd = client.event, .events = POLLIN};
    __atomic_store_n(&client.is_asleep, 1, __ATOMIC_SEQ_CST);
    int got =
        poll(all, n, recorder_feed_has_some() || recorder_devices_have_some() ? 0 : ms);
    __atomic_store_n(&client.is_asleep, 0, __ATOMIC_RELAXED);
    if (got > 0 && all[0].revents & POLLIN)
        (void)!read(client.event, &count, sizeof count);
    for (nfds_t i = 0; got > 0 && i < n; i++)
        if (all[i].revents & POLLNVAL)
            return false;
    return got >= 0 || errno == EINTR;
}

bool recorder_tracy_poll(int socket, int ms)
{
    struct pollfd all[2] = {{0}, {.fd = socket, .events = POLLIN}};
    return poll_all(all, 2, ms);
}

// Accepts one server. -1: none yet; *is_useless: there never will be one.
static int accept_one(int ms, bool *is_useless)
{
    struct pollfd all[1 + N_SOCKETS];
    for (int i = 0; i < N_SOCKETS; i++)
        all[1 + i] = (struct pollfd){.fd = client.sockets[i], .events = POLLIN};
    *is_useless = !poll_all(all, 1 + N_SOCKETS, ms);
    for (int i = 0; i < N_SOCKETS && !*is_useless; i++)
        if (all[1 + i].revents & POLLIN) {
            int low = accept4(client.sockets[i], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (low >= 0)
                return recorder_descriptor_move_up(low);
        }
    return -1;
}

// --- the thread ---
static void *client_main(void *unused)
{
    uint64_t next_ns = 0;
    bool is_useless = false;
    (void)prctl(PR_SET_NAME, "ttprof-tracy");
    while (!is_useless && !recorder_tracy_is_stopping()) {
        if (recorder_monotonic() >= next_ns) {
            announce(seconds_active());
            next_ns = recorder_monotonic() + ANNOUNCE_MS * UINT64_C(1000000);
        }
        int server = accept_one(ANNOUNCE_MS, &is_useless);
        if (server < 0)
            continue;
        announce(-1);
        recorder_session_serve(client.session, server);
        next_ns = 0;
    }
    announce(-1);
    return unused;
}

static bool make_thread(const pthread_attr_t *attributes)
{
    return pthread_create(&client.thread, attributes, client_main, NULL) == 0;
}

// As the drainer's. A program with much thread-local data needs larger stacks.
static bool start_thread(void)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    bool is_running = make_thread(&attributes) || make_thread(NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_running;
}

static void close_all(void)
{
    for (int i = 0; i < N_SOCKETS; i++)
        socket_close(&client.sockets[i]);
    socket_close(&client.event);
    __atomic_store_n(&client.port, 0, __ATOMIC_RELEASE);
}

static bool event_make(void)
{
    int low = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    client.event = low < 0 ? -1 : recorder_descriptor_move_up(low);
    return low >= 0;
}

void recorder_tracy_start(void)
{
    int error = errno;
    client.wish = recorder_tracy_wish();
    if (client.is_running || !client.wish.is_on)
        return;
    client.is_hurried = client.is_stopping = client.is_served = client.is_asleep = 0;
    client.start_ns = recorder_monotonic();
    if (!client.session)
        client.session = recorder_session_new();
    client.is_running =
        client.session && event_make() && listen_somewhere() && start_thread();
    if (!client.is_running)
        close_all();
    errno = error;
}

// --- for the other threads ---
void recorder_tracy_is_served(bool is_served)
{
    __atomic_store_n(&client.is_served, is_served, __ATOMIC_RELEASE);
}

static void nap(void)
{
    static const struct timespec moment = {.tv_nsec = NAP_NS};
    nanosleep(&moment, NULL);
}

void recorder_tracy_wait(void)
{
    while (client.is_running && !__atomic_load_n(&client.is_served, __ATOMIC_ACQUIRE))
        nap();
}

bool recorder_tracy_has_thread(void)
{
    return client.is_running;
}

uint32_t recorder_tracy_port(void)
{
    return __atomic_load_n(&client.port, __ATOMIC_ACQUIRE);
}

bool recorder_tracy_is_slow(void)
{
    if (recorder_has_folder() || recorder_feed_mode() != FEED_LIVE)
        return false;
    for (struct recorder_thread *t = recorder_threads(); t; t = t->next)
        if (t->fed < __atomic_load_n(&t->ring->head, __ATOMIC_ACQUIRE)) {
            __atomic_store_n(&client.is_hurried, 1, __ATOMIC_RELEASE);
            nap();
            return true;
        }
    return false;
}

void recorder_tracy_stop(void)
{
    if (!client.is_running)
        return;
    __atomic_store_n(&client.is_hurried, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&client.is_stopping, 1, __ATOMIC_RELEASE);
    wake_up();
    pthread_join(client.thread, NULL);
    recorder_devices_forget();
    client.is_running = false;
    close_all();
}

// The parent's descriptors; its connection is in the session.
void recorder_tracy_fork_child(void)
{
    recorder_feed_fork_child();
    recorder_devices_fork_child();
    if (!client.is_running)
        return;
    client.is_running = false;
    close_all();
    recorder_session_fork_child(client.session);
    client.session = NULL;
}
