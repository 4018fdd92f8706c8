// decode.c - speed of decoding marker words to a trace.
//
//     decode MARKERS ZONES OTHERS PASSES
//
// Generates about MARKERS markers of five RISCs on 64 cores, from programs that record
// ZONES zones besides those of the firmware, and OTHERS events, data and NoC events in
// turn. Decodes them PASSES times, each time into a new trace, and prints one line of JSON.
// The time excludes summing and freeing the trace. For comparison it also copies the words
// and writes as many bytes as the trace's columns hold. TTPROF_THREADS sets the lanes.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/support/words.h"
#include "bench.h"
#include "trace_sum.h"

enum { CORES = 64, RISCS = 5, IDS = 200, FIRST_ID = 1000 };

struct kind {
    uint32_t zones, others; // of a program
};

struct result {
    double cpu, wall, copy;
    size_t markers, tracks;
    uint64_t sum;
};

static void make_other(struct words *w, uint32_t i, uint64_t time)
{
    if (i % 3 == 0)
        words_event(w, i, time);
    else if (i % 3 == 1)
        words_data(w, FIRST_ID + i % IDS, time, time * 3);
    else
        words_data(w, TT_ID_NOC_EVENT, time, UINT64_C(0x01FFF2050403020B));
}

static void make_words(struct collection *c, struct words *w, uint32_t flat, uint32_t risc,
                       size_t programs, struct kind k)
{
    uint64_t time = 1000000;
    for (size_t p = 1; p <= programs; p++) {
        uint64_t start = time;
        words_begin(w, risc, flat, 0, (uint32_t)p);
        for (uint32_t z = 0; z < k.zones; z++, time += 100)
            words_zone(w, FIRST_ID + (z + risc * 7) % IDS, time + 200, time + 260);
        for (uint32_t i = 0; i < k.others; i++, time += 100)
            make_other(w, i, time + 200);
        words_main(w, FIRST_ID, start, time + 500);
        words_child(w, FIRST_ID + 1, start + 100, time + 400);
        words_pad(w);
        time += 1000;
    }
    struct word_block *b = words_add(c, flat, (uint8_t)risc, w);
    b->clock = time + 1000;
}

static void make_collection(struct collection *c, size_t markers, struct kind k)
{
    struct tt_core *cores = push_many(&c->arena, struct tt_core, CORES);
    for (int i = 0; i < CORES; i++)
        cores[i] = (struct tt_core){.x = (int16_t)(i % 8),
                                    .y = (int16_t)(i / 8),
                                    .flat = (int16_t)i,
                                    .n_riscs = RISCS};
    c->layout = WORDS_V2;
    vec_push(&c->chips, (struct chip_record){.arch_name = "wormhole_b0",
                                             .mhz = 1000,
                                             .max_compute_cores = CORES,
                                             .cores = cores,
                                             .n_cores = CORES});
    for (uint32_t i = 0; i < IDS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, i == 0 ? "BRISC-FW" : "ZONE-%u", i);
        words_name(c, FIRST_ID + i, name);
    }
    size_t each = (size_t)CORES * RISCS * (4 + 2 * k.zones + k.others);
    size_t programs = markers / each + 1;
    struct words w = {0};
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t risc = 0; risc < RISCS; risc++) {
            w.v.n = 0;
            make_words(c, &w, core, risc, programs, k);
        }
    words_free(&w);
}

static void decode_once(struct collection *c, struct result *r)
{
    struct trace t = {0};
    double wall = bench_wall(), cpu = bench_cpu();
    struct decoder *d = decoder_new(c);
    decoder_run(d, &t, true);
    r->cpu += bench_cpu() - cpu;
    r->wall += bench_wall() - wall;
    r->markers += t.n_rows;
    r->tracks = t.tracks.n;
    r->sum = trace_sum(&t);
    decoder_free(d);
    trace_free(&t);
}

// Cost of memory traffic alone: words in, columns out (time, site, run, line).
static double copy_once(const struct collection *c, size_t markers)
{
    enum { COLUMN_BYTES = 20 };
    size_t words = 0, at = 0;
    for (size_t i = 0; i < c->blocks.n; i++)
        words += c->blocks.v[i].n;
    char *to = mem_alloc(4 * words + COLUMN_BYTES * markers);
    double cpu = bench_cpu();
    for (size_t i = 0; i < c->blocks.n; i++) {
        memcpy(to + at, c->blocks.v[i].words, 4 * c->blocks.v[i].n);
        at += 4 * c->blocks.v[i].n;
    }
    memset(to + at, to[0] + 1, COLUMN_BYTES * markers);
    cpu = bench_cpu() - cpu;
    mem_free(to);
    return cpu;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        (void)fprintf(stderr, "usage: decode MARKERS ZONES OTHERS PASSES\n");
        return 2;
    }
    // Keep pages touched by one pass for the next.
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 30);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
    static struct collection c;
    struct kind kind = {(uint32_t)strtoul(argv[2], NULL, 10),
                        (uint32_t)strtoul(argv[3], NULL, 10)};
    make_collection(&c, strtoull(argv[1], NULL, 10), kind);
    struct result warm = {0}, r = {0};
    int passes = atoi(argv[4]);
    decode_once(&c, &warm);
    warm.copy = copy_once(&c, warm.markers);
    for (int i = 0; i < passes; i++) {
        decode_once(&c, &r);
        r.copy += copy_once(&c, warm.markers);
    }
    if (passes == 0)
        r = warm;
    (void)printf(
        "{\"markers\":%zu,\"tracks\":%zu,\"cpu\":%.6f,\"wall\":%.6f,"
        "\"copy\":%.6f,\"sum\":%llu}\n",
        r.markers, r.tracks, r.cpu, r.wall, r.copy, (unsigned long long)r.sum);
    collection_free(&c);
    return 0;
}
