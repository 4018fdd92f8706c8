// chips.c - lays out a chip from its product name: tile positions, coordinates,
// harvesting, and how its clock differs from the nominal one.
#include "sim/chips.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct board *chip_board(int board)
{
    str words = S(BOARD_WORDS), word = {0};
    for (int i = 0; i <= board; i++)
        word = str_cut(&words, ' ');
    return arch_board(word);
}

// --- nodes -----------------------------------------------------------------------------
static int node_at(const struct chip *chip, int x, int y)
{
    return x + y * chip->size_x;
}

static size_t n_nodes(const struct chip *chip)
{
    return (size_t)chip->size_x * (size_t)chip->size_y;
}

// Both NoCs number the same grid, from opposite corners.
static int node_of_noc(const struct chip *chip, int noc, int x, int y)
{
    return noc == 0 ? node_at(chip, x, y)
                    : node_at(chip, chip->size_x - 1 - x, chip->size_y - 1 - y);
}

static ttdev_xy xy_of_noc(const struct chip *chip, int noc, int node)
{
    ttdev_xy at = {node % chip->size_x, node / chip->size_x};
    return noc == 0 ? at : (ttdev_xy){chip->size_x - 1 - at.x, chip->size_y - 1 - at.y};
}

static void node_set(struct chip *chip, struct die_place at, enum node_kind kind, int tile)
{
    chip->nodes[node_at(chip, at.x, at.y)] =
        (struct node){.kind = (uint8_t)kind, .tile = (int16_t)tile};
}

// All nodes except the tiles that run code.
static void place_nodes(struct chip *chip, const struct die *die, const struct board *board)
{
    chip->nodes = mem_alloc(mem_bytes(sizeof *chip->nodes, n_nodes(chip)));
    for (size_t i = 0; i < n_nodes(chip); i++)
        chip->nodes[i] = (struct node){.kind = NODE_ROUTER, .tile = -1};
    for (int i = 0; i < die->pcie.n; i++)
        node_set(chip, die->pcie.v[i], NODE_PCIE, -1);
    struct die_place pcie = die->pcie.v[board->pcie];
    chip->pcie = (int16_t)node_at(chip, pcie.x, pcie.y);
    for (int i = 0; i < die->arc.n; i++)
        node_set(chip, die->arc.v[i], NODE_ARC, -1);
    for (int i = 0; i < die->dram.n; i++) {
        int controller = i / DIE_PORTS;
        bool is_there = controller < chip->n_controllers;
        node_set(chip, die->dram.v[i], is_there ? NODE_DRAM : NODE_HARVESTED,
                 is_there ? controller : -1);
    }
    for (int i = board->n_channels; i < die->eth.n; i++)
        node_set(chip, die->eth.v[i], NODE_HARVESTED, -1);
}

// --- translation -----------------------------------------------------------------------
// Coordinates that no table translates are the NoC's own physical ones.
static void pass_through(struct chip *chip)
{
    for (int noc = 0; noc < 2; noc++)
        for (int x = 0; x < chip->size_x; x++)
            for (int y = 0; y < chip->size_y; y++)
                chip->translate[noc][x][y] = (int16_t)node_of_noc(chip, noc, x, y);
}

// Translated coordinates name the same tile on both NoCs.
static void translate_set(struct chip *chip, int x, int y, struct die_place to)
{
    int16_t node = (int16_t)node_at(chip, to.x, to.y);
    chip->translate[0][x][y] = chip->translate[1][x][y] = node;
}

static ttdev_xy eth_virtual(const struct chip *chip, const struct die *die, int channel)
{
    if (chip->arch == TT_BLACKHOLE)
        return (ttdev_xy){die->virtual_eth.x + channel, die->virtual_eth.y};
    // Columns are translated as for Tensix tiles; there are two rows.
    struct die_place at = die->eth.v[channel];
    int column = 0;
    while (die->columns.v[column] != at.x)
        column++;
    return (ttdev_xy){die->virtual_eth.x + column, die->virtual_eth.y + (at.y != 0)};
}

