// noc_grid.h - the two NoCs of a chip as a map: which tile is where, and how many links a
// packet passes.
//
// Both are rings in both dimensions. NoC 0 goes right, then down; NoC 1 goes up, then left.
// Data of a read travel in the same direction, starting at the tile that was read.
#ifndef TTP_ANALYSE_NOC_NOC_GRID_H
#define TTP_ANALYSE_NOC_NOC_GRID_H

#include "arch/arch.h"

struct noc_grid {
    int size_x, size_y;
    double link_bytes;                                      // per cycle
    bool has_column[DIE_SIDE_MOST], has_row[DIE_SIDE_MOST]; // of workers
    int16_t controller[DIE_SIDE_MOST][DIE_SIDE_MOST];       // of DRAM by y, x; -1: none
    int n_controllers;
    int16_t channel[DIE_SIDE_MOST][DIE_SIDE_MOST]; // of Ethernet by y, x; -1: none
    const struct die_place *eth;                   // by channel; of the arch
    int n_channels;
};

// False: the chip's table has no NoC data.
bool noc_grid_make(struct noc_grid *g, const struct arch *arch);
bool noc_grid_has(const struct noc_grid *g, struct die_place p);
// Links from one tile to another.
int noc_grid_hops(const struct noc_grid *g, int noc, struct die_place from,
                  struct die_place to);
// Links used by a multicast to the workers of the rectangle, each counted once.
int noc_grid_spread(const struct noc_grid *g, int noc, struct die_place from,
                    struct die_place corner, struct die_place other);

#endif
