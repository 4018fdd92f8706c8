// ttdev.c - the public calls: check the arguments, then act.
#include "sim/ttdev.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text/log.h"

#include "sim/access.h"
#include "sim/cluster.h"
#include "sim/dispatch/dispatch.h"
#include "sim/noc/noc.h"
#include "sim/program/loaded.h"
#include "sim/program/program.h"
#include "sim/tile/boot.h"
#include "sim/tile/delays.h"
#include "sim/tile/park.h"
#include "sim/tile/tile.h"

LOG_DOMAIN("sim");

enum { MOST_THREADS = 64 };

// --- open and close --------------------------------------------------------------------
static int lay_out_cluster(struct ttdev *t, struct err *e)
{
    t->n_chips = t->cfg.n_visible ? t->cfg.n_visible : t->cfg.n_devices;
    t->chips = mem_alloc(mem_bytes(sizeof *t->chips, (size_t)t->n_chips));
    for (int i = 0; i < t->n_chips; i++) {
        t->chips[i].cluster = t;
        t->recording[i] = -1;
        if (!chip_lay_out(&t->chips[i], &t->cfg, i, e))
            return -EINVAL;
        t->chips[i].is_strict = t->cfg.strict;
    }
    int most = (int)(sizeof t->links / sizeof *t->links);
    t->n_links = cluster_links(&t->cfg, t->links, most, e);
    if (t->n_links < 0)
        return -EINVAL;
    for (int i = 0; i < t->n_links; i++)
        for (int end = 0; end < 2; end++) {
            struct chip *chip = &t->chips[t->links[i].dev[end]];
            int node = chip_eth_node(chip, t->links[i].channel[end]);
            chip->tiles[chip->nodes[node].tile].is_linked = true;
        }
    return 0;
}

int ttdev_open(const ttdev_cfg *cfg, ttdev **out, struct err *e)
{
    struct ttdev *t = mem_alloc(sizeof *t);
    t->cfg = *cfg;
    t->origin_fs = t->true_fs = t->host_fs = FS_AT_OPEN;
    host_leave(t);
    int code = lay_out_cluster(t, e);
    for (int i = 0; !code && i < t->n_chips; i++)
        if (!chip_start(&t->chips[i])) {
            (void)err_set(e, ERR_USAGE, "device %d: no memory for its cores", i);
            code = -ENOMEM;
        }
    if (!code && cfg->threads > 1)
        t->pool = pool_new(cfg->threads < MOST_THREADS ? cfg->threads : MOST_THREADS);
    if (!code)
        code = cluster_boot(t, e);
    for (int i = 0; !code && i < t->n_chips; i++)
        if (t->chips[i].dispatch == DISPATCH_FAST)
            fast_open(&t->chips[i], cfg->cqs);
    if (code) {
        e->code = ERR_USAGE; // also if a file named by the configuration cannot be read
        ttdev_close(t);
        return code;
    }
    // Booting happens before the clock starts. The moment must not depend on where the
    // last window ended.
    uint64_t booted = t->host_fs + 1000ull * FS_PER_NS;
    booted = booted > t->true_fs ? booted : t->true_fs; // a slow clock
    cluster_advance(t, booted);
    t->origin_fs -= booted - FS_AT_OPEN;
    t->true_fs = t->host_fs = FS_AT_OPEN;
    access_open(t);
    host_leave(t);
    log_info("%d x %s (%s), %dx%d workers, %.0f MHz, %d links", t->n_chips,
             arch_of_device(cfg->arch)->device_name, chip_board(cfg->board)->name,
             t->chips[0].grid.x, t->chips[0].grid.y, t->chips[0].hz / 1e6, t->n_links);
    *out = t;
    return 0;
}

void ttdev_close(ttdev *t)
{
    if (!t)
        return;
    pool_free(t->pool);
    for (int i = 0; i < t->n_chips; i++) {
        chip_stop(&t->chips[i]);
        chip_lay_out_free(&t->chips[i]);
    }
    replay_close(t);
    for (int i = 0; i < t->n_chips; i++)
        fast_close(&t->chips[i]);
    access_close(t);
    cluster_unload(t);
    mem_free(t->chips);
    mem_free(t);
}

// --- what there is ---------------------------------------------------------------------
static int no_device(struct ttdev *t, int dev)
{
    return cluster_error(t, -ENODEV, "no device %d", dev);
}

