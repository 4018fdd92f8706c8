// record.c - the host recorder: what a zone costs the program, what it takes on the disk,
// and how fast events get into the stream and out of it again.
//
//   record zone FOLDER          one thread: ns of a zone, of two readings of the clock
//   record threads FOLDER       the same on two threads at once
//   record disabled             the zone of a program that does not record
//   record trace FOLDER ZONES   zones that nothing foresees: bytes, and reading them
//   record drain FOLDER RATE S  RATE million events a second for S seconds: what is lost,
//                               and how much memory more than in the beginning is in use;
//                               a fourth word is the size of the ring in MB
//
// Each prints one line of JSON.
#define TTPROF_ENABLE
#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"

#include "bench.h"
#include "trace/block_read.h"
#include "ttprof/host.h"

enum { BATCH = 8000, BATCHES = 400, NAMES = 20, THREADS = 4 };

static double thread_cpu(void)
{
    return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}

static void start(const char *folder, const struct ttprof_settings *s)
{
    int error = ttprof_start_with(folder, s);
    if (error) {
        (void)fprintf(stderr, "record: %s: %s\n", folder, strerror(-error));
        exit(2);
    }
}

static uint64_t ticks(void)
{
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

// --- what a zone costs -----------------------------------------------------------------
struct costs {
    double zone, two_reads; // ns, least of all batches
};

static void zones(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        TTPROF_ZONE("work");
        __asm__ volatile("" ::: "memory");
    }
}

static void reads(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += ticks();
        __asm__ volatile("" : "+r"(sum)::"memory");
        sum += ticks();
        __asm__ volatile("" : "+r"(sum)::"memory");
    }
}

static double ns_each(void (*body)(uint64_t n), uint64_t n)
{
    double cpu = thread_cpu();
    body(n);
    return 1e9 * (thread_cpu() - cpu) / (double)n;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

// In batches that fit into the ring: what the drainer takes from the caches is its own
// cost.
static void *measure(void *into)
{
    struct costs *c = into;
    *c = (struct costs){1e9, 1e9};
    zones(1); // the thread gets its ring
    for (int i = 0; i < BATCHES; i++) {
        c->zone = least(c->zone, ns_each(zones, BATCH));
        c->two_reads = least(c->two_reads, ns_each(reads, BATCH));
        ttprof_flush();
    }
    return NULL;
}

static int zone_job(const char *folder)
{
    struct costs c;
    start(folder, &(struct ttprof_settings){0});
    (void)measure(&c);
    ttprof_stop();
    (void)printf("{\"zone_ns\":%.3f,\"two_reads_ns\":%.3f,\"lost\":%llu}\n", c.zone,
                 c.two_reads, (unsigned long long)ttprof_lost());
    return 0;
}

static int disabled_job(void)
{
    double zone = 1e9;
    for (int i = 0; i < BATCHES; i++)
        zone = least(zone, ns_each(zones, BATCH));
    (void)printf("{\"zone_ns\":%.4f}\n", zone);
    return 0;
}

static pthread_barrier_t both;

static void *measure_together(void *into)
{
    double *ns = into;
    *ns = 1e9;
    zones(1);
    for (int i = 0; i < BATCHES; i++) {
        pthread_barrier_wait(&both);
        *ns = least(*ns, ns_each(zones, BATCH));
        pthread_barrier_wait(&both);
        ttprof_flush();
    }
    return NULL;
}

static int threads_job(const char *folder)
{
    double two[2], one;
    pthread_t other;
    start(folder, &(struct ttprof_settings){0});
    pthread_barrier_init(&both, NULL, 1);
    (void)measure_together(&one);
    pthread_barrier_destroy(&both);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&other, NULL, measure_together, &two[1]);
    (void)measure_together(&two[0]);
    pthread_join(other, NULL);
    ttprof_stop();
    (void)printf("{\"one_ns\":%.3f,\"two_ns\":[%.3f,%.3f]}\n", one, two[0], two[1]);
    return 0;
}

// --- a trace ---------------------------------------------------------------------------
// Nested zones of 20 names, 100 ns to 1 ms long, names and lengths by chance: nothing in it
// can be foreseen. Time is the thread's own and goes in half ns, the finest steps that a
// stream has, so the figure does not depend on the machine.
enum { STEPS_PER_NS = 2 };
struct maker {
    uint64_t noise;
    uint64_t n_left, n_made;
    uint32_t *names;
};
static __thread uint64_t made_time;

static uint64_t made_now(void *unused)
{
    (void)unused;
    return made_time;
}

