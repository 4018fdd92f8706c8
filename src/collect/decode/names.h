// names.h - maps a marker's 16-bit id to its location.
//
// The loader assigns unique ids to our own images. Ids of foreign images are folded hashes
// of the location's text, so two locations may share one: all candidates are kept.
#ifndef TTP_COLLECT_DECODE_NAMES_H
#define TTP_COLLECT_DECODE_NAMES_H

#include "base/data/arena.h"
#include "base/data/map.h"
#include "base/data/vec.h"
#include "base/data/zone_fold.h"
#include "base/text/buf.h"
#include "base/text/err.h"
#include "base/text/str.h"

struct zone_name {
    str name, file;
    int64_t line;
    uint32_t id;
    uint32_t next;    // next candidate of the same id, as index + 1; 0: none
    bool is_assigned; // by the loader
};

struct zone_names {
    struct arena arena;
    VEC(struct zone_name) v; // in order of arrival
    uint32_t first[65536];   // index + 1; 0: unknown id. Assigned names come first
    struct map known;        // ids and location texts already present
    struct buf warnings;     // one line each; the caller empties it
    uint64_t n_malformed;    // invalid lines in logs
    uint64_t n_collisions;   // ids with several hashed candidates
};

void names_free(struct zone_names *n);
void names_add_assigned(struct zone_names *n, uint32_t id, str name, str file,
                        int64_t line);
// Adds a hashed location; the text as in the compiler's message, without quotes.
void names_add_hashed(struct zone_names *n, str location);
// Reads lines of zone_src_locations.log / new_zone_src_locations.log, in any quoting.
void names_read_log(struct zone_names *n, str text);
bool names_read_ids(struct zone_names *n, str text, struct err *e); // zone_ids.csv
const struct zone_name *names_find(const struct zone_names *n,
                                   uint32_t id); // NULL: unknown

// What is known about a marker besides its id.
enum zone_place {
    PLACE_MAIN,
    PLACE_CHILD,
    PLACE_CUSTOM
}; // where its words are in the L1 vector
struct zone_hint {
    unsigned packet; // TT_PACKET_*
    enum zone_place place;
    str risc;         // "BRISC", ...
    bool is_anywhere; // firmware zones may be in any place (accumulate)
};
// Is there more than one candidate?
bool names_is_ambiguous(const struct zone_names *n, uint32_t id);
// The name of an id with several candidates: the one that fits, or all that fit, joined by
// '|'. *which is the first of them.
str names_pick(const struct zone_names *n, uint32_t id, const struct zone_hint *hint,
               struct arena *a, const struct zone_name **which);

bool names_write_ids(const struct zone_names *n, const char *path, struct err *e);
// Appends the lines that the file does not have yet.
bool names_write_log(const struct zone_names *n, const char *path, struct err *e);

#endif
