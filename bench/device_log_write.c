// device_log_write.c - speed of writing a trace as a device log.
//
//     device_log_write FILE PASSES
//
// Reads FILE once and writes it PASSES times, each time to a new in-memory file; prints one
// line of JSON. The time covers finished trace to last byte written.
#include "formats/device_log/device_log_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "formats/device_log/device_log.h"

struct result {
    double cpu, wall;
    size_t bytes, rows;
};

static bool write_once(const struct trace *t, struct result *r, struct err *e)
{
    char path[32];
    int fd = memfd_create("log", MFD_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_IO, "no memory for a file");
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    double wall = bench_wall(), cpu = bench_cpu();
    bool ok = device_log_write(t, path, true, e);
    r->cpu += bench_cpu() - cpu;
    r->wall += bench_wall() - wall;
    r->bytes += (size_t)lseek(fd, 0, SEEK_END);
    for (size_t k = 0; k < t->tracks.n; k++)
        r->rows += t->tracks.v[k].n_markers;
    (void)close(fd);
    return ok;
}

int main(int argc, char **argv)
{
    struct trace t = {0};
    struct result r = {0};
    struct err e = {0};
    if (argc != 3) {
        fprintf(stderr, "Usage: device_log_write FILE PASSES\n");
        return 2;
    }
    bool ok = device_log_read(&t, argv[1], &e) && write_once(&t, &r, &e);
    r = (struct result){0}; // discard the warm-up
    for (int i = 0; ok && i < atoi(argv[2]); i++)
        ok = write_once(&t, &r, &e);
    trace_free(&t);
    if (!ok) {
        fprintf(stderr, "device_log_write: %s\n", e.text);
        return err_exit_code(e.code);
    }
    printf("{\"cpu\": %.9f, \"wall\": %.9f, \"bytes\": %zu, \"rows\": %zu}\n", r.cpu,
           r.wall, r.bytes, r.rows);
    return 0;
}