// Blackhole only: four controllers in a column, three ports each.
static ttdev_xy dram_virtual(const struct die *die, int tile)
{
    enum { COLUMN = 4 * DIE_PORTS };
    return (ttdev_xy){die->virtual_dram.x + tile / COLUMN,
                      die->virtual_dram.y + tile % COLUMN};
}

static void translate_edges(struct chip *chip, const struct die *die,
                            const struct board *board)
{
    for (int i = 0; i < board->n_channels; i++) {
        ttdev_xy at = eth_virtual(chip, die, i);
        translate_set(chip, at.x, at.y, die->eth.v[i]);
    }
    if (chip->arch != TT_BLACKHOLE)
        return;
    for (int i = 0; i < chip->n_controllers * DIE_PORTS; i++) {
        ttdev_xy at = dram_virtual(die, i);
        translate_set(chip, at.x, at.y, die->dram.v[i]);
    }
    translate_set(chip, die->virtual_pcie.x, die->virtual_pcie.y, die->pcie.v[board->pcie]);
}

// --- Tensix tiles: column and row order, harvested ones last ---------------------------
struct order {
    int8_t columns[DIE_SIDE_MOST], rows[DIE_SIDE_MOST];
};

// Copies a list with harvested entries moved to the end.
static void move_to_end(const struct die_lines *from, uint32_t off, int8_t *to)
{
    int next = 0;
    for (int i = 0; i < from->n; i++)
        if (!(off >> i & 1))
            to[next++] = from->v[i];
    for (int i = 0; i < from->n; i++)
        if (off >> i & 1)
            to[next++] = from->v[i];
}

static struct order tensix_order(const struct chip *chip, const struct die *die)
{
    bool by_row = die->harvest == DIE_ROWS_OFF;
    struct order o = {0};
    move_to_end(&die->columns, by_row ? 0 : chip->harvest, o.columns);
    move_to_end(&die->rows, by_row ? chip->harvest : 0, o.rows);
    return o;
}

static ttdev_xy tensix_virtual(const struct die *die, int column, int row)
{
    struct die_place first = die->virtual_workers;
    return first.x ? (ttdev_xy){first.x + column, first.y + row}
                   : (ttdev_xy){die->columns.v[column], die->rows.v[row]};
}

static struct tile *tile_place(struct chip *chip, struct die_place at, enum tile_kind kind,
                               ttdev_xy logical, ttdev_xy virt)
{
    struct tile *tile = &chip->tiles[chip->n_tiles];
    tile->chip = chip;
    tile->index = (uint16_t)chip->n_tiles++;
    tile->node = (uint16_t)node_at(chip, at.x, at.y);
    tile->kind = (uint8_t)kind;
    tile->n_riscs = kind == TILE_TENSIX ? TT_RISCS : 1;
    tile->channel = -1;
    tile->logical = logical;
    tile->noc0 = (ttdev_xy){at.x, at.y};
    tile->virt = virt;
    node_set(chip, at, kind == TILE_TENSIX ? NODE_TENSIX : NODE_ETH, tile->index);
    return tile;
}

static void place_tensix(struct chip *chip, const struct die *die)
{
    struct order o = tensix_order(chip, die);
    struct die_place grid = die_grid(die, chip->harvest, DISPATCH_SLOW);
    struct die_place offered = die_grid(die, chip->harvest, chip->dispatch);
    chip->grid = (ttdev_xy){offered.x, offered.y};
    chip->tiles_x = grid.x;
    for (int row = 0; row < die->rows.n; row++)
        for (int column = 0; column < die->columns.n; column++) {
            struct die_place at = {o.columns[column], o.rows[row]};
            ttdev_xy virt = tensix_virtual(die, column, row);
            translate_set(chip, virt.x, virt.y, at);
            if (column < grid.x && row < grid.y)
                (void)tile_place(chip, at, TILE_TENSIX, (ttdev_xy){column, row}, virt);
            else
                node_set(chip, at, NODE_HARVESTED, -1);
        }
    chip->n_workers = chip->n_tiles;
}

