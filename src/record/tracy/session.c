// session.c - one connection: handshake, deferred facts, events, answers, end.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "record/tracy/devices.h"
#include "record/tracy/events.h"

enum {
    HANDSHAKE_MS = 2000, // for each of its two parts
    WAIT_MS = 100,
    KEEP_ALIVE_NS = 1000000000, // times 5
    KEEP_ALIVES = 5
};
#define PATIENCE_NS UINT64_C(5000000000) // with a server that takes nothing, at the end

// --- the socket ---
// Never gives up while the program runs: a slow server is served from the stream.
static bool send_all(void *context, const void *bytes, size_t n)
{
    struct tracy_session *s = context;
    for (size_t done = 0; done < n;) {
        ssize_t more = send(s->socket, (const char *)bytes + done, n - done,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more > 0) {
            done += (size_t)more;
            s->heard_ns = recorder_monotonic();
            continue;
        }
        if (more < 0 && errno == EINTR)
            continue;
        bool is_late =
            recorder_tracy_is_hurried() && recorder_monotonic() - s->heard_ns > PATIENCE_NS;
        if (is_late || (errno != EAGAIN && errno != EWOULDBLOCK)) {
            s->is_over = true;
            return false;
        }
        struct pollfd one = {.fd = s->socket, .events = POLLOUT};
        (void)poll(&one, 1, WAIT_MS);
    }
    return true;
}

static bool receive_all(int socket, void *to, size_t n)
{
    uint64_t end = recorder_monotonic() + HANDSHAKE_MS * UINT64_C(1000000);
    for (size_t done = 0; done < n;) {
        ssize_t more = recv(socket, (char *)to + done, n - done, MSG_DONTWAIT);
        if (more > 0)
            done += (size_t)more;
        else if (more == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ||
                 recorder_monotonic() > end || recorder_tracy_is_stopping() ||
                 !recorder_tracy_poll(socket, WAIT_MS))
            return false;
    }
    return true;
}

// --- the welcome ---
static void tell_cpu(struct tracy_welcome *w)
{
#if defined(__x86_64__) || defined(__i386__)
    enum { X86 = 1, X64 = 2 };
    unsigned a = 0, b = 0, c = 0, d = 0;
    w->cpu_arch = sizeof(void *) == 8 ? X64 : X86;
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return;
    memcpy(w->cpu_maker, &b, 4);
    memcpy(w->cpu_maker + 4, &d, 4);
    memcpy(w->cpu_maker + 8, &c, 4);
    if (__get_cpuid(1, &a, &b, &c, &d))
        w->cpu_id = (a & 0xFFF) | (a & 0xFFF0000) >> 4;
#elif defined(__aarch64__)
    w->cpu_arch = 4;
#endif
}

static void tell_host(struct tracy_welcome *w)
{
    struct utsname u;
    if (uname(&u) == 0)
        snprintf(w->info, sizeof w->info,
                 "OS: %s %.100s\nHost: %.100s\nArch: %.100s\nCPU cores: %ld\n"
                 "Recorder: ttprof\n",
                 u.sysname, u.release, u.nodename, u.machine,
                 sysconf(_SC_NPROCESSORS_ONLN));
}

static bool welcome(struct tracy_session *s, enum tracy_generation generation)
{
    uint8_t bytes[1 + TRACY_WELCOME_MOST + sizeof(struct tracy_demand)] = {TRACY_WELCOME};
    uint64_t now = recorder_monotonic();
    struct recorder_piece program = recorder_told_program();
    struct tracy_welcome w = {
        .ns_per_tick = 1,
        .begin = s->begin_ns,
        .end = s->begin_ns,
        .resolution = 1,
        .epoch = (uint64_t)time(NULL) - (now - (uint64_t)s->begin_ns) / 1000000000,
        .pid = (uint64_t)getpid(),
        .flags = TRACY_ON_DEMAND,
    };
    size_t most = sizeof w.program - 1;
    memcpy(w.program, program.p, program.n < most ? program.n : most);
    tell_cpu(&w);
    tell_host(&w);
    struct tracy_demand demand = {0, now};
    size_t n = 1 + tracy_welcome_put(generation, &w, bytes + 1);
    memcpy(bytes + n, &demand, sizeof demand);
    return send_all(s, bytes, n + sizeof demand);
}

// False: not a server, or one of a version that is not known.
static bool shake_hands(struct tracy_session *s, enum tracy_generation *generation)
{
    char magic[TRACY_MAGIC_BYTES];
    uint32_t protocol;
    if (!receive_all(s->socket, magic, sizeof magic) ||
        memcmp(magic, TRACY_MAGIC, sizeof magic) != 0 ||
        !receive_all(s->socket, &protocol, sizeof protocol))
        return false;
    if (tracy_generation_of(protocol, generation))
        return true;
    uint8_t status = TRACY_MISMATCH;
    send_all(s, &status, sizeof status);
    return false;
}

// --- what a session remembers ---
struct tracy_session *recorder_session_new(void)
{
    struct tracy_session *s = recorder_pages(sizeof *s);
    if (!s)
        return NULL;
    s->stream = s->socket = -1;
    s->has_place = recorder_pages(EVENTS_PLACES);
    s->text = recorder_pages((size_t)2 * EVENTS_TEXT_MOST);
    return s->has_place && s->text ? s : NULL;
}

