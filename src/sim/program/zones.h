// zones.h - ids of marker locations: one table for all images of a cluster.
//
// A location gets the fold of its text (base/data/zone_fold.h) if that is free, which is
// the id that hashing tools expect; else the next free one. No two locations share an id. A
// zeroed struct is an empty table.
#ifndef TTP_SIM_PROGRAM_ZONES_H
#define TTP_SIM_PROGRAM_ZONES_H

#include "base/data/arena.h"
#include "base/data/map.h"

#include "ttprof/device.h"

enum { ZONE_IDS = 65531 }; // 16 bits, minus the special ones

struct zone_table {
    struct arena arena;
    struct map
        locations; // name, 0, file, 0, line: texts with commas can be split in several ways
    VEC(uint32_t) zones;   // location number -> index in v
    VEC(struct tt_zone) v; // in order of arrival
    uint64_t taken[65536 / 64];
    uint32_t n_taken;
    uint32_t n_without; // locations that got no id and are called "?"
};

void zones_free(struct zone_table *t);
// The id of a location, new or known.
uint32_t zones_give(struct zone_table *t, str name, str file, uint32_t line);
// Reserves an id that other markers use. False if it is taken.
bool zones_reserve(struct zone_table *t, uint32_t id);

#endif