int ttdev_get_info(ttdev *t, int dev, ttdev_info *info)
{
    const struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return no_device(t, dev);
    int linked = 0;
    for (int i = 0; i < chip->n_tiles; i++)
        linked += chip->tiles[i].is_linked;
    *info = (ttdev_info){.arch = chip->arch,
                         .board = t->cfg.board,
                         .n_devices = t->n_chips,
                         .arch_name = arch_of_device(chip->arch)->device_name,
                         .board_name = chip_board(t->cfg.board)->name,
                         .grid = chip->grid,
                         .dispatch_name = dispatch_name(chip->dispatch),
                         .n_queues = chip->fast ? (int)t->cfg.cqs : 0,
                         .n_workers = chip->grid.x * chip->grid.y,
                         .n_eth = linked,
                         .n_banks = chip->n_banks,
                         .bank_bytes = fast_bank_end(chip),
                         .dram_buffers = chip->dram_buffers,
                         .profiler_bytes = chip->profiler_bytes,
                         .l1_bytes = chip->layout->l1_bytes,
                         .l1_buffers = chip->layout->buffers,
                         .hz = ttdev_hz(t, dev),
                         .harvest = chip->harvest,
                         .n_flat = chip->n_flat,
                         .cores_per_bank = chip->cores_per_bank};
    return 0;
}

int ttdev_xlat(ttdev *t, int dev, ttdev_xy in, int from, int to, ttdev_xy *out)
{
    const struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return no_device(t, dev);
    if (!chip_xlat(chip, in, from, to, out))
        return cluster_error(t, -ENODEV, "device %d has nothing at %d,%d", dev, in.x, in.y);
    return 0;
}

int ttdev_flat_id(ttdev *t, int dev, ttdev_xy noc0)
{
    const struct chip *chip = cluster_chip(t, dev);
    int node = chip ? chip_node(chip, noc0, TTDEV_NOC0) : -1;
    return node < 0 || chip->flat[node] < 0 ? -ENODEV : chip->flat[node];
}

int ttdev_eth_tile(ttdev *t, int dev, int channel, ttdev_xy *noc0)
{
    const struct chip *chip = cluster_chip(t, dev);
    int node = chip ? chip_eth_node(chip, channel) : -1;
    if (node < 0)
        return cluster_error(t, -ENODEV, "device %d has no Ethernet channel %d", dev,
                             channel);
    *noc0 = (ttdev_xy){node % chip->size_x, node / chip->size_x};
    return 0;
}

int ttdev_eth_peer(ttdev *t, int dev, int channel, int *peer_dev, int *peer_channel)
{
    return cluster_peer(t, dev, channel, peer_dev, peer_channel);
}

// --- memory and registers --------------------------------------------------------------
// On NULL, *code says that the device or the core does not exist.
static struct tile *find_tile(struct ttdev *t, int dev, ttdev_core core, int *code)
{
    struct chip *chip = cluster_chip(t, dev);
    if (!chip) {
        *code = no_device(t, dev);
        return NULL;
    }
    int node = chip_node(chip, core.at, core.space);
    bool is_core = node >= 0 && (chip->nodes[node].kind == NODE_TENSIX ||
                                 chip->nodes[node].kind == NODE_ETH);
    if (!is_core) {
        *code = cluster_error(t, -ENODEV, "device %d has no core at %d,%d", dev, core.at.x,
                              core.at.y);
        return NULL;
    }
    *code = 0;
    return &chip->tiles[chip->nodes[node].tile];
}

static int out_of_range(struct ttdev *t, int code, const char *what, uint64_t address,
                        size_t bytes)
{
    return code ? cluster_error(t, code, "%s: %zu bytes at 0x%llx are out of range", what,
                                bytes, (unsigned long long)address)
                : 0;
}

int ttdev_l1_write(ttdev *t, int dev, ttdev_core core, uint32_t addr, const void *data,
                   size_t bytes)
{
    int code;
    struct tile *tile = find_tile(t, dev, core, &code);
    if (!tile || bytes == 0)
        return code;
    return out_of_range(t, host_write(tile->chip, tile, addr, data, bytes), "L1", addr,
                        bytes);
}

int ttdev_l1_read(ttdev *t, int dev, ttdev_core core, uint32_t addr, void *data,
                  size_t bytes)
{
    int code;
    struct tile *tile = find_tile(t, dev, core, &code);
    if (!tile || bytes == 0)
        return code;
    return out_of_range(t, host_read(tile->chip, tile, addr, data, bytes), "L1", addr,
                        bytes);
}

static int check_bank(struct ttdev *t, int dev, int bank, uint64_t addr, size_t bytes)
{
    const struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return no_device(t, dev);
    if (bank < 0 || bank >= chip->n_banks)
        return cluster_error(t, -ENODEV, "device %d has no DRAM bank %d", dev, bank);
    bool is_inside = addr <= chip->bank_bytes && bytes <= chip->bank_bytes - addr;
    return is_inside ? 0 : out_of_range(t, -EINVAL, "DRAM bank", addr, bytes);
}

