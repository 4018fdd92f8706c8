// noc_grid.h - the two NoCs of a chip as a map: what stands where, and how many links a
// packet passes.
//
// Both are rings in either direction of the map. NoC 0 goes right, then down; NoC 1 goes
// up, then left. What a read brings goes the same way round, from the place that was read.
#ifndef TTP_ANALYSE_NOC_GRID_H
#define TTP_ANALYSE_NOC_GRID_H

#include "analyse/arch.h"

enum { NOC_SIDE_MOST = 32, NOC_CONTROLLERS_MOST = 16, NOC_CHANNELS_MOST = 32 };

struct noc_place {
    int16_t x, y;
};

struct noc_grid {
    int size_x, size_y;
    double link_bytes;                                      // per cycle
    bool has_column[NOC_SIDE_MOST], has_row[NOC_SIDE_MOST]; // of workers
    int16_t controller[NOC_SIDE_MOST][NOC_SIDE_MOST];       // of DRAM by y, x; -1: none
    int n_controllers;
    int16_t channel[NOC_SIDE_MOST][NOC_SIDE_MOST]; // of Ethernet by y, x; -1: none
    struct noc_place eth[NOC_CHANNELS_MOST];       // by channel
    int n_channels;
};

// False: the table of the chip has nothing about its NoC, or something wrong.
bool noc_grid_make(struct noc_grid *g, const struct arch *arch);
bool noc_grid_has(const struct noc_grid *g, struct noc_place p);
// Links from a tile to another.
int noc_grid_hops(const struct noc_grid *g, int noc, struct noc_place from,
                  struct noc_place to);
// Links that a multicast to the workers of the rectangle passes; each once.
int noc_grid_spread(const struct noc_grid *g, int noc, struct noc_place from,
                    struct noc_place corner, struct noc_place other);

#endif
