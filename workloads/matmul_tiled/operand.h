// operand.h - how a core gets its operand: read from DRAM and multicast by the first core
// of a row or column, received by the others. Left and right differ in their arguments
// only.
#ifndef OPERAND_H
#define OPERAND_H

#include "ttprof/kernel.h"

enum {
    ARG_MATRIX,
    ARG_FIRST,
    ARG_NEXT_TILE,
    ARG_NEXT_STEP,
    ARG_BLOCK,
    ARG_STEPS,
    ARG_CHUNK, // steps that travel together
    ARG_IS_SENDER,
    ARG_RECEIVERS,
    ARG_SENT,
    ARG_X_FIRST,
    ARG_Y_FIRST,
    ARG_X_LAST,
    ARG_Y_LAST,
    ARG_PRODUCT,
    ARG_PRODUCT_FIRST,
    ARG_PRODUCT_COLUMNS,
    ARG_PRODUCT_ROWS,
};

static inline void operand_read_step(uint32_t cb, uint32_t step, uint32_t to)
{
    InterleavedAddrGen matrix = {get_arg_val(ARG_MATRIX), get_tile_size(cb), 0};
    uint32_t tile = get_arg_val(ARG_FIRST) + step * get_arg_val(ARG_NEXT_STEP);
    for (uint32_t i = 0; i < get_arg_val(ARG_BLOCK); i++) {
        noc_async_read_tile(tile, matrix, to);
        tile += get_arg_val(ARG_NEXT_TILE);
        to += get_tile_size(cb);
    }
}

// Several steps at a time: the latency of DRAM counts once for all of them.
static inline void operand_read(uint32_t cb, uint32_t first, uint32_t steps)
{
    DeviceZoneScopedN("READ-OPERAND");
    uint32_t to = get_write_ptr(cb);
    for (uint32_t i = 0; i < steps; i++)
        operand_read_step(cb, first + i,
                          to + i * get_arg_val(ARG_BLOCK) * get_tile_size(cb));
    noc_async_read_barrier();
}

// To the same place in every other core of the row or column, then the number of steps
// sent. NoC 1 runs towards smaller coordinates: its rectangles start at the far corner.
static inline void operand_send(uint32_t cb, uint32_t tiles, uint32_t steps)
{
    DeviceZoneScopedN("MULTICAST-OPERAND");
    uint32_t cores = get_arg_val(ARG_RECEIVERS),
             sent = get_semaphore(get_arg_val(ARG_SENT));
    uint32_t from = noc_index ? ARG_X_LAST : ARG_X_FIRST;
    uint32_t to = noc_index ? ARG_X_FIRST : ARG_X_LAST;
    uint64_t rectangle = get_noc_multicast_addr(get_arg_val(from), get_arg_val(from + 1),
                                                get_arg_val(to), get_arg_val(to + 1), 0);
    uint32_t at = get_write_ptr(cb);
    noc_async_write_multicast(at, rectangle | at, tiles * get_tile_size(cb), cores);
    noc_semaphore_set(TTK_L1(ttk_semaphore, sent), steps);
    noc_semaphore_set_multicast(sent, rectangle | sent, cores);
}

static inline void operand_move(uint32_t cb)
{
    ttk_semaphore *sent = TTK_L1(ttk_semaphore, get_semaphore(get_arg_val(ARG_SENT)));
    uint32_t steps = get_arg_val(ARG_CHUNK), tiles = steps * get_arg_val(ARG_BLOCK);
    for (uint32_t step = 0; step < get_arg_val(ARG_STEPS); step += steps) {
        cb_reserve_back(cb, tiles);
        if (get_arg_val(ARG_IS_SENDER)) {
            operand_read(cb, step, steps);
            if (get_arg_val(ARG_RECEIVERS))
                operand_send(cb, tiles, step + steps);
        } else {
            DeviceZoneScopedN("RECEIVE-OPERAND");
            noc_semaphore_wait_min(sent, step + steps);
        }
        cb_push_back(cb, tiles);
    }
    noc_async_write_barrier();
}

#endif