static void place_eth(struct chip *chip, const struct die *die, const struct board *board)
{
    for (int i = 0; i < board->n_channels; i++) {
        struct tile *tile = tile_place(chip, die->eth.v[i], TILE_ETH, (ttdev_xy){i, 0},
                                       eth_virtual(chip, die, i));
        tile->channel = (int8_t)i;
    }
    chip->n_eth = board->n_channels;
}

// Blackhole's translated Tensix coordinates lie inside the physical range. On NoC 1,
// untranslated coordinates beside them would reach Tensix tiles by their mirrored
// position; kernels never mean those.
static void forget_mirrored_tensix(struct chip *chip)
{
    for (int x = 0; x < chip->size_x; x++)
        for (int y = 0; y < chip->size_y; y++) {
            int16_t mirrored = (int16_t)node_of_noc(chip, 1, x, y);
            int16_t *to = &chip->translate[1][x][y];
            bool is_virtual = chip->translate[0][x][y] == *to;
            if (!is_virtual && *to == mirrored && chip->nodes[*to].kind == NODE_TENSIX)
                *to = -1;
        }
}

static void place_tiles(struct chip *chip, const struct die *die, const struct board *board)
{
    memset(chip->translate, 0xff, sizeof chip->translate);
    pass_through(chip);
    size_t most = (size_t)die->columns.n * (size_t)die->rows.n + (size_t)die->eth.n;
    chip->tiles = mem_alloc(mem_bytes(sizeof *chip->tiles, most));
    place_tensix(chip, die);
    place_eth(chip, die, board);
    translate_edges(chip, die, board);
    if (chip->arch == TT_BLACKHOLE)
        forget_mirrored_tensix(chip);
}

// --- DRAM, profiler ids ----------------------------------------------------------------
static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

// Every bank starts with the profiler's part, followed by program buffers.
static bool divide_banks(struct chip *chip, const ttdev_cfg *cfg, struct err *e)
{
    uint64_t regions =
        (uint64_t)TT_RISCS * chip->layout->dram_profiler_cores * cfg->region_buffers;
    uint64_t room = chip->bank_bytes - chip->layout->dram_profiler_base;
    chip->profiler_bytes = cfg->region_bytes * regions;
    if (chip->profiler_bytes > room) {
        uint64_t most = room / regions / 16 * 16;
        return err_set(
            e, ERR_USAGE,
            "region_bytes=%u: %llu regions do not fit in a DRAM bank of %llu bytes; the maximum is region_bytes=%llu",
            (unsigned)cfg->region_bytes, (unsigned long long)regions,
            (unsigned long long)chip->bank_bytes, (unsigned long long)most);
    }
    chip->dram_buffers =
        round_up(chip->layout->dram_profiler_base + chip->profiler_bytes, 65536);
    return true;
}

static void place_banks(struct chip *chip, const struct die *die)
{
    for (int i = 0; i < chip->n_banks; i++) {
        struct bank *bank = &chip->banks[i];
        int each = (int)die->banks_per_controller;
        bank->controller = (uint8_t)(i / each);
        bank->offset = (uint64_t)(i % each) * die->bank_bytes;
        for (int noc = 0; noc < 2; noc++) {
            struct die_place at =
                die->dram.v[bank->controller * DIE_PORTS + die->bank_port[noc].v[i]];
            bank->node[noc] = (uint16_t)node_at(chip, at.x, at.y);
        }
    }
    chip->bank_bytes = die->bank_bytes;
}

// The profiler numbers cores by column, regardless of tile kind.
static void number_flat(struct chip *chip)
{
    chip->flat = mem_alloc(mem_bytes(sizeof *chip->flat, n_nodes(chip)));
    for (int x = 0; x < chip->size_x; x++)
        for (int y = 0; y < chip->size_y; y++) {
            int node = node_at(chip, x, y);
            uint8_t kind = chip->nodes[node].kind;
            bool has_id = kind == NODE_TENSIX || kind == NODE_ETH;
            chip->flat[node] = has_id ? (int16_t)chip->n_flat++ : (int16_t)-1;
        }
    chip->cores_per_bank = (chip->n_flat + chip->n_banks - 1) / chip->n_banks;
}

