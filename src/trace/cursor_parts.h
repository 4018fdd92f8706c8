// cursor_parts.h - a cursor and its batch, shared by the storages of host tracks.
#ifndef TTP_TRACE_CURSOR_PARTS_H
#define TTP_TRACE_CURSOR_PARTS_H

#include "trace/blocks.h"
#include "trace/cursor.h"
#include "trace/trees.h"

enum {
    DEPTH_MOST = 1 << 16,
    BATCH = 4096, // rows; small enough to stay in the cache
};

struct open_zone {
    uint64_t start, children;
    uint32_t site;
    bool has_said;
};
struct open_said { // by depth
    struct buf text, name;
    struct zone_said rest;
};
struct open_tree { // a zone of a tree with children still to come
    struct tree_zone zone;
    uint64_t left;     // how many
    uint64_t children; // ns in those before
};
struct zone_columns {
    uint64_t *start, *end, *children;
    uint32_t *site, *said;
    uint16_t *depth;
    uint8_t *flags;
    size_t n, cap;
};

struct trace_cursor {
    const struct trace *t;
    struct host_scratch scratch;
    // the batch
    struct trace_batch batch;
    struct zone_columns zones;
    VEC(struct zone_said) saids;
    VEC(struct trace_event) events;
    struct arena arena; // texts of the batch
    // the track
    uint32_t track;
    bool is_over;
    struct host_findings found;
    // of blocks
    const struct host_files *f;
    bool is_flight;
    struct host_timer timer;
    struct open_zone *stack;
    struct open_said *open_saids; // by depth
    uint32_t n, cap;
    uint32_t n_deep; // open zones too deep for the stack
    uint64_t last;
    size_t piece;
    const struct host_chunk *chunk; // whose words these are
    struct host_words words;
    size_t at, to; // words; on a device, zones
    // of a tree
    const struct trace_trees *trees;
    VEC(struct open_tree) open;
    size_t next_zone, next_event;
    uint64_t event_time; // of the next one; UINT64_MAX: there is none
};

// Makes room for `more` zones in the batch.
void cursor_reserve_zones(struct zone_columns *z, size_t more);

// cursor_blocks.c
void cursor_blocks_start(struct trace_cursor *c);
void cursor_blocks_fill(struct trace_cursor *c);
void cursor_blocks_free(struct trace_cursor *c);
// cursor_trees.c
void cursor_trees_start(struct trace_cursor *c);
void cursor_trees_fill(struct trace_cursor *c);

#endif
