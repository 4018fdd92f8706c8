// boot.h - brings laid-out chips from reset to firmware waiting for work.
#ifndef TTP_SIM_TILE_BOOT_H
#define TTP_SIM_TILE_BOOT_H

#include "sim/cluster.h"

// Loads the firmware for the cluster's chip and variant, writes it and its tables to all
// workers and linked Ethernet tiles, releases BRISC (ERISC) and waits until all cores
// answer DONE. Returns 0, or a negative errno with a text in e.
int cluster_boot(struct ttdev *t, struct err *e);

// An image's name in the bundled archive: "wormhole/prof/brisc/<name>".
void image_full_name(const struct ttdev *t, int risc, const char *name, char *out,
                     size_t bytes);

#endif
