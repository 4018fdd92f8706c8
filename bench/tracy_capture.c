// tracy_capture.c - speed of capturing a Tracy client, without the socket.
//
//     tracy_capture ZONES GENERATION PASSES
//
// Makes the stream of a client of protocol 66 (GENERATION 0) or 82 (1) with ZONES zones at
// 16 places on four threads, feeds it PASSES times in chunks of 64 KiB, each time into a
// new trace, and prints one line of JSON. A zone is two events. The time includes unpacking
// the stream and putting the trace in order.
#include <stdio.h>
#include <stdlib.h>

#include "base/text/str.h"

#include "../tests/support/tracy_stream.h"
#include "bench.h"
#include "formats/tracy/capture/capture.h"

enum { THREADS = 4, PLACES = 16, BLOCK = 250000, CHUNK = 65536 };

static void make_stream(struct tracy_stream *s, uint64_t zones)
{
    for (uint64_t i = 0; i < zones; i++) {
        if (s->items.n == 0)
            stream_item(s, TRACY_THREAD_CONTEXT, TRACY_THREAD_FIELD,
                        UINT64_C(100) + i / 8192 % THREADS, STREAM_END);
        stream_begin(s, 40 + i % 3, 4096 + i % PLACES * 32);
        stream_end(s, 30 + i % 7);
        if (s->items.n > BLOCK)
            stream_block(s);
    }
    stream_block(s);
}

static double capture_once(const struct tracy_stream *s, uint64_t zones)
{
    struct tracy t;
    double start = bench_cpu();
    tracy_start(&t, ".", 0);
    struct capture *c = capture_start(&t, s->layouts.generation, 8188);
    for (size_t at = 0; at < s->bytes.n; at += CHUNK) {
        size_t left = s->bytes.n - at;
        if (!capture_feed(c, s->bytes.p + at, left < CHUNK ? left : CHUNK))
            exit(1);
    }
    capture_finish(c);
    double cpu = bench_cpu() - start;
    if (tracy_zone_count(&t) != zones)
        exit(1);
    tracy_free(&t);
    return cpu;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    uint64_t zones = strtoull(argv[1], NULL, 10);
    int passes = atoi(argv[3]);
    struct tracy_stream s;
    stream_start(&s, atoi(argv[2]) ? TRACY_U14 : TRACY_F10, 0);
    make_stream(&s, zones);
    double best = 1e9;
    for (int i = 0; i < passes; i++) {
        double cpu = capture_once(&s, zones);
        best = cpu < best ? cpu : best;
    }
    (void)printf(
        "{\"events\": %llu, \"cpu_s\": %.6f, \"million_events_s\": %.3f, "
        "\"bytes\": %zu}\n",
        (unsigned long long)(2 * zones), best, 2e-6 * (double)zones / best, s.bytes.n);
    stream_free(&s);
    return 0;
}