int ttdev_dram_write(ttdev *t, int dev, int bank, uint64_t addr, const void *data,
                     size_t bytes)
{
    int code = check_bank(t, dev, bank, addr, bytes);
    if (code || bytes == 0)
        return code;
    struct host_access access = host_begin(&t->chips[dev], true, bytes);
    bool is_done = dram_write(&t->chips[dev], bank, addr, data, bytes);
    host_end(&t->chips[dev], access);
    return is_done ? 0 : cluster_error(t, -ENOMEM, "device %d: dram_cap reached", dev);
}

int ttdev_dram_read(ttdev *t, int dev, int bank, uint64_t addr, void *data, size_t bytes)
{
    int code = check_bank(t, dev, bank, addr, bytes);
    if (code || bytes == 0)
        return code;
    struct host_access access = host_begin(&t->chips[dev], false, bytes);
    (void)dram_read(&t->chips[dev], bank, addr, data, bytes);
    host_end(&t->chips[dev], access);
    return 0;
}

static int bad_register(struct ttdev *t, int dev, uint32_t addr)
{
    return cluster_error(t, -EINVAL, "device %d has no register at 0x%08x", dev, addr);
}

int ttdev_reg_write32(ttdev *t, int dev, ttdev_core core, uint32_t addr, uint32_t value)
{
    int code;
    struct tile *tile = find_tile(t, dev, core, &code);
    if (!tile)
        return code;
    if (addr < tile->l1_bytes && addr % 4 == 0)
        return ttdev_l1_write(t, dev, core, addr, &value, sizeof value);
    if (addr % 4)
        return bad_register(t, dev, addr);
    struct host_access access = host_begin(tile->chip, true, sizeof value);
    tile_stand(tile, tile->chip->now);
    bool is_there =
        tile_register_write(tile, TT_RISCS, addr, value, tile->chip->now) == REGISTER_OK;
    host_end(tile->chip, access);
    return is_there ? 0 : bad_register(t, dev, addr);
}

int ttdev_delay(ttdev *t, int dev, ttdev_core core, unsigned risc_mask, unsigned kinds,
                uint32_t cycles)
{
    int code;
    struct tile *tile = find_tile(t, dev, core, &code);
    if (!tile)
        return code;
    if (tile->kind == TILE_ETH && risc_mask >> TTDEV_ERISC & 1)
        risc_mask |= 1;
    delays_set(tile, risc_mask, kinds, cycles);
    return 0;
}

int ttdev_reg_read32(ttdev *t, int dev, ttdev_core core, uint32_t addr, uint32_t *value)
{
    int code;
    struct tile *tile = find_tile(t, dev, core, &code);
    if (!tile)
        return code;
    if (addr < tile->l1_bytes && addr % 4 == 0)
        return ttdev_l1_read(t, dev, core, addr, value, sizeof *value);
    if (addr % 4)
        return bad_register(t, dev, addr);
    struct host_access access = host_begin(tile->chip, false, sizeof *value);
    tile_stand(tile, tile->chip->now);
    bool is_there = tile_register_read(tile, TT_RISCS, addr, tile->chip->now, value);
    host_end(tile->chip, access);
    return is_there ? 0 : bad_register(t, dev, addr);
}

// --- running and time ------------------------------------------------------------------
int ttdev_wait(ttdev *t, int dev, uint64_t timeout_ns)
{
    struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return no_device(t, dev);
    host_enter(t);
    int code = chip->fast ? fast_ask(chip) : 0;
    if (!code)
        code = cluster_run_until_done(t, dev, timeout_ns);
    if (!code && chip->fast)
        code = fast_note_done(chip);
    host_leave(t);
    log_debug("device %d: waited until cycle %llu: %s", dev, (unsigned long long)chip->now,
              code ? strerror(-code) : "done");
    // The host finds out by reading: its own memory or the device's.
    if (chip->fast) {
        (void)ttdev_sleep_ns(t, t->cfg.host_poll_ns);
        return code;
    }
    struct host_access access = host_begin(chip, false, 4);
    host_end(chip, access);
    return code;
}

int ttdev_poll(ttdev *t, int dev, uint64_t budget_ns)
{
    struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return no_device(t, dev);
    host_enter(t);
    int code = chip->fast ? fast_ask(chip) : 0;
    host_leave(t);
    if (!code)
        code = ttdev_sleep_ns(t, budget_ns);
    if (code || chip->has_fault)
        return code ? code : -EFAULT;
    bool is_done = chip_is_done(chip);
    code = is_done && chip->fast ? fast_note_done(chip) : 0;
    return code ? code : is_done;
}

