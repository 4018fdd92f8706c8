// tracy_client.c - the recorder's Tracy client with our capture as its server: what a zone
// costs the recording thread, and what goes over the wire.
//
//   tracy_client zone FOLDER RATE ROUNDS
//                                 ns of a zone on the recording thread, by its processor
//                                 time, at RATE million zones a second: of the recorder
//                                 alone, while it listens, and while a server is connected;
//                                 without a folder, of a zone that nobody wants, and while
//                                 a server is connected
//   tracy_client wire PROTOCOL MIX ZONES
//                                 ZONES zones of one place in a loop (MIX 0), or nested
//                                 ones of 20 places (1), to a server of this protocol: its
//                                 bytes, and events a second from end to end
//
// The server is a process of its own, forked before anything is recorded. Each job, and
// each round, prints one line of JSON.
#define TTPROF_ENABLE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/data/mem.h"

#include "app/capture/link.h"
#include "bench.h"
#include "record/tracy/client.h"
#include "ttprof/host.h"

enum { BATCH = 1000, NAMES = 20 };
#define PART_SECONDS 0.1

static void check(bool is_right, const char *what)
{
    if (is_right)
        return;
    (void)fprintf(stderr, "tracy_client: %s\n", what);
    exit(2);
}

// --- the server --------------------------------------------------------------------------
struct order { // where to connect
    uint32_t port, generation;
};
struct told { // when it is connected, and once the session is over
    uint64_t bytes, zones;
    double cpu;
};
static int to_server, from_server; // pipes
static pid_t server;

static int64_t now_ns(void)
{
    return (int64_t)(1e9 * bench_wall());
}

// One session, which ends with the client or with a byte from the other process.
static void capture_one(int orders, int answers, const struct order *o)
{
    struct capture_link l;
    struct err e;
    struct link_how how = {"127.0.0.1", (uint16_t)o->port, "/tmp", UINT64_C(1) << 30,
                           (enum tracy_generation)o->generation};
    struct told told = {0};
    bool is_told = false;
    check(link_start(&l, &how, now_ns(), &e), "no address");
    while (!link_is_over(&l)) {
        struct pollfd p[2] = {link_poll(&l), {.fd = orders, .events = POLLIN}};
        (void)poll(p, 2, 10);
        link_step(&l, p[0].revents, now_ns());
        if (p[1].revents)
            break;
        if (!is_told && l.capture && capture_is_welcome(l.capture)) {
            is_told = true;
            check(write(answers, &told, sizeof told) == sizeof told, "a broken pipe");
        }
    }
    char byte;
    if (!link_is_over(&l))
        check(read(orders, &byte, 1) == 1, "a broken pipe");
    struct tracy *t = link_trace(&l);
    told.bytes = l.received;
    told.zones = t ? tracy_zone_count(t) : 0;
    told.cpu = bench_cpu();
    check(write(answers, &told, sizeof told) == sizeof told, "a broken pipe");
    link_free(&l);
}

static void start_server(void)
{
    int there[2], back[2];
    struct order o;
    check(!pipe(there) && !pipe(back), "no pipe");
    server = fork();
    check(server >= 0, "no process");
    to_server = there[1];
    from_server = back[0];
    if (server)
        return;
    (void)close(there[1]);
    while (read(there[0], &o, sizeof o) == sizeof o)
        capture_one(there[0], back[1], &o);
    _exit(0);
}

static struct told hear(void)
{
    struct told t;
    check(read(from_server, &t, sizeof t) == sizeof t, "the server has gone");
    return t;
}

static void connect_server(uint32_t generation)
{
    struct order o = {recorder_tracy_port(), generation};
    check(write(to_server, &o, sizeof o) == sizeof o, "the server has gone");
    (void)hear();
}

static void disconnect_server(void)
{
    check(write(to_server, "", 1) == 1, "the server has gone");
    (void)hear();
}

static void end_server(void)
{
    (void)close(to_server);
    (void)waitpid(server, NULL, 0);
}

// --- what a zone costs -------------------------------------------------------------------
static void zones(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        TTPROF_ZONE("work");
        __asm__ volatile("" ::: "memory");
    }
}

static double thread_cpu(void)
{
    return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}

// ns of a zone, by the processor time of this thread; between two batches it waits until
// the next one is due.
static double cost(double rate)
{
    double start = bench_wall(), spent = 0;
    uint64_t n = 0;
    zones(BATCH);
    for (; bench_wall() - start < PART_SECONDS; n += BATCH) {
        while (bench_wall() - start < 1e-6 * (double)n / rate)
            ;
        double cpu = thread_cpu();
        zones(BATCH);
        spent += thread_cpu() - cpu;
    }
    return 1e9 * spent / (double)n;
}

