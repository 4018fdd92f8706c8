// boot.c - the host's part of starting the chips: writes firmware and its tables to all
// cores, releases BRISC, and waits until every core answers DONE.
//
// Memory is written directly: driver boot time is not part of a profile.
#include "sim/tile/boot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/program/image.h"
#include "sim/program/loaded.h"
#include "sim/program/program.h"
#include "sim/tile/code.h"
#include "sim/tile/tile.h"

enum { BOOT_TIMEOUT_NS = 10000000 };

static const char *const arch_folders[TT_ARCHES] = {"wormhole", "blackhole"};
static const char *const variant_folders[] = {"off", "prof", "full"};
static const char *const risc_folders[] = {"brisc",  "ncrisc", "trisc0",
                                           "trisc1", "trisc2", "erisc"};

void image_full_name(const struct ttdev *t, int risc, const char *name, char *out,
                     size_t bytes)
{
    (void)snprintf(out, bytes, "%s/%s/%s/%s", arch_folders[t->cfg.arch],
                   variant_folders[t->cfg.variant], risc_folders[risc], name);
}

static bool is_booted(const struct tile *tile)
{
    return tile->kind == TILE_TENSIX || tile->is_linked;
}

// --- firmware --------------------------------------------------------------------------
static struct ttdev_image *firmware_load(struct ttdev *t, int risc, struct err *e)
{
    char name[256];
    image_full_name(t, risc, "firmware", name, sizeof name);
    const void *elf;
    size_t bytes;
    if (!images_find(name, &elf, &bytes)) {
        (void)err_set(e, ERR_USAGE, "image '%.200s' is missing in this build", name);
        return NULL;
    }
    return cluster_load(t, "firmware", elf, bytes, e);
}

static bool firmware_load_all(struct ttdev *t, struct err *e)
{
    for (int risc = 0; risc <= TTDEV_ERISC; risc++) {
        if (risc == TTDEV_ERISC && !t->n_links)
            break;
        const struct ttdev_image *image = firmware_load(t, risc, e);
        if (!image)
            return false;
        for (int i = 0; i < t->n_chips; i++)
            t->chips[i].firmware[risc] = image;
    }
    return true;
}

// --- tables for the firmware -----------------------------------------------------------
static void write_core_info(struct tile *tile)
{
    const struct chip *chip = tile->chip;
    const struct tt_layout *layout = chip->layout;
    bool is_worker = tile->kind == TILE_TENSIX;
    ttdev_xy at = is_worker ? tile->logical : (ttdev_xy){tile->channel, 0};
    const uint8_t info[] = {
        [TT_CORE_LOGICAL_X] = (uint8_t)at.x,
        [TT_CORE_LOGICAL_Y] = (uint8_t)at.y,
        [TT_CORE_VIRTUAL_X] = (uint8_t)tile->virt.x,
        [TT_CORE_VIRTUAL_Y] = (uint8_t)tile->virt.y,
        [TT_CORE_GRID_X] = (uint8_t)chip->grid.x,
        [TT_CORE_GRID_Y] = (uint8_t)chip->grid.y,
        [TT_CORE_DEVICE] = (uint8_t)chip->number,
        [TT_CORE_N_BANKS] = (uint8_t)chip->n_banks,
        [TT_CORE_N_DEVICES] = (uint8_t)chip->cluster->n_chips,
    };
    tile_write(tile, is_worker ? layout->core_info : layout->eth_core_info, info,
               sizeof info);
}

// Coordinates of a DRAM endpoint as kernels write them on a NoC. If the network interface
// does not translate, NoC 1 counts from the opposite corner.
static uint32_t endpoint_word(const struct chip *chip, int noc, int node)
{
    ttdev_xy at = {node % chip->size_x, node / chip->size_x};
    ttdev_xy out = at;
    (void)chip_xlat(chip, at, TTDEV_NOC0, TTDEV_VIRTUAL, &out);
    if (chip->translate[noc][out.x][out.y] != node)
        (void)chip_xlat(chip, at, TTDEV_NOC0, noc ? TTDEV_NOC1 : TTDEV_NOC0, &out);
    return (uint32_t)out.x | (uint32_t)out.y << 8;
}

