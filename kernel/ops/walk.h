// walk.h - output tiles in order: batch, head, row and column of each, and the position of
// an operand's tile for it: the sum of these times a stride each.
#ifndef WALK_H
#define WALK_H

#include "ttprof/kernel.h"

enum { WALK_DIMENSIONS = 4 }; // batches, heads, rows, columns

struct walk {
    uint32_t size[WALK_DIMENSIONS];
    uint32_t at[WALK_DIMENSIONS];
};

// Sizes are common arguments `sizes` ..; tile `first` comes first.
static inline void walk_start(struct walk *w, uint32_t sizes, uint32_t first)
{
    for (uint32_t i = WALK_DIMENSIONS; i-- > 0;) {
        w->size[i] = get_common_arg_val(sizes + i);
        w->at[i] = first % w->size[i];
        first /= w->size[i];
    }
}

static inline void walk_next(struct walk *w)
{
    for (uint32_t i = WALK_DIMENSIONS; i-- > 0;) {
        if (++w->at[i] < w->size[i])
            return;
        w->at[i] = 0;
    }
}

// The strides are common arguments.
static inline uint32_t walk_page(const struct walk *w, uint32_t strides)
{
    uint32_t page = 0;
    for (uint32_t i = 0; i < WALK_DIMENSIONS; i++)
        page += w->at[i] * get_common_arg_val(strides + i);
    return page;
}

#endif
