// row_steps.h - steps over whole rows of tiles.
#ifndef ROW_STEPS_H
#define ROW_STEPS_H

#include "edge.h"
#include "rows.h"
#include "steps.h"

// Whether tile i of a row of n has columns that do not count.
static inline bool is_masked(uint32_t i, uint32_t n)
{
    return i + 1 == n && (get_common_arg_val(ROW_EDGE) & 0xFFFF) != EDGE_NONE;
}

// Packs Dst to `cb`; columns that do not count become zero.
static inline void row_pack(bool is_mask_needed, uint32_t cb)
{
    step_pack(is_mask_needed ? CB_ONE_TILE : cb);
    if (!is_mask_needed)
        return;
    cb_wait_front(CB_ONE_TILE, 1);
    step_binary(TT_MATH_MUL, CB_ONE_TILE, 0, CB_MASK, 0, TT_BROADCAST_NONE, cb);
    cb_pop_front(CB_ONE_TILE, 1);
}

static inline void row_start(void)
{
    ttk_set_fidelity(get_common_arg_val(ROW_FIDELITY));
    cb_wait_front(CB_SCALER, 1);
    if ((get_common_arg_val(ROW_EDGE) & 0xFFFF) != EDGE_NONE)
        cb_wait_front(CB_MASK, 1);
}

#endif
