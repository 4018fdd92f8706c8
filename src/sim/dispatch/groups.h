// groups.h - the workers of a launch, grouped by what they get, and cut into rectangles
// that one multicast reaches.
#ifndef TTP_SIM_DISPATCH_GROUPS_H
#define TTP_SIM_DISPATCH_GROUPS_H

#include "sim/program/plan.h"

struct rectangle {
    ttdev_xy from, to; // logical, inclusive
};

// Cores with the same kernels, circular buffers and semaphores.
struct group {
    const struct plan *plan; // of its first core
    VEC(struct rectangle) rectangles;
};
struct groups {
    VEC(struct group) v;
};

void groups_make(struct groups *groups, const struct launch *l);
void groups_free(struct groups *groups);

static inline uint32_t rectangle_cores(struct rectangle r)
{
    return (uint32_t)((r.to.x - r.from.x + 1) * (r.to.y - r.from.y + 1));
}
// As kernels write it: coordinates of both corners, for a multicast.
uint32_t rectangle_coordinates(struct chip *chip, struct rectangle r);
uint32_t tile_coordinates(const struct tile *tile);

#endif
