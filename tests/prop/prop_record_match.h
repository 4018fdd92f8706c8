// prop_record_match.h - one track as the reader shows it, beside the list of its calls.
#ifndef TTP_TESTS_PROP_RECORD_MATCH_H
#define TTP_TESTS_PROP_RECORD_MATCH_H

#include "../support/walk_track.h"
#include "prop_record.h"

// --- what the reader says of a track ---
struct seen {
    bool is_zone;
    struct walk_zone zone;
    struct trace_event event;
};
struct seen_track {
    const struct trace *run;
    struct arena arena;
    VEC(struct seen) v;
    VEC(uint64_t) inner; // ns in zones so far, by depth
    uint64_t n_wrong;    // zones whose inner time is not the sum
    uint64_t n_zones;
};

struct seen_track seen_track(const struct trace *r, uint32_t track);
void seen_free(struct seen_track *t);
bool seen_is_handler(const struct trace *r, const struct seen *s);
str seen_string(const struct trace *r, uint64_t id);

// --- and what was done ---
struct zone_told { // an open zone, as told so far
    uint32_t begin;
    struct buf text, name;
    uint32_t n_texts, n_names, n_values, n_colours;
    uint64_t value, colour;
};
struct matcher {
    const struct scene *s;
    const struct trace *run;
    const struct list *list;
    const struct seen_track *seen;
    struct law *law; // of events
    struct law *times;
    uint64_t error_ns;
    size_t at; // in seen
    struct zone_told stack[DEPTH_MOST + 1];
    uint32_t depth;
    uint64_t n_missing, n_lost_told;
    uint64_t *turns; // times of locks, by 4 * turn
    // what the times of the scene's clock are on the axis: between these, by epoch
    int64_t low[EPOCHS_MOST], high[EPOCHS_MOST];
    char where[200];
};
struct range_of_calls {
    uint32_t from, least, most; // all before `least` must be there, none from `most` on
};

void match_track(struct matcher *m, struct range_of_calls calls);

#endif
