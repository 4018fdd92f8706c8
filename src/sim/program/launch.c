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

#include "sim/program/program.h"
#include "sim/report/report.h"
#include "sim/tile/tile.h"

LOG_DOMAIN("sim");

// What one tile gets from the program.
struct plan {
    struct tile *tile;
    const struct program_kernel *kernel[TT_RISCS];
    bool has_kernel;
};

struct launch {
    struct chip *chip;
    const struct ttdev_program *program;
    struct plan *plans; // by tile
    uint32_t run_id;
};

// --- plan ------------------------------------------------------------------------------
struct tile *chip_core(struct chip *chip, ttdev_xy at, int risc)
{
    if (risc != TTDEV_ERISC) {
        bool is_there =
            at.x >= 0 && at.y >= 0 && at.x < chip->grid.x && at.y < chip->grid.y;
        return is_there ? &chip->tiles[at.y * chip->grid.x + at.x] : NULL;
    }
    for (int i = chip->n_workers; i < chip->n_tiles && at.y == 0; i++)
        if (chip->tiles[i].channel == at.x && chip->tiles[i].is_linked)
            return &chip->tiles[i];
    return NULL;
}

static bool is_eth(const struct tile *tile)
{
    return tile->kind == TILE_ETH;
}

// A tile's position in the ranges of a program.
static ttdev_xy tile_place(const struct tile *tile)
{
    return is_eth(tile) ? (ttdev_xy){tile->channel, 0} : tile->logical;
}

static uint32_t tile_config(const struct tile *tile)
{
    const struct tt_layout *layout = tile->chip->layout;
    return is_eth(tile) ? layout->eth_kernel_config : layout->kernel_config;
}

uint32_t tile_go_address(const struct tile *tile)
{
    const struct tt_layout *layout = tile->chip->layout;
    return is_eth(tile) ? layout->eth_go_messages : layout->go_messages;
}

int tile_check_idle(struct tile *tile)
{
    struct chip *chip = tile->chip;
    if (!tile->is_launched || tile->l1[tile_go_address(tile) + 3] == TT_GO_DONE)
        return 0;
    ttdev_xy at = tile_place(tile);
    return cluster_error(chip->cluster, -EBUSY,
                         "device %d: %s %d,%d still runs the previous program",
                         chip->number, is_eth(tile) ? "Ethernet core" : "core", at.x, at.y);
}

int chip_check_idle(struct chip *chip)
{
    int code = 0;
    for (int i = 0; i < chip->n_tiles && !code; i++)
        code = tile_check_idle(&chip->tiles[i]);
    return code;
}

// Adds the tiles of a range to the launch; kernel is NULL for buffers and semaphores, which
// only configure.
static int plan_range(struct launch *l, ttdev_range cores, int risc,
                      const struct program_kernel *kernel)
{
    struct chip *chip = l->chip;
    for (int y = cores.from.y; y <= cores.to.y; y++) {
        for (int x = cores.from.x; x <= cores.to.x; x++) {
            struct tile *tile = chip_core(chip, (ttdev_xy){x, y}, risc);
            if (!tile)
                return cluster_error(
                    chip->cluster, -ENODEV, "program '%s': device %d has no %s %d,%d",
                    l->program->name, chip->number,
                    risc == TTDEV_ERISC ? "linked Ethernet channel" : "core", x, y);
            struct plan *plan = &l->plans[tile->index];
            plan->tile = tile;
            if (kernel) {
                plan->kernel[risc == TTDEV_ERISC ? 0 : risc] = kernel;
                plan->has_kernel = true;
            }
        }
    }
    return 0;
}

static int check_idle(const struct launch *l)
{
    int code = 0;
    for (int i = 0; i < l->chip->n_tiles && !code; i++)
        if (l->plans[i].tile)
            code = tile_check_idle(l->plans[i].tile);
    return code;
}

static int plan_all(struct launch *l)
{
    const struct ttdev_program *p = l->program;
    int code = 0;
    for (size_t i = 0; i < p->kernels.n && !code; i++)
        code = plan_range(l, p->kernels.v[i].cores, p->kernels.v[i].risc, &p->kernels.v[i]);
    for (size_t i = 0; i < p->cbs.n && !code; i++)
        code = plan_range(l, p->cbs.v[i].cores, TT_BRISC, NULL);
    for (size_t i = 0; i < p->sems.n && !code; i++)
        code = plan_range(l, p->sems.v[i].cores, TT_BRISC, NULL);
    return code ? code : check_idle(l);
}

// --- 1. configuration ------------------------------------------------------------------
// Collected first, because the access time depends on the byte count.
struct config {
    uint8_t area[TT_CONFIG_ARGS + TT_RISCS * TT_CONFIG_ARGS_STRIDE];
    struct piece {
        uint32_t offset, bytes;
    } pieces[64 + TT_SEMAPHORES + 2 * TT_RISCS];
    size_t n_pieces, bytes;
};

