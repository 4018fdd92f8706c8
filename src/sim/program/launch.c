// launch.c - launches a program on the cores of a chip: configuration, kernels, launch
// message, GO.
//
// Host accesses (host_begin) it takes, each with the bytes it carries:
//   1. one per core for its circular buffers, semaphores and arguments,
//   2. one per kernel image that some core does not hold yet (a driver multicasts text),
//   3. one per core for launch message and GO together.
// GO is last, so no core starts while the host still writes to another one.
#include <errno.h>

#include "base/data/mem.h"
#include "base/text/log.h"

#include "sim/dispatch/dispatch.h"
#include "sim/report/report.h"
#include "sim/tile/code.h"
#include "sim/tile/tile.h"

LOG_DOMAIN("sim");

static struct host_access begin_access(const struct launch *l, size_t bytes)
{
    if (l->is_timeless)
        return (struct host_access){0};
    return host_begin(l->chip, true, bytes);
}

static void end_access(const struct launch *l, struct host_access access)
{
    if (!l->is_timeless)
        host_end(l->chip, access);
}

// --- 1. configuration ------------------------------------------------------------------
// Collected first, because the access time depends on the byte count.
struct config {
    uint8_t area[TT_CONFIG_ARGS + TT_RISCS * TT_CONFIG_ARGS_STRIDE];
    struct config_piece {
        uint32_t offset, bytes;
    } pieces[64 + TT_SEMAPHORES + 2 * TT_RISCS];
    size_t n_pieces, bytes;
};

static void config_put(struct config *c, uint32_t offset, const void *data, size_t bytes)
{
    if (!bytes)
        return;
    memcpy(c->area + offset, data, bytes);
    c->pieces[c->n_pieces++] = (struct config_piece){offset, (uint32_t)bytes};
    c->bytes += bytes;
}

static void config_args(struct config *c, const struct program_kernel *kernel,
                        unsigned risc, ttdev_xy at)
{
    uint32_t offset = TT_CONFIG_ARGS + risc * TT_CONFIG_ARGS_STRIDE;
    const struct program_args *own = kernel_args(kernel, at);
    if (own)
        config_put(c, offset, own->words, own->n * sizeof *own->words);
    const struct program_args *common = &kernel->common;
    config_put(c, offset + TT_CONFIG_COMMON, common->words,
               common->n * sizeof *common->words);
}

static void config_collect(struct config *c, const struct launch *l,
                           const struct plan *plan)
{
    const struct ttdev_program *p = l->program;
    ttdev_xy at = tile_place(plan->tile);
    bool is_worker = !tile_is_eth(plan->tile);
    c->n_pieces = c->bytes = 0;
    for (size_t i = 0; i < p->cbs.n && is_worker; i++) {
        const struct program_cb *cb = &p->cbs.v[i];
        uint32_t words[CB_CONFIG_WORDS];
        cb_config(cb, words);
        if (range_has(cb->cores, at))
            config_put(c, TT_CONFIG_CBS + 16 * cb->cb, words, sizeof words);
    }
    for (size_t i = 0; i < p->sems.n && is_worker; i++)
        if (range_has(p->sems.v[i].cores, at))
            config_put(c, TT_CONFIG_SEMAPHORES + 16 * (uint32_t)i, &p->sems.v[i].initial,
                       4);
    for (unsigned r = 0; r < TT_RISCS; r++)
        if (plan->kernel[r])
            config_args(c, plan->kernel[r], r, at);
}

// poison=on: makes reads of uninitialised memory visible.
static void poison_memory(struct tile *tile)
{
    const struct tt_layout *layout = tile->chip->layout;
    uint32_t from = tile_is_eth(tile) ? layout->eth_buffers : layout->buffers;
    uint32_t to = tile_is_eth(tile) && layout->eth_mailbox > from ? layout->eth_mailbox
                                                                  : tile->l1_bytes;
    static const uint32_t word = 0xDEADBEEF;
    uint32_t block[256];
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        block[i] = word;
    for (uint32_t at = from; at < to; at += (uint32_t)sizeof block) {
        uint32_t left = to - at;
        tile_write(tile, at, block, left < sizeof block ? left : (uint32_t)sizeof block);
    }
}

static void write_config(const struct launch *l, const struct plan *plan)
{
    struct config config;
    config_collect(&config, l, plan);
    struct host_access access = begin_access(l, config.bytes);
    tile_stand(plan->tile, l->chip->now);
    if (l->chip->cluster->cfg.poison && plan->has_kernel)
        poison_memory(plan->tile);
    uint32_t base = tile_config(plan->tile);
    for (size_t i = 0; i < config.n_pieces; i++) {
        struct config_piece piece = config.pieces[i];
        tile_write(plan->tile, base + piece.offset, config.area + piece.offset,
                   piece.bytes);
    }
    end_access(l, access);
}

