// sim.c - speed of the software device. One job per process, for separate memory figures:
//
//   one STEPS             one RISC works, all others are parked
//   all THREADS STEPS     five RISCs on each of 64 cores work
//   ops N COUNT [THREADS] ops on 64 cores, with N operations of the engine per round, which
//                         make them longer but not larger
//   launches COUNT        programs on 64 cores that do nothing, with 16 KiB of kernels
//   open                  a chip of 80 cores, to the moment at which it can be used
//   idle                  device time in which nothing happens
//   rest                  a second of it after a program, and the memory taken
//
// A last argument `fast` lets cores of the chip launch the programs instead of the host.
// Prints one line of JSON.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "device.h"
#include "sim/cluster.h"
#include "sim/dispatch/cores.h"

enum { WAIT_NS = 1000000000, OP_CYCLES = 96 }; // OP_CYCLES: see mix.all.c

// A second of device time, with the host looking at it.
enum { REST_PARTS = 1000000, REST_NS = 1000 };

#define CHIP "board=n150 variant=off clockmode=det"

static bool is_fast; // dispatch
static ttdev *open_chip(const char *more)
{
    char config[160];
    (void)snprintf(config, sizeof config, CHIP " dispatch=%s %s", is_fast ? "fast" : "slow",
                   more);
    return bench_open(config);
}

struct mix {
    uint32_t rounds, steps, pages, operations; // operations of the engine per round
    bool is_chain;
};

struct cost {
    double cpu, wall;
    uint64_t host_ns;
    ttdev_counts counts;
    uint64_t dispatch; // instructions of dispatch cores that were executed
};

static uint64_t dispatch_executed(ttdev *t)
{
    const struct chip *chip = &t->chips[0];
    uint64_t sum = 0;
    for (int i = 0; i < chip->n_tiles; i++)
        for (unsigned r = 0; r < chip->tiles[i].n_riscs; r++)
            if (dispatch_is_core(&chip->tiles[i]))
                sum += chip->tiles[i].risc[r].instructions - chip->tiles[i].risc[r].skipped;
    return sum;
}

static struct cost cost_now(ttdev *t)
{
    struct cost c = {.cpu = bench_cpu(), .wall = bench_wall(), .host_ns = ttdev_host_ns(t)};
    (void)ttdev_get_counts(t, &c.counts);
    c.dispatch = dispatch_executed(t);
    return c;
}

static ttdev_program *program(ttdev *t, int cores_x, int cores_y, int n_riscs,
                              struct mix mix)
{
    ttdev_info info;
    bench_check(t, ttdev_get_info(t, 0, &info), "info");
    ttdev_range cores = {{0, 0}, {cores_x - 1, cores_y - 1}};
    ttdev_program *p = ttdev_program_new(t, "mix");
    uint32_t counts = info.l1_buffers, own = counts + 256, page = own + 5 * 256;
    for (int risc = 0; risc < n_riscs; risc++) {
        int kernel = ttdev_program_kernel(
            p, cores, risc, bench_load(t, "sim_kernels/mix", risc), risc == TT_NCRISC);
        bench_check(t, kernel, "kernel");
        uint32_t args[] = {mix.rounds,
                           mix.steps,
                           mix.pages,
                           counts,
                           own,
                           (uint32_t)info.dram_buffers,
                           (page + 2047) & ~2047u,
                           mix.is_chain,
                           mix.operations};
        bench_check(t,
                    ttdev_program_args(p, kernel, cores, args, sizeof args / sizeof *args),
                    "arguments");
    }
    return p;
}

static void finish(ttdev *t)
{
    bench_check(t, ttdev_wait(t, 0, WAIT_NS), "wait");
}
static void run(ttdev *t, ttdev_program *p, uint32_t id)
{
    bench_check(t, ttdev_launch(t, 0, p, id), "launch");
    finish(t);
}
// As a queue is used: the host waits at the end only.
static void run_many(ttdev *t, ttdev_program *p, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count && !is_fast; i++)
        run(t, p, first + i);
    for (uint32_t i = 0; i < count && is_fast; i++)
        bench_check(t, ttdev_launch(t, 0, p, first + i), "launch");
    if (is_fast)
        finish(t);
}

static void print(const char *job, struct cost a, struct cost b, uint32_t op_cycles)
{
    uint64_t instructions = b.counts.instructions - a.counts.instructions;
    uint64_t parked = b.counts.parked - a.counts.parked;
    (void)printf(
        "{\"job\": \"%s\", \"cpu\": %.6f, \"wall\": %.6f, \"executed\": %" PRIu64
        ", \"parked\": %" PRIu64 ", \"device_ns\": %" PRIu64 ", \"windows\": %" PRIu64
        ", \"packets\": %" PRIu64 ", \"barrier_ns\": %" PRIu64 ", \"op_cycles\": %" PRIu32
        ", \"dispatch_executed\": %" PRIu64 "}\n",
        job, b.cpu - a.cpu, b.wall - a.wall, instructions - parked, parked,
        b.host_ns - a.host_ns, b.counts.windows - a.counts.windows,
        b.counts.packets - a.counts.packets, b.counts.barrier_ns - a.counts.barrier_ns,
        op_cycles, b.dispatch - a.dispatch);
}

