// kinds.h - the sets of lines that the markers of a trace match.
#ifndef TTP_ANALYSE_FOLD_KINDS_H
#define TTP_ANALYSE_FOLD_KINDS_H

#include "analyse/fold/fold.h"

// The lines that a site or a track matches: a bit each.
struct fold_fits {
    uint64_t start, end, sum;
    uint64_t flags; // of tracks
};

// What to do with a marker.
enum {
    KIND_FITS = 1,    // a line
    KIND_ON_CORE = 2, // a line that is_per_core
    KIND_CORE = 4,    // FOLD_CORE
    KIND_WATCH = 8,   // FOLD_WATCH
    KIND_BITS = 4,
};

struct fold_kinds {
    struct arena arena;
    struct fold_fits *site, *track;
    uint32_t *class_of; // by track: tracks that match alike
    VEC(struct fold_fits) classes;
    uint32_t *entry; // by class and site: number of the kind, from 1, << KIND_BITS, and
                     // what to do; 0: ignored
    uint64_t per_core, sums; // lines of that kind
};

// Fills in the kinds of the fold, too.
void fold_kinds_make(struct fold_kinds *k, struct fold *f);
void fold_kinds_free(struct fold_kinds *k);

// The entries of a track, by site.
static inline const uint32_t *fold_kinds_of(const struct fold_kinds *k,
                                            const struct fold *f, uint32_t track)
{
    return k->entry + k->class_of[track] * f->trace->sites.n;
}

// Lines that sum the data of a site on a track.
static inline uint64_t fold_kinds_sums(const struct fold_kinds *k, const struct fold *f,
                                       uint32_t site, uint32_t track)
{
    bool counts = f->trace->sites.v[site].timer_id || !f->skips_id_0;
    return counts ? k->site[site].sum & k->track[track].sum : 0;
}

#endif
