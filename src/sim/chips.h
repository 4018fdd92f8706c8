// chips.h - chip layout: grids, harvesting, coordinates, DRAM and Ethernet tiles, and the
// links between the chips of a cluster.
#ifndef TTP_SIM_CHIPS_H
#define TTP_SIM_CHIPS_H

#include "sim/machine.h"

struct link {
    int16_t dev[2], channel[2];
};

// How much longer the host takes to reach a chip through another one.
enum { REMOTE_FACTOR = 3 };

#define ARCH_WORDS  "wormhole blackhole"         // index = TT_WORMHOLE, TT_BLACKHOLE
#define BOARD_WORDS "n150 n300 galaxy p100 p150" // index = enum ttdev_board
const struct board *chip_board(int board);

// Fills grid, nodes, translation, tiles (kinds and places only), banks, flat ids, costs
// and clocks of chip `number` from the configuration. On false, e says why.
bool chip_lay_out(struct chip *chip, const ttdev_cfg *cfg, int number, struct err *e);
void chip_lay_out_free(struct chip *chip);
// -1 if there is no such place.
int chip_node(const struct chip *chip, ttdev_xy at, int space);
bool chip_xlat(const struct chip *chip, ttdev_xy in, int from, int to, ttdev_xy *out);
int chip_eth_node(const struct chip *chip, int channel); // NOC0 node or -1

// Checks that the configuration is complete and consistent; chip_lay_out and
// cluster_links rely on it.
bool config_check(const ttdev_cfg *cfg, struct err *e);
bool config_is_fast(const ttdev_cfg *cfg); // whether cores of the chip launch programs
// The linked pairs of a cluster. Returns their number (at most `most`); on -1, e says why.
int cluster_links(const ttdev_cfg *cfg, struct link *links, int most, struct err *e);
// Fills in the default cost table (costs.h) of an architecture.
void costs_default(struct sim_costs *costs, int arch);
// Overrides costs with the `name = value` lines of a file.
bool costs_read(struct sim_costs *costs, const char *path, struct err *e);
bool costs_parse(struct sim_costs *costs, const char *text, size_t bytes, struct err *e);
// A deterministic number for (seed, a, b): the only source of randomness in the device.
uint64_t sim_random(uint64_t seed, uint64_t a, uint64_t b);

#endif
