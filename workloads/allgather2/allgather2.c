// allgather2.c - two chips with independent clocks exchange their parts over a link.
#include <string.h>

#include "ttprof/host.h"
#include "workloads/workloads.h"

enum { CHIPS = 2, MARK = 0x600DDA7A };

static const struct workload_setting settings[] = {
    {SETTING_SIZE, 16384, 64, 32768, "bytes per chip"},
};

static void configure(ttdev_cfg *cfg)
{
    if (cfg->n_devices < CHIPS) {
        cfg->n_devices = CHIPS;
        if (cfg->arch == TT_WORMHOLE)
            cfg->board = TTDEV_N300;
        else
            cfg->links = TTDEV_LINKS_LINE;
    }
    if (!cfg->ppm_is_set) {
        cfg->ppm[0] = 20;
        cfg->ppm[1] = -30;
        cfg->ppm_is_set = true;
    }
    if (!cfg->boot_is_set) {
        cfg->boot_cycles[0] = 900000000;
        cfg->boot_cycles[1] = 5000000;
        cfg->boot_is_set = true;
    }
}

// A clock read of an Ethernet tile.
struct clock_read {
    uint64_t value, fs; // fs: true time
    int dev;
};

struct gather {
    int channel[CHIPS]; // the ends of a link between the two
    uint32_t bytes;
    uint32_t part, gathered;      // workers' L1
    uint32_t out, in, log, hello; // Ethernet tiles' L1
    VEC(struct clock_read) clocks;
};

static void note_clock(void *context, const ttdev_truth_event *e)
{
    struct gather *g = context;
    if (e->kind == TTDEV_TRUTH_CLOCK_READ)
        vec_push(&g->clocks, (struct clock_read){e->argument, e->true_fs, e->dev});
}

// The true time at which a chip read this value; 0 if it did not.
static uint64_t true_fs(const struct gather *g, int dev, uint64_t value)
{
    for (size_t i = 0; i < g->clocks.n; i++)
        if (g->clocks.v[i].dev == dev && g->clocks.v[i].value == value)
            return g->clocks.v[i].fs;
    return 0;
}

static void find_link(struct run *r, struct gather *g)
{
    for (int channel = 0; channel < 16 && !r->has_failed; channel++) {
        int peer = -1, peer_channel = -1;
        if (ttdev_eth_peer(r->t, 0, channel, &peer, &peer_channel) == 0 && peer == 1) {
            g->channel[0] = channel;
            g->channel[1] = peer_channel;
            return;
        }
    }
    run_fail(r, "device 0 and device 1 are not linked");
}

static ttdev_core eth_core(struct run *r, int dev, int channel)
{
    ttdev_core core = {.space = TTDEV_NOC0};
    if (!r->has_failed && ttdev_eth_tile(r->t, dev, channel, &core.at) < 0)
        run_fail(r, "device %d has no Ethernet channel %d", dev, channel);
    return core;
}

static ttdev_program *build(struct run *r, const struct gather *g, int chip)
{
    ttdev_xy worker = virtual_at(r, chip, (ttdev_xy){0, 0});
    ttdev_range eth = range_eth(g->channel[chip]);
    ttdev_program *p = work_program(r, "allgather2");
    int k = work_kernel(r, p, eth, TTDEV_ERISC, "allgather2/gather", 0);
    work_args(r, p, k, eth,
              ARGS((uint32_t)worker.x, (uint32_t)worker.y, g->part, g->gathered, g->bytes,
                   (uint32_t)chip, g->out, g->in, g->log, MARK, g->hello));
    return p;
}