// --- randomness and clocks -------------------------------------------------------------
// Spreads every bit of the input over all bits.
static uint64_t mix_bits(uint64_t v)
{
    v = (v ^ v >> 32) * 0xD6E8FEB86659FD93u;
    v = (v ^ v >> 32) * 0xD6E8FEB86659FD93u;
    return v ^ v >> 32;
}

uint64_t sim_random(uint64_t seed, uint64_t a, uint64_t b)
{
    // Golden-ratio steps keep small neighbouring inputs apart.
    const uint64_t step = 0x9E3779B97F4A7C15u;
    uint64_t v = mix_bits(seed + step);
    v = mix_bits(v + a * step + step);
    return mix_bits(v + b * step + step);
}

enum { CHANCE_BOOT = 1, CHANCE_PPM, CHANCE_SKEW }; // independent random values of a chip

static uint64_t chip_random(const ttdev_cfg *cfg, int number, int what, uint64_t more)
{
    return sim_random(cfg->seed, (uint64_t)number << 8 | (uint64_t)what, more);
}

static void set_clock(struct chip *chip, const ttdev_cfg *cfg)
{
    int n = chip->on_board;
    const uint64_t least = 1000000, most = 1000000000;
    chip->boot_cycles =
        cfg->boot_is_set ? cfg->boot_cycles[n]
                         : least + chip_random(cfg, n, CHANCE_BOOT, 0) % (most - least + 1);
    // Opened again, a chip has not been reset: its clock has gone on.
    if (!cfg->boot_is_set && chip->boot_cycles <= cfg->clock_after[chip->number])
        chip->boot_cycles = cfg->clock_after[chip->number] + 1;
    double ppm =
        cfg->ppm_is_set
            ? cfg->ppm[n]
            : ((double)(chip_random(cfg, n, CHANCE_PPM, 0) % 100001) - 50000) / 1000;
    double period = 1e15 / (chip->hz * (1 + ppm * 1e-6));
    chip->period_fs = (uint64_t)llround(period);
    // 1 fs is about 1 ppm, so a slow drift takes one step every several ms.
    double per_ms = -period * cfg->drift_ppm_s * 1e-9;
    chip->drift_ms = 1;
    chip->drift_fs = llround(per_ms);
    if (per_ms != 0 && fabs(per_ms) < 1) {
        chip->drift_fs = per_ms < 0 ? -1 : 1;
        chip->drift_ms = (uint32_t)fmin(round(1 / fabs(per_ms)), 1e9);
    }
    for (int i = 0; i < chip->n_tiles; i++)
        chip->tiles[i].skew =
            chip_random(cfg, n, CHANCE_SKEW, (uint64_t)i) % ((uint64_t)cfg->tile_skew + 1);
}

// --- layout ----------------------------------------------------------------------------
// The second chip of an n300 has no PCIe of its own: what it sends to the host and asks it
// for goes over a link of the first.
static void set_remote(struct chip *chip, const ttdev_cfg *cfg)
{
    struct sim_costs *costs = &chip->costs;
    chip->remote = cfg->board == TTDEV_N300 && chip->on_board % 2;
    if (!chip->remote)
        return;
    costs->pcie_read *= REMOTE_FACTOR;
    costs->pcie_write *= REMOTE_FACTOR;
    if (costs->pcie_out_bytes_10 > costs->eth_bytes_10)
        costs->pcie_out_bytes_10 = costs->eth_bytes_10;
    if (costs->pcie_in_bytes_10 > costs->eth_bytes_10)
        costs->pcie_in_bytes_10 = costs->eth_bytes_10;
}

