// timeline_block.h - the bars of a page as compressed columns of numbers.
//
// Each lane writes the columns of its own rows; concatenated in lane order they are the
// columns of the block. A number is an unsigned LEB128: seven bits a byte, lowest first.
//
// Columns: start (difference to the previous bar of the row), duration, site, depth * 2
// plus a flag, and one that zones and levels use differently.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_BLOCK_H
#define TTP_PRESENT_TIMELINE_TIMELINE_BLOCK_H

#include "present/timeline/timeline_plan.h"

enum { TIMELINE_COLUMNS = 5, TIMELINE_NUMBER_MOST = 10 }; // bytes of a number

struct timeline_columns {
    struct buf column[TIMELINE_COLUMNS];
};

struct timeline_block {
    uint64_t width;   // of a level, in cycles; 0: the zones themselves
    uint32_t *counts; // bars, by row of the page
    uint64_t n;       // in all
    struct timeline_columns *lanes;
    unsigned n_lanes;
    struct buf packed; // a zlib stream; replaces the lanes
};
typedef VEC(struct timeline_block) timeline_blocks;

struct timeline_heat {
    uint32_t core; // of the trace
    uint32_t name; // of the page
    uint64_t count, sum, longest;
};
typedef VEC(struct timeline_heat) timeline_heats;

struct timeline_bar {
    uint64_t start, end; // on the axis
    uint64_t site, depth, more;
};

// Where the next bar of a row goes.
struct timeline_cursor {
    unsigned char *at[TIMELINE_COLUMNS];
    uint64_t start; // of the previous bar
};

// The kept zones; sets n_kept of the plan and of its rows.
struct timeline_block timeline_zones(struct timeline_plan *p);
// Adds the levels of detail, from coarse to fine.
void timeline_levels(const struct timeline_plan *p, timeline_blocks *blocks);
// By core and name, in grid order.
void timeline_heat(const struct timeline_plan *p, timeline_heats *heats);

// Runs `work` on all lanes; its context is a struct timeline_work.
struct timeline_work {
    const struct timeline_plan *plan;
    struct timeline_block *block;
};
struct timeline_block timeline_block_make(const struct timeline_plan *p, uint64_t width,
                                          void (*work)(struct lane lane, void *context));
void timeline_pack(timeline_blocks *blocks);
void timeline_block_free(struct timeline_block *b);

// Reserves room for that many bars.
struct timeline_cursor timeline_begin(struct timeline_columns *c, size_t n_bars);
void timeline_end(struct timeline_columns *c, const struct timeline_cursor *at);

static inline unsigned char *timeline_number(unsigned char *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *at++ = (unsigned char)(v | 0x80);
    *at++ = (unsigned char)v;
    return at;
}

static inline void timeline_put(struct timeline_cursor *c, const struct timeline_bar *b)
{
    c->at[0] = timeline_number(c->at[0], b->start - c->start);
    c->at[1] = timeline_number(c->at[1], b->end - b->start);
    c->at[2] = timeline_number(c->at[2], b->site);
    c->at[3] = timeline_number(c->at[3], b->depth);
    c->at[4] = timeline_number(c->at[4], b->more);
    c->start = b->start;
}

#endif