// From send on one chip to receive on the other, by their own clocks and by true time.
static void check_times(struct run *r, const struct gather *g, const uint64_t log[CHIPS][2])
{
    bool is_blackhole = r->info.arch == TT_BLACKHOLE;
    double wire = 700 + g->bytes / (is_blackhole ? 50.0 : 12.5);
    uint64_t send = true_fs(g, 0, log[0][0]), receive = true_fs(g, 1, log[1][1]);
    double took = (double)(int64_t)(receive - send) / 1e6;
    run_check(r, send && receive, "the clock reads are not in the ground truth");
    run_check(r, took >= wire && took <= wire + 1500,
              "send to receive took %.0f ns, but the link needs %.0f", took, wire);
    run_figure(r, "part", g->bytes, 0, "bytes");
    run_figure(r, "channel on chip 0", g->channel[0], 0, "");
    run_figure(r, "channel on chip 1", g->channel[1], 0, "");
    run_figure(r, "send to receive, true time", took, 0, "ns");
    run_figure(r, "latency + serialisation", wire, 0, "ns");
    run_figure(r, "send to receive, raw clocks", (double)log[1][1] - (double)log[0][0], 0,
               "cycles");
}

static void exchange(struct run *r, struct gather *g, uint8_t *const parts[CHIPS])
{
    static const uint32_t none[4];
    ttdev_program *p[CHIPS];
    for (int chip = 0; chip < CHIPS && !r->has_failed; chip++) {
        ttdev_core eth = eth_core(r, chip, g->channel[chip]);
        ttdev_core worker = {TTDEV_LOGICAL, {0, 0}};
        if (ttdev_l1_write(r->t, chip, worker, g->part, parts[chip], g->bytes) < 0 ||
            ttdev_l1_write(r->t, chip, eth, g->in + g->bytes, none, sizeof none) < 0 ||
            ttdev_l1_write(r->t, chip, eth, g->hello, none, sizeof none) < 0)
            run_fail(r, "device %d: %s", chip, ttdev_error(r->t));
        p[chip] = build(r, g, chip);
    }
    TTPROF_ZONE("AllGather"); // covers the work of both chips
    if (!r->has_failed)
        (void)ttdev_truth(r->t, note_clock, g);
    for (int chip = 0; chip < CHIPS && !r->has_failed; chip++)
        work_launch(r, chip, p[chip], 1);
    for (int chip = 0; chip < CHIPS; chip++)
        work_wait(r, chip);
    run_unwatch(r);
}

static void run_allgather(struct run *r)
{
    const struct tt_layout *layout = &tt_layouts[r->info.arch];
    struct gather g = {.bytes = (uint32_t)r->setting[SETTING_SIZE] / 64 * 64,
                       .part = r->info.l1_buffers,
                       .out = layout->eth_buffers};
    g.gathered = g.part + g.bytes;
    g.in = g.out + g.bytes + 64;
    g.log = g.in + g.bytes + 64;
    g.hello = g.log + 64;
    find_link(r, &g);
    uint8_t *parts[CHIPS], *got = push_many(&r->a, uint8_t, CHIPS * (size_t)g.bytes);
    for (uint32_t chip = 0; chip < CHIPS; chip++) {
        parts[chip] = push_many(&r->a, uint8_t, g.bytes);
        for (uint32_t i = 0; i < g.bytes; i++)
            parts[chip][i] = (uint8_t)data_word(11 + chip, i);
    }
    exchange(r, &g, parts);
    uint64_t log[CHIPS][2] = {{0}};
    for (int chip = 0; chip < CHIPS && !r->has_failed; chip++) {
        ttdev_core worker = {TTDEV_LOGICAL, {0, 0}};
        if (ttdev_l1_read(r->t, chip, worker, g.gathered, got, CHIPS * (size_t)g.bytes) <
                0 ||
            ttdev_l1_read(r->t, chip, eth_core(r, chip, g.channel[chip]), g.log, log[chip],
                          sizeof log[chip]) < 0)
            run_fail(r, "device %d: %s", chip, ttdev_error(r->t));
        for (int part = 0; part < CHIPS; part++)
            run_check(r, memcmp(got + (size_t)part * g.bytes, parts[part], g.bytes) == 0,
                      "device %d: part %d is wrong", chip, part);
    }
    if (!r->has_failed)
        check_times(r, &g, (const uint64_t(*)[2])log);
    vec_free(&g.clocks);
}

const struct workload workload_allgather2 = {
    .name = "allgather2",
    .what = "two chips with different clocks exchange their parts over Ethernet",
    .shows =
        "after sync the send on chip 0 precedes the receive on chip 1 by the latency; before it the order is absurd",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .configure = configure,
    .run = run_allgather,
};
