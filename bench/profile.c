// profile.c - cost of the profiler and accuracy of its clocks, on the software device.
// One job per process:
//
//   readout      one op that records nothing of its own, on a chip of 80 cores: bytes read
//   sync SEED    one clock sync of a chip: host time, stated and true error
//   costs CHIP   cycles of each macro on BRISC, wormhole or blackhole
//
// Prints one line of JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "device.h"
#include "profiler/device_profiler.h"
#include "sim/cluster.h"

enum { WAIT_NS = 1000000000, ROUNDS = 16 };

static ttprof_profiler *attach(ttdev *t, bool has_sums)
{
    struct profiler_options o;
    struct err e = {0};
    struct tt_access access;
    profiler_options_default(&o);
    o.is_enabled = o.no_files = true;
    o.sum = has_sums;
    o.program_count = 100; // sums need space the device has not reserved
    ttdev_access(t, &access);
    static struct buf messages; // nobody wants them here
    ttprof_profiler *p = device_profiler_open(&access, &o, &messages, &e);
    if (!p)
        bench_stop("attach", e.text);
    return p;
}

static void run(ttdev *t, ttdev_range cores, int n_riscs, uint32_t rounds, uint32_t out)
{
    ttdev_program *p = ttdev_program_new(t, "costs");
    for (int risc = 0; risc < n_riscs; risc++) {
        int kernel = ttdev_program_kernel(p, cores, risc,
                                          bench_load(t, "sim_kernels/profile_costs", risc),
                                          risc == TT_NCRISC);
        bench_check(t, kernel, "kernel");
        bench_check(t, ttdev_program_args(p, kernel, cores, (uint32_t[]){rounds, out}, 2),
                    "arguments");
    }
    bench_check(t, ttdev_launch(t, 0, p, 1), "launch");
    bench_check(t, ttdev_wait(t, 0, WAIT_NS), "wait");
    ttdev_program_free(p);
}

// --- jobs ------------------------------------------------------------------------------
static void readout(void)
{
    ttdev *t = bench_open("board=galaxy variant=prof clockmode=det");
    ttprof_profiler *p = attach(t, false);
    struct err e = {0};
    ttdev_info info;
    bench_check(t, ttdev_get_info(t, 0, &info), "info");
    run(t, (ttdev_range){{0, 0}, {info.grid.x - 1, info.grid.y - 1}}, TT_RISCS, 0, 0);
    uint64_t bytes = device_profiler_bytes_read(p), ns = ttdev_host_ns(t);
    double cpu = bench_cpu();
    if (!device_profiler_read(p, -1, READ_NORMAL, &e))
        bench_stop("read", e.text);
    cpu = bench_cpu() - cpu;
    bytes = device_profiler_bytes_read(p) - bytes;
    ns = ttdev_host_ns(t) - ns;
    struct collection *c = device_profiler_collection(p);
    (void)printf("{\"bytes\": %" PRIu64 ", \"cpu\": %.6f, \"host_ns\": %" PRIu64
                 ", \"cores\": %zu, \"workers\": %d, \"blocks\": %zu}\n",
                 bytes, cpu, ns, c->chips.v[0].n_cores, info.grid.x * info.grid.y,
                 c->blocks.n);
    (void)device_profiler_close(p, &e);
    ttdev_close(t);
}

// The largest difference between the model and the cluster's own arithmetic, in ns.
static double true_error(ttdev *t, const struct clock_model *m, uint64_t from, uint64_t to)
{
    const struct chip *chip = &t->chips[0];
    double worst = 0;
    for (uint64_t i = 0; i <= 100; i++) {
        uint64_t at = from + (to - from) * i / 100;
        uint64_t cycle = chip_cycle_at(chip, at * FS_PER_NS);
        double truth = (double)(int64_t)(chip_true_fs(chip, cycle) - at * FS_PER_NS);
        double said = clock_model_since(m, cycle + chip->boot_cycles, at);
        worst = fmax(worst, fabs(said - truth / FS_PER_NS));
    }
    return worst;
}

static void synchronise(const char *seed)
{
    char config[80];
    struct profiler_options o;
    struct tt_access access;
    struct err e = {0};
    profiler_options_default(&o);
    o.sync = true;
    (void)snprintf(config, sizeof config, "board=n150 variant=prof seed=%s ppm=%d", seed,
                   atoi(seed) % 101 - 50);
    ttdev *t = bench_open(config);
    ttdev_access(t, &access);
    struct sync *s = sync_new(&access, &o);
    uint64_t from = ttdev_host_ns(t);
    double cpu = bench_cpu();
    if (!sync_run(s, &e))
        bench_stop("sync", e.text);
    cpu = bench_cpu() - cpu;
    uint64_t to = ttdev_host_ns(t);
    const struct chip *chip = &t->chips[0];
    const struct clock_model *m = sync_model(s, 0);
    double rate = (double)(chip_cycle_at(chip, to * FS_PER_NS) -
                           chip_cycle_at(chip, from * FS_PER_NS)) /
                  (double)(to - from);
    (void)printf(
        "{\"seconds\": %.6f, \"cpu\": %.6f, \"stated_ns\": %.1f, \"true_ns\": %.1f, "
        "\"ppm\": %.4f, \"samples\": %u}\n",
        (double)(to - from) / 1e9, cpu, clock_model_worst_ns(m), true_error(t, m, from, to),
        1e6 * fabs(clock_model_ghz(m) / rate - 1), m->epochs.v[0].n_samples);
    sync_free(s);
    ttdev_close(t);
}

static void costs(const char *chip)
{
    char config[80];
    static const char *const names[] = {"zone", "event", "data", "data16", "sum"};
    enum { N = sizeof names / sizeof *names };
    uint32_t out[N + 1];
    struct err e = {0};
    ttdev_info info;
    (void)snprintf(config, sizeof config, "arch=%s variant=prof clockmode=det", chip);
    ttdev *t = bench_open(config);
    ttprof_profiler *p = attach(t, true);
    bench_check(t, ttdev_get_info(t, 0, &info), "info");
    run(t, (ttdev_range){{0, 0}, {0, 0}}, 1, ROUNDS, info.l1_buffers);
    ttdev_core core = {.space = TTDEV_LOGICAL};
    bench_check(t, ttdev_l1_read(t, 0, core, info.l1_buffers, out, sizeof out), "read");
    (void)printf("{");
    for (int i = 0; i < N; i++)
        (void)printf("%s\"%s\": %.3f", i ? ", " : "", names[i],
                     (double)(out[i + 1] - out[0]) / ROUNDS);
    (void)printf("}\n");
    (void)device_profiler_close(p, &e);
    ttdev_close(t);
}

int main(int argc, char **argv)
{
    const char *job = argc > 1 ? argv[1] : "", *argument = argc > 2 ? argv[2] : "1";
    if (strcmp(job, "readout") == 0)
        readout();
    else if (strcmp(job, "sync") == 0)
        synchronise(argument);
    else if (strcmp(job, "costs") == 0)
        costs(argument);
    else
        return fputs("bench_profile: readout | sync | costs; see profile.c\n", stderr), 2;
    return 0;
}
