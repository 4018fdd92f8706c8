// loaded.h - the images of a cluster.
#ifndef TTP_SIM_PROGRAM_LOADED_H
#define TTP_SIM_PROGRAM_LOADED_H

#include "sim/cluster.h"

// Loads an image and assigns the ids of its zones. On NULL, e says why.
struct ttdev_image *cluster_load(struct ttdev *t, const char *name, const void *elf,
                                 size_t bytes, struct err *e);
void cluster_unload(struct ttdev *t); // all images, the table, the warnings

#endif