// Of a zone that is not recorded: the drainer does not disturb it.
static double least_cost(void)
{
    enum { BATCHES = 100 };
    double least = 1e9;
    for (int i = 0; i < BATCHES; i++) {
        double cpu = thread_cpu();
        zones((uint64_t)8 * BATCH);
        cpu = 1e9 * (thread_cpu() - cpu) / (8 * BATCH);
        least = cpu < least ? cpu : least;
    }
    return least;
}

static void record(const char *folder, bool listens)
{
    if (listens) {
        setenv("TTPROF_TRACY", "1", 1);
        setenv("TTPROF_TRACY_PORT", "0", 1);
    } else {
        unsetenv("TTPROF_TRACY");
    }
    struct ttprof_settings s = {.policy = TTPROF_BLOCK};
    check(!ttprof_start_with(folder, &s), "the recorder does not start");
    check(!listens || recorder_tracy_port(), "the recorder does not listen");
}

static double connected_cost(double rate, uint32_t generation)
{
    connect_server(generation);
    double ns = cost(rate);
    disconnect_server();
    return ns;
}

static void zone_round(const char *folder, double rate, uint32_t generation)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/alone", folder);
    record(path, false);
    double alone = cost(rate);
    ttprof_stop();
    (void)snprintf(path, sizeof path, "%s/listening", folder);
    record(path, true);
    double listening = cost(rate), connected = connected_cost(rate, generation);
    ttprof_stop();
    record(NULL, true);
    double unwanted = least_cost(), live = connected_cost(rate, generation);
    ttprof_stop();
    (void)printf(
        "{\"alone\":%.3f,\"listening\":%.3f,\"connected\":%.3f,"
        "\"unwanted\":%.3f,\"live\":%.3f,\"lost\":%llu}\n",
        alone, listening, connected, unwanted, live, (unsigned long long)ttprof_lost());
}

static int zone_job(const char *folder, double rate, int rounds)
{
    start_server();
    for (int i = 0; i < rounds; i++)
        zone_round(folder, rate, (uint32_t)i % TRACY_GENERATIONS);
    end_server();
    return 0;
}

// --- what goes over the wire -------------------------------------------------------------
struct mix {
    uint64_t noise, n_left, n_made;
    uint32_t places[NAMES];
};

static uint64_t next_noise(struct mix *m)
{
    m->noise ^= m->noise << 13;
    m->noise ^= m->noise >> 7;
    m->noise ^= m->noise << 17;
    return m->noise;
}

static void work(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        __asm__ volatile("" ::: "memory");
}

static void nested(struct mix *m, int depth)
{
    enum { DEPTH = 6, LONGEST = 400 };
    ttprof_zone zone = ttprof_zone_begin_at(m->places[next_noise(m) % NAMES]);
    m->n_made++;
    work(next_noise(m) % LONGEST);
    for (uint64_t n = next_noise(m) % 3; n && depth < DEPTH && m->n_made < m->n_left; n--) {
        nested(m, depth + 1);
        work(next_noise(m) % LONGEST);
    }
    ttprof_zone_end(zone);
}

static void mixed(uint64_t n)
{
    struct mix m = {.noise = 1, .n_left = n};
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "zone %u", i);
        m.places[i] =
            ttprof_location_make("a.c", 3, "f", 1, name, (size_t)length, i + 1, 0);
    }
    while (m.n_made < n)
        nested(&m, 0);
}

static int wire_job(uint32_t protocol, bool is_mixed, uint64_t n)
{
    enum tracy_generation g;
    check(tracy_generation_of(protocol, &g), "this protocol is not known");
    start_server();
    record(NULL, true);
    connect_server(g);
    double wall = bench_wall(), cpu = bench_cpu();
    if (is_mixed)
        mixed(n);
    else
        zones(n);
    ttprof_stop();
    struct told t = hear();
    wall = bench_wall() - wall;
    cpu = bench_cpu() - cpu + t.cpu;
    end_server();
    check(t.zones == n && !ttprof_lost(), "zones are missing");
    (void)printf(
        "{\"zones\":%llu,\"bytes\":%llu,\"wall\":%.6f,\"cpu\":%.6f,"
        "\"server_cpu\":%.6f}\n",
        (unsigned long long)t.zones, (unsigned long long)t.bytes, wall, cpu, t.cpu);
    return 0;
}

int main(int argc, char **argv)
{
    const char *job = argc > 1 ? argv[1] : "";
    if (strcmp(job, "zone") == 0 && argc == 5)
        return zone_job(argv[2], strtod(argv[3], NULL), atoi(argv[4]));
    if (strcmp(job, "wire") == 0 && argc == 5)
        return wire_job((uint32_t)atoi(argv[2]), atoi(argv[3]) != 0,
                        strtoull(argv[4], NULL, 10));
    (void)fprintf(stderr, "usage: tracy_client zone|wire ...\n");
    return 2;
}