static void make_bank_table(const struct chip *chip, uint32_t *table)
{
    for (int i = 0; i < chip->n_banks; i++) {
        const struct bank *bank = &chip->banks[i];
        table[i] = endpoint_word(chip, 0, bank->node[0]);
        table[TT_BANK_TABLE_NOC1 / 4 + i] = endpoint_word(chip, 1, bank->node[1]);
        table[TT_BANK_TABLE_OFFSETS / 4 + i] = (uint32_t)bank->offset;
    }
}

// Profiling is off until the profiler sets the flags.
static void write_profiler_control(struct tile *tile)
{
    const struct chip *chip = tile->chip;
    const struct tt_layout *layout = chip->layout;
    const uint32_t control[TT_CONTROL_WORDS] = {
        [TT_CONTROL_MAGIC] = TT_PROFILER_MAGIC,
        [TT_CONTROL_REGION_BYTES] = chip->cluster->cfg.region_bytes,
        [TT_CONTROL_DRAM_ADDRESS_T2] = layout->dram_profiler_base,
        [TT_CONTROL_DRAM_ADDRESS] = layout->dram_profiler_base,
        [TT_CONTROL_FLAT_ID] = (uint32_t)chip->flat[tile->node],
        [TT_CONTROL_CORES_PER_BANK] = (uint32_t)chip->cores_per_bank,
        [TT_CONTROL_DRAM_ADDRESSES] = layout->dram_profiler_base,
        [TT_CONTROL_DRAM_ADDRESSES + 1] = layout->dram_profiler_base,
        [TT_CONTROL_DRAM_ADDRESSES + 2] = layout->dram_profiler_base,
        [TT_CONTROL_DRAM_ADDRESSES + 3] = layout->dram_profiler_base,
    };
    bool is_worker = tile->kind == TILE_TENSIX;
    tile_write(tile, is_worker ? layout->profiler_control : layout->eth_profiler_control,
               control, sizeof control);
}

// --- tiles -----------------------------------------------------------------------------
static void tile_prepare(struct tile *tile, const uint32_t *banks, size_t bytes)
{
    const struct chip *chip = tile->chip;
    tile_stand(tile, chip->now);
    if (tile->kind == TILE_ETH)
        code_load(tile, 0, CODE_FIRMWARE, chip->firmware[TTDEV_ERISC]);
    else
        for (unsigned risc = 0; risc < TT_RISCS; risc++)
            code_load(tile, risc, CODE_FIRMWARE, chip->firmware[risc]);
    write_core_info(tile);
    // On an Ethernet tile this is kernel text or buffer space. It is free until the
    // firmware, which reads the table once at start, has answered.
    tile_write(tile, chip->layout->bank_table, banks, (uint32_t)bytes);
    write_profiler_control(tile);
    tile_go(tile, TT_GO_INIT);
}

static void chip_release(struct chip *chip)
{
    uint32_t table[TT_BANK_TABLE_OFFSETS / 4 + 16] = {0};
    make_bank_table(chip, table);
    for (int i = 0; i < chip->n_tiles; i++)
        if (is_booted(&chip->tiles[i]))
            tile_prepare(&chip->tiles[i], table, sizeof table);
    for (int i = 0; i < chip->n_tiles; i++)
        if (is_booted(&chip->tiles[i])) {
            (void)tile_register_write(&chip->tiles[i], TT_RISCS, TT_SOFT_RESET,
                                      TT_RESET_TRISCS | TT_RESET_NCRISC, chip->now);
            tile_refresh(&chip->tiles[i]);
        }
}

// A fault on any chip stops all chips.
static const char *boot_trouble(const struct ttdev *t)
{
    for (int i = 0; i < t->n_chips; i++)
        if (*t->chips[i].fault_text)
            return t->chips[i].fault_text;
    return "its firmware does not answer";
}

int cluster_boot(struct ttdev *t, struct err *e)
{
    if (!firmware_load_all(t, e))
        return -ENOENT;
    for (int i = 0; i < t->n_chips; i++)
        chip_release(&t->chips[i]);
    for (int i = 0; i < t->n_chips; i++) {
        int code = cluster_run_until_done(t, i, BOOT_TIMEOUT_NS);
        if (code) {
            (void)err_set(e, ERR_USAGE, "device %d does not boot: %.200s", i,
                          boot_trouble(t));
            return code;
        }
    }
    return 0;
}
