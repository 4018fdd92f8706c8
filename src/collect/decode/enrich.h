// enrich.h - derives what markers say about each other, track by track in time order: zones
// that lost an end, names that dispatch kernels give their zones, metadata.
//
// State is carried over, so that several decodings give the same rows as one.
#ifndef TTP_COLLECT_DECODE_ENRICH_H
#define TTP_COLLECT_DECODE_ENRICH_H

#include "collect/decode/decode_parts.h"

// Holds back rows that later ones may still change: those of an open dispatch zone.
void enrich_hold(struct decode_lane *l);
// Puts the rows held back in front of the new ones.
void enrich_release(struct decode_lane *l);
// Counts, names and metadata of the lane's current track; fills lane.data.
void enrich_track(struct decode_lane *l);

// --- enrich_dispatch.c -----------------------------------------------------------------
// Takes what a marker in a dispatch zone reports; false: nothing.
bool dispatch_take(struct dispatch_state *s, uint16_t facts, uint64_t data);
// Appends ":<text>", the suffix of the zone's name.
void dispatch_put_name(const struct dispatch_state *s, bool is_brisc, struct buf *b);
void dispatch_put_command(const struct dispatch_state *s, struct buf *b);
void dispatch_put_subtype(const struct dispatch_state *s, struct buf *b);

// --- enrich_meta.c ---------------------------------------------------------------------
// The metadata of a marker, as logged: keys in order, separated by ';'.
struct meta {
    struct meta_member {
        const char *key;
        str text; // .p NULL: use the number
        uint64_t number;
    } v[8];
    size_t n;
};
void meta_number(struct meta *m, const char *key, uint64_t v);
void meta_text(struct meta *m, const char *key, str v);
void meta_run(struct meta *m, const struct lane_run *run);
void meta_noc_trailer(struct meta *m, uint64_t trailer);
str meta_make(struct meta *m, struct buf *scratch, struct arena *a);
const char *perf_counter_name(uint64_t number); // NULL: unknown

#endif