void recorder_session_fork_child(struct tracy_session *s)
{
    if (s->socket >= 0)
        (void)close(s->socket);
    recorder_behind_end(s);
}

static void forget(struct tracy_session *s)
{
    struct recorder_keys *all[] = {
        &s->tids,   &s->names,     &s->locks,        &s->lock_names, &s->lane_of,
        &s->fibers, &s->announced, &s->lock_threads, &s->live,       &s->fiber_lanes};
    recorder_held_forget(s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        recorder_keys_clear(all[i]);
    (void)madvise(s->has_place, EVENTS_PLACES, MADV_DONTNEED); // zero again
    s->n_places = s->n_lanes = s->n_asked = 0;
    s->n_waiting = s->order = s->table_at = s->n_left_out = 0;
    s->is_over = s->is_asked_to_end = s->is_terminating = false;
    recorder_behind_end(s);
}

static void start(struct tracy_session *s, int socket)
{
    const struct tt_table *table = recorder_table();
    const struct tt_control *control = recorder_control();
    forget(s);
    s->socket = socket;
    s->heard_ns = recorder_monotonic();
    s->begin_ns = (int64_t)(table ? table->start_ns : s->heard_ns);
    recorder_times_clear(&s->times, control ? control->ticks_per_ns : 0);
    s->out.send = send_all;
    s->out.context = s;
}

// --- the middle ---
// Sends one piece of what there is. False: there is nothing.
static bool take_some(struct tracy_session *s)
{
    struct recorder_chunk *c = &s->chunk;
    bool has_zones = recorder_device_take(s);
    if (!recorder_feed_take(c)) {
        bool is_behind = recorder_feed_mode() == FEED_BEHIND;
        if (is_behind)
            recorder_behind_take(s);
        return is_behind || has_zones;
    }
    recorder_told_update(s);
    if (c->thread)
        recorder_events_take(s, c->thread, c->clock, c->from, c->words, c->n_words);
    else
        recorder_serial_send(s, recorder_serial_until(s, c->from));
    return true;
}

static void feed_end(void)
{
    recorder_drain_hold();
    recorder_feed_stop();
    recorder_drain_release();
}

// The rest, with every zone closed: a server waits for that.
static void terminate(struct tracy_session *s)
{
    feed_end();
    recorder_told_update(s);
    recorder_serial_end(s);
    recorder_events_close_zones(s);
    recorder_device_end(s);
    recorder_out_flush(&s->out);
    recorder_out_item(&s->out, TRACY_TERMINATE, 0);
    recorder_out_flush(&s->out);
    s->is_terminating = true;
    s->heard_ns = recorder_monotonic();
}

static bool is_at_the_end(const struct tracy_session *s)
{
    return s->is_asked_to_end || recorder_tracy_is_stopping();
}

static void keep_alive(struct tracy_session *s, uint64_t *idle_ns)
{
    uint64_t now = recorder_monotonic();
    if (now - *idle_ns < KEEP_ALIVES * (uint64_t)KEEP_ALIVE_NS)
        return;
    recorder_out_item(&s->out, TRACY_KEEP_ALIVE, 0);
    recorder_out_flush(&s->out);
    *idle_ns = now;
}

static void serve(struct tracy_session *s)
{
    uint64_t idle_ns = recorder_monotonic();
    while (!s->is_over && !s->out.is_broken) {
        recorder_answers_take(s);
        if (s->is_over)
            break;
        if (!s->is_terminating && take_some(s)) {
            idle_ns = recorder_monotonic();
            continue;
        }
        if (!s->is_terminating && is_at_the_end(s))
            terminate(s);
        if (s->out.at != s->out.start)
            idle_ns = recorder_monotonic();
        recorder_out_flush(&s->out);
        // What is sent counts as a sign of life, so no more of this at the end.
        if (!s->is_terminating)
            keep_alive(s, &idle_ns);
        else if (recorder_monotonic() - s->heard_ns > PATIENCE_NS)
            break;
        if (!recorder_tracy_poll(s->socket, WAIT_MS))
            break;
    }
}

// Without a folder the gate is open only while somebody listens.
static void open_gate(bool is_open)
{
    struct tt_control *c = recorder_control();
    if (!recorder_has_folder() && c)
        __atomic_store_n(&c->gate, is_open, __ATOMIC_RELEASE);
}

// What is recorded once the server has its welcome is sent: feeding begins before.
static void serve_generation(struct tracy_session *s, enum tracy_generation generation)
{
    recorder_drain_hold();
    bool is_fed = recorder_feed_start();
    recorder_drain_release();
    if (!is_fed)
        return;
    open_gate(true);
    recorder_out_start(&s->out, generation);
    if (welcome(s, generation)) {
        recorder_device_start(s);
        recorder_tracy_is_served(true);
        recorder_told_update(s);
        recorder_device_announce(s);
        serve(s);
        recorder_tracy_is_served(false);
        recorder_devices_close();
    }
    open_gate(false);
    feed_end();
}

void recorder_session_serve(struct tracy_session *s, int socket)
{
    enum tracy_generation generation;
    int one = 1;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    start(s, socket);
    if (shake_hands(s, &generation))
        serve_generation(s, generation);
    (void)close(socket);
    s->socket = -1;
}
