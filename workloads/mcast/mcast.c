// mcast.c - one core sends a block to all others: by multicast and one by one.
#include <string.h>

#include "workloads/workloads.h"

static const struct workload_setting settings[] = {
    {SETTING_SIZE, 65536, 64, 131072, "bytes of the block"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

struct areas {
    uint32_t block, to_one, to_each, to_all, log; // L1 addresses
};

static void send_args(struct run *r, ttdev_program *p, int kernel, const struct areas *a,
                      uint32_t bytes)
{
    int cores = grid_cores(r);
    uint32_t args[11 + 128] = {a->block,  bytes,  a->to_one,          a->to_each,
                               a->to_all, a->log, (uint32_t)cores - 1};
    ttdev_xy first = virtual_at(r, 0, grid_at(r, 0));
    ttdev_xy last = virtual_at(r, 0, grid_at(r, cores - 1));
    args[7] = (uint32_t)first.x;
    args[8] = (uint32_t)first.y;
    args[9] = (uint32_t)last.x;
    args[10] = (uint32_t)last.y;
    for (int i = 1; i < cores; i++) {
        ttdev_xy at = virtual_at(r, 0, grid_at(r, i));
        args[10 + i] = (uint32_t)at.x | (uint32_t)at.y << 16;
    }
    work_args(r, p, kernel, range_one(0, 0), args, 10 + (size_t)cores);
}

static void check_copies(struct run *r, const struct areas *a, const uint8_t *block,
                         uint32_t bytes)
{
    int cores = grid_cores(r);
    uint8_t *got = mem_alloc(bytes);
    for (int i = 1; i < cores; i++) {
        work_l1_read(r, grid_at(r, i), a->to_each, got, bytes);
        run_check(r, memcmp(got, block, bytes) == 0, "core %d: the unicast copy is wrong",
                  i);
        work_l1_read(r, grid_at(r, i), a->to_all, got, bytes);
        run_check(r, memcmp(got, block, bytes) == 0, "core %d: the multicast copy is wrong",
                  i);
    }
    work_l1_read(r, grid_at(r, cores - 1), a->to_one, got, bytes);
    run_check(r, memcmp(got, block, bytes) == 0, "the last core's copy is wrong");
    mem_free(got);
}

static void run_mcast(struct run *r)
{
    uint32_t bytes = (uint32_t)r->setting[SETTING_SIZE] / 64 * 64;
    int cores = grid_cores(r);
    if (cores < 2 || cores > 117)
        run_fail(r, "multicast to others needs a grid of 2 to 117 cores");
    ttdev_program *p = work_program(r, "mcast");
    int send = work_kernel(r, p, range_one(0, 0), TT_BRISC, "mcast/send", 0);
    struct areas a = {.block = work_scratch(r, p)};
    a.to_one = a.block + bytes;
    a.to_each = a.to_one + bytes;
    a.to_all = a.to_each + bytes;
    a.log = a.to_all + bytes;
    send_args(r, p, send, &a, bytes);
    uint8_t *block = push_many(&r->a, uint8_t, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        block[i] = (uint8_t)data_word(7, i);
    work_l1_write(r, (ttdev_xy){0, 0}, a.block, block, bytes);
    work_run(r, p);

    uint32_t took[3];
    work_l1_read(r, (ttdev_xy){0, 0}, a.log, took, sizeof took);
    check_copies(r, &a, block, bytes);
    if (r->has_failed)
        return;
    double one = took[0], each = took[1], all = took[2];
    run_check(r, all <= 1.5 * one, "multicast took %.0f cycles, one unicast %.0f", all,
              one);
    // All copies leave through one port: 28.1 or 60.9 bytes per cycle.
    double least =
        (cores - 1) * (double)bytes / (r->info.arch == TT_BLACKHOLE ? 60.9 : 28.1);
    run_check(r, each >= 0.95 * least, "%d unicasts took %.0f cycles; the port needs %.0f",
              cores - 1, each, least);
    run_figure(r, "block", bytes, 0, "bytes");
    run_figure(r, "receivers", cores - 1, 0, "cores");
    run_figure(r, "one unicast", one, 0, "cycles");
    run_figure(r, "unicast to each", each, 0, "cycles");
    run_figure(r, "multicast", all, 0, "cycles");
    run_figure(r, "multicast / one unicast", all / one, 3, "");
    run_figure(r, "each / multicast", each / all, 1, "");
}

const struct workload workload_mcast = {
    .name = "mcast",
    .what = "one core sends a block to all others: by multicast, and one by one",
    .shows =
        "multicast takes about as long as one unicast; the links it loads differ; NoC events of type 15",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_mcast,
};
