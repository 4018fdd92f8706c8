// device_log.c - speed of reading a device log to a trace: sorted tracks, all rows checked.
//
//     device_log FILE PASSES
//
// Reads FILE PASSES times, each time into a new trace, and prints one line of JSON. The
// time covers first byte to finished trace, without summing and freeing it. 0 passes: one
// pass including the mapping, without warm-up, as in a command that reads a file once.
// TTPROF_THREADS sets the lanes.
#include "formats/device_log/device_log.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "trace_sum.h"

struct result {
    double cpu, wall;
    size_t bytes, rows, tracks;
    uint64_t odd;
    uint64_t
        sum; // of all markers: the same for any number of lanes, and nothing is left out
};

static bool read_once(str text, const char *path, struct result *r, struct err *e)
{
    struct trace t = {0};
    double wall = bench_wall(), cpu = bench_cpu();
    bool ok = device_log_read_text(&t, text, path, e);
    r->cpu += bench_cpu() - cpu;
    r->wall += bench_wall() - wall;
    r->bytes += text.n;
    r->rows += t.n_rows;
    r->tracks = t.tracks.n;
    r->odd = diag_total(&t.diag);
    r->sum = ok ? trace_sum(&t) : 0;
    trace_free(&t);
    return ok;
}

static bool read_file(const char *path, int passes, struct result *r, struct err *e)
{
    double wall = bench_wall(), cpu = bench_cpu();
    struct file f;
    if (!file_open(path, &f, e))
        return false;
    cpu = bench_cpu() - cpu;
    wall = bench_wall() - wall;
    bool ok = read_once(f.text, path, r, e);
    if (passes == 0) {
        r->cpu += cpu;
        r->wall += wall;
    } else {
        *r = (struct result){0}; // discard the warm-up
    }
    for (int i = 0; ok && i < passes; i++)
        ok = read_once(f.text, path, r, e);
    file_close(&f);
    return ok;
}

int main(int argc, char **argv)
{
    // Give each pass new pages, as a command gets: otherwise reuse of the previous pass's
    // memory depends on the sizes.
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    struct result r = {0};
    struct err e = {0};
    if (argc != 3) {
        fprintf(stderr, "Usage: device_log FILE PASSES\n");
        return 2;
    }
    if (!read_file(argv[1], atoi(argv[2]), &r, &e)) {
        fprintf(stderr, "device_log: %s\n", e.text);
        return err_exit_code(e.code);
    }
    printf(
        "{\"cpu\": %.9f, \"wall\": %.9f, \"bytes\": %zu, \"rows\": %zu, \"tracks\": %zu, "
        "\"odd\": %llu, \"sum\": \"%016llx\"}\n",
        r.cpu, r.wall, r.bytes, r.rows, r.tracks, (unsigned long long)r.odd,
        (unsigned long long)r.sum);
    return 0;
}
