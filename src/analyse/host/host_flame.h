// host_flame.h - host zones merged by stack: where the time of a thread went, from the
// outermost zone inwards.
//
// A frame stands for all zones of one source location with the same chain of zones around
// them. Its time is its self time and that of the frames inside, so that widths always fit
// into each other. Tracks are walked on all lanes, each into trees of its own; these are
// joined in the order of the tracks, so the result does not depend on the number of lanes.
// Memory is a frame per distinct stack, however long the run is.
#ifndef TTP_ANALYSE_HOST_HOST_FLAME_H
#define TTP_ANALYSE_HOST_HOST_FLAME_H

#include "analyse/host/host_zones.h"

enum flame_kind { FLAME_ALL, FLAME_PROCESS, FLAME_THREAD, FLAME_ZONE };

struct flame_frame {
    enum flame_kind kind;
    uint32_t id;     // process, track or site, by kind
    uint32_t depth;  // 0: all
    uint64_t before; // ns: sum of the siblings before it and of those of its parents
    uint64_t count, n_open;
    uint64_t total, self; // ns
};
struct host_flame {
    VEC(struct flame_frame) frames; // a parent before its children, those by total
    uint64_t n_zones;
};

// `choice` selects processes and how far they are kept apart: ZONES_BY_THREAD gives each
// thread a frame inside that of its process, ZONES_BY_PROCESS joins the threads, and
// ZONES_BY_PLACE everything. Zones without an end last as long as their process was known
// to be alive.
void host_flame_make(struct host_flame *f, const struct trace *r,
                     const struct zone_choice *choice);
void host_flame_free(struct host_flame *f);

#endif
