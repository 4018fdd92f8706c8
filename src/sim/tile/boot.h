// boot.h - from laid-out chips held in reset to chips whose firmware waits for work.
#ifndef TTP_SIM_TILE_BOOT_H
#define TTP_SIM_TILE_BOOT_H

#include "sim/cluster.h"

// Loads the firmware of the cluster's chip and variant, writes it and what it reads to all
// workers and linked Ethernet tiles, releases BRISC (ERISC) and waits until all cores
// answer DONE. 0 or a negative errno with a sentence in e.
int cluster_boot(struct ttdev *t, struct err *e);

// "wormhole/prof/brisc/<name>": how images are called in the product's archive.
void image_full_name(const struct ttdev *t, int risc, const char *name, char *out,
                     size_t bytes);

#endif