static void work(const char *job, const char *config, int cores, int n_riscs,
                 uint32_t steps)
{
    ttdev *t = open_chip(config);
    ttdev_program *p =
        program(t, cores, cores, n_riscs, (struct mix){1, steps, 0, 0, false});
    struct cost start = cost_now(t);
    run(t, p, 1);
    print(job, start, cost_now(t), 0);
    ttdev_program_free(p);
    ttdev_close(t);
}

static void ops(const char *config, uint32_t operations, uint32_t count)
{
    ttdev *t = open_chip(config);
    ttdev_program *p = program(t, 8, 8, TT_RISCS, (struct mix){8, 17, 1, operations, true});
    run(t, p, 1); // DRAM pages are touched for the first time
    struct cost start = cost_now(t);
    run_many(t, p, 2, count);
    struct cost end = cost_now(t);
    ttdev_info info;
    bench_check(t, ttdev_get_info(t, 0, &info), "info");
    uint32_t cycles = 0;
    ttdev_core first = {.space = TTDEV_LOGICAL};
    bench_check(t, ttdev_l1_read(t, 0, first, info.l1_buffers + OP_CYCLES, &cycles, 4),
                "read");
    print("ops", start, end, cycles);
    ttdev_program_free(p);
    ttdev_close(t);
}

// Programs that only have to be brought to the cores.
static ttdev_program *empty_program(ttdev *t)
{
    ttdev_range cores = {{0, 0}, {7, 7}};
    ttdev_program *p = ttdev_program_new(t, "text");
    for (int risc = 0; risc < TT_RISCS; risc++) {
        ttdev_image *image = bench_load(t, "sim_kernels/text", risc);
        bench_check(t, ttdev_program_kernel(p, cores, risc, image, risc == TT_NCRISC),
                    "kernel");
    }
    return p;
}

static void launches(uint32_t count)
{
    ttdev *t = open_chip("");
    ttdev_program *p = empty_program(t);
    run(t, p, 1);
    struct cost start = cost_now(t);
    run_many(t, p, 2, count);
    print("launches", start, cost_now(t), 0);
    ttdev_program_free(p);
    ttdev_close(t);
}

static double resident(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%*u %lu", &pages) != 1)
            pages = 0;
        (void)fclose(f);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void open_and_close(void)
{
    double before = resident(), start = bench_wall(), cpu = bench_cpu();
    ttdev *t = bench_open("board=galaxy variant=off clockmode=det");
    double opened = bench_wall(), used = bench_cpu();
    (void)printf(
        "{\"job\": \"open\", \"wall\": %.6f, \"cpu\": %.6f, \"bytes\": %.0f, "
        "\"process_bytes\": %.0f}\n",
        opened - start, used - cpu, resident() - before, resident());
    ttdev_close(t);
}

static void idle(void)
{
    ttdev *t = open_chip("");
    struct cost start = cost_now(t);
    bench_check(t, ttdev_sleep_ns(t, 10u * (uint64_t)WAIT_NS), "sleep");
    print("idle", start, cost_now(t), 0);
    ttdev_close(t);
}

static void rest(void)
{
    double before = resident();
    ttdev *t = open_chip("");
    ttdev_program *p = empty_program(t);
    run(t, p, 1);
    double bytes = resident() - before, cpu = bench_cpu();
    for (int i = 0; i < REST_PARTS; i++)
        bench_check(t, ttdev_sleep_ns(t, REST_NS), "sleep");
    (void)printf("{\"job\": \"rest\", \"cpu\": %.6f, \"bytes\": %.0f}\n", bench_cpu() - cpu,
                 bytes);
    ttdev_program_free(p);
    ttdev_close(t);
}

// Argument i as a number; 1 if missing.
static uint32_t argument(int argc, char **argv, int i)
{
    return argc > i ? (uint32_t)strtoul(argv[i], NULL, 10) : 1;
}

int main(int argc, char **argv)
{
    const char *job = argc > 1 ? argv[1] : "";
    uint32_t first = argument(argc, argv, 2), second = argument(argc, argv, 3);
    char config[80];
    bool is_ops = strcmp(job, "ops") == 0;
    is_fast = argc > 1 && strcmp(argv[argc - 1], "fast") == 0;
    argc -= is_fast;
    (void)snprintf(config, sizeof config, "numerics=%s threads=%" PRIu32,
                   is_ops ? "off" : "on", is_ops ? argument(argc, argv, 4) : first);
    if (strcmp(job, "one") == 0)
        work(job, "", 1, 1, first);
    else if (strcmp(job, "all") == 0)
        work(job, config, 8, TT_RISCS, second);
    else if (is_ops)
        ops(config, first, second);
    else if (strcmp(job, "launches") == 0)
        launches(first);
    else if (strcmp(job, "open") == 0)
        open_and_close();
    else if (strcmp(job, "idle") == 0)
        idle();
    else if (strcmp(job, "rest") == 0)
        rest();
    else
        return fputs(
                   "bench_sim: one | all | ops | launches | open | idle | rest; see sim.c\n",
                   stderr),
               2;
    return 0;
}