// --- 2. kernels ------------------------------------------------------------------------
static void load_kernel(const struct launch *l, const struct program_kernel *kernel)
{
    unsigned risc = kernel->risc == TTDEV_ERISC ? 0 : (unsigned)kernel->risc;
    struct host_access access = {0};
    bool has_begun = false;
    for (int i = 0; i < l->chip->n_tiles; i++) {
        const struct plan *plan = &l->plans[i];
        if (!plan->tile || plan->kernel[risc] != kernel ||
            code_holds(&plan->tile->risc[risc], kernel->image))
            continue;
        if (!has_begun)
            access = begin_access(l, kernel->image->bytes);
        has_begun = true;
        tile_stand(plan->tile, l->chip->now);
        code_load(plan->tile, risc, CODE_KERNEL, kernel->image);
        tile_refresh(plan->tile);
    }
    if (has_begun)
        end_access(l, access);
}

// --- 3. launch message, GO -------------------------------------------------------------
void tile_go(struct tile *tile, uint32_t signal)
{
    struct chip *chip = tile->chip;
    chip->n_started = chip->n_launched ? chip->n_started : 0;
    if (!tile->is_launched) {
        chip->n_launched++;
        chip->n_started++;
    }
    tile->is_launched = true;
    uint32_t word = signal << 24;
    tile_write(tile, tile_go_address(tile), &word, sizeof word);
}

static void start_core(const struct launch *l, const struct plan *plan)
{
    struct tile *tile = plan->tile;
    const struct tt_layout *layout = l->chip->layout;
    uint8_t message[TT_LAUNCH_BYTES];
    struct placing where = placing_fixed(plan);
    launch_message(message, l, plan, &where);
    struct host_access access = begin_access(l, sizeof message + 4);
    tile_stand(tile, l->chip->now);
    // Always slot 0: the read pointer stays there when the host launches.
    tile_write(tile, tile_is_eth(tile) ? layout->eth_launch_ring : layout->launch_ring,
               message, sizeof message);
    if (l->chip->has_truth)
        tile_truth(tile, 0, TTDEV_TRUTH_LAUNCH, tile->now, l->run_id, 0);
    tile_go(tile, TT_GO_GO);
    tile_refresh(tile);
    end_access(l, access);
}

// --- launch ----------------------------------------------------------------------------
void launch_write(const struct launch *l)
{
    for (int i = 0; i < l->chip->n_tiles; i++)
        if (l->plans[i].tile)
            write_config(l, &l->plans[i]);
    for (size_t i = 0; i < l->program->kernels.n; i++)
        load_kernel(l, &l->program->kernels.v[i]);
    for (int i = 0; i < l->chip->n_tiles; i++)
        if (l->plans[i].tile && l->plans[i].has_kernel)
            start_core(l, &l->plans[i]);
}

void cluster_tell(struct ttdev *t, const struct tt_event *event)
{
    if (t->event)
        t->event(t->event_context, event);
}

static int check_running(struct chip *chip)
{
    return chip->has_fault ? cluster_error(chip->cluster, -EFAULT,
                                           "device %d has stopped at a fault", chip->number)
                           : 0;
}

// The hook may have let time pass and started its own kernels: what was checked before it
// must be checked again.
static int tell_launch(const struct launch *l, const struct launch_news *news)
{
    const struct ttdev_program *p = l->program;
    cluster_tell(l->chip->cluster, &(struct tt_event){.kind = TT_EVENT_LAUNCH,
                                                      .chip = l->chip->number,
                                                      .trace = news->trace,
                                                      .is_replay = news->is_replay,
                                                      .program = l->run_id,
                                                      .name = p->name,
                                                      .sub_device = p->sub_device,
                                                      .sub_device_manager = p->manager});
    return check_running(l->chip);
}

// The host writes to the cores itself, one after the other.
static int launch_directly(const struct launch *l)
{
    int code = launch_check_idle(l);
    if (code)
        return code;
    launch_write(l);
    for (int i = 0; l->chip->fast && i < l->chip->n_tiles; i++)
        if (l->plans[i].has_kernel)
            fast_note_direct(l->plans[i].tile);
    return 0;
}

int program_launch(struct chip *chip, const struct ttdev_program *p, uint32_t run_id,
                   const struct launch_news *news)
{
    int code = check_running(chip);
    if (code)
        return code;
    struct launch l = {.chip = chip, .program = p, .run_id = run_id};
    bool is_fast = chip->fast && news; // the profiler's own kernels go directly
    code = launch_plan(&l);
    if (!code && chip->fast && !is_fast)
        code = fast_pause(chip);
    if (!code && !is_fast)
        code = launch_check_idle(&l);
    if (!code && news)
        code = tell_launch(&l, news);
    if (!code && is_fast)
        code = fast_launch(chip, &l, news->is_only);
    else if (!code && !(news && news->is_only))
        code = launch_directly(&l);
    launch_unplan(&l);
    return code;
}

int ttdev_launch(ttdev *t, int dev, ttdev_program *p, uint32_t run_id)
{
    struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return cluster_error(t, -ENODEV, "no device %d", dev);
    struct launch_news news = {.trace = t->recording[dev],
                               .is_only = replay_is_only(t, dev)};
    int code = program_launch(chip, p, run_id, &news);
    log_debug("device %d: launch of '%s' as %u at cycle %llu: %s", dev, p->name,
              (unsigned)run_id, (unsigned long long)chip->now,
              code ? strerror(-code) : "ok");
    if (!code && t->recording[dev] >= 0)
        replay_remember(t, dev, p, run_id);
    return code;
}