int ttdev_on_quiet(ttdev *t, int (*hook)(void *context, int dev), void *context)
{
    t->quiet = hook;
    t->quiet_context = context;
    return 0;
}

int ttdev_on_event(ttdev *t, tt_event_hook hook, void *context)
{
    t->event = hook;
    t->event_context = context;
    return 0;
}

int ttdev_tell_buffer(ttdev *t, int dev, bool is_made, const char *pool, const char *name,
                      uint64_t address, uint64_t bytes)
{
    if (!cluster_chip(t, dev))
        return cluster_error(t, -ENODEV, "no device %d", dev);
    cluster_tell(t, &(struct tt_event){.kind = is_made ? TT_EVENT_ALLOC : TT_EVENT_FREE,
                                       .chip = dev,
                                       .trace = -1,
                                       .name = name,
                                       .pool = pool,
                                       .address = address,
                                       .bytes = bytes,
                                       .sub_device = -1,
                                       .sub_device_manager = -1});
    return 0;
}

uint64_t ttdev_clock(ttdev *t, int dev)
{
    const struct chip *chip = cluster_chip(t, dev);
    return chip ? chip->boot_cycles + chip->now : 0;
}

double ttdev_hz(ttdev *t, int dev)
{
    const struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return 0;
    return chip->hz;
}

uint64_t ttdev_host_ns(ttdev *t)
{
    host_enter(t);
    host_leave(t);
    return t->host_fs / FS_PER_NS;
}

int ttdev_clock_mode(const ttdev *t)
{
    return t->cfg.clock_mode;
}

int ttdev_sleep_ns(ttdev *t, uint64_t ns)
{
    host_enter(t);
    t->host_fs += ns * FS_PER_NS;
    cluster_advance(t, t->host_fs);
    host_leave(t);
    return 0;
}

// --- faults and ground truth -----------------------------------------------------------
const char *ttdev_fault(ttdev *t, int dev)
{
    const struct chip *chip = cluster_chip(t, dev);
    return chip ? chip->fault_text : "";
}

const char *ttdev_error(ttdev *t)
{
    return t->error.text;
}

int ttdev_truth(ttdev *t, ttdev_truth_cb cb, void *context)
{
    t->truth = cb;
    t->truth_context = context;
    for (int i = 0; i < t->n_chips; i++)
        t->chips[i].has_truth = cb != NULL;
    return 0;
}

int ttdev_get_counts(ttdev *t, ttdev_counts *counts)
{
    *counts = (ttdev_counts){.windows = t->windows, .barrier_ns = t->barrier_ns};
    for (int i = 0; i < t->n_chips; i++) {
        const struct chip *chip = &t->chips[i];
        counts->packets += noc_packets(chip);
        for (int k = 0; k < chip->n_tiles; k++)
            for (unsigned r = 0; r < chip->tiles[k].n_riscs; r++) {
                const struct risc *risc = &chip->tiles[k].risc[r];
                counts->instructions += risc->instructions;
                counts->parked += risc->skipped;
            }
    }
    return 0;
}

uint64_t ttdev_state_hash(ttdev *t, int dev)
{
    struct chip *chip = cluster_chip(t, dev);
    return chip ? chip_hash(chip) : 0;
}

// Callers pass wall clock cycles.
static uint64_t since_reset(const struct tile *tile, uint64_t wall)
{
    uint64_t start = tile->chip->boot_cycles + tile->skew;
    return wall > start ? wall - start : 0;
}

int ttdev_trace_risc(ttdev *t, int dev, ttdev_core core, int risc, uint64_t from,
                     uint64_t to, void (*step)(void *context, const ttdev_step *step),
                     void *context)
{
    int code;
    struct tile *tile = find_tile(t, dev, core, &code);
    if (!tile)
        return code;
    if (risc == TTDEV_ERISC && tile->kind == TILE_ETH)
        risc = 0;
    if (risc < 0 || risc >= tile->n_riscs)
        return cluster_error(t, -EINVAL, "core %d,%d has no RISC %d", core.at.x, core.at.y,
                             risc);
    struct risc *was = t->steps.risc;
    t->steps = (struct step_request){.risc = step ? &tile->risc[risc] : NULL,
                                     .from = since_reset(tile, from),
                                     .to = since_reset(tile, to),
                                     .step = step,
                                     .context = context};
    if (was)
        park_forget(was);
    tile_settle(tile,
                tile->chip->now); // a traced RISC executes its loops instead of parking
    park_forget(&tile->risc[risc]);
    tile_refresh(tile);
    return 0;
}