static void config_put(struct config *c, uint32_t offset, const void *data, size_t bytes)
{
    if (!bytes)
        return;
    memcpy(c->area + offset, data, bytes);
    c->pieces[c->n_pieces++] = (struct piece){offset, (uint32_t)bytes};
    c->bytes += bytes;
}

static void config_args(struct config *c, const struct program_kernel *kernel,
                        unsigned risc, ttdev_xy at)
{
    uint32_t offset = TT_CONFIG_ARGS + risc * TT_CONFIG_ARGS_STRIDE;
    for (size_t i = kernel->args.n; i-- > 0;) {
        const struct program_args *own = &kernel->args.v[i];
        if (range_has(own->cores, at)) {
            config_put(c, offset, own->words, own->n * sizeof *own->words);
            break;
        }
    }
    const struct program_args *common = &kernel->common;
    config_put(c, offset + TT_CONFIG_COMMON, common->words,
               common->n * sizeof *common->words);
}

static void config_collect(struct config *c, const struct launch *l,
                           const struct plan *plan)
{
    const struct ttdev_program *p = l->program;
    ttdev_xy at = tile_place(plan->tile);
    bool is_worker = !is_eth(plan->tile);
    c->n_pieces = c->bytes = 0;
    for (size_t i = 0; i < p->cbs.n && is_worker; i++) {
        const struct program_cb *cb = &p->cbs.v[i];
        uint32_t words[4] = {cb->address, cb->pages * cb->page_bytes, cb->pages,
                             cb->page_bytes};
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
    uint32_t from = is_eth(tile) ? layout->eth_buffers : layout->buffers;
    uint32_t to =
        is_eth(tile) && layout->eth_mailbox > from ? layout->eth_mailbox : tile->l1_bytes;
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
    struct host_access access = host_begin(l->chip, true, config.bytes);
    tile_stand(plan->tile, l->chip->now);
    if (l->chip->cluster->cfg.poison && plan->has_kernel)
        poison_memory(plan->tile);
    uint32_t base = tile_config(plan->tile);
    for (size_t i = 0; i < config.n_pieces; i++) {
        struct piece piece = config.pieces[i];
        tile_write(plan->tile, base + piece.offset, config.area + piece.offset,
                   piece.bytes);
    }
    host_end(l->chip, access);
}

// --- 2. kernels ------------------------------------------------------------------------
// A core whose text was overwritten no longer holds it.
static bool holds_image(const struct plan *plan, unsigned risc,
                        const struct ttdev_image *image)
{
    const struct code *code = &plan->tile->risc[risc].code[CODE_KERNEL];
    return code->image == image && !code->own;
}

static void load_kernel(const struct launch *l, const struct program_kernel *kernel)
{
    unsigned risc = kernel->risc == TTDEV_ERISC ? 0 : (unsigned)kernel->risc;
    struct host_access access = {0};
    bool has_begun = false;
    for (int i = 0; i < l->chip->n_tiles; i++) {
        const struct plan *plan = &l->plans[i];
        if (!plan->tile || plan->kernel[risc] != kernel ||
            holds_image(plan, risc, kernel->image))
            continue;
        if (!has_begun)
            access = host_begin(l->chip, true, kernel->image->bytes);
        has_begun = true;
        tile_stand(plan->tile, l->chip->now);
        chip_bind_code(plan->tile, risc, CODE_KERNEL, kernel->image);
        tile_refresh(plan->tile);
    }
    if (has_begun)
        host_end(l->chip, access);
}

// --- 3. launch message, GO -------------------------------------------------------------
static void put16(uint8_t *message, size_t offset, size_t value)
{
    uint16_t half = (uint16_t)value;
    memcpy(message + offset, &half, sizeof half);
}

static void put32(uint8_t *message, size_t offset, uint32_t value)
{
    memcpy(message + offset, &value, sizeof value);
}

// BRISC's NoC; NCRISC uses the other one.
static uint8_t brisc_noc(const struct plan *plan)
{
    if (plan->kernel[TT_BRISC])
        return (uint8_t)plan->kernel[TT_BRISC]->noc;
    return plan->kernel[TT_NCRISC] ? (uint8_t)!plan->kernel[TT_NCRISC]->noc : 0;
}

static void message_kernels(uint8_t *message, const struct launch *l,
                            const struct plan *plan)
{
    uint32_t enables = 0;
    for (unsigned r = 0; r < TT_RISCS; r++) {
        uint32_t own = TT_CONFIG_ARGS + r * TT_CONFIG_ARGS_STRIDE;
        put16(message, TT_LAUNCH_RTA + 4 * r, own);
        put16(message, TT_LAUNCH_RTA + 4 * r + 2, own + TT_CONFIG_COMMON);
        const struct program_kernel *kernel = plan->kernel[r];
        if (!kernel)
            continue;
        enables |= 1u << r;
        // The entry point, not the start of the text: the firmware calls base + offset.
        put32(message, TT_LAUNCH_TEXT_OFFSET + 4 * r,
              kernel->image->entry - tile_config(plan->tile));
        put32(message, TT_LAUNCH_TEXT_BYTES + 4 * r, kernel->image->bytes);
        put16(message, TT_LAUNCH_WATCHER_IDS + 2 * r,
              (size_t)(kernel - l->program->kernels.v) + 1);
    }
    put32(message, TT_LAUNCH_ENABLES, enables);
}

static void message_make(uint8_t *message, const struct launch *l, const struct plan *plan)
{
    const struct tt_layout *layout = l->chip->layout;
    const struct ttdev_program *p = l->program;
    memset(message, 0, TT_LAUNCH_BYTES);
    put32(message, TT_LAUNCH_CONFIG_BASE, layout->kernel_config);
    put32(message, TT_LAUNCH_CONFIG_BASE + 4, layout->eth_kernel_config);
    put16(message, TT_LAUNCH_SEM_OFFSET, TT_CONFIG_SEMAPHORES);
    put16(message, TT_LAUNCH_SEM_OFFSET + 2, TT_CONFIG_SEMAPHORES);
    put16(message, TT_LAUNCH_CB_OFFSET, TT_CONFIG_CBS);
    message[TT_LAUNCH_MODE] = 1; // host-launched
    for (size_t i = 0; i < p->cbs.n; i++) {
        uint32_t cb = p->cbs.v[i].cb;
        if (!is_eth(plan->tile) && range_has(p->cbs.v[i].cores, plan->tile->logical))
            message[TT_LAUNCH_CB_MASK + cb / 8] |= (uint8_t)(1u << cb % 8);
    }
    message[TT_LAUNCH_BRISC_NOC] = brisc_noc(plan);
    put32(message, TT_LAUNCH_HOST_ID, l->run_id);
    message[TT_LAUNCH_PRELOAD] = 0x80;
    message_kernels(message, l, plan);
}

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

// The stack grows down to the kernel's variables.
static void limit_stacks(const struct plan *plan)
{
    uint32_t least = TT_LOCAL_RAM + plan->tile->chip->layout->local_kernel_data;
    for (unsigned r = 0; r < TT_RISCS; r++)
        if (plan->kernel[r]) {
            uint32_t end = plan->kernel[r]->image->local_end;
            plan->tile->risc[r].stack_limit = end > least ? end : least;
        }
}

static void start_core(const struct launch *l, const struct plan *plan)
{
    struct tile *tile = plan->tile;
    const struct tt_layout *layout = l->chip->layout;
    uint8_t message[TT_LAUNCH_BYTES];
    message_make(message, l, plan);
    struct host_access access = host_begin(l->chip, true, sizeof message + 4);
    tile_stand(tile, l->chip->now);
    // Always slot 0: the read pointer stays there when the host launches.
    tile_write(tile, is_eth(tile) ? layout->eth_launch_ring : layout->launch_ring, message,
               sizeof message);
    if (l->chip->has_truth)
        tile_truth(tile, 0, TTDEV_TRUTH_LAUNCH, tile->now, l->run_id, 0);
    limit_stacks(plan);
    tile_go(tile, TT_GO_GO);
    tile_refresh(tile);
    host_end(l->chip, access);
}

// --- launch ----------------------------------------------------------------------------
static void launch_write(const struct launch *l)
{
    for (int i = 0; i < l->chip->n_tiles; i++)
        if (l->plans[i].tile)
            write_config(l, &l->plans[i]);
    for (size_t i = 0; i < l->program->kernels.n; i++)
        load_kernel(l, &l->program->kernels.v[i]);
    for (int i = 0; i < l->chip->n_tiles; i++)
        if (l->plans[i].has_kernel)
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

// The hook may have let time pass and started its own kernels, so the earlier checks are
// repeated.
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
    int code = check_running(l->chip);
    return code ? code : check_idle(l);
}

int program_launch(struct chip *chip, const struct ttdev_program *p, uint32_t run_id,
                   const struct launch_news *news)
{
    int code = check_running(chip);
    if (code)
        return code;
    struct launch l = {.chip = chip, .program = p, .run_id = run_id};
    l.plans = mem_alloc(mem_bytes(sizeof *l.plans, (size_t)chip->n_tiles));
    code = plan_all(&l);
    if (!code && news)
        code = tell_launch(&l, news);
    if (!code && !(news && news->is_only))
        launch_write(&l);
    mem_free(l.plans);
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
