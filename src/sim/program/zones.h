// zones.h - the ids of marker locations: one table for all images of a cluster.
//
// A location gets the fold of its text (base/data/zone_fold.h) when that is free, which
// makes it the id that hashing tools expect, else the next free one: no two locations share
// an id. A zero struct is an empty table.
#ifndef TTP_SIM_PROGRAM_ZONES_H
#define TTP_SIM_PROGRAM_ZONES_H

#include "base/data/arena.h"
#include "base/data/map.h"

#include "ttprof/device.h"

enum { ZONE_IDS = 65531 }; // 16 bits, without those that have a meaning of their own

struct zone_table {
    struct arena arena;
    struct map locations;  // name, 0, file, 0, line: a text with commas has several
    VEC(uint32_t) zones;   // by number of the location: index in v
    VEC(struct tt_zone) v; // in order of arrival
    uint64_t taken[65536 / 64];
    uint32_t n_taken;
    uint32_t n_without; // locations that found all ids taken and are called "?"
};

void zones_free(struct zone_table *t);
// The id of a location, new or known.
uint32_t zones_give(struct zone_table *t, str name, str file, uint32_t line);
// Keeps an id from being given: markers of somebody else carry it. False: it is taken.
bool zones_reserve(struct zone_table *t, uint32_t id);

#endif
