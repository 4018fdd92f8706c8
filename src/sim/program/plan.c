// plan.c - see plan.h.
#include "sim/program/plan.h"

#include <errno.h>
#include <string.h>

#include "sim/dispatch/cores.h"

// --- plan ------------------------------------------------------------------------------
struct tile *chip_core(struct chip *chip, ttdev_xy at, int risc)
{
    if (risc != TTDEV_ERISC) {
        int node = chip_node(chip, at, TTDEV_LOGICAL);
        return node < 0 ? NULL : &chip->tiles[chip->nodes[node].tile];
    }
    for (int i = chip->n_workers; i < chip->n_tiles && at.y == 0; i++)
        if (chip->tiles[i].channel == at.x && chip->tiles[i].is_linked)
            return &chip->tiles[i];
    return NULL;
}

ttdev_xy tile_place(const struct tile *tile)
{
    return tile_is_eth(tile) ? (ttdev_xy){tile->channel, 0} : tile->logical;
}

uint32_t tile_config(const struct tile *tile)
{
    const struct tt_layout *layout = tile->chip->layout;
    return tile_is_eth(tile) ? layout->eth_kernel_config : layout->kernel_config;
}

uint32_t tile_go_address(const struct tile *tile)
{
    const struct tt_layout *layout = tile->chip->layout;
    return tile_is_eth(tile) ? layout->eth_go_messages : layout->go_messages;
}

int tile_check_idle(struct tile *tile)
{
    struct chip *chip = tile->chip;
    if (!tile->is_launched || tile->l1[tile_go_address(tile) + 3] == TT_GO_DONE)
        return 0;
    ttdev_xy at = tile_place(tile);
    return cluster_error(
        chip->cluster, -EBUSY, "device %d: %s %d,%d still runs the previous program",
        chip->number, tile_is_eth(tile) ? "Ethernet core" : "core", at.x, at.y);
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
            if (dispatch_is_core(tile) && !l->program->is_dispatch)
                return cluster_error(
                    chip->cluster, -ENODEV,
                    "device %d: core %d,%d is a dispatch core (dispatch=slow gives it back)",
                    chip->number, x, y);
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

int launch_check_idle(const struct launch *l)
{
    int code = 0;
    for (int i = 0; i < l->chip->n_tiles && !code; i++)
        if (l->plans[i].tile)
            code = tile_check_idle(l->plans[i].tile);
    return code;
}

int launch_plan(struct launch *l)
{
    const struct ttdev_program *p = l->program;
    int code = 0;
    l->plans = mem_alloc(mem_bytes(sizeof *l->plans, (size_t)l->chip->n_tiles));
    for (size_t i = 0; i < p->kernels.n && !code; i++)
        code = plan_range(l, p->kernels.v[i].cores, p->kernels.v[i].risc, &p->kernels.v[i]);
    for (size_t i = 0; i < p->cbs.n && !code; i++)
        code = plan_range(l, p->cbs.v[i].cores, TT_BRISC, NULL);
    for (size_t i = 0; i < p->sems.n && !code; i++)
        code = plan_range(l, p->sems.v[i].cores, TT_BRISC, NULL);
    return code;
}

void launch_unplan(struct launch *l)
{
    mem_free(l->plans);
    l->plans = NULL;
}

const struct program_args *kernel_args(const struct program_kernel *kernel, ttdev_xy at)
{
    for (size_t i = kernel->args.n; i-- > 0;)
        if (range_has(kernel->args.v[i].cores, at))
            return &kernel->args.v[i];
    return NULL;
}

void cb_config(const struct program_cb *cb, uint32_t words[CB_CONFIG_WORDS])
{
    words[0] = cb->address;
    words[1] = cb->pages * cb->page_bytes;
    words[2] = cb->pages;
    words[3] = cb->page_bytes;
}

// --- the launch message ----------------------------------------------------------------
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

struct placing placing_fixed(const struct plan *plan)
{
    struct placing where = {.base = tile_config(plan->tile),
                            .sems = TT_CONFIG_SEMAPHORES,
                            .cbs = TT_CONFIG_CBS,
                            .is_from_host = true};
    for (unsigned r = 0; r < TT_RISCS; r++) {
        where.own[r] = TT_CONFIG_ARGS + r * TT_CONFIG_ARGS_STRIDE;
        where.common[r] = where.own[r] + TT_CONFIG_COMMON;
        if (plan->kernel[r])
            where.entry[r] = plan->kernel[r]->image->entry - where.base;
    }
    return where;
}

static void message_kernels(uint8_t *message, const struct launch *l,
                            const struct plan *plan, const struct placing *where)
{
    uint32_t enables = 0;
    for (unsigned r = 0; r < TT_RISCS; r++) {
        put16(message, TT_LAUNCH_RTA + 4 * r, where->own[r]);
        put16(message, TT_LAUNCH_RTA + 4 * r + 2, where->common[r]);
        const struct program_kernel *kernel = plan->kernel[r];
        if (!kernel)
            continue;
        enables |= 1u << r;
        // The entry point, not the start of the text: the firmware calls base + offset.
        put32(message, TT_LAUNCH_TEXT_OFFSET + 4 * r, where->entry[r]);
        put32(message, TT_LAUNCH_TEXT_BYTES + 4 * r, kernel->image->bytes);
        put16(message, TT_LAUNCH_WATCHER_IDS + 2 * r,
              (size_t)(kernel - l->program->kernels.v) + 1);
    }
    put32(message, TT_LAUNCH_ENABLES, enables);
}

void launch_message(uint8_t message[TT_LAUNCH_BYTES], const struct launch *l,
                    const struct plan *plan, const struct placing *where)
{
    enum { FROM_DISPATCH_CORE, FROM_HOST };
    const struct ttdev_program *p = l->program;
    memset(message, 0, TT_LAUNCH_BYTES);
    put32(message, TT_LAUNCH_CONFIG_BASE + 4 * tile_is_eth(plan->tile), where->base);
    put16(message, TT_LAUNCH_SEM_OFFSET, where->sems);
    put16(message, TT_LAUNCH_SEM_OFFSET + 2, where->sems);
    put16(message, TT_LAUNCH_CB_OFFSET, where->cbs);
    message[TT_LAUNCH_MODE] = where->is_from_host ? FROM_HOST : FROM_DISPATCH_CORE;
    for (size_t i = 0; i < p->cbs.n; i++) {
        uint32_t cb = p->cbs.v[i].cb;
        if (!tile_is_eth(plan->tile) && range_has(p->cbs.v[i].cores, plan->tile->logical))
            message[TT_LAUNCH_CB_MASK + cb / 8] |= (uint8_t)(1u << cb % 8);
    }
    message[TT_LAUNCH_BRISC_NOC] = brisc_noc(plan);
    put32(message, TT_LAUNCH_HOST_ID, l->run_id);
    message[TT_LAUNCH_PRELOAD] = where->is_from_host ? 0x80 : 0;
    message_kernels(message, l, plan, where);
}