static uint64_t next_noise(struct maker *m)
{
    uint64_t z = m->noise += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

// Of all sizes between the two alike.
static double any_length(struct maker *m, double from, double to)
{
    double part = (double)(next_noise(m) >> 11) * 0x1p-53;
    return from * exp(part * log(to / from));
}

static void pass(double ns)
{
    made_time += (uint64_t)(ns * STEPS_PER_NS);
}

static void make_zone(struct maker *m, double ns, int depth)
{
    ttprof_zone zone = ttprof_zone_begin_at(m->names[next_noise(m) % NAMES]);
    m->n_made++;
    for (uint64_t n = next_noise(m) % 4; n && depth < 8; n--) {
        double before = any_length(m, 20, ns / 2), inner = any_length(m, 100, 1e6);
        if (before + inner > ns - 20)
            break;
        pass(before);
        make_zone(m, inner, depth + 1);
        ns -= before + inner;
    }
    pass(ns);
    ttprof_zone_end(zone);
}

static void *make_trace(void *context)
{
    struct maker *m = context;
    made_time = m->noise % 1000000;
    while (m->n_made < m->n_left) {
        make_zone(m, any_length(m, 100, 1e6), 0);
        pass(any_length(m, 20, 1e4));
    }
    return NULL;
}

struct reading {
    uint64_t events, bytes;
    double cpu;
};

static struct reading read_stream(const char *folder)
{
    char pattern[512];
    glob_t found;
    struct file f;
    struct err e;
    (void)snprintf(pattern, sizeof pattern, "%s/host/*.stream", folder);
    if (glob(pattern, 0, NULL, &found) || !file_open(found.gl_pathv[0], &f, &e))
        exit(2);
    struct reading r = {.bytes = f.text.n};
    struct block_reader *reader = block_reader_new();
    for (int pass = 0; pass < 4; pass++) { // the first one brings the file into memory
        struct block_cursor c = {.stream = f.text};
        double cpu = thread_cpu();
        r.events = 0;
        while (block_next(&c) == BLOCK_WHOLE)
            if (block_read(reader, &c.block, c.payload))
                r.events += c.block.n_events;
        cpu = thread_cpu() - cpu;
        r.cpu = pass ? least(r.cpu, cpu) : 1e9;
    }
    block_reader_free(reader);
    file_close(&f);
    globfree(&found);
    return r;
}

static int trace_job(const char *folder, uint64_t n)
{
    pthread_t threads[THREADS];
    struct maker makers[THREADS];
    uint32_t names[NAMES];
    uint64_t n_zones = 0;
    start(folder, &(struct ttprof_settings){.policy = TTPROF_BLOCK});
    ttprof_use_clock(made_now, NULL);
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "zone %u", i);
        names[i] = ttprof_location_make("a.c", 3, "f", 1, name, (size_t)length, i + 1, 0);
    }
    for (uint64_t i = 0; i < THREADS; i++) {
        makers[i] = (struct maker){.noise = i + 1, .n_left = n / THREADS, .names = names};
        pthread_create(&threads[i], NULL, make_trace, &makers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        n_zones += makers[i].n_made;
    }
    ttprof_stop();
    struct reading r = read_stream(folder);
    (void)printf(
        "{\"zones\":%llu,\"events\":%llu,\"bytes\":%llu,\"read_cpu\":%.6f,"
        "\"lost\":%llu}\n",
        (unsigned long long)n_zones, (unsigned long long)r.events,
        (unsigned long long)r.bytes, r.cpu, (unsigned long long)ttprof_lost());
    return 0;
}

// --- the drainer -----------------------------------------------------------------------
// Ten zones inside each other, so that nothing but recording is done; then a pause until
// the next ten are due.
static void ten_zones(int depth)
{
    TTPROF_ZONE("deep");
    if (depth > 1)
        ten_zones(depth - 1);
}

// Not that of getrusage, which begins with what the parent had.
static double peak_mb(void)
{
    char line[256];
    double kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtod(line + 6, NULL);
    if (f)
        (void)fclose(f);
    return kb / 1024;
}

static int drain_job(const char *folder, double rate, double seconds, unsigned ring_mb)
{
    enum { ROUND = 100 };
    start(folder, &(struct ttprof_settings){.ring_bytes = ring_mb << 20});
    ten_zones(10);
    ttprof_flush(); // the drainer has its memory
    double peak = peak_mb();
    double from = bench_wall(), own = thread_cpu(), all = bench_cpu();
    uint64_t n = 0, first = ticks();
    double per_ns; // ticks
    do
        per_ns = 1e-9 * (double)(ticks() - first) / (bench_wall() - from);
    while (bench_wall() - from < 0.05);
    first = ticks();
    uint64_t end = first + (uint64_t)(1e9 * seconds * per_ns);
    double event_ticks = per_ns * 1e3 / rate;
    uint64_t start_at = first, n_since = 0;
    for (uint64_t now = first; now < end; now = ticks()) {
        uint64_t due = start_at + (uint64_t)((double)n_since * event_ticks);
        if (due > now)
            continue;
        if (now - due > (uint64_t)(1e6 * per_ns)) { // was not running: that is not made up
            start_at = now;
            n_since = 0;
        }
        for (int i = 0; i < ROUND; i++)
            ten_zones(10);
        n += (uint64_t)20 * ROUND;
        n_since += (uint64_t)20 * ROUND;
    }
    double took = (double)(ticks() - first) / per_ns * 1e-9;
    ttprof_flush();
    own = thread_cpu() - own;
    all = bench_cpu() - all;
    uint64_t lost = ttprof_lost();
    ttprof_stop();
    (void)printf(
        "{\"events\":%llu,\"seconds\":%.4f,\"drainer_cpu\":%.6f,\"lost\":%llu,"
        "\"grown_mb\":%.3f,\"peak_mb\":%.3f}\n",
        (unsigned long long)n, took, all - own, (unsigned long long)lost, peak_mb() - peak,
        peak_mb());
    return 0;
}

int main(int argc, char **argv)
{
    const char *job = argc > 1 ? argv[1] : "", *folder = argc > 2 ? argv[2] : "";
    if (strcmp(job, "zone") == 0 && argc == 3)
        return zone_job(folder);
    if (strcmp(job, "threads") == 0 && argc == 3)
        return threads_job(folder);
    if (strcmp(job, "disabled") == 0 && argc == 2)
        return disabled_job();
    if (strcmp(job, "trace") == 0 && argc == 4)
        return trace_job(folder, strtoull(argv[3], NULL, 10));
    if (strcmp(job, "drain") == 0 && (argc == 5 || argc == 6))
        return drain_job(folder, strtod(argv[3], NULL), strtod(argv[4], NULL),
                         argc == 6 ? (unsigned)strtoul(argv[5], NULL, 10) : 0);
    (void)fprintf(stderr, "usage: record zone|threads|disabled|trace|drain ...\n");
    return 2;
}