bool chip_lay_out(struct chip *chip, const ttdev_cfg *cfg, int number, struct err *e)
{
    if (!config_check(cfg, e))
        return false;
    if (cfg->cqs > 1 && !config_is_fast(cfg))
        return err_set(e, ERR_USAGE, "cqs=%u: needs dispatch=fast", (unsigned)cfg->cqs);
    const struct board *board = chip_board(cfg->board);
    const struct arch *arch = arch_of_device(board->chip);
    const struct die *die = &arch->die;
    chip->number = number;
    chip->on_board = cfg->n_visible ? cfg->visible[number] : number;
    chip->arch = board->chip;
    chip->hz = cfg->hz > 0 ? cfg->hz : arch->clock_mhz * 1e6;
    chip->dispatch = config_is_fast(cfg) ? DISPATCH_FAST : DISPATCH_SLOW;
    chip->harvest = cfg->harvest_is_set ? cfg->harvest[chip->on_board]
                                        : board->harvest[chip->on_board & 1];
    costs_default(&chip->costs, chip->arch);
    if (cfg->costs_file[0] && !costs_read(&chip->costs, cfg->costs_file, e))
        return false;
    chip->layout = &tt_layouts[chip->arch];
    chip->size_x = die->size.x;
    chip->size_y = die->size.y;
    chip->n_banks = board->n_banks;
    chip->n_controllers = board->n_banks / (int)die->banks_per_controller;
    set_remote(chip, cfg);
    place_nodes(chip, die, board);
    place_tiles(chip, die, board);
    place_banks(chip, die);
    number_flat(chip);
    set_clock(chip, cfg);
    return divide_banks(chip, cfg, e);
}

void chip_lay_out_free(struct chip *chip)
{
    mem_free(chip->nodes);
    mem_free(chip->tiles);
    mem_free(chip->flat);
    chip->nodes = NULL;
    chip->tiles = NULL;
    chip->flat = NULL;
}

// --- coordinates -----------------------------------------------------------------------
int chip_eth_node(const struct chip *chip, int channel)
{
    if (channel < 0 || channel >= chip->n_eth)
        return -1;
    return chip->tiles[chip->n_workers + channel].node;
}

static bool is_inside(ttdev_xy at, int size_x, int size_y)
{
    return at.x >= 0 && at.x < size_x && at.y >= 0 && at.y < size_y;
}

int chip_node(const struct chip *chip, ttdev_xy at, int space)
{
    switch (space) {
    case TTDEV_LOGICAL:
        return is_inside(at, chip->tiles_x, chip->n_workers / chip->tiles_x)
                   ? chip->tiles[at.x + at.y * chip->tiles_x].node
                   : -1;
    case TTDEV_NOC0:
    case TTDEV_NOC1:
        return is_inside(at, chip->size_x, chip->size_y)
                   ? node_of_noc(chip, space == TTDEV_NOC1, at.x, at.y)
                   : -1;
    case TTDEV_VIRTUAL: return is_inside(at, 64, 64) ? chip->translate[0][at.x][at.y] : -1;
    default: return -1;
    }
}

// A node with several coordinates is named by the translated ones, which are higher.
static bool node_virtual(const struct chip *chip, int node, ttdev_xy *out)
{
    for (int x = 63; x >= 0; x--)
        for (int y = 63; y >= 0; y--)
            if (chip->translate[0][x][y] == node) {
                *out = (ttdev_xy){x, y};
                return true;
            }
    return false;
}

bool chip_xlat(const struct chip *chip, ttdev_xy in, int from, int to, ttdev_xy *out)
{
    int node = chip_node(chip, in, from);
    if (node < 0)
        return false;
    const struct node *n = &chip->nodes[node];
    bool is_tile = n->kind == NODE_TENSIX || n->kind == NODE_ETH;
    switch (to) {
    case TTDEV_LOGICAL:
        if (n->kind == NODE_TENSIX)
            *out = chip->tiles[n->tile].logical;
        return n->kind == NODE_TENSIX;
    case TTDEV_NOC0:
    case TTDEV_NOC1: *out = xy_of_noc(chip, to == TTDEV_NOC1, node); return true;
    case TTDEV_VIRTUAL:
        if (!is_tile)
            return node_virtual(chip, node, out);
        *out = chip->tiles[n->tile].virt;
        return true;
    default: return false;
    }
}
